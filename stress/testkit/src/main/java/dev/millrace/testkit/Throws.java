package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Asserts that each of some calls fails, and with which message. There "..." stands for any text.
 */
public final class Throws {
  /** What no message, no label and no debugging text may show as it is. */
  public static final String FLOOD = "password\n\u001B[31m" + "x".repeat(100_000);

  private static final String ANY = "...";
  private static final int MOST_CHARACTERS = 1_000;

  private Throws() {}

  /** Asserts that calls are misuse. */
  public static void illegalState(String message, ThrowingCallable... calls) {
    a(IllegalStateException.class, message, calls);
  }

  /** Asserts that arguments are refused. */
  public static void illegalArgument(String message, ThrowingCallable... calls) {
    a(IllegalArgumentException.class, message, calls);
  }

  /** Asserts that accesses are outside of what there is. */
  public static void outOfBounds(String message, ThrowingCallable... calls) {
    a(IndexOutOfBoundsException.class, message, calls);
  }

  /** Asserts that accesses are outside of what there is, whatever they say. */
  public static void outOfBounds(ThrowingCallable... calls) {
    outOfBounds(ANY, calls);
  }

  /** Asserts that a parameter is refused when it is null. */
  public static void nullArgument(String name, ThrowingCallable... calls) {
    a(NullPointerException.class, name + " must not be null: " + name + "=null", calls);
  }

  /** Asserts that calls throw, and that whatever text they were given does not flood a log. */
  public static void readably(ThrowingCallable... calls) {
    assertThat(calls).isNotEmpty();
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .message()
          .hasSizeLessThan(MOST_CHARACTERS)
          .doesNotContainPattern("\\p{Cntrl}");
    }
  }

  /** Asserts that calls throw, whatever they say. */
  public static void a(Class<? extends Throwable> type, ThrowingCallable... calls) {
    a(type, ANY, calls);
  }

  /** Asserts that calls throw. */
  public static void a(Class<? extends Throwable> type, String message, ThrowingCallable... calls) {
    String pattern =
        Stream.of(message.split(Pattern.quote(ANY), -1))
            .map(Pattern::quote)
            .collect(Collectors.joining("(?s:.*)"));
    assertThat(calls).isNotEmpty();
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .satisfies(MessagePage::note)
          .isInstanceOf(type)
          .matches(
              e -> message.equals(ANY) || String.valueOf(e.getMessage()).matches(pattern), message);
    }
  }
}

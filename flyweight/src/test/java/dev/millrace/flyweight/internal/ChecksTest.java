package dev.millrace.flyweight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.CharBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a value that a message shows with control characters, at full length or cut within a
 * character.
 */
class ChecksTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plain text, Z\u00FCrich \uD83D\uDE00|plain text, Z\u00FCrich \uD83D\uDE00",
        "'a\nb\r\tc'|a\\nb\\r\\tc",
        "'\u001B[31m'|\\u001b[31m",
        "'\u0000\u0085\u2028'|\\u0000\\u0085\\u2028",
        "\u202Ereversed|\\u202ereversed",
        "\uD83D alone|\\ud83d alone",
        "a\\n|a\\\\n"
      })
  void shown_whatIsNotPrintable_isEscaped(String value, String shown) {
    assertThat(Checks.shown(value)).isEqualTo(shown);
  }

  @Test
  void shown_whatIsLong_isCutAndHasItsLength() {
    assertThat(Checks.shown("x".repeat(64))).isEqualTo("x".repeat(64));
    assertThat(Checks.shown("x".repeat(10_000_000)))
        .isEqualTo("x".repeat(64) + "... (10000000 characters)");
    String pair = "\uD83D\uDE00";
    assertThat(Checks.shown("x".repeat(63) + pair)).as("a pair is whole").endsWith("x" + pair);
    assertThat(Checks.shown("\n".repeat(65))).isEqualTo("\\n".repeat(64) + "... (65 characters)");
  }

  @Test
  void shownEach_ofManyValues_showsTheFirst() {
    assertThat(Checks.shownEach(List.of("a\n", 1))).isEqualTo("[a\\n, 1]");
    assertThat(Checks.shownEach(Collections.nCopies(17, 0)))
        .isEqualTo("[" + "0, ".repeat(16) + "and 1 more]");
  }

  @Test
  void shownPath_isWholeUnlessItIsVeryLong() {
    String name = "d".repeat(100) + "\n";
    assertThat(Checks.shownPath(Path.of(name))).isEqualTo("d".repeat(100) + "\\n");
    assertThat(Checks.shownPath(Path.of("d".repeat(5_000)))).hasSizeLessThan(1_100);
  }

  @Test
  void shown_anyObject_isItsText() {
    assertThat(Checks.shown(null)).isEqualTo("null");
    assertThat(Checks.shown(12)).isEqualTo("12");
    assertThat(Checks.shown(CharBuffer.wrap("a\n"))).isEqualTo("a\\n");
  }
}

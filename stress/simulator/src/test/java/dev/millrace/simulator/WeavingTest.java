package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Test;

/**
 * Finds a setting that could have no effect and is not refused, such as an annotation that class
 * files do not keep.
 */
class WeavingTest {
  private static final Weaving WEAVING = Weaving.of("org.example.");

  @Retention(RetentionPolicy.SOURCE)
  private @interface Forgotten {}

  /** It is not public. */
  static final class Hidden {
    private Hidden() {}

    @Replaces(System.class)
    public static long currentTimeMillis() {
      return 0;
    }
  }

  @Test
  void speculative_ofAnnotationThatIsNotKept_isRefused() {
    assertThatThrownBy(() -> WEAVING.speculative(Forgotten.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("annotation is not kept in class files: ")
        .hasMessageEndingWith("Forgotten");
  }

  @Test
  void replacing_byClassWithoutReplacements_isRefused() {
    assertThatThrownBy(() -> WEAVING.replacing(WeavingTest.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no method is marked @Replaces: ");
  }

  @Test
  void replacing_byMethodThatCannotBeCalled_isRefused() {
    assertThatThrownBy(() -> WEAVING.replacing(Hidden.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("replacement must be public and static: ");
  }

  @Test
  void replacing_byWovenClass_isRefused() {
    assertThatThrownBy(() -> Weaving.of("dev.millrace.simulator.").replacing(Replacements.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("replacements must not be woven: ");
  }
}

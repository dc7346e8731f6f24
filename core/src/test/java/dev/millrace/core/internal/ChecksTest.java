package dev.millrace.core.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.CharBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void shown_anyObject_isItsText() {
    assertThat(Checks.shown(null)).isEqualTo("null");
    assertThat(Checks.shown(12)).isEqualTo("12");
    assertThat(Checks.shown(CharBuffer.wrap("a\n"))).isEqualTo("a\\n");
  }
}

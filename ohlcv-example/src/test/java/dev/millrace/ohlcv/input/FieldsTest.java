package dev.millrace.ohlcv.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Decimals and times as they are written in files. */
final class FieldsTest {
  @ParameterizedTest
  @CsvSource({
    "800.010000000000,80001,2",
    "9682,9682,0",
    "46263700,46263700,0",
    "1e-05,1,5",
    "1.5E3,1500,0",
    "+.5,5,1",
    "7.,7,0",
    "0.000,0,0",
    "-0,0,0",
    "0e50,0,0",
    "' 00012.3400 ',1234,2",
    "9223372036854775807,9223372036854775807,0",
    "0.30000000000000004,30000000000000004,17",
    "1000000000000000000,1000000000000000000,0",
    "00000000000000000000001.50,15,1",
    "0.000000000000000001,1,18",
    "9.2233720368547758070000,9223372036854775807,18",
    "' +7e0 ',7,0",
    "'-0.0 ',0,0"
  })
  void decimal_isReadExactly(String text, long unscaled, int scale) throws Exception {
    assertThat(DecimalField.readNotNegative("price", text))
        .isEqualTo(BigDecimal.valueOf(unscaled, scale));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-",
        ".",
        "NaN",
        "Infinity",
        "x",
        "1,5",
        "1e",
        "1e+",
        "1e1234",
        "1 2",
        "١",
        "--1",
        ".e1",
        "0x1",
        "-3",
        "0"
      })
  void decimal_ofNoPositiveNumber_isRefused(String text) {
    assertThatThrownBy(() -> DecimalField.readPositive("price", text))
        .hasMessage("price must be a positive decimal: price=" + text);
  }

  @ParameterizedTest
  @CsvSource({
    "1.2.3,must be a decimal not below 0",
    "-0.1,must be a decimal not below 0",
    "18446744073709551617,must fit 64 bits without its point and the zeros at its end",
    "9.223372036854775808,must fit 64 bits without its point and the zeros at its end",
    "9223372036854775808,must fit 64 bits without its point and the zeros at its end",
    "1e30,must fit 64 bits without its point and the zeros at its end",
    "1e999,must fit 64 bits without its point and the zeros at its end",
    "1e-31,must have at most 30 decimals"
  })
  void decimal_outOfRange_namesTheRule(String text, String rule) {
    assertThatThrownBy(() -> DecimalField.readNotNegative("qty", text))
        .hasMessage("qty " + rule + ": qty=" + text);
  }

  @ParameterizedTest
  @CsvSource({
    "1385337600,2013-11-25T00:00:00Z",
    "1585180700.0647,2020-03-25T23:58:20.0647Z",
    "1582329602111,2020-02-22T00:00:02.111Z",
    "1582329602111000,2020-02-22T00:00:02.111Z",
    "1582329602111000123,2020-02-22T00:00:02.111000123Z",
    "1582329602.1110001239,2020-02-22T00:00:02.111000123Z",
    "2020-02-22,2020-02-22T00:00:00Z",
    "2020-02-22 01:02:03,2020-02-22T01:02:03Z",
    "2020-02-22T01:02:03.5+02:00,2020-02-21T23:02:03.5Z",
    "2020-02-22D01:02:03.123456789,2020-02-22T01:02:03.123456789Z",
    "2020-02-22 01:02:03 UTC,2020-02-22T01:02:03Z",
    "2020-02-22T01:02Z,2020-02-22T01:02:00Z",
    "2020/02/22 01:02:03-0530,2020-02-22T06:32:03Z"
  })
  void time_isReadInEveryForm(String text, String expected) throws Exception {
    assertThat(nanos(new TimeField(), text)).isEqualTo(nanos(Instant.parse(expected)));
  }

  @ParameterizedTest
  @CsvSource({
    "1582329602111000,1582329602111,must be in us as the first one",
    "1582329602,1582329602111,must be in 1970-01-01..2262-04-11 in s", // the former rule first
    "2020-02-22,99999999999,must be in 1970-01-01..2262-04-11 in s"
  })
  void time_inAnotherUnitThanTheFirst_isRefused(String first, String second, String rule)
      throws Exception {
    TimeField times = new TimeField();
    assertThat(nanos(times, first)).isPositive();
    assertThatThrownBy(() -> nanos(times, second))
        .isInstanceOf(BadRowException.class)
        .hasMessage("time " + rule + ": time=" + second);
  }

  @Test
  void time_thatIsWritten_tellsNoUnit() throws Exception {
    TimeField times = new TimeField();
    for (String text : List.of("2020-02-22", "1582329600000", "2020-02-22", "1582329600000")) {
      assertThat(nanos(times, text)).isEqualTo(1_582_329_600_000_000_000L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1969-12-31", "2263-01-01", "99999999999999999999"})
  void time_outOfRange_namesTheRange(String text) {
    assertThatThrownBy(() -> nanos(new TimeField(), text))
        .hasMessage("time must be in 1970-01-01..2262-04-11: time=" + text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "now", "2020-02-30", "2020-13-01", "2020-02-22 25:00:00"})
  void time_ofNoTime_isRefused(String text) {
    assertThatThrownBy(() -> nanos(new TimeField(), text))
        .isInstanceOf(BadRowException.class)
        .hasMessage("time must be a time, as a number or as in ISO 8601: time=" + text);
  }

  private static long nanos(TimeField times, String text) throws BadRowException {
    return times.nanos("time", text, false);
  }

  private static long nanos(Instant instant) {
    return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
  }
}

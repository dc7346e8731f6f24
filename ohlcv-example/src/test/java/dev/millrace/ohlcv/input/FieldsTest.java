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

/**
 * Finds a decimal that loses a digit, a time read in the wrong unit or zone, and a text that is
 * taken for one and is none.
 */
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
    "2020/02/22 01:02:03-0530,2020-02-22T06:32:03Z",
    "315532800,1980-01-01T00:00:00Z",
    "946684800000,2000-01-01T00:00:00Z",
    "1.5823296021110000e9,2020-02-22T00:00:02.111Z",
    "20200222,2020-02-22T00:00:00Z",
    "202002220102,2020-02-22T01:02:00Z",
    "20200222010203,2020-02-22T01:02:03Z",
    "20200222010203123,2020-02-22T01:02:03.123Z",
    "20200222 010203123,2020-02-22T01:02:03.123Z",
    "20200222T010203Z,2020-02-22T01:02:03Z",
    "2020.02.22 01:02:03.5,2020-02-22T01:02:03.5Z",
    "'2020-02-22T01:02:03,5Z',2020-02-22T01:02:03.5Z",
    "2020-02-22T01:02:03.1234567891Z,2020-02-22T01:02:03.123456789Z",
    "2020-02-22t01:02:03z,2020-02-22T01:02:03Z",
    "2020-02-22T24:00:00Z,2020-02-23T00:00:00Z",
    "2020-02-22 1:02:03+01,2020-02-22T00:02:03Z",
    "2020-02-22 01:02:03.25+00:00,2020-02-22T01:02:03.25Z",
    "2020-02-22 01:02:03+00:01,2020-02-22T01:01:03Z",
    "2020-02-23 01:02:03,2020-02-23T01:02:03Z",
    "1980-01-01T00:00:00,1980-01-01T00:00:00Z",
    "1979-12-31T23:00:00-01:00,1980-01-01T00:00:00Z",
    "9223372036,2262-04-11T23:47:16Z",
    "9223372036.854775807,2262-04-11T23:47:16.854775807Z",
    "2262-04-11T23:47:16.854775807Z,2262-04-11T23:47:16.854775807Z"
  })
  void time_isReadInEveryForm(String text, String expected) throws Exception {
    TimeField times = new TimeField();
    for (int i = 0; i < 2; i++) { // the second is of the same day, or in the same unit
      assertThat(nanos(times, text)).isEqualTo(nanos(Instant.parse(expected)));
    }
    assertThat(nanos(ofTheSameDay(), text)).isEqualTo(nanos(Instant.parse(expected)));
  }

  @ParameterizedTest
  @CsvSource({
    "1582329602111000,1582329602111,must be in us as the first one",
    "1582329602,1582329602111,must be in s as the first one",
    "1582329602,1582329602111000000,must be in s as the first one",
    "1582329602111,1582329602,must be in ms as the first one"
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

  /** Units meet nowhere; below 1980 and between them are no times. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "0",
        "1",
        "34200.5",
        "45294",
        "45294.3958",
        "34200123",
        "315532799",
        "9223372037",
        "9223372036.854775808",
        "9223372036854775808",
        "12345678901",
        "315532799999",
        "9223372036855",
        "315532799999999",
        "99999999999999999999"
      })
  void time_thatIsANumberOfNoUnit_isRefused(String text) {
    assertThatThrownBy(() -> nanos(new TimeField(), text))
        .isInstanceOf(BadRowException.class)
        .hasMessageStartingWith("time must be in 1980-01-01..2262-04-11")
        .hasMessageEndingWith(": time=" + text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1969-12-31", "1979-12-31 23:59:59", "2263-01-01", "9999-12-31", "19700101"})
  void time_outOfRange_namesTheRange(String text) {
    assertThatThrownBy(() -> nanos(new TimeField(), text))
        .hasMessage("time must be in 1980-01-01..2262-04-11: time=" + text);
  }

  @Test
  void time_afterTheLastOfTheRange_isRefused() throws Exception {
    TimeField times = new TimeField();
    nanos(times, "2262-04-11T23:47:16.854775807Z");
    for (String text : List.of("2262-04-11T23:47:16.854775808Z", "2262-04-11 23:47:17")) {
      assertThatThrownBy(() -> nanos(times, text))
          .hasMessage("time must be in 1980-01-01..2262-04-11: time=" + text);
    }
  }

  @Test
  void day_ofABar_mayBeBefore1980() throws Exception {
    assertThat(new TimeField().nanos("Date", "1970-01-02", true)).isEqualTo(86_400_000_000_000L);
    assertThatThrownBy(() -> new TimeField().nanos("Date", "1969-12-31", true))
        .hasMessage("Date must be in 1970-01-01..2262-04-11: Date=1969-12-31");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "now",
        "2020-02-30",
        "2020-13-01",
        "2020-02-22 25:00:00",
        "2020-02-22 24:00:01",
        "2020-02-22T1a:00:00",
        "2020-02-22T01:60:00",
        "2020-02-22T01:02:61",
        "2020-02-22T01:02:03.",
        "2020-02-22T01:02:03.x",
        "2020-02-22_01:02:03",
        "2020-02-22T01-02-03",
        "2020-02-22T01:02:03ZZ",
        "2020-02-22T-1:02:03",
        "22.02.2020",
        "02/22/2020",
        "2020-W08-6",
        "2020-053",
        "2020-02-22T01:02:03+25:00",
        "NaT"
      })
  void time_ofNoTime_isRefused(String text) throws Exception {
    for (TimeField times : List.of(new TimeField(), ofTheSameDay())) {
      assertThatThrownBy(() -> nanos(times, text))
          .isInstanceOf(BadRowException.class)
          .hasMessage(
              "time must be a time as in 2024-01-03 09:30:00.5Z, or a number of s, ms, us or ns"
                  + " since 1970: time="
                  + text);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2016-12-31T23:59:60Z,'must have seconds in 0..59, for leap seconds are not read'",
    "2016-12-31 23:59:60.5+00:00,'must have seconds in 0..59, for leap seconds are not read'",
    "1.70427E+12,must have all its digits: its exponent stands for some"
  })
  void time_ofAFormThatIsNotRead_isSaidSo(String text, String rule) {
    assertThatThrownBy(() -> nanos(new TimeField(), text))
        .hasMessage("time " + rule + ": time=" + text);
  }

  @ParameterizedTest
  @CsvSource({
    "2024-01-03,09:30:00.5,2024-01-03T09:30:00.5Z",
    "20240103,9:30:00.0123456789,2024-01-03T09:30:00.012345678Z",
    "2024.01.03,093000,2024-01-03T09:30:00Z",
    "2024/01/03,093000123,2024-01-03T09:30:00.123Z",
    "2024-01-03 00:00:00,24:00,2024-01-04T00:00:00Z",
    "2024-01-03 00:00:00-05:00,09:30,2024-01-03T14:30:00Z"
  })
  void time_inTwoColumns_isReadAsOne(String day, String clock, String expected) throws Exception {
    assertThat(new TimeField().nanos("d", day, "t", clock, false))
        .isEqualTo(nanos(Instant.parse(expected)));
  }

  @ParameterizedTest
  @CsvSource({
    "2024-01-03,34200,t must be a time of day as in 09:30:00.5 or 093000: t=34200",
    "2024-01-03,0930,t must be a time of day as in 09:30:00.5 or 093000: t=0930",
    "2024-01-03,34200123,t must be a time of day as in 09:30:00.5 or 093000: t=34200123",
    "2024-01-03,25:00,t must be a time of day as in 09:30:00.5 or 093000: t=25:00",
    "2024-01-03 10:00,09:30,d must be a date as in 2023-09-20: d=2024-01-03 10:00",
    "1704240000,09:30,d must be a date as in 2023-09-20: d=1704240000"
  })
  void time_inTwoColumns_namesTheOneThatIsNone(String day, String clock, String message) {
    assertThatThrownBy(() -> new TimeField().nanos("d", day, "t", clock, false))
        .hasMessage(message);
  }

  /** That has read a time of the day which most of the texts have. */
  private static TimeField ofTheSameDay() throws BadRowException {
    TimeField times = new TimeField();
    nanos(times, "2020-02-22 23:59:59.999999999");
    return times;
  }

  private static long nanos(TimeField times, String text) throws BadRowException {
    return times.nanos("time", text, false);
  }

  private static long nanos(Instant instant) {
    return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
  }
}

package dev.millrace.ohlcv.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.ohlcv.candle.Side;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Decimals, times and sides as they are written in files. */
final class FieldsTest {
  private final DecimalField decimal = new DecimalField();

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
    "00012.3400,1234,2",
    "9223372036854775807,9223372036854775807,0",
    "0.30000000000000004,30000000000000004,17",
    "1000000000000000000,1000000000000000000,0"
  })
  void decimal_isReadExactly(String text, long unscaled, int scale) throws Exception {
    decimal.parseNotNegative("price", text);
    assertThat(decimal.unscaled()).isEqualTo(unscaled);
    assertThat(decimal.scale()).isEqualTo(scale);
  }

  @Test
  void decimal_ofRandomDigits_agreesWithBigDecimal() throws Exception {
    Random random = new Random(3);
    for (int i = 0; i < 100_000; i++) {
      BigDecimal number =
          BigDecimal.valueOf(
              random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63), random.nextInt(30));
      String text = random.nextBoolean() ? number.toPlainString() : number.toString();
      decimal.parseNotNegative("price", text);
      assertThat(BigDecimal.valueOf(decimal.unscaled(), decimal.scale()))
          .as(text)
          .isEqualByComparingTo(number);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "-", ".", "NaN", "Infinity", "abc", "1,5", "1e", "1e+", "0x1", "1.2.3"})
  void decimal_ofNoNumber_isRefused(String text) {
    assertThatThrownBy(() -> decimal.parsePositive("price", text))
        .hasMessage("price must be a positive decimal: price=" + text);
  }

  @Test
  void decimal_outOfRange_namesTheRule() {
    assertThatThrownBy(() -> decimal.parsePositive("price", "-3"))
        .hasMessage("price must be a positive decimal: price=-3");
    assertThatThrownBy(() -> decimal.parsePositive("price", "0.00"))
        .hasMessage("price must be a positive decimal: price=0.00");
    assertThatThrownBy(() -> decimal.parseNotNegative("qty", "-0.1"))
        .hasMessage("qty must be a decimal not below 0: qty=-0.1");
    assertThatThrownBy(() -> decimal.parseNotNegative("qty", "9223372036854775808"))
        .hasMessageStartingWith("qty must fit 64 bits");
    assertThatThrownBy(() -> decimal.parseNotNegative("qty", "1e30"))
        .hasMessageStartingWith("qty must fit 64 bits");
    assertThatThrownBy(() -> decimal.parseNotNegative("qty", "1e-31"))
        .hasMessage("qty must have at most 30 decimals: qty=1e-31");
  }

  @ParameterizedTest
  @CsvSource({
    "1385337600,2013-11-25T00:00:00Z",
    "1585180700.0647,2020-03-25T23:58:20.0647Z",
    "1582329602111,2020-02-22T00:00:02.111Z",
    "1582329602111000,2020-02-22T00:00:02.111Z",
    "1582329602111000123,2020-02-22T00:00:02.111000123Z",
    "2020-02-22,2020-02-22T00:00:00Z",
    "2020-02-22 01:02:03,2020-02-22T01:02:03Z",
    "2020-02-22T01:02:03.5+02:00,2020-02-21T23:02:03.5Z",
    "2020-02-22D01:02:03.123456789,2020-02-22T01:02:03.123456789Z",
    "2020-02-22 01:02:03 UTC,2020-02-22T01:02:03Z",
    "2020-02-22T01:02Z,2020-02-22T01:02:00Z",
    "2020/02/22 01:02:03-0530,2020-02-22T06:32:03Z"
  })
  void time_isReadInEveryForm(String text, String expected) throws Exception {
    Instant instant = Instant.parse(expected);
    assertThat(new TimeField(null).parse("time", text))
        .isEqualTo(instant.getEpochSecond() * 1_000_000_000L + instant.getNano());
  }

  @ParameterizedTest
  @CsvSource({
    "1582329602111000,1582329602111,'must be in us as the first one, or --time-unit be given'",
    "1582329602,1582329602111,must be in 1970-01-01..2262-04-11 in s", // the former rule first
    "99999999999,1582329602,must be in 1970-01-01..2262-04-11 in s"
  })
  void time_inAnotherUnitThanTheFirst_isRefused(String first, String second, String rule) {
    TimeField times = new TimeField(null);
    UnitOfFirst unit = new UnitOfFirst();
    assertThatThrownBy(
            () -> {
              for (String text : List.of(first, second)) {
                long nanos = times.parse("time", text);
                assertThat(unit.check("time", text, nanos, times.told())).isEqualTo(nanos);
              }
            })
        .isInstanceOf(BadRowException.class)
        .hasMessageMatching(
            "time " + Pattern.quote(rule) + ": time=(" + first + "|" + second + ")");
  }

  @Test
  void time_thatIsWritten_tellsNoUnit() throws Exception {
    TimeField times = new TimeField(null);
    UnitOfFirst unit = new UnitOfFirst();
    for (String text : List.of("2020-02-22", "1582329602111", "2020-02-23", "1582329602112")) {
      long nanos = times.parse("time", text);
      assertThat(unit.check("time", text, nanos, times.told())).isEqualTo(nanos);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1969-12-31", "2263-01-01", "99999999999999999999"})
  void time_outOfRange_namesTheRange(String text) {
    assertThatThrownBy(() -> new TimeField(EpochUnit.S).parse("time", text))
        .hasMessageStartingWith("time must be in 1970-01-01..2262-04-11")
        .hasMessageEndingWith(": time=" + text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "now", "2020-02-30", "2020-13-01", "2020-02-22 25:00:00"})
  void time_ofNoTime_isRefused(String text) {
    assertThatThrownBy(() -> new TimeField(null).parse("time", text))
        .isInstanceOf(BadRowException.class)
        .hasMessageEndingWith(": time=" + text);
  }

  @ParameterizedTest
  @CsvSource({"buy,TAKER_BOUGHT", "S,TAKER_SOLD", "Bid,TAKER_BOUGHT", "True,TAKER_BOUGHT"})
  void side_isTheTakers(String text, Side side) throws Exception {
    assertThat(new SideField(false).parse("side", text)).isEqualTo(side);
    assertThat(new SideField(true).parse("side", text)).isNotEqualTo(side);
    assertThat(new SideField(true).parse("side", "unknown")).isEqualTo(Side.UNKNOWN);
  }

  @Test
  void side_ofAnotherWord_isRefused() {
    assertThatThrownBy(() -> new SideField(false).parse("side", "up"))
        .hasMessage("side must be buy, sell, true or false: side=up");
  }
}

package dev.millrace.ohlcv.candle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a unit of another length, a week that does not start on Monday, and a bucket at either end
 * of the range that does not hold its times.
 */
final class IntervalTest {
  @ParameterizedTest
  @CsvSource({"250ms,250000000", "1s,1000000000", "5m,300000000000", "1h,3600000000000"})
  void parse_ofNumberAndUnit_tellsTheLength(String text, long nanos) {
    assertThat(Interval.parse(text).nanos()).isEqualTo(nanos);
    assertThat(Interval.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "m", "1", "0m", "-1m", "1.5m", "1M", "1y", "99999999999s", "9999d"})
  void parse_ofAnythingElse_isRefused(String text) {
    assertThatThrownBy(() -> Interval.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(": --interval=" + text);
  }

  @Test
  void bucket_ofWeeks_startsOnMonday() {
    Interval week = Interval.parse("1w");
    long time = Instant.parse("2023-09-20T12:00:00Z").getEpochSecond() * 1_000_000_000L;
    Instant open = Instant.ofEpochSecond(0, week.openTimeNanos(week.bucket(time)));
    assertThat(open).isEqualTo(Instant.parse("2023-09-18T00:00:00Z"));
    assertThat(open.atZone(ZoneOffset.UTC).getDayOfWeek()).isEqualTo(DayOfWeek.MONDAY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1ms", "7s", "1m", "1h", "1d", "1w", "10w", "521w", "3650d"})
  void bucket_atEitherEndOfTheRange_holdsItsTime(String text) {
    Interval interval = Interval.parse(text);
    long before = Long.MIN_VALUE;
    for (long time : new long[] {0, 1, Long.MAX_VALUE / 2, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
      long bucket = interval.bucket(time);
      long open = interval.openTimeNanos(bucket);
      assertThat(bucket).isGreaterThanOrEqualTo(before); // by time: the window goes by numbers
      before = bucket;
      assertThat(open).isBetween(-interval.nanos(), time);
      assertThat(Long.compareUnsigned(time - open, interval.nanos())).isNegative();
    }
  }
}

package dev.millrace.ohlcv.input;

import java.util.Locale;

/** In what a number of time since 1970 is counted. */
public enum EpochUnit {
  /** Seconds. */
  S(1_000_000_000L),
  /** Milliseconds. */
  MS(1_000_000L),
  /** Microseconds. */
  US(1_000L),
  /** Nanoseconds. */
  NS(1L);

  private static final long MAX_SECONDS = 100_000_000_000L; // the year 5138
  private static final long STEP = 1_000;

  private final long nanos;

  EpochUnit(long nanos) {
    this.nanos = nanos;
  }

  /** How many nanoseconds one is. */
  long nanos() {
    return nanos;
  }

  /** The unit in which a number of this size is a time of our age: 10 digits s, 13 ms, 16 us. */
  static EpochUnit ofMagnitude(long value) {
    if (value < MAX_SECONDS) {
      return S;
    }
    if (value < MAX_SECONDS * STEP) {
      return MS;
    }
    return value < MAX_SECONDS * STEP * STEP ? US : NS;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

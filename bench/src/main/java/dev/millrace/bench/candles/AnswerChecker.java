package dev.millrace.bench.candles;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds every candle of every answer against the {@link Reference}.
 *
 * <p>An answer is right if
 *
 * <ul>
 *   <li>the last trade that it names lies between those that had taken effect before the query and
 *       those that the engine had been given after it;
 *   <li>its candles are, in all fields, those of the window as it was after that trade: in order of
 *       time, none more and none missing. Of the naive engine's sums only as many digits count as a
 *       double holds, 15.
 * </ul>
 */
final class AnswerChecker {
  private final Reference reference;
  private final boolean inDoubles;
  private long answers;
  private long candles;
  private long wrong;
  private String example = "";

  /**
   * A candle of an answer.
   *
   * @param minute its bucket in the reference
   * @param fault null if it equals the reference's
   */
  private record Checked(int minute, long count, String fault) {}

  /**
   * What came of it.
   *
   * @param answers how many were checked
   * @param candles how many candles they had
   * @param wrong how many answers were wrong
   * @param example the first wrong one, in a line; empty if there is none
   */
  record Result(long answers, long candles, long wrong, String example) {}

  AnswerChecker(LoadSettings settings, Reference reference) {
    this.reference = reference;
    this.inDoubles = settings.engine() == CandleContender.NAIVE;
  }

  /** Checks all answers that a thread has logged. */
  void check(InputStream log) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(log));
    Map<Integer, List<Checked>> last = new HashMap<>(); // by symbol
    while (in.available() > 0) {
      int symbol = (int) in.readLong();
      long before = in.readLong();
      long accepted = in.readLong();
      int trades = (int) in.readLong();
      List<Checked> previous = last.getOrDefault(symbol, List.of());
      List<Checked> answer = new ArrayList<>(previous.size() + 1);
      for (long item = in.readLong(); item != Answers.END; item = in.readLong()) {
        if (item == Answers.NEW) {
          answer.add(checked(in, symbol));
        } else {
          answer.addAll(previous.subList((int) item, (int) (item + in.readLong())));
        }
      }
      last.put(symbol, answer);
      answers++;
      candles += answer.size();
      String fault = faultOf(answer, symbol, before, accepted, trades);
      if (fault != null && wrong++ == 0) {
        example =
            "symbol %d, %d candles asked for between trades %d and %d: %s"
                .formatted(symbol, answer.size(), before, accepted, fault);
      }
    }
  }

  Result result() {
    return new Result(answers, candles, wrong, example);
  }

  private Checked checked(DataInputStream in, int symbol) throws IOException {
    long[] numbers = new long[Answers.NUMBERS];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = in.readLong();
    }
    ScaledCandle candle = ScaledCandle.of(numbers);
    long minute = Reference.minute(candle.openTimeNanos());
    // Clamped, so that any time can be held; a time that is clamped is a fault anyway.
    int clamped = Math.clamp(minute, -1, reference.minutes());
    return new Checked(clamped, candle.count(), faultOf(candle, symbol, minute));
  }

  /** What is wrong with a candle at any time; null if nothing. */
  private String faultOf(ScaledCandle candle, int symbol, long minute) {
    if (minute < 0 || minute >= reference.minutes()) {
      return "a candle of no trade's time: " + candle;
    }
    int full = reference.fullCount(symbol, (int) minute);
    if (candle.count() < 1 || candle.count() > full) {
      return "count must be in 1.." + full + ": " + candle;
    }
    ScaledCandle expected = reference.candle(symbol, (int) minute, (int) candle.count());
    boolean equal = inDoubles ? candle.isNear(expected) : candle.equals(expected);
    return equal ? null : "got " + candle + ", expected " + expected;
  }

  /** What is wrong with an answer; null if nothing. */
  private String faultOf(List<Checked> answer, int symbol, long before, long accepted, int trades) {
    int least = reference.position(symbol, before);
    int most = reference.position(symbol, accepted);
    if (trades < least || trades > most) {
      return "last trade must be in %d..%d: trades=%d".formatted(least, most, trades);
    }
    int newest = reference.newestMinute(symbol, trades);
    int oldest = Math.max(newest - LoadSettings.WINDOW + 1, 0);
    int next = oldest;
    for (Checked candle : answer) {
      int minute = candle.minute;
      if (candle.fault != null) {
        return candle.fault;
      }
      if (minute < next) {
        return (minute < oldest ? "before the window: minute " : "out of order: minute ") + minute;
      }
      String missing = missing(symbol, next, minute, trades);
      if (missing != null) {
        return missing;
      }
      int count = reference.count(symbol, minute, trades);
      if (candle.count != count) {
        return "count must be %d: minute=%d, count=%d".formatted(count, minute, candle.count);
      }
      next = minute + 1;
    }
    return missing(symbol, next, newest + 1, trades);
  }

  /** Names the first minute in a range that had trades at the position; null if none had. */
  private String missing(int symbol, int from, int to, int position) {
    for (int minute = from; minute < to; minute++) {
      if (reference.count(symbol, minute, position) > 0) {
        return "missing: minute " + minute;
      }
    }
    return null;
  }
}

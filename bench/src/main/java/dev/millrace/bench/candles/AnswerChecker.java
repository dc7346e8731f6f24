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
 *   <li>each candle is, in all fields, what the reference's is after as many of its trades as its
 *       count says: so it is whole, and of one moment; of the naive engine's sums only as many
 *       digits count as a double holds, 15;
 *   <li>that count lies between the candle's trades among those that had taken effect before the
 *       query and those that the engine had been given after it: so it is of the query's time, and
 *       a candle that is closed has all its trades;
 *   <li>candles are in order of time, inside the window of some moment of the query, and none of
 *       those is missing that were in the window all the time.
 * </ul>
 *
 * <p>Two candles of one answer may be of different moments: the engines promise no more.
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
      String fault = faultOf(answer, symbol, before, accepted);
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
  private String faultOf(List<Checked> answer, int symbol, long before, long accepted) {
    int fromPosition = reference.position(symbol, before);
    int toPosition = reference.position(symbol, accepted);
    int fromNewest = reference.newestMinute(symbol, fromPosition);
    int toNewest = reference.newestMinute(symbol, toPosition);
    int tooOld = fromNewest - LoadSettings.WINDOW; // the newest minute that may not be shown
    int last = tooOld;
    int required = Math.max(toNewest - LoadSettings.WINDOW, -1) + 1; // at first, then the next
    for (Checked candle : answer) {
      int minute = candle.minute;
      if (candle.fault != null) {
        return candle.fault;
      }
      if (minute <= last) {
        return (minute <= tooOld ? "before the window: minute " : "out of order: minute ") + minute;
      }
      String missing = missing(symbol, required, minute, fromPosition);
      if (missing != null) {
        return missing;
      }
      int least = Math.max(1, reference.count(symbol, minute, fromPosition));
      int most = reference.count(symbol, minute, toPosition);
      if (candle.count < least || candle.count > most) {
        return "count must be in %d..%d: minute=%d, count=%d"
            .formatted(least, most, minute, candle.count);
      }
      last = minute;
      required = Math.max(required, minute + 1);
    }
    return missing(symbol, required, fromNewest + 1, fromPosition);
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

package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.candle.CandleEngine;
import java.util.Arrays;
import java.util.Locale;

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
  private final Held[] lastOfSymbol;
  private Held spare = new Held();
  private long answers;
  private long candles;
  private long wrong;
  private String example = "";

  /** An answer's candles: what is needed of each to check it again in another answer. */
  private static final class Held {
    int size;
    int[] buckets = new int[LoadSettings.WINDOW];
    long[] counts = new long[LoadSettings.WINDOW];
    String[] faults = new String[LoadSettings.WINDOW]; // null: equals the reference

    void copy(Held from, int first, int length) {
      makeRoom(length);
      System.arraycopy(from.buckets, first, buckets, size, length);
      System.arraycopy(from.counts, first, counts, size, length);
      System.arraycopy(from.faults, first, faults, size, length);
      size += length;
    }

    void add(int bucket, long count, String fault) {
      makeRoom(1);
      buckets[size] = bucket;
      counts[size] = count;
      faults[size] = fault;
      size++;
    }

    private void makeRoom(int more) {
      if (size + more > buckets.length) {
        int length = Math.max(size + more, 2 * buckets.length);
        buckets = Arrays.copyOf(buckets, length);
        counts = Arrays.copyOf(counts, length);
        faults = Arrays.copyOf(faults, length);
      }
    }
  }

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
    this.inDoubles = settings.engine() == CandleEngine.Kind.NAIVE;
    this.lastOfSymbol = new Held[settings.symbols()];
  }

  /** Checks all answers of a log. */
  void check(AnswerLog log) {
    for (int i = 0; i < lastOfSymbol.length; i++) {
      lastOfSymbol[i] = new Held();
    }
    AnswerLog.Cursor cursor = log.cursor();
    while (cursor.nextAnswer()) {
      int symbol = cursor.symbol();
      Held answer = spare;
      decode(cursor, symbol, lastOfSymbol[symbol], answer);
      spare = lastOfSymbol[symbol];
      lastOfSymbol[symbol] = answer;
      answers++;
      candles += answer.size;
      String fault = faultOf(answer, symbol, cursor.before(), cursor.accepted());
      if (fault != null) {
        wrong++;
        if (example.isEmpty()) {
          example =
              String.format(
                  Locale.ROOT,
                  "symbol %d, %d candles asked for between trades %d and %d: %s",
                  symbol,
                  answer.size,
                  cursor.before(),
                  cursor.accepted(),
                  fault);
        }
      }
    }
  }

  Result result() {
    return new Result(answers, candles, wrong, example);
  }

  private void decode(AnswerLog.Cursor cursor, int symbol, Held last, Held into) {
    into.size = 0;
    while (cursor.hasItem()) {
      long first = cursor.nextItem();
      if (first == AnswerLog.NEW) {
        ScaledCandle candle = cursor.candle();
        long bucket = Reference.bucket(candle.openTimeNanos());
        // Clamped, so that any time can be held; a time that is clamped is a fault anyway.
        int clamped = Math.clamp(bucket, -1, reference.buckets());
        into.add(clamped, candle.count(), faultOf(candle, symbol, bucket));
      } else {
        into.copy(last, (int) first, cursor.length());
      }
    }
  }

  /** What is wrong with a candle at any time; null if nothing. */
  private String faultOf(ScaledCandle candle, int symbol, long bucket) {
    if (bucket < 0 || bucket >= reference.buckets()) {
      return "a candle of no trade's time: " + candle;
    }
    int full = reference.fullCount(symbol, (int) bucket);
    if (candle.count() < 1 || candle.count() > full) {
      return "count must be in 1.." + full + ": " + candle;
    }
    ScaledCandle expected = reference.candle(symbol, (int) bucket, (int) candle.count());
    boolean equal = inDoubles ? candle.isNear(expected) : candle.equals(expected);
    return equal ? null : "got " + candle + ", expected " + expected;
  }

  /** What is wrong with an answer; null if nothing. */
  private String faultOf(Held answer, int symbol, long before, long accepted) {
    int fromPosition = reference.position(symbol, before);
    int toPosition = reference.position(symbol, accepted);
    int fromNewest = reference.newestBucket(symbol, fromPosition);
    int toNewest = reference.newestBucket(symbol, toPosition);
    int last = fromNewest - LoadSettings.WINDOW; // the first bucket that may not be shown
    int required = Math.max(toNewest - LoadSettings.WINDOW, -1) + 1; // at first, then the next
    for (int i = 0; i < answer.size; i++) {
      if (answer.faults[i] != null) {
        return answer.faults[i];
      }
      int bucket = answer.buckets[i];
      if (bucket <= last) {
        return (i == 0 ? "before the window: minute " : "out of order: minute ") + bucket;
      }
      int missing = missing(symbol, required, bucket, fromPosition);
      if (missing >= 0) {
        return "missing: minute " + missing;
      }
      int least = Math.max(1, reference.count(symbol, bucket, fromPosition));
      int most = reference.count(symbol, bucket, toPosition);
      if (answer.counts[i] < least || answer.counts[i] > most) {
        return String.format(
            Locale.ROOT,
            "count must be in %d..%d: minute=%d, count=%d",
            least,
            most,
            bucket,
            answer.counts[i]);
      }
      last = bucket;
      required = Math.max(required, bucket + 1);
    }
    int missing = missing(symbol, required, fromNewest + 1, fromPosition);
    return missing >= 0 ? "missing: minute " + missing : null;
  }

  /** The first minute in a range that had trades at the position, -1 if none. */
  private int missing(int symbol, int from, int to, int position) {
    for (int bucket = from; bucket < to; bucket++) {
      if (reference.count(symbol, bucket, position) > 0) {
        return bucket;
      }
    }
    return -1;
  }
}

package dev.millrace.bench.candles;

import dev.millrace.ohlcv.candle.CandleSnapshot;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Takes one thread's answers and logs each as its difference from the answer before for the same
 * symbol: of 1,440 candles all but a few are, to the bit, those of before. So a minute of answers,
 * which would be 14 GB, is some megabytes, and none of it is in the memory that is measured.
 *
 * <pre>
 *   answer:   symbol, trades before, trades accepted, the symbol's trades in it, item..., END
 *   item:     index of the first, how many   -- the same candles as in the answer before
 *          or NEW, the candle's 11 numbers   -- a candle that was not in it, or not as it is now
 * </pre>
 *
 * <p>All are longs. {@link AnswerChecker} reads them.
 */
final class Answers implements AutoCloseable {
  /** In place of an index: a candle follows. */
  static final long NEW = -1;

  /** How many numbers a candle is. */
  static final int NUMBERS = 11;

  /** In place of an index: nothing follows. */
  static final long END = -2;

  private final Supplier<CandleSnapshot> snapshots;
  private final DataOutputStream log;
  private final Map<Integer, Answer> last = new HashMap<>(); // by symbol
  private Answer current;

  private static final class Answer {
    final CandleSnapshot candles;
    int count;

    Answer(CandleSnapshot candles) {
      this.candles = candles;
    }
  }

  /**
   * Begins a log.
   *
   * @param snapshots makes what answers are taken into
   * @param log where they go
   */
  Answers(Supplier<CandleSnapshot> snapshots, OutputStream log) {
    this.snapshots = snapshots;
    this.log = new DataOutputStream(new BufferedOutputStream(log));
    this.current = new Answer(snapshots.get());
  }

  /** Takes an answer: from then on it does not change. */
  void take(int symbol) {
    current.count = current.candles.take(symbol, LoadSettings.WINDOW);
  }

  /**
   * Logs the answer taken.
   *
   * @param before how many trades had taken effect before the query
   * @param accepted how many the engine had been given after it
   */
  void log(int symbol, long before, long accepted) throws IOException {
    Answer answer = current;
    Answer previous = last.computeIfAbsent(symbol, key -> new Answer(snapshots.get()));
    put(symbol, before, accepted, answer.candles.trades());
    int at = 0; // in the answer before
    for (int i = 0; i < answer.count; ) {
      long openTime = answer.candles.openTimeNanos(i);
      while (at < previous.count && previous.candles.openTimeNanos(at) < openTime) {
        at++;
      }
      int first = at;
      while (i < answer.count
          && at < previous.count
          && answer.candles.sameAs(i, previous.candles, at)) {
        i++;
        at++;
      }
      if (at > first) {
        put(first, at - first);
      } else {
        put(NEW);
        put(ScaledCandle.numbers(answer.candles.candle(i++)));
      }
    }
    put(END);
    last.put(symbol, answer);
    current = previous;
  }

  private void put(long... values) throws IOException {
    for (long value : values) {
      log.writeLong(value);
    }
  }

  @Override
  public void close() throws IOException {
    current.candles.close();
    last.values().forEach(answer -> answer.candles.close());
    log.close();
  }
}

package dev.millrace.ohlcv.load;

import dev.millrace.core.Sequence;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSnapshot;
import dev.millrace.ohlcv.trace.Timing;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;

/**
 * A thread that asks for the last 24 hours of one symbol after the other. A query is done when the
 * thread holds an answer that no longer changes. What is measured is from when it was due to then;
 * after that the answer is logged, which delays the thread's next query only if that is already
 * due, and then counts. A run flat out logs none.
 */
final class Querier implements Callable<Void> {
  private final LoadSettings settings;
  private final CandleEngine engine;
  private final LoadClock clock;
  private final Sequence written;
  private final AnswerLog log; // null: answers are not logged
  private final Timing timing;
  private final Histogram latencies = Latencies.newHistogram();
  private long next; // the query that is due next
  private long mostBehind;
  private long doneNanos;

  Querier(
      LoadSettings settings,
      CandleEngine engine,
      LoadClock clock,
      Sequence written,
      int number,
      AnswerLog log,
      Timing timing) {
    this.settings = settings;
    this.engine = engine;
    this.clock = clock;
    this.written = written;
    this.next = number;
    this.log = log;
    this.timing = timing;
  }

  @Override
  public Void call() throws InterruptedException {
    try (Answers answers = newAnswers()) {
      clock.awaitStart();
      while (hasNext(System.nanoTime())) {
        Pace.until(dueNanos());
        askNext(answers);
      }
    }
    return null;
  }

  /** Room for its answers, for the thread that asks. */
  Answers newAnswers() {
    return new Answers(engine, log, settings.symbols());
  }

  /** Asks once if a query is due: for a thread that has other work too. */
  void askIfDue(Answers answers, long nowNanos) {
    if (hasNext(nowNanos) && dueNanos() <= nowNanos) {
      askNext(answers);
    }
  }

  private boolean hasNext(long nowNanos) {
    return next < settings.warmUpQueries() + settings.measuredQueries() && !clock.isOver(nowNanos);
  }

  private long dueNanos() {
    return clock.startNanos() + LoadSettings.dueNanos(next, settings.queries());
  }

  private void askNext(Answers answers) {
    doneNanos = ask(answers, (int) (next % settings.symbols()));
    if (next >= settings.warmUpQueries()) {
      Latencies.record(latencies, dueNanos(), doneNanos);
    }
    timing.took(next + 1, doneNanos - dueNanos());
    next += settings.askers();
  }

  /** Asks, and returns when it had the answer. */
  private long ask(Answers answers, int symbol) {
    // acquire: the candles show all that is counted here
    long before = engine.counts().trades();
    long behind = written.getOpaque() - before; // opaque: a figure for the report
    int count = answers.take(symbol);
    long now = System.nanoTime();
    // acquire: pairs with the writer's release; all that the candles show is counted here
    long accepted = written.getAcquire();
    answers.keep(symbol, count, before, accepted);
    mostBehind = Math.max(mostBehind, behind);
    return now;
  }

  /** After the thread's end. */
  Histogram latencies() {
    return latencies;
  }

  /** How many trades the engine had not yet placed, at most; after the thread's end. */
  long mostBehind() {
    return mostBehind;
  }

  /** When the last answer was had; after the thread's end. */
  long doneNanos() {
    return doneNanos;
  }

  /** The last answer for each symbol, so that the log need only hold differences. */
  static final class Answers implements AutoCloseable {
    private final AnswerLog log;
    private final CandleSnapshot[] last;
    private final int[] lastCounts;
    private CandleSnapshot current;

    Answers(CandleEngine engine, AnswerLog log, int symbols) {
      this.log = log;
      this.last = new CandleSnapshot[symbols];
      this.lastCounts = new int[symbols];
      for (int i = 0; i < symbols; i++) {
        last[i] = engine.newSnapshot(LoadSettings.WINDOW);
      }
      current = engine.newSnapshot(LoadSettings.WINDOW);
    }

    int take(int symbol) {
      return current.take(symbol, LoadSettings.WINDOW);
    }

    void keep(int symbol, int count, long before, long accepted) {
      if (log == null) {
        return;
      }
      log.append(symbol, before, accepted, current, count, last[symbol], lastCounts[symbol]);
      CandleSnapshot next = last[symbol];
      last[symbol] = current;
      lastCounts[symbol] = count;
      current = next;
    }

    @Override
    public void close() {
      current.close();
      for (CandleSnapshot snapshot : last) {
        snapshot.close();
      }
    }
  }
}

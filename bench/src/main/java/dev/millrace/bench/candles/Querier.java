package dev.millrace.bench.candles;

import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pace;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;

/**
 * A thread that queries the last 24 hours of one symbol after the other. A query is done when the
 * thread holds an answer that no longer changes. What is measured is from when it was due to then;
 * after that the answer is logged, which delays the thread's next query only if that is already
 * due, and then counts. A run flat out logs none.
 */
final class Querier implements Callable<Void>, AutoCloseable {
  private final LoadSettings settings;
  private final LoadRun run;
  private final Answers answers;
  final Histogram latencies = Latencies.newHistogram(); // read after the thread's end
  private long next; // the query that is due next
  long mostBehind; // trades that the engine had not placed; read after the thread's end
  long doneNanos; // when the last answer was taken; read after the thread's end

  Querier(LoadRun run, int number, Answers answers) {
    this.settings = run.settings;
    this.run = run;
    this.next = number;
    this.answers = answers;
  }

  @Override
  public Void call() throws IOException, InterruptedException {
    run.clock.awaitStart();
    while (hasNext(System.nanoTime())) {
      Pace.awaitNanos(dueNanos());
      ask();
    }
    return null;
  }

  /** Asks once if a query is due: for a thread that has other work too. */
  void askIfDue(long nowNanos) throws IOException {
    if (hasNext(nowNanos) && dueNanos() <= nowNanos) {
      ask();
    }
  }

  private boolean hasNext(long nowNanos) {
    return next < settings.warmUpQueries() + settings.measuredQueries()
        && !run.clock.isOver(nowNanos);
  }

  private long dueNanos() {
    return run.clock.startNanos() + LoadSettings.dueNanos(next, settings.queries());
  }

  private void ask() throws IOException {
    int symbol = (int) (next % settings.symbols());
    // acquire: the candles show all that is counted here
    long before = run.engine.counts().trades();
    long behind = run.written.getOpaque() - before; // opaque: a figure for the report
    answers.take(symbol);
    doneNanos = System.nanoTime();
    // acquire: pairs with the writer's release; all that the candles show is counted here
    long accepted = run.written.getAcquire();
    if (settings.paced()) {
      answers.log(symbol, before, accepted);
    }
    mostBehind = Math.max(mostBehind, behind);
    if (next >= settings.warmUpQueries()) {
      Latencies.record(latencies, dueNanos(), doneNanos);
    }
    next += settings.askers();
  }

  /** Closes the log and lets go of the engine; after the thread's end. */
  @Override
  public void close() throws IOException {
    answers.close();
  }
}

package dev.millrace.stress.proof;

import java.io.PrintStream;

/** Tells every now and then how far a long piece of work has come. */
final class Progress {
  private static final long NANOS_BETWEEN = 15_000_000_000L;

  private final PrintStream out;
  private final Runnable save;
  private String what;
  private int total;
  private int done;
  private long begun;
  private long told;

  /**
   * Makes one.
   *
   * @param out where to
   * @param save is run each time, so that a run that is cut off keeps what it has
   */
  Progress(PrintStream out, Runnable save) {
    this.out = out;
    this.save = save;
  }

  synchronized void begin(String newWhat, int newTotal) {
    what = newWhat;
    total = newTotal;
    done = 0;
    begun = System.nanoTime();
    told = begun;
  }

  synchronized void step() {
    done++;
    if (System.nanoTime() - told > NANOS_BETWEEN) {
      told = System.nanoTime();
      out.printf("proof: %s: %,d of %,d%n", what, done, total);
      save.run();
    }
  }

  synchronized void end() {
    out.printf("proof: %,d %s in %d s%n", total, what, (System.nanoTime() - begun) / 1_000_000_000);
    save.run();
  }

  synchronized void tell(String line) {
    out.println("proof: " + line);
    save.run();
  }
}

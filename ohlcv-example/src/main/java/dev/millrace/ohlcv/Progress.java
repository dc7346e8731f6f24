package dev.millrace.ohlcv;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * A progress bar for work that takes longer than a second, if messages go to a terminal. It leaves
 * as soon as rows are shown on a terminal, for then these show the progress.
 */
final class Progress implements AutoCloseable {
  private static final long PATIENCE_NANOS = 1_000_000_000L;
  private static final int STEPS_PER_LOOK = 4_096;
  private static final long MEBIBYTE = 1 << 20;

  private final Feeds feeds;
  private final int columns;
  private final boolean rowsToTerminal;
  private final long startNanos = System.nanoTime();
  private int steps;
  private boolean done; // guarded by this
  private ProgressBar bar; // guarded by this

  Progress(Environment environment, Feeds feeds, boolean standardOutput) {
    this.feeds = feeds;
    this.columns = environment.errColumns();
    this.rowsToTerminal = standardOutput && environment.outColumns() > 0;
  }

  /** Notes that a row was read. */
  void step() {
    if (columns > 0 && ++steps % STEPS_PER_LOOK == 0) {
      show();
    }
  }

  /** Notes that rows are being written. */
  void rowsAreShown() {
    if (rowsToTerminal) {
      close();
    }
  }

  /** Takes the bar away. */
  @Override
  public synchronized void close() {
    done = true;
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }

  private synchronized void show() {
    if (done || System.nanoTime() - startNanos < PATIENCE_NANOS) {
      return;
    }
    if (bar == null) {
      PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
      bar =
          new ProgressBarBuilder()
              .setTaskName("reading")
              .setInitialMax(feeds.sizeBytes() == 0 ? -1 : feeds.sizeBytes())
              .setUnit(" MiB", MEBIBYTE)
              .setStyle(ProgressBarStyle.ASCII)
              .setConsumer(
                  new DelegatingProgressBarConsumer(line -> err.print("\r" + line), columns - 1))
              .clearDisplayOnFinish()
              .build();
    }
    bar.stepTo(feeds.readBytes());
  }
}

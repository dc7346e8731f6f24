package dev.millrace.ohlcv;

import dev.millrace.ohlcv.input.Feeds;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar for reading that takes longer than a second, if messages go to a terminal. */
final class Progress implements AutoCloseable {
  private static final long PATIENCE_NANOS = 1_000_000_000L;
  private static final int STEPS_PER_LOOK = 4_096;
  private static final long MEBIBYTE = 1 << 20;

  private final Feeds feeds;
  private final int columns; // 0 for no bar
  private final long startNanos = System.nanoTime();
  private int steps;
  private ProgressBar bar;

  Progress(Feeds feeds, int columns) {
    this.feeds = feeds;
    this.columns = columns;
  }

  /** Notes that a trade was read. */
  void step() {
    if (columns == 0 || ++steps % STEPS_PER_LOOK != 0) {
      return;
    }
    if (bar == null && System.nanoTime() - startNanos > PATIENCE_NANOS) {
      bar = newBar();
    }
    if (bar != null) {
      bar.stepTo(feeds.readBytes());
    }
  }

  private ProgressBar newBar() {
    long bytes = feeds.sizeBytes();
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    return new ProgressBarBuilder()
        .setTaskName("reading")
        .setInitialMax(bytes == 0 ? -1 : bytes)
        .setUnit(" MiB", MEBIBYTE)
        .setStyle(ProgressBarStyle.ASCII)
        .setConsumer(new DelegatingProgressBarConsumer(line -> err.print("\r" + line), columns - 1))
        .clearDisplayOnFinish()
        .build();
  }

  /** Takes the bar away. */
  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}

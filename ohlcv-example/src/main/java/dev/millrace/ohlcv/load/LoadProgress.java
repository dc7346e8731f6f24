package dev.millrace.ohlcv.load;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar of the seconds that a run takes; on a terminal only. */
final class LoadProgress implements AutoCloseable {
  private static final int LOOK_MILLIS = 1_000;

  private final ProgressBar bar; // null if there is no terminal

  LoadProgress(LoadSettings settings, int columns) {
    if (columns == 0) {
      bar = null;
      return;
    }
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    bar =
        new ProgressBarBuilder()
            .setTaskName(settings.engine().toString())
            .setInitialMax(settings.warmUpSeconds() + settings.seconds())
            .setUnit(" s", 1)
            .setUpdateIntervalMillis(LOOK_MILLIS)
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new ConsoleProgressBarConsumer(err, columns - 1))
            .clearDisplayOnFinish()
            .build();
  }

  /** Shows how many seconds have passed. */
  void show(double seconds) {
    if (bar != null) {
      bar.stepTo(Math.min((long) seconds, bar.getMax()));
    }
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}

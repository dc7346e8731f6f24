package dev.millrace.ohlcv.output;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress bars on the standard error. */
public final class Bars {
  private Bars() {}

  /**
   * Shows a bar.
   *
   * @param max at what it is full; below 0 if that is not known
   * @param columns how wide the terminal is
   */
  public static ProgressBar show(String task, long max, String unit, long unitSize, int columns) {
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    return new ProgressBarBuilder()
        .setTaskName(task)
        .setInitialMax(max)
        .setUnit(unit, unitSize)
        .setStyle(ProgressBarStyle.ASCII)
        .setConsumer(new DelegatingProgressBarConsumer(line -> err.print("\r" + line), columns - 1))
        .clearDisplayOnFinish()
        .build();
  }
}

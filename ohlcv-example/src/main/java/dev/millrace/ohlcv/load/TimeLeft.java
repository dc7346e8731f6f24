package dev.millrace.ohlcv.load;

import java.util.List;

/** How long the runs that are left will take, by what those that are done took. */
final class TimeLeft {
  private static final int AROUND_RUN_SECONDS = 4; // a JVM's start, filling, checking: a guess
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MINUTE = 60;

  private final long startNanos = System.nanoTime();
  private double planned;
  private double done;

  TimeLeft(List<LoadSettings> trials, int rounds) {
    planned = rounds * trials.stream().mapToDouble(TimeLeft::seconds).sum();
  }

  private static double seconds(LoadSettings trial) {
    return trial.warmUpSeconds() + trial.seconds() + AROUND_RUN_SECONDS;
  }

  void passed(LoadSettings trial) {
    done += seconds(trial);
  }

  /** Such as "about 12 min 05 s left". */
  String text() {
    double passed = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return text((planned - done) * (done == 0 ? 1 : passed / done));
  }

  static String text(double seconds) {
    long whole = Math.round(seconds);
    return whole < MINUTE
        ? "about %d s left".formatted(whole)
        : "about %d min %02d s left".formatted(whole / MINUTE, whole % MINUTE);
  }
}

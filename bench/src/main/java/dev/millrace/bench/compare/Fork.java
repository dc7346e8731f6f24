package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.compare.Work.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** What a JVM of its own does: probe, work, probe; it prints its {@link Sample} as JSON. */
final class Fork {
  private Fork() {}

  /**
   * Runs.
   *
   * @param args the work, the contender, the idle count, the milliseconds to warm up and to
   *     measure, and the program of the ring in C++ if that is the contender
   * @throws Exception if the contender fails
   */
  public static void main(String[] args) throws Exception {
    Work work = Row.of(args[0]).work();
    Contenders contender = Contenders.of(args[1]);
    int idle = Integer.parseInt(args[2]);
    long warmupNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[3]));
    long nanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[4]));
    double before = Probe.roundTripNanos();
    Traffic.Result traffic = null;
    Histogram trips = null;
    if (contender == Contenders.CPP) {
      traffic = outside(args, work, idle);
    } else if (work.shape() == Shape.THROUGHPUT) {
      traffic = throughput(work, contender, idle, warmupNanos, nanos);
    } else {
      trips = roundTrip(work, contender, idle, warmupNanos, nanos);
    }
    double after = Probe.roundTripNanos();
    Sample sample = Sample.of(args[0], args[1], idle, before, after);
    print(traffic == null ? sample.with(trips) : sample.with(traffic));
    System.exit(0); // threads of contenders may be left
  }

  private static Traffic.Result throughput(
      Work work, Contenders contender, int idle, long warmupNanos, long nanos) throws Exception {
    try (Contender queue = contender.make(work)) {
      return new Traffic(work, queue, idle).run(warmupNanos, nanos);
    }
  }

  private static Histogram roundTrip(
      Work work, Contenders contender, int idle, long warmupNanos, long nanos) throws Exception {
    try (Contender there = contender.make(work);
        Contender back = contender.make(work)) {
      return new RoundTrip(there, back, idle).run(warmupNanos, nanos);
    }
  }

  private static Traffic.Result outside(String[] args, Work work, int idle) throws Exception {
    double perSecond =
        NativeRing.perSecond(
            Path.of(args[5]), work, idle, Long.parseLong(args[3]), Long.parseLong(args[4]));
    return new Traffic.Result(perSecond, 0, 0, 0);
  }

  private static void print(Sample sample) throws IOException {
    System.out.println(new ObjectMapper().writeValueAsString(sample));
  }
}

package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What a JVM of its own does: probe, work, probe; it prints its {@link Sample} as JSON. */
final class Fork {
  private final Work work;
  private final Contenders contender;
  private final int idle;
  private final long warmupMillis;
  private final long millis;

  private Fork(Work work, Contenders contender, int idle, long warmupMillis, long millis) {
    this.work = work;
    this.contender = contender;
    this.idle = idle;
    this.warmupMillis = warmupMillis;
    this.millis = millis;
  }

  /**
   * Runs.
   *
   * @param args the work, the contender, the round, the idle count, the milliseconds to warm up and
   *     to measure, and the program of the ring in C++ if that is the contender
   * @throws Exception if the contender fails
   */
  public static void main(String[] args) throws Exception {
    Work work = Row.of(args[0]).work();
    Contenders contender = Contenders.of(args[1]);
    int round = Integer.parseInt(args[2]);
    int idle = Integer.parseInt(args[3]);
    Fork fork = new Fork(work, contender, idle, Long.parseLong(args[4]), Long.parseLong(args[5]));
    work.jvm().prepare();
    double before = Probe.roundTripNanos();
    Measured measured =
        contender == Contenders.CPP ? fork.outside(Path.of(args[6])) : fork.measure();
    double after = Probe.roundTripNanos();
    Sample sample =
        new Sample(work.id(), contender.id(), round, idle, before, after, measured, null);
    System.out.println(new ObjectMapper().writeValueAsString(sample));
    System.exit(0); // threads of contenders may be left
  }

  private Measured measure() throws Exception {
    long warmupNanos = TimeUnit.MILLISECONDS.toNanos(warmupMillis);
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    return switch (work.shape()) {
      case THROUGHPUT -> throughput(warmupNanos, nanos);
      case ROUND_TRIP -> roundTrip(warmupNanos, nanos);
    };
  }

  private Measured throughput(long warmupNanos, long nanos) throws Exception {
    try (Contender queue = contender.make(work)) {
      return new Traffic(work, queue, idle).run(warmupNanos, nanos);
    }
  }

  private Measured roundTrip(long warmupNanos, long nanos) throws Exception {
    try (Contender there = contender.make(work);
        Contender back = contender.make(work)) {
      return Measured.ofTimes(new RoundTrip(there, back, idle).run(warmupNanos, nanos));
    }
  }

  private Measured outside(Path program) throws Exception {
    double perSecond = NativeRing.perSecond(program, work, idle, warmupMillis, millis);
    return Measured.ofTraffic(perSecond, 0, 0, 0);
  }
}

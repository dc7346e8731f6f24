package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.compare.References.Blocking;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a JVM of its own does: probe, work, probe, and again; it prints its {@link Sample} as JSON.
 * Each time is with new queues, so that where they come to lie in memory is not for the JVM's life.
 */
final class Fork {
  private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50); // new threads, memory

  private final Work work;
  private final Contenders contender;
  private final int idle;
  private final long warmupNanos;
  private final long nanos;

  Fork(Work work, Contenders contender, int idle, long warmupMillis, long millis) {
    this.work = work;
    this.contender = contender;
    this.idle = idle;
    this.warmupNanos = TimeUnit.MILLISECONDS.toNanos(warmupMillis);
    this.nanos = TimeUnit.MILLISECONDS.toNanos(millis);
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
    contender.prepare();
    List<Slice> slices =
        fork.slices(
            contender == Contenders.CPP
                ? (warmup, measure) -> fork.outside(Path.of(args[6]), warmup, measure)
                : fork::measure);
    Sample sample =
        Sample.of(work, contender, round, idle, slices).withOffers(fork.bytesPerOffer());
    System.out.println(new ObjectMapper().writeValueAsString(sample));
    System.exit(0); // threads of contenders may be left
  }

  /** The work, for so many nanoseconds to warm up and to measure. */
  private interface Job {
    Measured run(long warmupNanos, long nanos) throws Exception;
  }

  private List<Slice> slices(Job job) throws Exception {
    List<Slice> slices = new ArrayList<>();
    double before = Probe.roundTripNanos();
    for (int i = 0; i < Sample.SLICES; i++) {
      Measured measured = job.run(i == 0 ? warmupNanos : SETTLE_NANOS, nanos / Sample.SLICES);
      double after = Probe.roundTripNanos();
      slices.add(new Slice(before, after, measured));
      before = after;
    }
    return slices;
  }

  /** Does the work once, and checks what has come out. */
  Measured measure() throws Exception {
    return measure(warmupNanos, nanos);
  }

  private Measured measure(long toWarmUp, long toMeasure) throws Exception {
    return switch (work.shape()) {
      case THROUGHPUT -> throughput(toWarmUp, toMeasure);
      case ROUND_TRIP -> roundTrip(toWarmUp, toMeasure);
      case FIXED_RATE, WAITING -> fixedRate(toWarmUp, toMeasure);
      case BURST -> burst(toWarmUp, toMeasure);
      case PUT_TAKE, PUT_TAKE_BUSY -> putTake(toWarmUp, toMeasure);
      case STAGE, MULTICAST, STEPS, DIAMOND -> stages(toWarmUp, toMeasure);
      case PING_PONG -> pingPong(toWarmUp, toMeasure);
    };
  }

  private Measured throughput(long toWarmUp, long toMeasure) throws Exception {
    try (Contender queue = contender.make(work)) {
      return new Traffic(work, queue, idle).run(toWarmUp, toMeasure);
    }
  }

  /** After all else, so that nothing that is measured has seen it. */
  private Double bytesPerOffer() {
    if (contender == Contenders.CPP) {
      return null;
    }
    try (Contender queue = contender.make(work)) {
      return queue.bytesPerOffer();
    }
  }

  private Measured roundTrip(long toWarmUp, long toMeasure) throws Exception {
    try (Contender there = contender.make(work);
        Contender back = contender.make(work)) {
      return Measured.ofTimes(new RoundTrip(there, back, idle).run(toWarmUp, toMeasure));
    }
  }

  private Measured fixedRate(long toWarmUp, long toMeasure) throws Exception {
    try (Contender queue = contender.make(work)) {
      return new FixedRate(work, queue, idle).run(toWarmUp, toMeasure);
    }
  }

  private Measured burst(long toWarmUp, long toMeasure) throws Exception {
    try (Contender queue = contender.make(work)) {
      return Measured.ofTimes(new Burst(work, queue, idle).run(toWarmUp, toMeasure));
    }
  }

  private Measured putTake(long toWarmUp, long toMeasure) throws Exception {
    try (Blocking queue = (Blocking) contender.make(work)) {
      return new PutTake(work, queue).run(toWarmUp, toMeasure);
    }
  }

  private Measured stages(long toWarmUp, long toMeasure) throws Exception {
    try (Stages<?> stages = (Stages<?>) contender.make(work)) {
      return new StagesTraffic(work, stages).run(toWarmUp, toMeasure);
    }
  }

  private Measured pingPong(long toWarmUp, long toMeasure) throws Exception {
    try (Stages<?> there = (Stages<?>) contender.make(work);
        Stages<?> back = (Stages<?>) contender.make(work)) {
      return Measured.ofTimes(new PingPong(there, back).run(toWarmUp, toMeasure));
    }
  }

  private Measured outside(Path program, long toWarmUp, long toMeasure) throws Exception {
    double perSecond =
        NativeRing.perSecond(
            program,
            work,
            idle,
            TimeUnit.NANOSECONDS.toMillis(toWarmUp),
            TimeUnit.NANOSECONDS.toMillis(toMeasure));
    return Measured.ofTraffic(perSecond, 0, 0, 0);
  }
}

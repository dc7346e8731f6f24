package dev.millrace.bench.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.harness.Child;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What one JVM does for a sample: probe, work, probe, and again; it prints its {@link Sample} as
 * JSON. Each time is with new queues, so that where they come to lie in memory is not for the JVM's
 * life.
 */
record Fork(Work work, Contenders contender, int idle, long warmupMillis, long millis) {
  private static final long SETTLE_MILLIS = 50; // new threads, memory
  private static final long MOST_SECONDS = 60;

  @Override
  public String toString() {
    return work.id() + " " + contender.id();
  }

  /**
   * Does it in a JVM of its own.
   *
   * @param ring the program of the ring in C++, if that is the contender
   */
  Sample inJvm(int round, String ring) throws InterruptedException {
    List<Object> arguments =
        List.of(work.id(), contender.id(), round, idle, warmupMillis, millis, ring);
    try {
      return Child.run(Fork.class, work.flags(), arguments, MOST_SECONDS, Sample.class);
    } catch (IOException e) {
      return Sample.failed(work.id(), contender.id(), round, idle, e.getMessage());
    }
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
                ? (warmup, measure) -> NativeRing.run(Path.of(args[6]), work, idle, warmup, measure)
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
      Measured measured =
          job.run(nanos(i == 0 ? warmupMillis : SETTLE_MILLIS), nanos(millis) / Sample.SLICES);
      double after = Probe.roundTripNanos();
      slices.add(new Slice(before, after, measured));
      before = after;
    }
    return slices;
  }

  /** Does the work once, and checks what has come out. */
  Measured measure() throws Exception {
    return measure(nanos(warmupMillis), nanos(millis));
  }

  private static long nanos(long someMillis) {
    return TimeUnit.MILLISECONDS.toNanos(someMillis);
  }

  private Measured measure(long toWarmUp, long toMeasure) throws Exception {
    try (Contender one = contender.make(work)) {
      return switch (work.shape()) {
        case THROUGHPUT, PUT_TAKE, PUT_TAKE_BUSY ->
            new Traffic(work, one, idle).run(toWarmUp, toMeasure);
        case FIXED_RATE, WAITING -> new FixedRate(work, one, idle).run(toWarmUp, toMeasure);
        case BURST -> Measured.ofTimes(new Burst(work, one, idle).run(toWarmUp, toMeasure));
        case STAGE, MULTICAST, STEPS, DIAMOND ->
            new StagesTraffic(work, (Stages<?>) one).run(toWarmUp, toMeasure);
        case ROUND_TRIP, PING_PONG -> thereAndBack(one, toWarmUp, toMeasure);
      };
    }
  }

  private Measured thereAndBack(Contender there, long toWarmUp, long toMeasure) throws Exception {
    try (Contender back = contender.make(work)) {
      return Measured.ofTimes(
          there instanceof Stages<?> stages
              ? new PingPong(stages, (Stages<?>) back).run(toWarmUp, toMeasure)
              : new RoundTrip(there, back, idle).run(toWarmUp, toMeasure));
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
}

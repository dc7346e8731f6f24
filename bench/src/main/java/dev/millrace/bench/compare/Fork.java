package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Sample.Slice;
import dev.millrace.bench.harness.Child;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What one JVM does for a sample: probe, work, probe, and again. Each time is with new queues, so
 * that where they come to lie in memory is not for the JVM's life.
 *
 * @param ring the program of the ring in C++, if that is the contender
 */
record Fork(
    Work work,
    Contenders contender,
    int round,
    int idle,
    long warmupMillis,
    long millis,
    String ring)
    implements Child.Job<Sample> {
  private static final long SETTLE_MILLIS = 50; // new threads, memory

  @Override
  public String toString() {
    return work.id() + " " + contender.id();
  }

  /** Does it in a JVM of its own. */
  Sample inJvm(int itsRound) throws InterruptedException {
    try {
      return Child.run(
          new Fork(work, contender, itsRound, idle, warmupMillis, millis, ring),
          work.flags(),
          Child.MOST_SECONDS,
          Sample.class);
    } catch (IOException e) {
      return Sample.failed(work.id(), contender.id(), itsRound, idle, e.getMessage());
    }
  }

  @Override
  public Sample run() throws Exception {
    contender.prepare();
    List<Slice> slices = new ArrayList<>();
    double before = Probe.roundTripNanos();
    for (int i = 0; i < Sample.SLICES; i++) {
      Measured measured =
          measure(nanos(i == 0 ? warmupMillis : SETTLE_MILLIS), nanos(millis) / Sample.SLICES);
      double after = Probe.roundTripNanos();
      slices.add(new Slice(before, after, measured));
      before = after;
    }
    return Sample.of(work, contender, round, idle, slices, bytesPerOffer());
  }

  /** Does the work once, and checks what has come out. */
  Measured measure() throws Exception {
    return measure(nanos(warmupMillis), nanos(millis));
  }

  private static long nanos(long someMillis) {
    return TimeUnit.MILLISECONDS.toNanos(someMillis);
  }

  private Measured measure(long toWarmUp, long toMeasure) throws Exception {
    if (contender == Contenders.CPP) {
      return NativeRing.run(ring, work, idle, toWarmUp, toMeasure);
    }
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

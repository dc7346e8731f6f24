package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingConsumer;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.util.BitSet;

/**
 * Rings of records by their ends: each record whole and once to each consumer, or to one that
 * shares them. The claims, the stamps and the consumers' places have their scenarios with the
 * sequencers.
 */
@ScenariosOf("RecordRing")
public final class RecordRingScenarios extends Steps {
  private static RecordRing<Pair> ring(RingOptions options) {
    return RecordRing.of(FlyweightType.of(Pair::new), options);
  }

  private static void put(Simulation run, RingProducer<Pair> producer, int value)
      throws InterruptedException {
    Pair pair = producer.claim();
    run.check(pair != null, "no record though it waits");
    pair.set(value);
    producer.commit();
  }

  /** Puts up to two records, and notes them. */
  private static void putRun(RingProducer<Pair> producer, int value, BitSet sent) {
    int count = producer.tryClaim(2);
    for (int i = 0; i < count; i++) {
      producer.at(i).set(value + i);
      sent.set(value + i);
    }
    if (count > 0) {
      producer.commit();
    }
  }

  private static void see(Simulation run, Pair pair, BitSet seen) {
    int value = (int) pair.whole();
    run.check(value > 0 && !seen.get(value), "torn, or twice there: " + value);
    seen.set(value);
  }

  private static int take(Simulation run, RingConsumer<Pair> consumer, int limit, BitSet seen) {
    int count = consumer.tryPoll(limit);
    for (int i = 0; i < count; i++) {
      see(run, consumer.at(i), seen);
    }
    if (count > 0) {
      consumer.release();
    }
    return count;
  }

  private static void takeAll(Simulation run, RingConsumer<Pair> consumer, BitSet seen) {
    while (take(run, consumer, 2, seen) > 0) {
      // until there is none
    }
  }

  @About("records of one producer go through two consumers, up to the end")
  public void oneProducer(Simulation run) {
    RecordRing<Pair> ring = ring(RingOptions.singleProducer(2).withProducerWaits(PARK));
    RingConsumer<Pair> first = ring.newConsumer(PARK);
    RingConsumer<Pair> behind = ring.newConsumer(PARK, first);
    RingProducer<Pair> producer = ring.producer();
    int[] seen = new int[2];
    run.thread(
        "producer",
        () -> put(run, producer, 1),
        () -> run.check(producer.claim(2) == 1, "a run goes on past the end of the ring"),
        () -> producer.at(0).set(7),
        producer::abort,
        () -> put(run, producer, 2),
        () -> put(run, producer, 3),
        producer::close);
    run.thread(
        "first",
        () ->
            first.forEach(
                pair -> {
                  int value = ++seen[0];
                  run.check(pair.whole() == value, "torn, or out of order");
                  pair.set(10L * value);
                }));
    run.thread(
        "behind",
        () ->
            behind.forEach(
                pair -> {
                  int value = ++seen[1];
                  run.check(pair.whole() == 10L * value, "torn, or before the first");
                }));
    run.atEnd(() -> run.check(seen[0] == 3 && seen[1] == 3 && ring.isDrained(), "not all"));
  }

  @About("records of many producers, single and in runs, are whole and come once")
  public void manyProducers(Simulation run) {
    RecordRing<Pair> ring = ring(RingOptions.multiProducer(2));
    RingConsumer<Pair> consumer = ring.newConsumer(WaitStrategy.busySpin());
    RingProducer<Pair> left = ring.newProducer();
    RingProducer<Pair> right = ring.newProducer();
    BitSet seen = new BitSet();
    BitSet sent = new BitSet();
    int[] aborted = new int[1];
    Numbered step =
        i -> {
          Pair pair = left.tryClaim();
          if (pair != null) {
            pair.set(1 + i);
            sent.set(1 + i);
            left.commit();
          }
        };
    run.thread("left", rounds(2, step));
    run.thread(
        "right",
        () -> {
          putRun(right, 3, sent);
          if (right.tryClaim() != null) {
            right.abort();
            aborted[0]++;
          }
        });
    run.thread("consumer", () -> take(run, consumer, 1, seen), () -> take(run, consumer, 2, seen));
    run.atEnd(
        () -> {
          takeAll(run, consumer, seen);
          run.check(seen.equals(sent), "sent " + sent + ", but saw " + seen);
          long aborts = ring.metrics().get("aborted");
          run.check(aborts == aborted[0], "aborts: " + aborts);
        });
  }

  @About("a consumer that parks is woken by a commit, and by an abort at the end")
  public void wakes(Simulation run) {
    RecordRing<Pair> ring = ring(RingOptions.multiProducer(2).withProducerWaits(PARK));
    RingConsumer<Pair> consumer = ring.newConsumer(PARK);
    RingProducer<Pair> left = ring.newProducer();
    RingProducer<Pair> right = ring.newProducer();
    int[] seen = new int[1];
    run.thread("left", () -> put(run, left, 1), () -> put(run, left, 1), ring::complete);
    run.thread(
        "right",
        () -> {
          int[] count = new int[1];
          boolean refused = refuses(() -> count[0] = right.tryClaim(2));
          run.check(!refused || ring.isCompleted(), "refused though open");
          if (count[0] > 0) {
            right.abort();
          }
        });
    run.thread(
        "consumer",
        () ->
            consumer.forEach(
                pair -> {
                  run.check(pair.whole() == 1, "torn, or aborted");
                  seen[0]++;
                }));
    run.atEnd(() -> run.check(seen[0] == 2 && ring.isDrained(), "lost: " + seen[0]));
  }

  @About("records that consumers share come to one of them")
  public void shared(Simulation run) {
    RecordRing<Pair> ring = ring(RingOptions.multiProducer(4));
    var workers = ring.newSharedConsumers(2, WaitStrategy.busySpin());
    RingProducer<Pair> producer = ring.newProducer();
    BitSet seen = new BitSet();
    BitSet sent = new BitSet();
    run.thread("producer", () -> putRun(producer, 1, sent), () -> putRun(producer, 3, sent));
    for (RingConsumer<Pair> worker : workers) {
      run.thread(
          "worker",
          () -> take(run, worker, 2, seen),
          () -> worker.drain(pair -> see(run, pair, seen), 2));
    }
    run.atEnd(
        () -> takeAll(run, workers.get(0), seen),
        () -> run.check(seen.cardinality() == 4, "lost: " + seen));
  }
}

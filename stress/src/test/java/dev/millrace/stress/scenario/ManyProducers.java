package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.queues.OffHeapQueue;
import dev.millrace.simulator.Simulation;

/** What is the same in scenarios of all queues of many producers. */
final class ManyProducers {
  private ManyProducers() {}

  static void strictPoll(Simulation run, OffHeapQueue<Pair> queue) {
    Traffic traffic = new Traffic(run, queue);
    Flag committed = new Flag();
    run.thread(
        "slow producer",
        () -> {
          Pair pair = queue.newFlyweight();
          if (queue.tryClaim(pair)) {
            Thread.onSpinWait();
            queue.abort(pair);
          }
        });
    traffic.addProducer(
        0,
        (producer, pair) -> {
          run.check(producer.offer(pair), "full");
          committed.raise();
        });
    traffic.addConsumer(
        "consumer",
        (taker, pair) -> {
          boolean there = committed.isRaised();
          boolean found = queue.strictPoll(pair);
          run.check(found || !there, "none, though one was committed");
          if (found) {
            taker.expect(pair.whole());
            queue.release(pair);
          }
          run.check(!found || !queue.strictPoll(pair), "a record that nobody sent");
        });
  }

  static void samplers(Simulation run, OffHeapQueue<Pair> queue) {
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducerOfBoth(0);
    traffic.addConsumer(
        "consumer",
        (taker, pair) -> {
          taker.pollRun(pair, 2);
          taker.poll(pair);
          taker.poll(pair);
        });
    run.thread("sampler", () -> Samples.look(run, queue));
    run.thread("another sampler", () -> Samples.count(run, queue, 4));
  }

  static void countsInUse(Simulation run, OffHeapQueue<Pair> queue) {
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(
        0,
        (producer, pair) -> {
          if (queue.tryClaim(pair)) {
            queue.abort(pair);
          }
          producer.offer(pair);
        });
    traffic.addConsumer("consumer", 2);
    run.thread(
        "sampler",
        () -> {
          OffHeapQueue.Counters counters = queue.counters();
          run.check(
              counters.claimed() <= 2
                  && counters.committed() <= 2
                  && counters.consumed() >= 0
                  && counters.consumed() <= counters.committed()
                  && counters.aborted() <= 1,
              counters.toString());
        });
  }

  /** Adds a producer that aborts a record and a run between others, and a check of the counts. */
  static void addAborter(Simulation run, OffHeapQueue<Pair> queue, Traffic traffic) {
    int[] aborted = new int[1];
    traffic.addProducer(
        0,
        (producer, pair) -> {
          long offset = queue.tryClaim();
          if (offset >= 0) {
            pair.moveTo(offset);
            pair.set(-7);
            queue.abort(offset);
            aborted[0]++;
          }
          producer.offer(pair);
          if (queue.tryClaim(pair, 2)) {
            pair.set(-8);
            queue.abort(pair);
            aborted[0] += 2;
          }
          producer.offer(pair);
        });
    run.atEnd(
        () -> {
          traffic.checkAll();
          OffHeapQueue.Counters counters = queue.counters();
          run.check(counters.aborted() == aborted[0], "aborted: " + counters);
          run.check(counters.consumed() == traffic.cameCount(), "consumed: " + counters);
          run.check(counters.committed() == traffic.cameCount(), "committed: " + counters);
          run.check(counters.claimed() == traffic.sentCount() + aborted[0], "claimed: " + counters);
        });
  }

  /** Adds a thread that completes the queue; returns what it sets before. */
  static Flag.Plain addCloser(Simulation run, OffHeapQueue<Pair> queue) {
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "closer",
        () -> {
          before.set();
          queue.complete();
          run.check(queue.isClosed(), "not closed");
          run.check(queue.tryClaim() == OffHeapQueue.CLOSED, "claimed though closed");
        });
    return before;
  }

  /** Misuses an empty queue of two slots, and leaves the records 1 and 2 in it. */
  static void misuseUntilFull(Simulation run, OffHeapQueue<Pair> queue, Pair pair, Pair read) {
    run.check(refuses(() -> queue.commit(pair)), "commit of nothing");
    run.check(refuses(() -> queue.abort(pair)), "abort of nothing");
    run.check(refuses(() -> queue.release(pair)), "release of nothing");
    run.check(refuses(() -> queue.commit(8)), "commit of an offset that is not claimed");
    run.check(refuses(() -> queue.commit(9)), "commit of an offset that is none");
    run.check(refuses(() -> queue.release(8)), "release of an offset that is not polled");
    run.check(refuses(() -> queue.tryClaim(pair, 0)), "claim of none");
    run.check(refuses(() -> queue.tryClaim(pair, 3)), "claim of more than there are");
    run.check(refuses(() -> queue.tryPoll(read, 0)), "poll of none");
    run.check(refuses(() -> queue.drain(read, p -> {}, 0)), "drain of none");
    run.check(queue.tryClaim(pair), "full though empty");
    run.check(refuses(() -> queue.tryClaim(pair)), "claim beside an open one");
    pair.set(1);
    queue.commit(pair);
    run.check(refuses(() -> queue.commit(pair)), "commit again");
    Records.offer(queue, pair, 2);
    run.check(queue.sizeEstimate() == 2, "of size " + queue.sizeEstimate());
    run.check(queue.tryClaim() == OffHeapQueue.FULL, "claimed though full");
  }
}

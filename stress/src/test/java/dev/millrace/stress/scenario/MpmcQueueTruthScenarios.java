package dev.millrace.stress.scenario;

import dev.millrace.queues.MpmcQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.util.function.Predicate;

/** Many producers and many consumers, who are told that the queue is full or empty if it is. */
@ScenariosOf("MpmcQueue")
public final class MpmcQueueTruthScenarios {
  private MpmcQueueTruthScenarios() {}

  @About("a strict poll finds what was committed before, though an older claim is open")
  public static void strictPoll(Simulation run) {
    ManyProducers.strictPoll(run, MpmcQueue.of(4, Pair::new));
  }

  @About("a strict claim waits while the oldest slot is in a consumer's hands, and says full if so")
  public static void strictClaim(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    Pair pair = queue.newFlyweight();
    traffic.producer(2).offerRun(pair, 2);
    Flag taken = new Flag();
    run.thread(
        "consumer",
        () -> {
          Pair slow = queue.newFlyweight();
          run.check(queue.tryPoll(slow), "none");
          taken.raise();
          Thread.onSpinWait();
          traffic.lose(1L << slow.whole());
          queue.release(slow);
        });
    traffic.addProducer(
        0,
        (producer, written) -> {
          boolean wasTaken = taken.isRaised();
          if (queue.strictClaim(written)) {
            written.set(producer.next());
            queue.commit(written);
            producer.sent(1);
            run.check(!queue.strictClaim(written), "claimed though full");
          } else {
            run.check(!wasTaken, "full though a record was taken");
          }
        });
  }

  @About("a queue that is never empty is never said to be: who takes one has seen the next")
  public static void neverEmpty(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(4, Pair::new);
    Records.offer(queue, queue.newFlyweight(), 1);
    neverEmpty(run, queue, 1, queue::tryPoll);
  }

  @About("the same, if it is taken as a run")
  public static void neverEmptyOfRuns(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(4, Pair::new);
    Records.offer(queue, queue.newFlyweight(), 1);
    neverEmpty(run, queue, 1, pair -> queue.tryPoll(pair, 1) == 1);
  }

  @About("the same, if a gap is passed on the way")
  public static void neverEmptyBehindAGap(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(4, Pair::new);
    Records.offer(queue, queue.newFlyweight(), 1);
    queue.abort(queue.tryClaim());
    neverEmpty(run, queue, 2, queue::tryPoll);
  }

  /** The polls alone order the consumers: no record is released, for that would order them too. */
  private static void neverEmpty(
      Simulation run, MpmcQueue<Pair> queue, int count, Predicate<Pair> take) {
    Flag offered = new Flag();
    Flag taken = new Flag();
    run.thread(
        "producer",
        () -> {
          for (int i = 0; i < count; i++) {
            run.check(Records.offer(queue, queue.newFlyweight(), 2 + i), "full");
          }
          offered.raise();
        });
    run.thread(
        "first consumer",
        () -> {
          offered.await();
          for (int i = 0; i < count; i++) {
            run.check(take.test(queue.newFlyweight()), "none, though it is never empty");
            taken.hint();
          }
        });
    run.thread(
        "second consumer",
        () -> {
          taken.awaitHint(); // or it would nearly always be the first
          run.check(queue.strictPoll(queue.newFlyweight()), "empty, though it never is");
        });
  }

  @About(
      "a queue that is never full is never said to be, for the putter of a record took one before")
  public static void neverFull(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Pair slow = queue.newFlyweight();
    Records.offer(queue, slow, 1);
    run.check(queue.tryPoll(slow), "none");
    Records.offer(queue, queue.newFlyweight(), 2);
    run.thread(
        "consumer, then producer",
        () -> {
          Pair pair = queue.newFlyweight();
          run.check(Records.poll(queue, pair) == 2, "another record");
          queue.release(slow);
          run.check(queue.strictClaim(pair), "full of none");
          pair.set(3);
          queue.commit(pair);
        });
    run.thread(
        "producer",
        () -> run.check(queue.strictClaim(queue.newFlyweight()), "full, though it never is"));
  }
}

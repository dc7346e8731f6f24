package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.trial.AnyQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the queues with many producers whose slots are stamped have in common. */
public abstract class StampedScenarios extends ManyProducerScenarios {
  /** So many looks at an open claim are not quite enough to give it up. */
  static final int ALMOST = 15;

  /** And with so many more it is. */
  private static final int LOOKS = 5;

  /** How long a run may be that can be given up. */
  int longestRevocableRun() {
    return Integer.MAX_VALUE;
  }

  /** A producer that has claimed the first slots of an empty queue. */
  static Producer<Duo> claimed(Simulation run, QueueTraffic traffic, int count) {
    Producer<Duo> producer = traffic.sender(1).producer;
    run.check(producer.tryClaim(count) == count, "full though empty");
    return producer;
  }

  /** A poll that tells truthfully that there is nothing. */
  abstract Duo strictPoll(Consumer<Duo> consumer) throws InterruptedException;

  @About("what was aborted is passed over, a record and a run, and its slots are used again")
  public void abort(Simulation run) {
    QueueTraffic traffic = traffic(run, 2).counted();
    traffic.addProducer(0, claimAndAbort(1), Sender::offer, claimAndAbort(2), Sender::offer);
    traffic.addProducer(1, 2);
    traffic.addConsumers(consumers(), Taker::poll, pollRun(2), Taker::poll, drain(2));
  }

  /** Adds two producers of both. */
  static void addRunsAndSingles(QueueTraffic traffic) {
    traffic.addProducer(0, offerRun(2), offerRun(3), offerRun(1));
    traffic.addProducer(1, Sender::offer, offerRun(2), Sender::offer);
  }

  @About("runs are side by side and as long as there is room; aborted slots end a poll's run")
  public void runsAreContiguous(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    Sender one = traffic.sender(0);
    Sender two = traffic.sender(1);
    run.check(one.offerRun(3) == 3 && traffic.taker.pollRun(4) == 3, "not three");
    run.check(one.offerRun(4) == 1, "not up to the end of the ring");
    run.check(two.offerRun(4) == 3, "not all that is free");
    run.check(two.offerRun(1) == 0, "claimed though full");
    run.check(traffic.taker.pollRun(4) == 1, "not up to the end of the ring");
    run.check(traffic.taker.pollRun(2) == 2 && traffic.taker.pollRun(4) == 1, "not the rest");
    two.claimAndAbort(1);
    run.check(one.offerRun(1) == 1, "not one behind what was aborted");
    two.claimAndAbort(1);
    run.check(one.offerRun(4) == 1, "not all that is free");
    run.check(traffic.taker.pollRun(4) == 1, "not up to the gap");
    run.check(traffic.taker.pollRun(4) == 1, "not what is behind it");
  }

  // ---- the end ----

  @About("a completed queue is drained once its last claims have ended, even if by an abort")
  public void drainedByAborts(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    AnyQueue<Duo> queue = traffic.queue;
    Flag.Plain[] before = {new Flag.Plain(), new Flag.Plain(), new Flag.Plain()};
    for (int letter = 0; letter < 2; letter++) {
      int limit = letter + 1;
      Sender sender = traffic.sender(letter);
      run.check(sender.producer.tryClaim(limit) == limit, "full though empty");
      run.thread("producer " + letter, before[letter]::set, sender.producer::close);
    }
    run.thread("closer", before[2]::set, queue::complete);
    run.thread(
        "observer",
        () -> run.check(queue.awaitDrained(Duration.ofDays(1)), "gave up"),
        rounds(3, i -> run.check(before[i].isSet(), "not seen what was done before the end")));
  }

  @About("who sees the queue drained sees what the consumer did before its last release")
  public void endIsPublished(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    AnyQueue<Duo> queue = traffic.queue;
    Flag.Plain beforeRelease = new Flag.Plain();
    traffic.addProducer(0, Sender::offer, sender -> queue.complete());
    traffic.addConsumers(
        1,
        taker -> taker.expect(taker.consumer.poll()),
        taker -> beforeRelease.set(),
        taker -> taker.consumer.release());
    run.thread(
        "owner",
        () -> {
          if (queue.awaitDrained(Duration.ofDays(1))) {
            run.check(beforeRelease.isSet(), "release was not seen");
            queue.close();
            queue.close();
          }
        });
  }

  // ---- strict forms ----

  @About("a strict poll finds what was committed before, though an older claim is open")
  public void strictPoll(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    Flag committed = new Flag();
    Sender slow = traffic.sender(1);
    run.check(slow.producer.tryClaim() != null, "full though empty");
    run.thread("producer that aborts", slow.producer::abort);
    traffic.addProducer(0, Sender::offer, sender -> committed.raise());
    traffic.addConsumers(
        1,
        taker -> {
          boolean wasCommitted = committed.isRaised();
          Duo duo = strictPoll(taker.consumer);
          run.check(duo != null || !wasCommitted, "empty though committed");
          boolean took = taker.taken(duo);
          run.check(!took || strictPoll(taker.consumer) == null, "twice");
        });
  }

  @About("a queue that is never empty is never said to be by a strict poll")
  public void neverEmpty(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    traffic.sender(2).offer();
    traffic.addProducer(0, 2);
    traffic.addProducer(1, 1);
    traffic.addConsumers(
        1,
        QueueTraffic.times(
            4,
            taker -> {
              boolean isThere = traffic.size() > 0;
              boolean took = taker.taken(strictPoll(taker.consumer));
              run.check(took || !isThere, "empty though there was one");
            }));
  }

  // ---- waiting ----

  @About("an abort wakes a parked producer by way of the parked consumer")
  public void abortWakes(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    run.thread("producer that aborts", claimed(run, traffic, 2)::abort);
    traffic.addProducer(0, Sender::put);
    traffic.addConsumers(1, taker -> taker.take(1));
  }

  // ---- stall limit ----

  private QueueTraffic limited(Simulation run, QueueOptions options) {
    return traffic(run, options.withStallLimit(Duration.ofNanos(1_000)));
  }

  private QueueTraffic limited(Simulation run, int capacity) {
    return limited(run, QueueOptions.ofCapacity(capacity));
  }

  private static void look(Simulation run, QueueTraffic traffic, int times) {
    for (int i = 0; i < times; i++) {
      run.check(traffic.taker.consumer.tryPoll() == null, "a record though none is committed");
    }
  }

  /** Claims, and has a consumer look until it has given the claim up. */
  private static Sender stalled(Simulation run, QueueTraffic traffic, int count) {
    Sender slow = traffic.sender(2);
    boolean isOne = count == 1 && slow.producer.tryClaim() != null;
    run.check(isOne || slow.producer.tryClaim(count) == count, "full though empty");
    while (traffic.size() > 0) {
      look(run, traffic, 1);
    }
    return slow;
  }

  @About("a late commit and consumers that give up and pass: one wins, nothing is written over")
  public void lateCommit(Simulation run) {
    late(run, 2, 1, true);
  }

  @About("the same of a run, in the midst of which nobody stops")
  public void lateRun(Simulation run) {
    late(run, 4, 2, true);
  }

  @About("a late abort frees what was given up")
  public void lateAbort(Simulation run) {
    late(run, 2 * consumers(), consumers(), false);
  }

  /** Claims, lets the watch almost run down, and meets consumers and another producer. */
  private void late(Simulation run, int capacity, int wanted, boolean commits) {
    QueueTraffic traffic = limited(run, capacity);
    Sender slow = traffic.sender(2);
    int count = slow.producer.tryClaim(wanted);
    run.check(count == Math.min(wanted, longestRevocableRun()), "full though empty");
    look(run, traffic, ALMOST);
    run.thread(
        "late producer",
        () -> {
          slow.write(count);
          if (!commits) {
            slow.producer.abort();
          } else if (!refuses(slow.producer::commit)) {
            slow.sent(count);
          }
        });
    traffic.addConsumers(consumers(), QueueTraffic.times(LOOKS, Taker::poll), pollRun(2));
    traffic.addProducer(0, Sender::offer, offerRun(count), Sender::offer);
    run.atEnd(
        traffic::checkAll,
        rounds( // afterwards all slots are in use again
            2 * capacity,
            i -> {
              run.check(slow.offer() || i < capacity, "full though empty");
              traffic.taker.poll();
            }),
        () -> checkAllAreLeft(run, slow, capacity),
        traffic::checkAll);
  }

  private static void checkAllAreLeft(Simulation run, Sender sender, int capacity) {
    int left = 0;
    for (int more = sender.offerRun(capacity); more > 0; more = sender.offerRun(capacity)) {
      left += more;
    }
    run.check(left == capacity, "not all slots are left: " + left);
  }

  @About("claimers skip what is out of use, and wake a parked consumer that must pass it")
  public void holeIsSkipped(Simulation run) {
    QueueTraffic traffic = limited(run, QueueTraffic.parking(2));
    Sender slow = stalled(run, traffic, 1);
    traffic.addProducers(2, Sender::put, Sender::put);
    traffic.addConsumers(1, taker -> taker.take(4));
    run.thread(
        "late producer", () -> run.check(refuses(slow.producer::commit), "committed too late"));
  }

  @About("a run that was given up is out of use as a whole, until its producer comes back")
  public void runIsGivenUp(Simulation run) {
    QueueTraffic traffic = limited(run, 4);
    Sender slow = stalled(run, traffic, 2);
    Sender sender = traffic.sender(0);
    for (int lap = 0; lap < 3; lap++) {
      run.check(sender.offerRun(4) == 2, "not up to the hole");
      run.check(sender.offerRun(4) == 0, "claimed what is out of use");
      run.check(traffic.taker.pollRun(4) == 2, "not through");
      run.check(!traffic.taker.poll(), "a record that nobody sent");
    }
    run.check(refuses(slow.producer::commit), "committed though given up");
    for (int i = 0; i < 8; i++) {
      sender.offer();
      traffic.taker.poll();
    }
    checkAllAreLeft(run, sender, 4);
  }

  @About("runs end before slots that are out of use; when no slot is left a claim says so")
  public void noneLeft(Simulation run) {
    QueueTraffic traffic = limited(run, 4);
    Sender sender = traffic.sender(0);
    List<Producer<Duo>> stalled = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      stalled.add(stalled(run, traffic, 1).producer);
      if (i % 2 == 0) {
        run.check(sender.offer() && traffic.taker.poll(), "not through");
      }
      for (int lap = 0; i == 1 && lap < 4; lap++) {
        // the first and the third of four are out of use
        run.check(sender.offerRun(4) == 1, "not up to the hole");
        run.check(traffic.taker.pollRun(4) == 1, "not through");
      }
    }
    run.check(refuses(sender.producer::tryClaim), "claimed though no slot is left");
    stalled.get(0).abort();
    run.check(refuses(stalled.get(1)::commit), "committed though given up");
    stalled.get(2).close();
    run.check(refuses(stalled.get(3)::commit), "committed though given up");
    for (int i = 0; i < 8; i++) {
      refuses(sender::offer); // until the consumer has passed what was let go
      traffic.taker.poll();
    }
    checkAllAreLeft(run, sender, 4);
  }
}

package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.ends.MpscProducer;
import dev.millrace.queues.ends.MpscQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.EndTraffic.Sender;
import java.time.Duration;

/** Many producers and one consumer, through their ends and views of an interface. */
@ScenariosOf("ends.MpscQueue")
public final class MpscEndsScenarios {
  /** So many looks at an open claim are not quite enough to give it up. */
  private static final int ALMOST = 18;

  /** And with so many more it is. */
  private static final int LOOKS = 5;

  private MpscEndsScenarios() {}

  private static MpscQueue<Duo> queue(QueueOptions options) {
    return MpscQueue.of(FlyweightType.of(Duo.class), options);
  }

  private static MpscQueue<Duo> queue(int capacity) {
    return MpscQueue.of(Duo.class, capacity);
  }

  private static EndTraffic traffic(Simulation run, MpscQueue<Duo> queue) {
    return new EndTraffic(run, queue, queue::newProducer, queue.consumer());
  }

  @About("two producers' records through two slots: each once, in order, whole; slots are reused")
  public static void singles(Simulation run) {
    EndTraffic traffic = traffic(run, queue(2));
    traffic.addProducer(0, 3);
    traffic.addProducer(1, 3);
    traffic.addConsumer(6);
  }

  @About("runs and single records of two producers, polled in runs, one by one, and drained")
  public static void runsAndSingles(Simulation run) {
    MpscQueue<Duo> queue = queue(4);
    EndTraffic traffic = traffic(run, queue);
    traffic.addProducer(
        0,
        sender -> {
          sender.offerRun(2);
          sender.offerRun(3);
          sender.offerRun(1);
        });
    traffic.addProducer(
        1,
        sender -> {
          sender.offer();
          sender.offerRun(2);
          sender.offer();
        });
    run.thread(
        "consumer",
        () -> {
          traffic.poll();
          traffic.pollRun(3);
          queue.consumer().drain(traffic::expect, 2);
          traffic.pollRun(4);
          traffic.poll();
          queue.consumer().drain(traffic::expect, 1);
        });
  }

  @About("what was aborted is passed over, a record and a run, and its slots are used again")
  public static void abort(Simulation run) {
    MpscQueue<Duo> queue = queue(2);
    EndTraffic traffic = traffic(run, queue);
    traffic.addProducer(
        0,
        sender -> {
          sender.claimAndAbort(1);
          sender.offer();
          sender.claimAndAbort(2);
          sender.offer();
        });
    traffic.addProducer(1, 2);
    run.thread(
        "consumer",
        () -> {
          traffic.poll();
          traffic.pollRun(2);
          traffic.poll();
          queue.consumer().drain(traffic::expect, 2);
        });
  }

  @About("a producer may write where another has seen that the consumer is through")
  public static void limitIsHandedOn(Simulation run) {
    EndTraffic traffic = traffic(run, queue(2));
    traffic.sender(2).offerRun(2);
    run.thread("consumer", () -> traffic.pollRun(2));
    traffic.addProducer(0, 1);
    traffic.addProducer(1, 2);
  }

  @About("whoever completes, the consumer gets each record whose claim came first, then the end")
  public static void completeByThird(Simulation run) {
    MpscQueue<Duo> queue = queue(4);
    EndTraffic traffic = traffic(run, queue);
    Flag.Plain before = new Flag.Plain();
    for (int letter = 0; letter < 2; letter++) {
      traffic.addProducer(
          letter,
          sender -> {
            boolean wasCompleted = queue.isCompleted();
            boolean refused =
                refuses(
                    () -> {
                      sender.offer();
                      sender.offerRun(2);
                    });
            run.check(!refused || queue.isCompleted(), "refused though open");
            run.check(refused || !wasCompleted, "claimed though completed");
          });
    }
    run.thread(
        "closer",
        () -> {
          before.set();
          queue.complete();
        });
    run.thread(
        "consumer",
        () -> {
          traffic.takeAll();
          run.check(before.isSet(), "complete was not seen");
          run.check(queue.consumer().poll() == null, "the end does not last");
        });
    run.thread(
        "observer",
        () -> {
          int size = queue.sizeEstimate();
          run.check(size >= 0 && size <= 4, "size " + size);
          if (queue.isCompleted()) {
            run.check(before.isSet(), "complete was not seen");
          }
        });
  }

  @About("a completed queue is drained once its last claims have ended, be it by an abort")
  public static void drainedByAborts(Simulation run) {
    MpscQueue<Duo> queue = queue(4);
    EndTraffic traffic = traffic(run, queue);
    Flag.Plain[] before = {new Flag.Plain(), new Flag.Plain(), new Flag.Plain()};
    for (int letter = 0; letter < 2; letter++) {
      Flag.Plain mine = before[letter];
      int limit = letter + 1;
      Sender sender = traffic.sender(letter);
      run.check(sender.producer.tryClaim(limit) == limit, "full though empty");
      run.thread(
          "producer " + letter,
          () -> {
            mine.set();
            sender.producer.close();
          });
    }
    run.thread(
        "closer",
        () -> {
          before[2].set();
          queue.complete();
        });
    run.thread(
        "observer",
        () -> {
          run.check(queue.awaitDrained(Duration.ofDays(1)), "gave up");
          for (Flag.Plain one : before) {
            run.check(one.isSet(), "not seen what was done before the end");
          }
        });
  }

  @About("who sees the queue drained sees what the consumer did before its last release")
  public static void endIsPublished(Simulation run) {
    MpscQueue<Duo> queue = queue(2);
    EndTraffic traffic = traffic(run, queue);
    Flag.Plain beforeRelease = new Flag.Plain();
    traffic.addProducer(
        0,
        sender -> {
          sender.offer();
          queue.complete();
        });
    run.thread(
        "consumer",
        () -> {
          traffic.expect(queue.consumer().poll());
          beforeRelease.set();
          queue.consumer().release();
        });
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

  @About("a close while all are at work ends them by exceptions or values, never worse")
  public static void ownerClosesEarly(Simulation run) {
    MpscQueue<Duo> queue = queue(2);
    EndScenarios.closesEarly(
        run, queue, queue.consumer(), queue.newProducer(), queue.newProducer());
  }

  @About("a strict poll finds what was committed before, though an older claim is open")
  public static void strictPoll(Simulation run) {
    MpscQueue<Duo> queue = queue(Waits.parking(2));
    EndTraffic traffic = traffic(run, queue);
    Flag committed = new Flag();
    Sender slow = traffic.sender(1);
    run.check(slow.producer.tryClaim() != null, "full though empty");
    run.thread("producer that aborts", slow.producer::abort);
    traffic.addProducer(
        0,
        sender -> {
          sender.offer();
          committed.raise();
        });
    run.thread(
        "consumer",
        () -> {
          boolean wasCommitted = committed.isRaised();
          Duo duo = queue.consumer().strictPoll();
          run.check(duo != null || !wasCommitted, "empty though committed");
          if (duo != null) {
            traffic.expect(duo);
            queue.consumer().release();
          }
          run.check(duo == null || queue.consumer().strictPoll() == null, "twice");
        });
  }

  @About("a queue that is never empty is never said to be by a strict poll")
  public static void neverEmpty(Simulation run) {
    MpscQueue<Duo> queue = queue(4);
    EndTraffic traffic = traffic(run, queue);
    traffic.sender(2).offer();
    traffic.addProducer(0, 2);
    traffic.addProducer(1, 1);
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < 4; i++) {
            boolean isThere = queue.sizeEstimate() > 0;
            Duo duo = queue.consumer().strictPoll();
            run.check(duo != null || !isThere, "empty though there was one");
            if (duo != null) {
              traffic.expect(duo);
              queue.consumer().release();
            }
          }
        });
  }

  // ---- waiting ----

  @About("producers that park and a consumer that parks are woken by each other")
  public static void allPark(Simulation run) {
    MpscQueue<Duo> queue = queue(Waits.parking(2));
    EndTraffic traffic = traffic(run, queue);
    Flag[] done = {new Flag(), new Flag()};
    for (int i = 0; i < 2; i++) {
      int letter = i;
      traffic.addProducer(
          letter,
          sender -> {
            sender.put();
            sender.put();
            done[letter].raise();
            if (done[1 - letter].isRaised()) {
              queue.complete();
            }
          });
    }
    run.thread("consumer", () -> traffic.take(4));
  }

  @About("an abort wakes a parked producer by way of the parked consumer")
  public static void abortWakes(Simulation run) {
    MpscQueue<Duo> queue = queue(Waits.parking(2));
    EndTraffic traffic = traffic(run, queue);
    Sender aborts = traffic.sender(1);
    aborts.producer.tryClaim(2);
    run.thread("producer that aborts", aborts.producer::abort);
    traffic.addProducer(0, Sender::put);
    run.thread("consumer", () -> traffic.take(1));
  }

  @About("a completion wakes both sides")
  public static void completionWakes(Simulation run) {
    MpscQueue<Duo> queue = queue(Waits.parking(2));
    EndTraffic traffic = traffic(run, queue);
    traffic.sender(2).offerRun(2);
    EndScenarios.completionWakes(run, queue, traffic, 2);
  }

  @About("where a full queue drops the newest, a claim does not wait")
  public static void dropNewest(Simulation run) {
    EndTraffic traffic =
        traffic(
            run, queue(QueueOptions.ofCapacity(2).withWhenFull(QueueOptions.WhenFull.DROP_NEWEST)));
    for (int letter = 0; letter < 2; letter++) {
      traffic.addProducer(
          letter,
          sender -> {
            sender.claimOrDrop();
            sender.claimOrDrop();
          });
    }
    traffic.addConsumer(2);
  }

  // ---- misuse ----

  @About("misuse is refused, and changes nothing; views throw while nothing is in hand")
  public static void misuseIsRefused(Simulation run) {
    MpscQueue<Duo> queue = queue(2);
    EndScenarios.misuse(run, traffic(run, queue), queue.newProducer());
  }

  @About("runs are side by side and as long as there is room; aborted slots end a poll's run")
  public static void runsAreContiguous(Simulation run) {
    MpscQueue<Duo> queue = queue(4);
    EndTraffic traffic = traffic(run, queue);
    Sender one = traffic.sender(0);
    Sender two = traffic.sender(1);
    run.check(one.offerRun(3) == 3 && traffic.pollRun(4) == 3, "not three");
    run.check(one.offerRun(4) == 1, "not up to the end of the ring");
    run.check(two.offerRun(4) == 3, "not all that is free");
    run.check(two.offerRun(1) == 0, "claimed though full");
    run.check(traffic.pollRun(4) == 1, "not up to the end of the ring");
    run.check(traffic.pollRun(2) == 2 && traffic.pollRun(4) == 1, "not the rest");
    two.claimAndAbort(1);
    run.check(one.offerRun(1) == 1, "not one behind what was aborted");
    two.claimAndAbort(1);
    run.check(one.offerRun(4) == 1, "not all that is free");
    run.check(traffic.pollRun(4) == 1, "not up to the gap");
    run.check(traffic.pollRun(4) == 1, "not what is behind it");
  }

  @About("a record whose handler throws is consumed, the later ones stay")
  public static void handlerThrows(Simulation run) {
    EndTraffic traffic = traffic(run, queue(4));
    traffic.addProducer(0, 2);
    traffic.addProducer(1, sender -> sender.offerRun(2));
    EndScenarios.handlerThrows(run, traffic);
  }

  // ---- stall limit ----

  private static QueueOptions limited(QueueOptions options) {
    return options.withStallLimit(Duration.ofNanos(1_000));
  }

  private static void look(Simulation run, MpscQueue<Duo> queue, int times) {
    for (int i = 0; i < times; i++) {
      run.check(queue.consumer().tryPoll() == null, "a record though none is committed");
    }
  }

  /** Claims, lets the watch almost run down, and meets consumer and another producer. */
  private static void late(Simulation run, int capacity, int count, boolean commits) {
    MpscQueue<Duo> queue = queue(limited(QueueOptions.ofCapacity(capacity)));
    EndTraffic traffic = traffic(run, queue);
    Sender slow = traffic.sender(2);
    run.check(slow.producer.tryClaim(count) == count, "full though empty");
    look(run, queue, ALMOST);
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
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < LOOKS; i++) {
            traffic.poll();
          }
          traffic.pollRun(2);
        });
    traffic.addProducer(0, 3);
    run.atEnd(
        () -> {
          traffic.checkAll();
          for (int i = 0; i < 2 * capacity; i++) {
            // afterwards all slots are in use again
            run.check(slow.offer() || i < capacity, "full though empty");
            traffic.poll();
          }
          int all = 0;
          for (int i = 0; i < 2; i++) {
            all += slow.offerRun(capacity);
          }
          run.check(all == capacity, "not all slots are left: " + all);
          traffic.checkAll();
        });
  }

  @About("a late commit and the consumer's giving up: one wins; the slot is not written over")
  public static void lateCommit(Simulation run) {
    late(run, 2, 1, true);
  }

  @About("the same of a run, in the midst of which nobody stops")
  public static void lateRun(Simulation run) {
    late(run, 4, 2, true);
  }

  @About("a late abort frees what was given up")
  public static void lateAbort(Simulation run) {
    late(run, 2, 1, false);
  }

  @About("claimers skip what is out of use, and wake a parked consumer that must pass it")
  public static void holeIsSkipped(Simulation run) {
    MpscQueue<Duo> queue = queue(limited(Waits.parking(2)));
    EndTraffic traffic = traffic(run, queue);
    Sender slow = traffic.sender(2);
    run.check(slow.producer.tryClaim() != null, "full though empty");
    while (queue.sizeEstimate() > 0) {
      look(run, queue, 1);
    }
    for (int letter = 0; letter < 2; letter++) {
      traffic.addProducer(
          letter,
          sender -> {
            sender.put();
            sender.put();
          });
    }
    run.thread("consumer", () -> traffic.take(4));
    run.thread(
        "late producer", () -> run.check(refuses(slow.producer::commit), "committed too late"));
  }

  @About("runs end before slots that are out of use; when no slot is left a claim says so")
  public static void noneLeft(Simulation run) {
    MpscQueue<Duo> queue = queue(limited(QueueOptions.ofCapacity(4)));
    EndTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    MpscProducer<Duo> first = queue.newProducer();
    MpscProducer<Duo> second = queue.newProducer();
    MpscProducer<Duo> third = queue.newProducer();
    MpscProducer<Duo> fourth = queue.newProducer();
    run.check(first.tryClaim() != null, "full though empty");
    passed(run, queue);
    run.check(sender.offer() && traffic.poll(), "not through");
    run.check(second.tryClaim() != null, "full though empty");
    passed(run, queue);
    // the first and the third of four are out of use
    for (int i = 0; i < 4; i++) {
      run.check(sender.offerRun(4) == 1, "not up to the hole");
      run.check(traffic.pollRun(4) == 1, "not through");
    }
    run.check(third.tryClaim() != null, "full though empty");
    passed(run, queue);
    run.check(sender.offer() && traffic.poll(), "not through");
    run.check(fourth.tryClaim() != null, "full though empty");
    passed(run, queue);
    run.check(refuses(sender.producer::tryClaim), "claimed though no slot is left");
    first.abort();
    run.check(refuses(second::commit), "committed though given up");
    third.close();
    run.check(refuses(fourth::commit), "committed though given up");
    for (int i = 0; i < 8; i++) {
      refuses(sender::offer); // until the consumer has passed what was let go
      traffic.poll();
    }
    int left = sender.offerRun(4);
    run.check(left + sender.offerRun(4) == 4, "not all slots are left");
  }

  private static void passed(Simulation run, MpscQueue<Duo> queue) {
    while (queue.sizeEstimate() > 0) {
      look(run, queue, 1);
    }
  }
}

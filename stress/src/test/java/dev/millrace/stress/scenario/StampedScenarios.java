package dev.millrace.stress.scenario;


import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What scenarios of the queues with many producers have in common. */
final class StampedScenarios extends Steps {
  /** So many looks at an open claim are not quite enough to give it up. */
  static final int ALMOST = 15;

  /** And with so many more it is. */
  private static final int LOOKS = 5;

  private StampedScenarios() {}

  /** Makes a queue of a kind, and traffic through it. */
  interface Kind {
    QueueTraffic with(Simulation run, QueueOptions options);

    default QueueTraffic with(Simulation run, int capacity) {
      return with(run, QueueOptions.ofCapacity(capacity));
    }
  }

  /** A poll that tells truthfully that there is nothing. */
  interface StrictPoll {
    Duo of(Consumer<Duo> consumer) throws InterruptedException;
  }

  static void runsAndSingles(QueueTraffic traffic) {
    traffic.addProducer(
        0,
        sender -> sender.offerRun(2),
        sender -> sender.offerRun(3),
        sender -> sender.offerRun(1));
    traffic.addProducer(1, Sender::offer, sender -> sender.offerRun(2), Sender::offer);
  }

  static void abort(QueueTraffic traffic, int consumers) {
    traffic.counted();
    traffic.addProducer(
        0,
        sender -> sender.claimAndAbort(1),
        Sender::offer,
        sender -> sender.claimAndAbort(2),
        Sender::offer);
    traffic.addProducer(1, 2);
    traffic.addConsumers(
        consumers, Taker::poll, taker -> taker.pollRun(2), Taker::poll, taker -> taker.drain(2));
  }

  static void completeByThird(Simulation run, QueueTraffic traffic, int producers, int consumers) {
    AnyQueue<Duo> queue = traffic.queue;
    Flag.Plain before = new Flag.Plain();
    for (int letter = 0; letter < producers; letter++) {
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
    run.thread("closer", before::set, queue::complete);
    traffic.addConsumers(
        consumers,
        Taker::takeAll,
        taker -> run.check(before.isSet(), "complete was not seen"),
        taker -> run.check(taker.consumer.poll() == null, "the end does not last"));
    run.thread(
        "observer",
        () -> {
          int size = queue.sizeEstimate();
          run.check(size >= 0 && size <= 4, "size " + size);
          if (queue.isCompleted()) {
            run.check(before.isSet(), "complete was not seen");
          }
        });
    run.atEnd(() -> run.check(queue.isDrained(), "not drained"), traffic::checkAll);
  }

  static void drainedByAborts(Simulation run, QueueTraffic traffic) {
    AnyQueue<Duo> queue = traffic.queue;
    Flag.Plain[] before = {new Flag.Plain(), new Flag.Plain(), new Flag.Plain()};
    for (int letter = 0; letter < 2; letter++) {
      Flag.Plain mine = before[letter];
      int limit = letter + 1;
      Sender sender = traffic.sender(letter);
      run.check(sender.producer.tryClaim(limit) == limit, "full though empty");
      run.thread("producer " + letter, mine::set, sender.producer::close);
    }
    run.thread("closer", () -> before[2].set(), queue::complete);
    run.thread(
        "observer",
        () -> {
          run.check(queue.awaitDrained(Duration.ofDays(1)), "gave up");
          for (Flag.Plain one : before) {
            run.check(one.isSet(), "not seen what was done before the end");
          }
        });
  }

  static void endIsPublished(Simulation run, QueueTraffic traffic) {
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

  static void ownerClosesEarly(Simulation run, QueueTraffic traffic) {
    QueueScenarios.closesEarly(
        run,
        traffic.queue,
        traffic.taker.consumer,
        traffic.sender(0).producer,
        traffic.sender(1).producer);
  }

  static void strictPoll(Simulation run, QueueTraffic traffic, StrictPoll poll) {
    Flag committed = new Flag();
    Sender slow = traffic.sender(1);
    run.check(slow.producer.tryClaim() != null, "full though empty");
    run.thread("producer that aborts", slow.producer::abort);
    traffic.addProducer(0, Sender::offer, sender -> committed.raise());
    traffic.addConsumers(
        1,
        taker -> {
          boolean wasCommitted = committed.isRaised();
          Duo duo = poll.of(taker.consumer);
          run.check(duo != null || !wasCommitted, "empty though committed");
          if (duo != null) {
            taker.expect(duo);
            taker.consumer.release();
          }
          run.check(duo == null || poll.of(taker.consumer) == null, "twice");
        });
  }

  static void neverEmpty(Simulation run, QueueTraffic traffic, StrictPoll poll) {
    traffic.sender(2).offer();
    traffic.addProducer(0, 2);
    traffic.addProducer(1, 1);
    traffic.addConsumers(
        1,
        taker -> {
          for (int i = 0; i < 4; i++) {
            boolean isThere = traffic.size() > 0;
            Duo duo = poll.of(taker.consumer);
            run.check(duo != null || !isThere, "empty though there was one");
            if (duo != null) {
              taker.expect(duo);
              taker.consumer.release();
            }
          }
        });
  }

  // ---- waiting ----

  static void allPark(QueueTraffic traffic, int consumers) {
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
              traffic.queue.complete();
            }
          });
    }
    traffic.addConsumers(consumers, taker -> taker.take(4 / consumers));
  }

  static void abortWakes(Simulation run, QueueTraffic traffic) {
    Sender aborts = traffic.sender(1);
    aborts.producer.tryClaim(2);
    run.thread("producer that aborts", aborts.producer::abort);
    traffic.addProducer(0, Sender::put);
    traffic.addConsumers(1, taker -> taker.take(1));
  }

  static void dropNewest(Simulation run, QueueTraffic traffic) {
    traffic.counted();
    for (int letter = 0; letter < 2; letter++) {
      traffic.addProducer(letter, Sender::claimOrDrop, Sender::claimOrDrop);
    }
    traffic.addConsumers(1, 2);
    run.thread("sampler", () -> run.check(traffic.metric("dropped") <= 4, "more than there were"));
  }

  // ---- misuse ----

  static void misuse(Simulation run, QueueTraffic traffic) {
    QueueScenarios.misuse(run, traffic, traffic.sender(1).producer);
  }

  static void runsAreContiguous(Simulation run, QueueTraffic traffic) {
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

  // ---- stall limit ----

  static QueueOptions limited(QueueOptions options) {
    return options.withStallLimit(Duration.ofNanos(1_000));
  }

  private static void look(Simulation run, QueueTraffic traffic, int times) {
    for (int i = 0; i < times; i++) {
      run.check(traffic.taker.consumer.tryPoll() == null, "a record though none is committed");
    }
  }

  private static void passed(Simulation run, QueueTraffic traffic) {
    while (traffic.size() > 0) {
      look(run, traffic, 1);
    }
  }

  /** Claims, lets the watch almost run down, and meets consumers and another producer. */
  static void late(
      Simulation run, Kind kind, int capacity, int count, boolean commits, int consumers) {
    QueueTraffic traffic = kind.with(run, limited(QueueOptions.ofCapacity(capacity)));
    Sender slow = traffic.sender(2);
    run.check(slow.producer.tryClaim(count) == count, "full though empty");
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
    traffic.addConsumers(
        consumers,
        taker -> {
          for (int i = 0; i < LOOKS; i++) {
            taker.poll();
          }
          taker.pollRun(2);
        });
    traffic.addProducer(0, Sender::offer, sender -> sender.offerRun(count), Sender::offer);
    run.atEnd(
        () -> {
          traffic.checkAll();
          for (int i = 0; i < 2 * capacity; i++) {
            // afterwards all slots are in use again
            run.check(slow.offer() || i < capacity, "full though empty");
            traffic.taker.poll();
          }
          int all = 0;
          for (int i = 0; i < 2; i++) {
            all += slow.offerRun(capacity);
          }
          run.check(all == capacity, "not all slots are left: " + all);
          traffic.checkAll();
        });
  }

  static void holeIsSkipped(Simulation run, Kind kind) {
    QueueTraffic traffic = kind.with(run, limited(parking(2)));
    Sender slow = traffic.sender(2);
    run.check(slow.producer.tryClaim() != null, "full though empty");
    passed(run, traffic);
    for (int letter = 0; letter < 2; letter++) {
      traffic.addProducer(letter, Sender::put, Sender::put);
    }
    traffic.addConsumers(1, taker -> taker.take(4));
    run.thread(
        "late producer", () -> run.check(refuses(slow.producer::commit), "committed too late"));
  }

  static void runIsGivenUp(Simulation run, Kind kind) {
    QueueTraffic traffic = kind.with(run, limited(QueueOptions.ofCapacity(4)));
    Sender slow = traffic.sender(2);
    Sender sender = traffic.sender(0);
    run.check(slow.producer.tryClaim(2) == 2, "full though empty");
    passed(run, traffic);
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
    int left = sender.offerRun(4);
    run.check(left + sender.offerRun(4) == 4, "not all slots are left");
  }

  static void noneLeft(Simulation run, Kind kind) {
    QueueTraffic traffic = kind.with(run, limited(QueueOptions.ofCapacity(4)));
    Sender sender = traffic.sender(0);
    List<Producer<Duo>> stalled = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Producer<Duo> producer = traffic.sender(1).producer;
      stalled.add(producer);
      run.check(producer.tryClaim() != null, "full though empty");
      passed(run, traffic);
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
    int left = sender.offerRun(4);
    run.check(left + sender.offerRun(4) == 4, "not all slots are left");
  }
}

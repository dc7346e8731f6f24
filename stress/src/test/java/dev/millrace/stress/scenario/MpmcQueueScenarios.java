package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Many producers and many consumers. */
@ScenariosOf("MpmcQueue")
public final class MpmcQueueScenarios {
  private MpmcQueueScenarios() {}

  @About("each record goes to one of two consumers, whole and in order; slots are reused when free")
  public static void singles(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(0, 3);
    traffic.addProducer(1, 3);
    traffic.addConsumer("consumer", 4);
    traffic.addConsumer("another consumer", 3);
  }

  @About("runs and single records, polled in runs, one by one, and drained, by two consumers")
  public static void runsAndSingles(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(4, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(
        0,
        (producer, pair) -> {
          producer.offerRun(pair, 2);
          producer.offerRun(pair, 3);
        });
    traffic.addProducerOfBoth(1);
    traffic.addConsumer(
        "consumer",
        (taker, pair) -> {
          taker.pollRun(pair, 3);
          taker.pollRun(pair, 2);
          taker.pollRun(pair, 4);
        });
    traffic.addConsumer(
        "another consumer",
        (taker, pair) -> {
          taker.poll(pair);
          taker.drain(pair, 2);
          taker.pollRun(pair, 2);
        });
  }

  @About("a record in a consumer's hands stays as it is, in whatever order records are released")
  public static void releaseOutOfOrder(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(0, 4);
    traffic.addConsumer(
        "consumer",
        (taker, first) -> {
          Pair second = queue.newFlyweight();
          boolean isFirst = queue.tryPoll(first);
          boolean isSecond = queue.tryPoll(second);
          if (isSecond) {
            long value = second.whole();
            if (isFirst) {
              taker.expect(first.whole());
            }
            taker.expect(value);
            queue.release(second);
          }
          if (isFirst) {
            long value = first.whole();
            if (!isSecond) {
              taker.expect(value);
            }
            queue.release(first);
          }
          taker.poll(first);
        });
    traffic.addConsumer("another consumer", 2);
  }

  @About("what was aborted is passed over by whoever comes by, a record and a run")
  public static void abort(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    ManyProducers.addAborter(run, queue, traffic);
    traffic.addConsumer("consumer", 3);
    traffic.addConsumer(
        "another consumer",
        (taker, pair) -> {
          taker.pollRun(pair, 2);
          taker.drain(pair, 2);
          taker.pollRun(pair, 2);
        });
  }

  @About("records by offsets")
  public static void offsets(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(
        0,
        (producer, pair) -> {
          for (int i = 0; i < 4; i++) {
            producer.offerAt(pair);
          }
        });
    for (int i = 0; i < 2; i++) {
      traffic.addConsumer(
          "consumer " + i,
          (taker, pair) -> {
            taker.pollAt(pair);
            taker.pollAt(pair);
          });
    }
  }

  @About("whoever completes, consumers get each record whose claim came first, then the end")
  public static void completeByThird(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(4, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducerUntilClosed(0);
    Flag.Plain before = ManyProducers.addCloser(run, queue);
    for (int i = 0; i < 2; i++) {
      Pair pair = queue.newFlyweight();
      run.thread(
          "consumer " + i,
          () -> {
            traffic.consumer().takeAll(pair);
            run.check(before.isSet(), "complete was not seen");
            run.check(queue.tryPoll() == OffHeapQueue.CLOSED, "the end does not last");
            run.check(queue.tryPoll(pair, 2) == OffHeapQueue.CLOSED, "nor for runs");
            run.check(queue.drain(pair, p -> {}, 2) == OffHeapQueue.CLOSED, "nor for drains");
          });
    }
    run.atEnd(
        () -> {
          traffic.checkAll();
          run.check(queue.tryPoll() == OffHeapQueue.CLOSED, "no end");
          run.check(queue.isDrained(), "not drained");
        });
  }

  @About("producers and consumers that park are woken by each other")
  public static void allPark(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(Waits.parking(2), Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addWaitingProducers();
    traffic.addWaitingConsumer("consumer", 2);
    traffic.addWaitingConsumer("another consumer", 2);
  }

  @About("a completion wakes consumers that park; each is told of the end")
  public static void completionWakes(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(Waits.parking(2), Pair::new);
    Traffic traffic = new Traffic(run, queue);
    Pair written = queue.newFlyweight();
    for (int i = 0; i < 2; i++) {
      Pair pair = queue.newFlyweight();
      run.thread(
          "consumer " + i,
          () -> {
            Traffic.Taker taker = traffic.consumer();
            while (taker.take(pair)) {
              // until the end
            }
          });
    }
    run.thread(
        "producer",
        () -> {
          traffic.producer(0).put(written);
          queue.complete();
        });
  }

  @About("a full queue that drops its oldest records loses none else, nor one that is being read")
  public static void dropOldest(Simulation run) {
    MpmcQueue<Pair> queue =
        MpmcQueue.of(
            QueueOptions.ofCapacity(2).withWhenFull(QueueOptions.WhenFull.DROP_OLDEST), Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addWaitingProducers();
    traffic.addConsumer("consumer", 2);
    run.atEnd(
        () -> {
          Pair pair = queue.newFlyweight();
          Traffic.Taker taker = traffic.consumer();
          while (taker.poll(pair)) {
            // until empty
          }
          OffHeapQueue.Counters counters = queue.counters();
          run.check(counters.dropped() + traffic.cameCount() == 4, "lost: " + counters);
          run.check(counters.consumed() == traffic.cameCount(), "consumed: " + counters);
        });
  }

  @About("samplers see whole records and counts within bounds, whatever goes on")
  public static void samplers(Simulation run) {
    ManyProducers.samplers(run, MpmcQueue.of(2, Pair::new));
  }

  @About("a picture never shows a record in another's place, though its slot is used again")
  public static void samplerMeetsReuse(Simulation run) {
    Samples.lookAtReuse(run, MpmcQueue.of(2, Pair::new));
  }

  @About("counts stay within bounds while slots are aborted and passed")
  public static void countsInUse(Simulation run) {
    ManyProducers.countsInUse(run, MpmcQueue.of(2, Pair::new));
  }

  @About("the counts and the picture of a queue that nobody uses are exact")
  public static void countsAtRest(Simulation run) {
    MpmcQueue<Pair> queue =
        MpmcQueue.of(
            QueueOptions.ofCapacity(4).withWhenFull(QueueOptions.WhenFull.DROP_OLDEST), Pair::new);
    Pair pair = queue.newFlyweight();
    Records.offerRun(queue, pair, 1, 2);
    Pair other = queue.newFlyweight();
    queue.tryClaim(other);
    queue.abort(other);
    Records.offer(queue, pair, 3);
    run.check(Samples.shown(queue).equals("1 2 3"), "shown: " + Samples.shown(queue));
    Samples.expect(run, queue, new OffHeapQueue.Counters(4, 3, 0, 1, 0, 0, 0, 0, 4));
    run.check(Records.poll(queue, pair) == 1, "another record");
    Samples.expect(run, queue, new OffHeapQueue.Counters(4, 3, 1, 1, 0, 0, 0, 0, 4));
    run.check(Records.poll(queue, pair) == 2, "another record");
    run.check(queue.tryPoll(pair, 4) == 1, "not one");
    Samples.expect(run, queue, new OffHeapQueue.Counters(4, 3, 3, 1, 0, 0, 0, 0, 4));
    run.check(Samples.shown(queue).isEmpty(), "shown: " + Samples.shown(queue));
    queue.release(pair);
    Records.offerRun(queue, pair, 4, 4);
    run.check(refuses(() -> queue.tryClaim(pair, 5)), "claim of more than there are");
    queue.abandon();
    run.check(Samples.shown(queue).isEmpty(), "shown though freed");
    Samples.expect(run, queue, new OffHeapQueue.Counters(8, 3, 3, 1, 0, 0, 0, 0, 4));
  }

  @About("misuse is refused, and changes nothing")
  public static void misuseIsRefused(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Pair pair = queue.newFlyweight();
    Pair read = queue.newFlyweight();
    ManyProducers.misuseUntilFull(run, queue, pair, read);
    run.check(queue.tryPoll(read), "none");
    run.check(refuses(() -> queue.tryPoll(read)), "poll beside an open one");
    run.check(refuses(() -> queue.drain(read, p -> {}, 1)), "drain beside an open poll");
    queue.release(read);
    run.check(refuses(() -> queue.release(read)), "release again");
    int count =
        queue.drain(
            read,
            p -> {
              run.check(p.whole() == 2, "another record");
              run.check(refuses(() -> queue.tryPoll(p)), "poll in a handler");
            },
            2);
    run.check(count == 1, "drained another number");
    run.check(queue.tryPoll() == OffHeapQueue.EMPTY, "a record though empty");
    run.check(queue.drain(read, p -> {}, 1) == 0, "drained though empty");
  }

  @About("a record whose handler throws is consumed, the others stay, also for other consumers")
  public static void handlerThrows(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(4, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(0, 3);
    traffic.addConsumer("another consumer", 1);
    traffic.addConsumer(
        "consumer",
        (taker, pair) -> {
          Records.drainAndThrow(queue, pair, taker::expect);
          Records.drainAndThrow(queue, pair, taker::expect);
        });
  }
}

package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.util.concurrent.TimeUnit;

/** Many producers and one consumer. */
@ScenariosOf("MpscQueue")
public final class MpscQueueScenarios {
  private MpscQueueScenarios() {}

  @About("two producers' records through two slots: each once, in order, whole; slots are reused")
  public static void singles(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(0, 3);
    traffic.addProducer(1, 3);
    traffic.addConsumer("consumer", 6);
  }

  @About("runs and single records of two producers, polled in runs, one by one, and drained")
  public static void runsAndSingles(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(4, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(
        0,
        (producer, pair) -> {
          producer.offerRun(pair, 2);
          producer.offerRun(pair, 3);
          producer.offerRun(pair, 1);
        });
    traffic.addProducerOfBoth(1);
    traffic.addConsumer(
        "consumer",
        (taker, pair) -> {
          taker.poll(pair);
          taker.pollRun(pair, 3);
          taker.drain(pair, 2);
          taker.pollRun(pair, 4);
          taker.poll(pair);
          taker.drain(pair, 1);
        });
  }

  @About("what was aborted is passed over, a record and a run, by offset and by flyweight")
  public static void abort(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    ManyProducers.addAborter(run, queue, traffic);
    traffic.addProducer(1, 2);
    traffic.addConsumer(
        "consumer",
        (taker, pair) -> {
          taker.poll(pair);
          taker.pollRun(pair, 2);
          taker.poll(pair);
          taker.drain(pair, 2);
        });
  }

  @About("records by offsets")
  public static void offsets(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    for (int i = 0; i < 2; i++) {
      traffic.addProducer(
          i,
          (producer, pair) -> {
            producer.offerAt(pair);
            producer.offerAt(pair);
          });
    }
    traffic.addConsumer(
        "consumer",
        (taker, pair) -> {
          for (int i = 0; i < 4; i++) {
            taker.pollAt(pair);
          }
        });
  }

  @About("a producer may write where another has seen that the consumer is through")
  public static void limitIsHandedOn(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    Pair pair = queue.newFlyweight();
    traffic.producer(2).offerRun(pair, 2);
    run.thread("consumer", () -> traffic.consumer().pollRun(pair, 2));
    traffic.addProducer(0, 1);
    traffic.addProducer(1, 2);
  }

  @About("whoever completes, consumers get each record whose claim came first, then the end")
  public static void completeByThird(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(4, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    Pair read = queue.newFlyweight();
    traffic.addProducerUntilClosed(0);
    traffic.addProducerUntilClosed(1);
    Flag.Plain before = ManyProducers.addCloser(run, queue);
    run.thread(
        "consumer",
        () -> {
          traffic.consumer().takeAll(read);
          run.check(before.isSet(), "complete was not seen");
          run.check(queue.isDrained(), "told of the end before it");
          run.check(queue.tryPoll(read, 2) == OffHeapQueue.CLOSED, "the end does not last");
        });
  }

  @About("producers that park and a consumer that parks are woken by each other")
  public static void allPark(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(Waits.parking(2), Pair::new);
    Traffic traffic = new Traffic(run, queue);
    Flag[] done = {new Flag(), new Flag()};
    for (int i = 0; i < 2; i++) {
      int letter = i;
      traffic.addProducer(
          letter,
          (producer, pair) -> {
            producer.put(pair);
            producer.put(pair);
            done[letter].raise();
            if (done[1 - letter].isRaised()) {
              queue.complete();
            }
          });
    }
    traffic.addWaitingConsumer("consumer", 4);
  }

  @About("an abort wakes a parked producer by way of the parked consumer")
  public static void abortWakes(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(Waits.parking(2), Pair::new);
    Traffic traffic = new Traffic(run, queue);
    Pair claimed = queue.newFlyweight();
    queue.tryClaim(claimed, 2);
    run.thread("producer that aborts", () -> queue.abort(claimed));
    traffic.addProducer(0, (producer, pair) -> producer.put(pair));
    traffic.addWaitingConsumer("consumer", 1);
  }

  @About("a strict poll finds what was committed before, though an older claim is open")
  public static void strictPoll(Simulation run) {
    ManyProducers.strictPoll(run, MpscQueue.of(2, Pair::new));
  }

  @About("samplers see whole records and counts within bounds, whatever goes on")
  public static void samplers(Simulation run) {
    ManyProducers.samplers(run, MpscQueue.of(2, Pair::new));
  }

  @About("a picture never shows a record in another's place, though its slot is used again")
  public static void samplerMeetsReuse(Simulation run) {
    Samples.lookAtReuse(run, MpscQueue.of(2, Pair::new));
  }

  @About("a sampler that sees how far the consumer has looked sees the records that it saw")
  public static void lookIsHandedOn(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          Records.offer(queue, pair, 1);
          Records.offer(queue, pair, 2);
        });
    run.thread("consumer", () -> queue.tryPoll(queue.newFlyweight(), 2));
    run.thread(
        "sampler",
        () -> {
          String shown = Samples.shown(queue);
          run.check("1 2".startsWith(shown), "shown: " + shown);
        });
  }

  @About("counts stay within bounds while slots are aborted and passed")
  public static void countsInUse(Simulation run) {
    ManyProducers.countsInUse(run, MpscQueue.of(2, Pair::new));
  }

  @About("the counts and the picture of a queue that nobody uses are exact")
  public static void countsAtRest(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(8, Pair::new);
    Pair pair = queue.newFlyweight();
    Records.offer(queue, pair, 1);
    Records.offerRun(queue, pair, 2, 2);
    Pair other = queue.newFlyweight();
    queue.tryClaim(other, 2);
    queue.abort(other);
    Records.offer(queue, pair, 4);
    run.check(Samples.shown(queue).equals("1 2 3 4"), "shown: " + Samples.shown(queue));
    Samples.expect(run, queue, new OffHeapQueue.Counters(6, 4, 0, 2, 0, 0, 0, 0, 6));
    run.check(queue.tryPoll(pair, 2) == 2, "not two");
    run.check(Samples.shown(queue).equals("1 2 3 4"), "shown: " + Samples.shown(queue));
    queue.release(pair);
    run.check(Samples.shown(queue).equals("3 4"), "shown: " + Samples.shown(queue));
    Samples.expect(run, queue, new OffHeapQueue.Counters(6, 4, 2, 2, 0, 0, 0, 0, 6));
    Records.poll(queue, pair);
    queue.tryClaim(other);
    Records.offer(queue, pair, 5);
    Samples.expect(run, queue, new OffHeapQueue.Counters(8, 5, 3, 2, 0, 0, 0, 0, 6));
    run.check(Samples.shown(queue).equals("4 5"), "shown: " + Samples.shown(queue));
    Records.poll(queue, pair);
    Samples.expect(run, queue, new OffHeapQueue.Counters(8, 5, 4, 2, 0, 0, 0, 0, 6));
    queue.commit(other);
    Samples.expect(run, queue, new OffHeapQueue.Counters(8, 6, 4, 2, 0, 0, 0, 0, 6));
    queue.abandon();
    run.check(Samples.shown(queue).isEmpty(), "shown though freed");
    Samples.expect(run, queue, new OffHeapQueue.Counters(8, 4, 4, 2, 0, 0, 0, 0, 6));
  }

  @About("misuse is refused, and changes nothing")
  public static void misuseIsRefused(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    Pair pair = queue.newFlyweight();
    Pair read = queue.newFlyweight();
    ManyProducers.misuseUntilFull(run, queue, pair, read);
    long polled = queue.tryPoll();
    run.check(refuses(() -> queue.tryPoll(read)), "poll beside an open one");
    run.check(refuses(() -> queue.tryPoll(read, 1)), "poll of a run beside an open one");
    run.check(refuses(() -> queue.drain(read, p -> {}, 1)), "drain beside an open poll");
    run.check(refuses(() -> queue.release(polled + 24)), "release of another offset");
    queue.release(polled);
    int count =
        queue.drain(
            read,
            p -> {
              run.check(p.whole() == 2, "another record");
              run.check(refuses(() -> queue.tryPoll(p)), "poll in a handler");
              run.check(refuses(() -> queue.release(p)), "release in a handler");
            },
            2);
    run.check(count == 1, "drained another number");
    run.check(queue.tryPoll() == OffHeapQueue.EMPTY, "a record though empty");
  }

  @About("a record whose handler throws is consumed, the later ones stay")
  public static void handlerThrows(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(4, Pair::new);
    Traffic traffic = new Traffic(run, queue);
    traffic.addProducer(0, 2);
    traffic.addProducer(1, (producer, pair) -> producer.offerRun(pair, 2));
    traffic.addConsumer(
        "consumer",
        (taker, pair) -> {
          for (int i = 0; i < 3; i++) {
            Records.drainAndThrow(queue, pair, taker::expect);
          }
        });
  }

  @About("a full queue that drops what is new counts it, and keeps the rest")
  public static void dropNewest(Simulation run) {
    MpscQueue<Pair> queue =
        MpscQueue.of(
            QueueOptions.ofCapacity(2).withWhenFull(QueueOptions.WhenFull.DROP_NEWEST), Pair::new);
    Traffic traffic = new Traffic(run, queue);
    int[] dropped = new int[1];
    for (int i = 0; i < 2; i++) {
      traffic.addProducer(
          i,
          (producer, pair) -> {
            for (int n = 0; n < 2; n++) {
              if (queue.claim(pair)) {
                pair.set(producer.next());
                queue.commit(pair);
                producer.sent(1);
              } else {
                dropped[0]++;
              }
            }
          });
    }
    traffic.addConsumer("consumer", 2);
    run.atEnd(
        () -> {
          traffic.checkAll();
          run.check(traffic.sentCount() + dropped[0] == 4, "neither sent nor dropped");
          run.check(queue.counters().dropped() == dropped[0], "dropped: " + queue.counters());
        });
  }

  @About("a claim with a time limit gives up when it has passed")
  public static void timeLimit(Simulation run) {
    MpscQueue<Pair> queue =
        MpscQueue.of(
            QueueOptions.ofCapacity(2)
                .withProducerWaits(Waits.PARK)
                .withConsumerWaits(new WaitStrategy(0, 0, WaitStrategy.FOREVER, 500)),
            Pair::new);
    Pair open = queue.newFlyweight();
    queue.tryClaim(open, 2);
    run.thread(
        "producer",
        () ->
            run.check(
                !queue.claim(queue.newFlyweight(), 1, TimeUnit.MICROSECONDS),
                "claimed though full"));
    run.thread(
        "consumer",
        () -> run.check(!queue.poll(queue.newFlyweight()), "polled though none is committed"));
  }

  @About(
      "a queue that is never full is never said to be, for the putter of a record took one before")
  public static void neverFull(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    Records.offer(queue, queue.newFlyweight(), 1);
    run.thread(
        "consumer, then producer",
        () -> {
          Pair pair = queue.newFlyweight();
          run.check(Records.poll(queue, pair) == 1, "another record");
          run.check(Records.offer(queue, pair, 2), "full of none");
        });
    run.thread(
        "producer",
        () -> run.check(queue.tryClaim(queue.newFlyweight()), "full, though it never is"));
  }
}

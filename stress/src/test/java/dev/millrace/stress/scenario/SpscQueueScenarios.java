package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** One producer and one consumer that never wait. */
@ScenariosOf("SpscQueue")
public final class SpscQueueScenarios {
  private static final int TRIES = 5;

  private SpscQueueScenarios() {}

  @About("single records through two slots: each once, in order, whole; a slot is reused when free")
  public static void singles(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    delivery.addProducer(TRIES);
    delivery.addConsumer(TRIES);
  }

  @About("single records polled where the consumer looks ahead, a run and an abort between them")
  public static void singlesAhead(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(4, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.offer(pair);
          delivery.offer(pair);
          if (queue.tryClaim(pair)) {
            pair.set(-7);
            queue.abort(pair);
          }
          delivery.offerRun(pair, 2);
          delivery.offer(pair);
          delivery.offer(pair);
        });
    delivery.addConsumer(7);
  }

  @About("runs and single records in turn, polled in runs, one by one, and drained")
  public static void runsAndSingles(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(4, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.offerRun(pair, 2);
          delivery.offer(pair);
          delivery.offerRun(pair, 3);
          delivery.offer(pair);
        });
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.poll(pair);
          delivery.pollRun(pair, 3);
          delivery.drain(pair, 2);
          delivery.poll(pair);
          delivery.pollRun(pair, 4);
        });
  }

  @About("what was aborted is not seen, neither a record nor a run")
  public static void abort(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          for (int i = 0; i < 2; i++) {
            if (queue.tryClaim(pair)) {
              pair.set(-7);
              queue.abort(pair);
            }
            delivery.offer(pair);
            if (queue.tryClaim(pair, 2)) {
              pair.set(-8);
              queue.abort(pair);
            }
            delivery.offerRun(pair, 2);
          }
        });
    delivery.addConsumer(TRIES);
  }

  @About("a role handed to another thread goes on where it was")
  public static void handOver(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    Flag producerLeft = new Flag();
    Flag consumerLeft = new Flag();
    run.thread(
        "first producer, second consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.offer(pair);
          delivery.offerRun(pair, 1);
          producerLeft.raise();
          consumerLeft.await();
          delivery.poll(pair);
          delivery.pollRun(pair, 2);
        });
    run.thread(
        "first consumer, second producer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.poll(pair);
          consumerLeft.raise();
          producerLeft.await();
          delivery.offer(pair);
          delivery.offer(pair);
        });
  }

  @About("misuse is refused, and changes nothing")
  public static void misuseIsRefused(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    Pair pair = queue.newFlyweight();
    run.check(refuses(() -> queue.commit(pair)), "commit of nothing");
    run.check(refuses(() -> queue.abort(pair)), "abort of nothing");
    run.check(refuses(() -> queue.release(pair)), "release of nothing");
    run.check(refuses(() -> queue.commit(8)), "commit of an offset that is not claimed");
    run.check(refuses(() -> queue.release(8)), "release of an offset that is not polled");
    run.check(refuses(() -> queue.tryClaim(pair, 0)), "claim of none");
    run.check(refuses(() -> queue.tryClaim(pair, 3)), "claim of more than there are");
    run.check(refuses(() -> queue.tryPoll(pair, 0)), "poll of none");
    run.check(refuses(() -> queue.drain(pair, p -> {}, 0)), "drain of none");
    long offset = queue.tryClaim();
    run.check(refuses(() -> queue.tryClaim(pair)), "claim beside an open one");
    run.check(refuses(() -> queue.commit(offset + 8)), "commit of another offset");
    run.check(refuses(() -> queue.abort(offset + 8)), "abort of another offset");
    queue.abort(offset);
    delivery.offer(pair);
    delivery.offer(pair);
    run.check(queue.sizeEstimate() == 2, "of size " + queue.sizeEstimate());
    run.check(queue.tryClaim() == SpscQueue.FULL, "claimed though full");
    long polled = queue.tryPoll();
    run.check(refuses(() -> queue.tryPoll(pair)), "poll beside an open one");
    run.check(refuses(() -> queue.tryPoll(pair, 1)), "poll of a run beside an open one");
    run.check(refuses(() -> queue.drain(pair, p -> {}, 1)), "drain beside an open poll");
    run.check(refuses(() -> queue.release(polled + 8)), "release of another offset");
    pair.moveTo(polled);
    delivery.expect(pair.whole());
    queue.release(polled);
    run.check(
        queue.drain(
                pair,
                p -> {
                  delivery.expect(p.whole());
                  run.check(refuses(() -> queue.tryPoll(p)), "poll in a handler");
                  run.check(refuses(() -> queue.release(p)), "release in a handler");
                },
                2)
            == 1,
        "drained another number");
    run.check(queue.tryPoll() == SpscQueue.EMPTY, "a record though empty");
  }

  @About("a record whose handler throws is consumed, the later ones stay")
  public static void handlerThrows(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(4, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.offer(pair);
          delivery.offerRun(pair, 3);
        });
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          for (int i = 0; i < 3; i++) {
            Records.drainAndThrow(queue, pair, delivery::expect);
          }
        });
  }

  @About("samplers see whole records of either publication, and counts within bounds")
  public static void samplers(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.offer(pair);
          delivery.offerRun(pair, 2);
          delivery.offer(pair);
        });
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.poll(pair);
          delivery.pollRun(pair, 2);
        });
    run.thread("sampler", () -> Samples.look(run, queue));
    run.thread("another sampler", () -> Samples.count(run, queue, 4));
  }

  @About("a picture never shows a record in another's place, though its slot is used again")
  public static void samplerMeetsReuse(Simulation run) {
    Samples.lookAtReuse(run, SpscQueue.of(2, Pair::new));
  }

  @About("counts and pictures of a queue that nobody uses are exact")
  public static void countsAtRest(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(4, Pair::new);
    Pair pair = queue.newFlyweight();
    Records.offer(queue, pair, 1);
    run.check(Samples.shown(queue).equals("1"), "shown: " + Samples.shown(queue));
    Records.offerRun(queue, pair, 2, 2);
    run.check(Samples.shown(queue).equals("1 2 3"), "shown: " + Samples.shown(queue));
    Samples.expect(run, queue, new OffHeapQueue.Counters(3, 3, 0, 0, 0, 0, 0, 0, 3));
    run.check(Records.poll(queue, pair) == 1, "another record");
    Records.offer(queue, pair, 4);
    run.check(Samples.shown(queue).equals("2 3 4"), "shown: " + Samples.shown(queue));
    Samples.expect(run, queue, new OffHeapQueue.Counters(4, 4, 1, 0, 0, 0, 0, 0, 3));
  }

  @About("the highest of two samplers' marks stays, and drops are counted while they look")
  public static void samplersMeet(Simulation run) {
    SpscQueue<Pair> queue =
        SpscQueue.of(
            QueueOptions.ofCapacity(2).withWhenFull(QueueOptions.WhenFull.DROP_NEWEST), Pair::new);
    Pair pair = queue.newFlyweight();
    Records.offer(queue, pair, 1);
    run.thread(
        "producer",
        () -> {
          Records.offer(queue, pair, 2);
          run.check(queue.counters().highWater() >= 1, "no mark");
          run.check(!queue.claim(pair), "claimed though full");
        });
    run.thread("sampler", () -> run.check(queue.counters().dropped() <= 1, "dropped more"));
    run.atEnd(
        () -> {
          Pair read = queue.newFlyweight();
          run.check(Records.poll(queue, read) == 1 && Records.poll(queue, read) == 2, "lost");
          run.check(queue.counters().highWater() == 2, "mark " + queue.counters().highWater());
          run.check(queue.counters().dropped() == 1, "dropped " + queue.counters().dropped());
        });
  }
}

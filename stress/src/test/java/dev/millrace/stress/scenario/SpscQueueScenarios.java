package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.OnFull;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.QueueTraffic.Part;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.trial.AnyQueue;
import java.time.Duration;
import java.util.Map;

/** One producer and one consumer, through their ends and views of an interface. */
@ScenariosOf("SpscQueue")
public final class SpscQueueScenarios extends QueueScenarios {
  private static final int TRIES = 5;
  private static final int RECORDS = 4;

  @Override
  QueueTraffic traffic(Simulation run, QueueOptions options) {
    SpscQueue<Duo> queue = SpscQueue.of(FlyweightType.of(Duo.class), options);
    return new QueueTraffic(run, new AnyQueue<>(queue));
  }

  @Override
  int producers() {
    return 1;
  }

  @About("single records through two slots: each once, in order, whole; a slot is reused when free")
  public void singles(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    traffic.addProducer(0, TRIES);
    traffic.addConsumers(1, TRIES);
  }

  @About("single records polled where the consumer looks ahead, a run and an abort between them")
  public void singlesAhead(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    Part<Sender> two = QueueTraffic.times(2, Sender::offer);
    traffic.addProducer(0, two, claimAndAbort(1), offerRun(2), two);
    traffic.addConsumers(1, 7);
  }

  @About("runs and single records in turn, polled in runs, one by one, and drained")
  public void runsAndSingles(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    traffic.addProducer(0, offerRun(2), Sender::offer, offerRun(3), Sender::offer, offerRun(3));
    traffic.addConsumers(1, Taker::poll, pollRun(3), drain(2), Taker::poll, pollRun(4));
  }

  @About("what was aborted is not seen, neither a record nor a run")
  public void abort(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    Sender sender = traffic.sender(0);
    Body put =
        () -> {
          Duo duo = sender.producer.tryClaim();
          if (duo != null) {
            duo.first(-7);
            sender.producer.abort();
          }
          sender.offer();
          if (sender.producer.tryClaim(2) > 0) {
            sender.producer.at(0).first(-8);
            sender.producer.abort();
          }
          sender.offerRun(2);
        };
    run.thread("producer", times(2, put));
    traffic.addConsumers(1, TRIES);
  }

  @About("an end handed to another thread goes on where it was")
  public void handOver(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    Sender sender = traffic.sender(0);
    Taker taker = traffic.taker;
    Flag producerLeft = new Flag();
    Flag consumerLeft = new Flag();
    run.thread(
        "first producer, second consumer",
        sender::offer,
        () -> sender.offerRun(1),
        producerLeft::raise,
        consumerLeft::await,
        taker::poll,
        () -> taker.pollRun(2));
    run.thread(
        "first consumer, second producer",
        taker::poll,
        consumerLeft::raise,
        producerLeft::await,
        sender::offer,
        sender::offer);
  }

  @About("a record whose handler throws is consumed, the later ones stay")
  public void handlerThrows(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    traffic.addProducer(0, Sender::offer, offerRun(3));
    handlerThrows(run, traffic);
  }

  // ---- the end ----

  @About("the consumer gets all that the producer committed before it closed, then the end")
  public void producerCloses(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    Producer<Duo> producer = traffic.sender(0).producer;
    traffic.addProducer(
        0, Sender::offer, offerRun(2), _ -> producer.tryClaim(), _ -> producer.close());
    traffic.addConsumers(1, Taker::takeAll);
  }

  @About("a completion from elsewhere is exact: all commits that returned are delivered, no more")
  public void completeIsExact(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    traffic.addProducer(
        0,
        sender -> {
          boolean refused = false;
          for (int i = 0; i < TRIES && !refused; i++) {
            boolean wasCompleted = traffic.queue.isCompleted();
            refused = refuses(sender::offer);
            run.check(refused || !wasCompleted, "a claim after complete");
          }
          run.check(!refused || refuses(() -> sender.producer.tryClaim(2)), "claimed a run then");
        });
    run.thread("closer", traffic.queue::complete);
    traffic.addConsumers(1, Taker::takeAll);
  }

  @About("a claim of a run that is open while another thread completes is delivered or taken back")
  public void completeBesideRuns(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    traffic.addProducer(
        0,
        sender -> {
          boolean refused = refuses(() -> sender.offerRun(2));
          refused |= refuses(() -> sender.claimAndAbort(1));
          run.check(!refused || traffic.queue.isCompleted(), "refused though open");
        });
    run.thread("closer", traffic.queue::complete);
    traffic.addConsumers(
        1,
        taker -> {
          while (taker.takenRun(taker.consumer.poll(2)) > 0) {
            // until the end
          }
          run.check(traffic.queue.isDrained(), "ended though not drained");
        });
  }

  @About("who sees the queue completed or drained sees what was done before")
  public void endIsPublished(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    AnyQueue<Duo> queue = traffic.queue;
    Consumer<Duo> consumer = traffic.taker.consumer;
    Flag.Plain beforeClose = new Flag.Plain();
    Flag.Plain beforeRelease = new Flag.Plain();
    traffic.addProducer(
        0, Sender::offer, _ -> beforeClose.set(), sender -> sender.producer.close());
    run.thread(
        "consumer",
        () -> {
          while (!queue.isDrained()) {
            Duo duo = consumer.tryPoll();
            if (duo == null) {
              Thread.onSpinWait();
            } else {
              traffic.taker.expect(duo);
              beforeRelease.set();
              consumer.release();
            }
          }
          run.check(beforeClose.isSet(), "close was not seen");
        });
    run.thread(
        "observer",
        () -> {
          checkWithin(run, 0, queue.sizeEstimate(), 2, "size");
          run.check(!queue.isCompleted() || beforeClose.isSet(), "close was not seen");
          run.check(!queue.isDrained() || beforeRelease.isSet(), "release was not seen");
        });
  }

  @About("an owner waits until all is drained, then closes: nobody is cut off, nothing is lost")
  public void ownerAwaitsTheEnd(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    AnyQueue<Duo> queue = traffic.queue;
    traffic.addProducer(0, Sender::offer, Sender::offer, sender -> sender.producer.close());
    traffic.addConsumers(1, Taker::takeAll);
    run.thread(
        "owner",
        () -> run.check(queue.awaitDrained(Duration.ofDays(1)), "gave up"),
        queue::close,
        queue::close,
        () -> run.check(queue.isDrained(), "drained no more"));
  }

  @About("a close frees the memory, whatever is left in it; once, however often it is closed")
  public void closeFrees(Simulation run) {
    SpscQueue<Duo> queue = SpscQueue.of(Duo.class, 2);
    queue.producer().tryClaim().first(1).second(-1);
    queue.producer().commit();
    Duo held = queue.consumer().tryPoll();
    queue.close();
    run.check(refuses(held::first), "memory can still be read");
    queue.consumer().release();
    run.check(queue.consumer().tryPoll(1) == 0, "memory is still looked at");
    queue.close();
    run.check(queue.isDrained(), "not drained");
    run.check(queue.toString().endsWith("closed]"), queue.toString());
  }

  // ---- waiting ----

  @About("a parked consumer and a parked producer are woken by each other")
  public void bothPark(Simulation run) {
    transfer(run, PARK, PARK);
  }

  @About("a parked consumer is woken by a producer that spins")
  public void consumerParks(Simulation run) {
    transfer(run, WaitStrategy.busySpin(), PARK);
  }

  @About("a parked producer is woken by a consumer that yields")
  public void producerParks(Simulation run) {
    transfer(run, PARK, WaitStrategy.yielding());
  }

  @About("a producer that sleeps and a consumer that spins, yields, then parks")
  public void phases(Simulation run) {
    transfer(
        run,
        WaitStrategy.sleeping(Duration.ofNanos(1_000)),
        new WaitStrategy(1, 1, WaitStrategy.FOREVER));
  }

  private void transfer(Simulation run, WaitStrategy producer, WaitStrategy consumer) {
    QueueOptions options = QueueOptions.ofCapacity(2);
    QueueTraffic traffic =
        traffic(run, options.withProducerWaits(producer).withConsumerWaits(consumer));
    Part<Sender> two =
        sender -> {
          sender.put();
          sender.putRun();
        };
    traffic.addProducer(0, two, two, sender -> sender.producer.close());
    traffic.addConsumers(1, Taker::takeAll);
    run.atEnd(() -> run.check(traffic.cameCount() == RECORDS, "came " + traffic.cameCount()));
  }

  @About("an abort after the completion wakes a consumer that waits for the claim's end")
  public void abortWakes(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    traffic.addProducer(
        0,
        sender -> {
          if (!refuses(sender.producer::tryClaim)) {
            sender.producer.abort();
          }
        });
    run.thread("closer", traffic.queue::complete);
    traffic.addConsumers(1, Taker::takeAll);
  }

  @About("an interrupt ends a wait and leaves the end usable")
  public void interruptEnds(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    traffic.addConsumers(
        1,
        taker -> {
          try {
            taker.taken(taker.consumer.poll());
          } catch (InterruptedException e) {
            taker.taken(taker.consumer.poll());
          }
        });
    run.thread("interrupter", () -> run.interrupt("consumer 0"));
    traffic.addProducer(0, 1);
  }

  @About("a wait with a time limit ends at it, and a record that comes in time is taken")
  public void timeLimit(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    traffic.addProducer(0, 1);
    traffic.addConsumers(1, taker -> taker.taken(taker.consumer.poll(Duration.ofNanos(5_000))));
  }

  @About("where a full queue drops the newest, a claim does not wait")
  public void dropNewest(Simulation run) {
    QueueTraffic traffic =
        traffic(run, QueueOptions.ofCapacity(2).withOnFull(OnFull.DROP_NEWEST)).counted();
    traffic.sender(0).offerRun(2);
    traffic.addProducer(0, Sender::claimOrDrop, Sender::claimOrDrop);
    traffic.addConsumers(1, 2);
  }

  @About("the highest of two samplers' sizes stays, and is not below a size beside it")
  public void highWater(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    Sender sender = traffic.sender(0);
    sender.offer();
    Numbered look =
        _ -> {
          Map<String, Long> metrics = traffic.metrics();
          long high = metrics.get("highWater");
          checkWithin(run, metrics.get("size"), high, 2, "high water");
          run.check(traffic.metric("highWater") >= high, "fell from " + high);
        };
    threads(run, 2, "sampler", look);
    run.thread("producer", sender::offer);
    traffic.addConsumers(1, 1);
  }
}

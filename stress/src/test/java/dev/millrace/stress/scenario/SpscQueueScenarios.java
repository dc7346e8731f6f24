package dev.millrace.stress.scenario;


import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.AnyQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import java.time.Duration;

/** One producer and one consumer, through their ends and views of an interface. */
@ScenariosOf("SpscQueue")
public final class SpscQueueScenarios extends Steps {
  private static final int TRIES = 5;
  private static final int RECORDS = 4;

  private static SpscQueue<Duo> queue(int capacity) {
    return SpscQueue.of(Duo.class, capacity);
  }

  private static SpscQueue<Duo> queue(WaitStrategy producer, WaitStrategy consumer) {
    QueueOptions options = QueueOptions.ofCapacity(2);
    return SpscQueue.of(
        FlyweightType.of(Duo.class),
        options.withProducerWaits(producer).withConsumerWaits(consumer));
  }

  private static QueueTraffic traffic(Simulation run, SpscQueue<Duo> queue) {
    return new QueueTraffic(run, new AnyQueue<>(queue));
  }

  @About("single records through two slots: each once, in order, whole; a slot is reused when free")
  public void singles(Simulation run) {
    QueueTraffic traffic = traffic(run, queue(2));
    traffic.addProducer(0, TRIES);
    traffic.addConsumers(1, TRIES);
  }

  @About("single records polled where the consumer looks ahead, a run and an abort between them")
  public void singlesAhead(Simulation run) {
    QueueTraffic traffic = traffic(run, queue(4));
    traffic.addProducer(
        0,
        Sender::offer,
        Sender::offer,
        sender -> sender.claimAndAbort(1),
        sender -> sender.offerRun(2),
        Sender::offer,
        Sender::offer);
    traffic.addConsumers(1, 7);
  }

  @About("runs and single records in turn, polled in runs, one by one, and drained")
  public void runsAndSingles(Simulation run) {
    SpscQueue<Duo> queue = queue(4);
    QueueTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    run.thread(
        "producer",
        () -> sender.offerRun(2),
        sender::offer,
        () -> sender.offerRun(3),
        sender::offer,
        () -> sender.offerRun(3));
    run.thread(
        "consumer",
        traffic.taker::poll,
        () -> traffic.taker.pollRun(3),
        () -> traffic.taker.drain(2),
        traffic.taker::poll,
        () -> traffic.taker.pollRun(4));
  }

  @About("what was aborted is not seen, neither a record nor a run")
  public void abort(Simulation run) {
    QueueTraffic traffic = traffic(run, queue(2));
    Sender sender = traffic.sender(0);
    run.thread(
        "producer",
        () -> {
          for (int i = 0; i < 2; i++) {
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
          }
        });
    traffic.addConsumers(1, TRIES);
  }

  @About("an end handed to another thread goes on where it was")
  public void handOver(Simulation run) {
    QueueTraffic traffic = traffic(run, queue(2));
    Sender sender = traffic.sender(0);
    Flag producerLeft = new Flag();
    Flag consumerLeft = new Flag();
    run.thread(
        "first producer, second consumer",
        sender::offer,
        () -> sender.offerRun(1),
        producerLeft::raise,
        consumerLeft::await,
        traffic.taker::poll,
        () -> traffic.taker.pollRun(2));
    run.thread(
        "first consumer, second producer",
        traffic.taker::poll,
        consumerLeft::raise,
        producerLeft::await,
        sender::offer,
        sender::offer);
  }

  @About("misuse is refused, and changes nothing; views throw while nothing is in hand")
  public void misuseIsRefused(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    QueueScenarios.misuse(run, traffic(run, queue), queue.producer());
  }

  @About("a record whose handler throws is consumed, the later ones stay")
  public void handlerThrows(Simulation run) {
    QueueTraffic traffic = traffic(run, queue(4));
    traffic.addProducer(0, Sender::offer, sender -> sender.offerRun(3));
    QueueScenarios.handlerThrows(run, traffic);
  }

  // ---- the end ----

  @About("the consumer gets all that the producer committed before it closed, then the end")
  public void producerCloses(Simulation run) {
    QueueTraffic traffic = traffic(run, queue(2));
    Sender sender = traffic.sender(0);
    run.thread(
        "producer",
        sender::offer,
        () -> sender.offerRun(2),
        sender.producer::tryClaim,
        sender.producer::close);
    run.thread("consumer", traffic.taker::takeAll);
  }

  @About("a completion from elsewhere is exact: all commits that returned are delivered, no more")
  public void completeIsExact(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    QueueTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    run.thread(
        "producer",
        () -> {
          boolean refused = false;
          for (int i = 0; i < TRIES && !refused; i++) {
            boolean wasCompleted = queue.isCompleted();
            refused = refuses(sender::offer);
            run.check(refused || !wasCompleted, "a claim after complete");
          }
          run.check(!refused || refuses(() -> sender.producer.tryClaim(2)), "claimed a run then");
        });
    run.thread("closer", queue::complete);
    run.thread("consumer", traffic.taker::takeAll);
  }

  @About("a claim of a run that is open while another thread completes is delivered or taken back")
  public void completeBesideRuns(Simulation run) {
    SpscQueue<Duo> queue = queue(PARK, PARK);
    QueueTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    run.thread(
        "producer",
        () -> {
          boolean refused = refuses(() -> sender.offerRun(2));
          refused |= refuses(() -> sender.claimAndAbort(1));
          run.check(!refused || queue.isCompleted(), "refused though open");
        });
    run.thread("closer", queue::complete);
    run.thread(
        "consumer",
        () -> {
          int count;
          while ((count = queue.consumer().poll(2)) > 0) {
            for (int i = 0; i < count; i++) {
              traffic.taker.expect(queue.consumer().at(i));
            }
            queue.consumer().release();
          }
          run.check(queue.isDrained(), "ended though not drained");
        });
  }

  @About("who sees the queue completed or drained sees what was done before")
  public void endIsPublished(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    QueueTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    Flag.Plain beforeClose = new Flag.Plain();
    Flag.Plain beforeRelease = new Flag.Plain();
    run.thread("producer", sender::offer, beforeClose::set, sender.producer::close);
    run.thread(
        "consumer",
        () -> {
          while (!queue.isDrained()) {
            Duo duo = queue.consumer().tryPoll();
            if (duo == null) {
              Thread.onSpinWait();
            } else {
              traffic.taker.expect(duo);
              beforeRelease.set();
              queue.consumer().release();
            }
          }
          run.check(beforeClose.isSet(), "close was not seen");
        });
    run.thread(
        "observer",
        () -> {
          int size = queue.sizeEstimate();
          run.check(size >= 0 && size <= 2, "size " + size);
          if (queue.isCompleted()) {
            run.check(beforeClose.isSet(), "close was not seen");
          }
          if (queue.isDrained()) {
            run.check(beforeRelease.isSet(), "release was not seen");
          }
        });
  }

  @About("an owner waits until all is drained, then closes: nobody is cut off, nothing is lost")
  public void ownerAwaitsTheEnd(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    QueueTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    run.thread("producer", sender::offer, sender::offer, sender.producer::close);
    run.thread("consumer", traffic.taker::takeAll);
    run.thread(
        "owner",
        () -> run.check(queue.awaitDrained(Duration.ofDays(1)), "gave up"),
        queue::close,
        queue::close,
        () -> run.check(queue.isDrained(), "drained no more"));
  }

  @About("a close frees the memory, whatever is left in it; once, however often it is closed")
  public void closeFrees(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
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

  @About("a close while both sides are at work ends them by exceptions or values, never worse")
  public void ownerClosesEarly(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    QueueScenarios.closesEarly(run, new AnyQueue<>(queue), queue.consumer(), queue.producer());
  }

  @About("a close wakes both sides, parked or not; each is told")
  public void closeWakes(Simulation run) {
    QueueScenarios.closeWakes(run, traffic(run, queue(PARK, PARK)));
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

  private static void transfer(Simulation run, WaitStrategy producer, WaitStrategy consumer) {
    QueueTraffic traffic = traffic(run, queue(producer, consumer));
    Sender sender = traffic.sender(0);
    run.thread(
        "producer",
        () -> {
          for (int i = 0; i < RECORDS; i += 2) {
            sender.put();
            sender.putRun();
          }
          sender.producer.close();
        });
    run.thread("consumer", traffic.taker::takeAll);
    run.atEnd(() -> run.check(traffic.cameCount() == RECORDS, "came " + traffic.cameCount()));
  }

  @About("a completion from elsewhere wakes both sides")
  public void completionWakes(Simulation run) {
    SpscQueue<Duo> queue = queue(PARK, PARK);
    QueueTraffic traffic = traffic(run, queue);
    traffic.sender(0).offerRun(2);
    QueueScenarios.completionWakes(run, traffic, 1);
  }

  @About("an abort after the completion wakes a consumer that waits for the claim's end")
  public void abortWakes(Simulation run) {
    SpscQueue<Duo> queue = queue(PARK, PARK);
    QueueTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    run.thread(
        "producer",
        () -> {
          if (!refuses(sender.producer::tryClaim)) {
            sender.producer.abort();
          }
        });
    run.thread("closer", queue::complete);
    run.thread("consumer", traffic.taker::takeAll);
  }

  @About("an interrupt ends a wait and leaves the end usable")
  public void interruptEnds(Simulation run) {
    SpscQueue<Duo> queue = queue(PARK, PARK);
    QueueTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    run.thread(
        "consumer",
        () -> {
          Duo duo;
          try {
            duo = queue.consumer().poll();
          } catch (InterruptedException e) {
            duo = queue.consumer().poll();
          }
          traffic.taker.expect(duo);
          queue.consumer().release();
        });
    run.thread("interrupter", () -> run.interrupt("consumer"));
    run.thread("producer", sender::offer);
  }

  @About("a wait with a time limit ends at it, and a record that comes in time is taken")
  public void timeLimit(Simulation run) {
    SpscQueue<Duo> queue = queue(PARK, PARK);
    QueueTraffic traffic = traffic(run, queue);
    Sender sender = traffic.sender(0);
    run.thread("producer", sender::offer);
    run.thread(
        "consumer",
        () -> {
          Duo duo = queue.consumer().poll(Duration.ofNanos(5_000));
          if (duo != null) {
            traffic.taker.expect(duo);
            queue.consumer().release();
          }
        });
  }

  @About("where a full queue drops the newest, a claim does not wait")
  public void dropNewest(Simulation run) {
    SpscQueue<Duo> queue =
        SpscQueue.of(
            FlyweightType.of(Duo.class), QueueOptions.ofCapacity(2).withOnFull(OnFull.DROP_NEWEST));
    QueueTraffic traffic = traffic(run, queue).counted();
    traffic.sender(0).offerRun(2);
    traffic.addProducer(0, Sender::claimOrDrop, Sender::claimOrDrop);
    traffic.addConsumers(1, 2);
  }

  // ---- seen from outside ----

  @About("samplers see whole records in order, and counts within bounds, whatever goes on")
  public void samplers(Simulation run) {
    QueueScenarios.samplers(run, traffic(run, queue(4)));
  }

  @About("a picture never shows a record in another's place, though its slot is used again")
  public void samplerMeetsReuse(Simulation run) {
    QueueScenarios.samplerMeetsReuse(run, traffic(run, queue(2)));
  }

  @About("samplers of a queue that is closed meanwhile find what is there, or nothing")
  public void samplersMeetClose(Simulation run) {
    QueueScenarios.samplersMeetClose(run, traffic(run, queue(2)));
  }

  @About("the highest of several samplers' sizes stays")
  public void highWater(Simulation run) {
    QueueScenarios.highWater(run, traffic(run, queue(2)));
  }
}

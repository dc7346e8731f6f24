package dev.millrace.stress.scenario;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.RingTraffic.Stage;
import java.time.Duration;

/** All sides of a ring wait, in each way there is; a wake-up that is lost is a deadlock here. */
@ScenariosOf("Sequencer")
public final class SequencerWaitingScenarios extends RingScenarios {
  private static final WaitStrategy SLEEP = new WaitStrategy(1, 1, 1_000);
  private static final WaitStrategy PHASES = new WaitStrategy(1, 1, WaitStrategy.FOREVER);
  private static final int EVENTS = 4;

  @About("a parked producer, a parked consumer, and one parked behind it wake each other")
  public void allPark(Simulation run) {
    RingTraffic traffic = singleParking(run);
    traffic.addLastProducer(EVENTS);
    traffic.stage(PARK, traffic.stage(PARK).takesAll(2)).takesAll(2);
  }

  @About("the same of many producers, which abort some")
  public void manyPark(Simulation run) {
    RingTraffic traffic = multiParking(run);
    Flag[] done = {new Flag(), new Flag()};
    Numbered put =
        mine -> {
          traffic.put(1);
          traffic.abort(1);
          traffic.put(1);
          done[mine].raise();
          if (done[1 - mine].isRaised()) {
            traffic.sequencer.complete();
          }
        };
    threads(run, 2, "producer", put);
    traffic.stage(PARK).plays(worker -> times(EVENTS, () -> worker.take(1)).run());
  }

  @About("an abort wakes a parked consumer, which passes it, and so a parked producer")
  public void abortWakes(Simulation run) {
    RingTraffic traffic = multiParking(run);
    Stage first = traffic.stage(PARK);
    Stage behind = traffic.stage(PARK, first);
    long open = traffic.sequencer.tryClaim(2);
    run.thread("producer that aborts", () -> traffic.sequencer.abort(open, 2));
    run.thread("producer", traffic.puts(1));
    first.plays(worker -> worker.take(1));
    behind.plays(worker -> worker.take(1));
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
    transfer(run, SLEEP, PHASES);
  }

  @About("a producer that yields and a consumer that spins")
  public void nobodyRests(Simulation run) {
    transfer(run, WaitStrategy.yielding(), WaitStrategy.busySpin());
  }

  @About("a producer that spins, yields, then parks, and a consumer that sleeps")
  public void consumerSleeps(Simulation run) {
    transfer(run, PHASES, SLEEP);
  }

  private static void transfer(Simulation run, WaitStrategy producer, WaitStrategy consumer) {
    RingTraffic traffic =
        new RingTraffic(run, RingOptions.singleProducer(2).withProducerWaits(producer));
    traffic.addLastProducer(EVENTS);
    traffic.stage(consumer).takesAll(2);
  }

  @About("a wait with a timeout ends at it, and what comes in time is taken")
  public void timeLimits(Simulation run) {
    RingTraffic traffic = singleParking(run);
    Sequencer sequencer = traffic.sequencer;
    run.thread(
        "producer",
        times(3, () -> traffic.sendOrCount(sequencer.claim(1, Duration.ofNanos(2_000)), 1)),
        () -> traffic.sendOrCount(sequencer.claim(2, Duration.ofNanos(1_000)), 2));
    traffic
        .stage(PARK)
        .plays(
            worker -> {
              for (int limit = 1; limit < 3; limit++) {
                int count = worker.barrier.poll(limit, Duration.ofNanos(2_000));
                run.check(count > 0 || !worker.barrier.isDrained(), "the end though open");
                if (count > 0) {
                  worker.handle(count, limit);
                  worker.barrier.release();
                }
              }
            });
    run.atEnd(
        traffic::checkAll,
        () ->
            run.check(
                traffic.sentCount() + traffic.refusedCount() == 5, "neither sent nor refused"));
  }

  @About("a producer that may wait only for a time is told that the ring stays full")
  public void timedWhenFull(Simulation run) {
    RingTraffic traffic = singleParking(run);
    traffic.stage();
    traffic.offer(2);
    run.thread(
        "producer",
        () ->
            run.check(
                traffic.sequencer.claim(1, Duration.ofNanos(1_000)) == Sequencer.FULL,
                "claimed though full"));
  }

  @About("a full ring that drops what is new counts it")
  public void dropNewest(Simulation run) {
    RingTraffic traffic =
        new RingTraffic(run, RingOptions.multiProducer(2).withOnFull(OnFull.DROP_NEWEST));
    addRefused(run, traffic);
    traffic.stage().polls(2, 2);
    run.thread(
        "sampler",
        () -> checkWithin(run, 0, Inside.counters(traffic.sequencer).dropped(), 2, "dropped"));
    run.atEnd(
        () -> {
          traffic.checkAll();
          Inside.Counters counters = Inside.counters(traffic.sequencer);
          run.check(
              counters.equals(
                  new Inside.Counters(traffic.sentCount(), 0, traffic.refusedCount(), 0, 0, 0, 0)),
              counters.toString());
        });
  }

  @About("a full ring that signals is congested until half of it is free")
  public void signal(Simulation run) {
    RingTraffic traffic =
        new RingTraffic(run, RingOptions.multiProducer(4).withOnFull(OnFull.SIGNAL));
    Sequencer sequencer = traffic.sequencer;
    Stage stage = traffic.stage();
    traffic.offer(2);
    run.check(!sequencer.isCongested(), "congested, though nothing was refused");
    addRefused(run, traffic);
    stage.polls(1, 1);
    run.atEnd(
        () -> {
          int free = sequencer.remainingCapacity();
          int refused = traffic.refusedCount();
          run.check(
              sequencer.isCongested() == (refused > 0 && free < 2),
              sequencer.isCongested() + " with " + free + " free, refused: " + refused);
          run.check(Inside.counters(sequencer).signalled() == refused, "signalled");
          traffic.checkAll();
          run.check(!sequencer.isCongested(), "congested though empty");
          run.check(traffic.offer(4) && !sequencer.isCongested(), "congested, none was refused");
          traffic.checkAll();
        });
  }

  @About("whether a ring is congested may be asked while others are refused")
  public void signalMeetsLook(Simulation run) {
    RingTraffic traffic =
        new RingTraffic(run, RingOptions.singleProducer(2).withOnFull(OnFull.SIGNAL));
    Sequencer sequencer = traffic.sequencer;
    Stage stage = traffic.stage();
    traffic.offer(2);
    run.thread(
        "producer",
        () -> {
          if (sequencer.claim() == Sequencer.FULL) {
            sequencer.isCongested();
          }
        });
    stage.polls(1, 1);
    run.thread(
        "sampler",
        () -> {
          boolean isCongested = sequencer.isCongested();
          long refused = Inside.counters(sequencer).signalled();
          run.check(refused >= 0 && refused <= 1, refused + " refused, " + isCongested);
        });
    run.atEnd(() -> run.check(!sequencer.isCongested(), "congested, though half is free"));
  }

  /** Adds two producers of two events each, which do not wait. */
  private static void addRefused(Simulation run, RingTraffic traffic) {
    Body step = () -> traffic.sendOrCount(traffic.sequencer.claim(), 1);
    run.thread("producer", step, step);
    run.thread("another producer", step, step);
  }

  @About("an interrupt ends a wait, and leaves its side usable")
  public void interruptEnds(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic
        .stage(PARK)
        .plays(
            worker -> {
              try {
                worker.take(1);
              } catch (InterruptedException e) {
                worker.take(1);
              }
            });
    run.thread("interrupter", () -> run.interrupt("stage 0, worker 0"));
    run.thread("producer", traffic.offers(1));
  }
}

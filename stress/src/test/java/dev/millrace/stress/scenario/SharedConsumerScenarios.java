package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.RingTraffic.Stage;
import dev.millrace.stress.scenario.RingTraffic.Worker;

/** Consumers that share the events. */
@ScenariosOf("SharedConsumer")
public final class SharedConsumerScenarios extends RingScenarios {
  @About("two workers: each event goes to one; what one has in hand holds back the producer")
  public void sharesOut(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.addProducer("producer", 5);
    traffic.shared(2).polls(3, 1);
  }

  @About("runs for two workers, and a consumer behind them, who sees what either did")
  public void oneBehind(Simulation run) {
    RingTraffic traffic = single(run, 4);
    run.thread("producer", traffic.offers(4), traffic.offers(2), traffic.offers(1));
    traffic.stage(traffic.shared(2).polls(3, 3)).polls(4, 2);
  }

  @About("the same through two slots")
  public void oneBehindOfTwoSlots(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.addProducer("producer", 4);
    traffic.stage(traffic.shared(2).polls(3, 2)).polls(4, 1);
  }

  @About("workers behind a consumer that sees every event")
  public void behindOne(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.addProducer("producer", 4);
    traffic.shared(2, traffic.stage().polls(4, 2)).polls(3, 1);
  }

  @About("stamped events of two producers for two workers")
  public void manyProducers(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    traffic.addProducer("producer", 3);
    traffic.addProducer("another producer", 2);
    traffic.shared(2).polls(3, 2);
  }

  @About("what was aborted is passed by whichever worker finds it, and by a consumer behind")
  public void aborts(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    run.thread(
        "producer", traffic.aborts(1), traffic.offers(1), traffic.aborts(2), traffic.offers(1));
    traffic.stage(traffic.shared(2).polls(3, 2)).polls(3, 2);
  }

  @About(
      "all that is polled leaves something for others, and a consumer without records holds"
          + " nothing")
  public void atRest(Simulation run) {
    RingTraffic traffic = single(run, 8);
    Sequencer sequencer = traffic.sequencer;
    Stage group = traffic.shared(2);
    SequenceConsumer left = group.workers[0].barrier;
    SequenceConsumer right = group.workers[1].barrier;
    run.check(left.tryPoll(4) == 0 && !Inside.isAtWork(left), "polled, though none is there");
    run.check(refuses(left::release), "a release of nothing");
    run.check(traffic.offer(8), "full though empty");
    run.check(left.tryPoll(8) == 4 && left.sequence() == 0, "not half of all: " + left);
    run.check(right.tryPoll(3) == 2 && right.sequence() == 4, "not half of three: " + right);
    run.check(refuses(() -> left.tryPoll(1)), "a poll before the release");
    run.check(refuses(() -> left.tryPoll(0)), "a poll of none");
    run.check(Inside.isAtWork(left) && Inside.isAtWork(right), "not at work");
    group.workers[1].handle(2, 2);
    right.release();
    run.check(!Inside.isAtWork(right), "at work");
    run.check(Inside.progress(left) == 0 && sequencer.remainingCapacity() == 0, "free in hand");
    group.workers[0].handle(4, 4);
    left.release();
    run.check(Inside.progress(left) == 6 && sequencer.remainingCapacity() == 6, "not free");
    run.check(right.tryPoll(1) == 1, "not one");
    group.workers[1].handle(1, 1);
    sequencer.complete();
    run.check(left.tryPoll(8) == 1, "not the last");
    group.workers[0].handle(1, 1);
    left.release();
    run.check(left.tryPoll(1) == 0 && left.isDrained(), "no end");
    run.check(refuses(() -> right.tryPoll(1)), "a poll at the end before the release");
    right.release();
    run.check(right.tryPoll(1) == 0 && right.isDrained(), "no end");
  }

  @About("samplers see how far a group is within bounds, whatever goes on")
  public void samplers(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.addProducer("producer", 3);
    Stage group = traffic.shared(2).polls(2, 1);
    SequenceConsumer worker = group.worker().barrier;
    run.thread(
        "sampler",
        () -> {
          long progress = Inside.progress(worker);
          run.check(progress >= 0 && progress <= 3, "consumed to " + progress);
          run.check(Inside.source(worker) >= progress, "consumed more than there is");
          boolean isAtWork = Inside.isAtWork(worker);
          int free = traffic.sequencer.remainingCapacity();
          run.check(free >= 0 && free <= 2, "free: " + free + ", at work: " + isAtWork);
        });
  }

  @About("a consumer parked behind two workers is woken though one says what it has not")
  public void parkedBehind(Simulation run) {
    RingTraffic traffic = single(run, 2);
    Stage group = traffic.shared(2);
    Stage behind = traffic.stage(PARK, group);
    traffic.offer(2);
    group.polls(2, 1);
    behind.plays(worker -> worker.take(1), worker -> worker.take(1));
  }

  @About("a worker that comes too late for the only event wakes who took its look for a hold")
  public void nothingInHand(Simulation run) {
    RingTraffic traffic = single(run, 2);
    Stage group = traffic.shared(2);
    Stage behind = traffic.stage(PARK, group);
    traffic.offer(1);
    group.polls(1, 1);
    behind.plays(worker -> worker.take(1));
  }

  @About("a producer parked for a slot is woken by whichever worker frees it")
  public void parkedProducer(Simulation run) {
    RingTraffic traffic = singleParking(run);
    traffic.addLastProducer(4);
    traffic.shared(2).takesAll(1);
  }

  @About("a slot that is free wakes its producer, though another worker has a later one in hand")
  public void freeBeforeWhatIsInHand(Simulation run) {
    RingTraffic traffic = singleParking(run);
    Stage group = traffic.shared(2);
    traffic.offer(2);
    Flag third = new Flag();
    run.thread("producer", traffic.puts(1), third::raise);
    group.plays(
        worker -> {
          int count = worker.barrier.tryPoll(1);
          worker.handle(count, 1);
          if (worker.barrier.sequence() == 1) {
            third.await();
          }
          worker.barrier.release();
        });
  }

  @About("slots that were aborted wake their producer, though a worker has what is behind in hand")
  public void passedBeforeWhatIsInHand(Simulation run) {
    RingTraffic traffic = multiParking(run);
    Stage group = traffic.shared(2);
    traffic.abort(1);
    traffic.offer(1);
    Flag third = new Flag();
    run.thread("producer", traffic.puts(1), third::raise);
    Worker worker = group.worker();
    run.thread(
        "worker",
        () -> run.check(worker.barrier.tryPoll(1) == 1, "no event"),
        () -> worker.handle(1, 1),
        third::await,
        worker.barrier::release);
  }

  @About("workers that park are woken by publications, and by the end")
  public void workersPark(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    traffic.addLastProducer(3);
    traffic.shared(2, PARK).takesAll(1);
  }

  @About("all park: the producer, two workers, and a consumer behind them")
  public void allPark(Simulation run) {
    RingTraffic traffic = multiParking(run);
    run.thread(
        "producer",
        traffic.puts(1),
        traffic.aborts(1),
        times(2, traffic.puts(1)),
        traffic.sequencer::complete);
    traffic.stage(PARK, traffic.shared(2, PARK).takesAll(1)).takesAll(2);
  }

  @About("workers that wait by yielding, and one behind them that sleeps")
  public void othersWait(Simulation run) {
    RingTraffic traffic =
        new RingTraffic(
            run, RingOptions.singleProducer(2).withProducerWaits(WaitStrategy.yielding()));
    traffic.addLastProducer(3);
    Stage group = traffic.shared(2, new WaitStrategy(1, 1, 1_000)).takesAll(1);
    traffic.stage(WaitStrategy.yielding(), group).takesAll(2);
  }
}

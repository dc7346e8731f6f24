package dev.millrace.stress.scenario;

import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.RingTraffic.Stage;

/** How a ring ends: completed, stopped, or because a consumer cannot go on. */
@ScenariosOf("Sequencer")
public final class SequencerEndScenarios extends RingScenarios {
  /** Adds a thread that completes; returns what it sets before. */
  private static Flag.Plain addCloser(Simulation run, Sequencer sequencer) {
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "closer",
        before::set,
        sequencer::complete,
        () -> run.check(sequencer.isCompleted(), "not closed"));
    return before;
  }

  @About("the last events come before the end, to a consumer and to one behind it")
  public void complete(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.stage(traffic.stage());
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "producer",
        traffic.offers(1),
        traffic.offers(2),
        before::set,
        traffic.sequencer::complete,
        () -> run.check(traffic.sequencer.tryClaim() == Sequencer.CLOSED, "claimed though closed"));
    for (Stage stage : traffic.stages()) {
      stage.plays(
          worker -> worker.takeAll(2),
          worker -> run.check(before.isSet(), "complete was not seen"),
          worker ->
              run.check(stage.seenCount() == traffic.sentCount(), "told of the end before it"),
          worker -> run.check(worker.pollOrEnd(1) == Sequencer.CLOSED, "the end does not last"),
          worker -> run.check(traffic.sequencer.isCompleted(), "at the end, but open"));
    }
  }

  @About("one producer, whom another thread completes: no claim comes behind, no event is lost")
  public void completeBeside(Simulation run) {
    RingTraffic traffic = single(run, 4);
    long[] found = new long[1]; // the end that the consumer found
    Flag.Plain before = addCloser(run, traffic.sequencer);
    traffic.addProducer("producer", 2);
    traffic
        .stage()
        .plays(
            worker -> worker.takeAll(1),
            worker -> run.check(before.isSet(), "complete was not seen"),
            worker -> found[0] = Inside.progress(worker.barrier),
            worker -> run.check(worker.pollOrEnd(1) == Sequencer.CLOSED, "the end does not last"));
    run.atEnd(
        () -> {
          traffic.checkAll();
          run.check(found[0] == traffic.sequencer.claimedEnd(), "found the end at " + found[0]);
          run.check(traffic.sequencer.tryClaim() == Sequencer.CLOSED, "claimed though closed");
        });
  }

  @About("whoever completes, consumers get each event whose claim came first, then the end")
  public void completeByThird(Simulation run) {
    RingTraffic traffic = multi(run, 8);
    Sequencer sequencer = traffic.sequencer;
    Numbered put =
        _ -> {
          if (!traffic.offer(1) || !traffic.offer(2)) {
            run.check(sequencer.tryClaim() == Sequencer.CLOSED, "refused though open and free");
          }
        };
    threads(run, 2, "producer", put);
    Flag.Plain before = addCloser(run, sequencer);
    traffic
        .stage()
        .plays(
            worker -> {
              worker.takeAll(2);
              run.check(before.isSet(), "complete was not seen");
              run.check(sequencer.isCompleted(), "at the end, but open");
              long end = sequencer.claimedEnd();
              run.check(Inside.progress(worker.barrier) == end, "told of the end before " + end);
              run.check(worker.pollOrEnd(2) == Sequencer.CLOSED, "the end does not last");
              run.check(sequencer.tryClaim() == Sequencer.CLOSED, "claimed though closed");
            });
  }

  @About("the same where workers share the events, one claim is aborted, and one is behind")
  public void completeForWorkers(Simulation run) {
    RingTraffic traffic = multi(run, 4);
    Stage group = traffic.shared(2);
    Stage behind = traffic.stage(group);
    long open = traffic.sequencer.tryClaim();
    traffic.abort(1);
    run.thread("producer", traffic.sequencer::complete, () -> traffic.send(open, 1));
    group.takesAll(1);
    behind.plays(
        worker -> worker.takeAll(2),
        worker -> run.check(behind.seenCount() == 1, "told of the end before the last event"));
  }

  @About("a parked producer and parked consumers are woken by a completion from elsewhere")
  public void completeWakes(Simulation run) {
    RingTraffic traffic = singleParking(run);
    Sequencer sequencer = traffic.sequencer;
    Stage first = traffic.stage(PARK);
    Stage behind = traffic.stage(PARK, first);
    traffic.offer(2);
    run.check(first.worker().poll(2) == 2, "not two");
    behind.plays(worker -> worker.takeAll(2));
    first.plays(
        worker ->
            run.check(worker.take(1) == 0 && worker.barrier.isDrained(), "an event, or no end"));
    addCloser(run, sequencer);
  }

  @About("a producer that is parked for a slot finds the end when it is woken by it")
  public void completeWakesProducer(Simulation run) {
    parkedProducer(run, RingOptions.singleProducer(2));
  }

  @About("the same of many producers")
  public void completeWakesProducers(Simulation run) {
    parkedProducer(run, RingOptions.multiProducer(2));
  }

  private static void parkedProducer(Simulation run, RingOptions options) {
    RingTraffic traffic = new RingTraffic(run, options.withProducerWaits(PARK));
    traffic.stage();
    traffic.offer(2);
    Flag.Plain before = addCloser(run, traffic.sequencer);
    run.thread(
        "producer",
        () -> run.check(traffic.sequencer.claim() == Sequencer.CLOSED, "claimed though full"),
        () ->
            run.check(traffic.sequencer.isCompleted() && before.isSet(), "complete was not seen"));
  }

  @About("stopping wakes everybody, who finds the end though there is more")
  public void stop(Simulation run) {
    RingTraffic traffic = multiParking(run);
    Sequencer sequencer = traffic.sequencer;
    Stage first = traffic.stage(PARK);
    Stage behind = traffic.shared(1, PARK, first);
    traffic.offer(2);
    Flag.Plain before = new Flag.Plain();
    first.plays(
        worker -> {
          if (worker.barrier.poll(1) > 0) { // and keeps it in hand, which holds up all others
            worker.handle(1, 1);
            run.check(sequencer.claim() == Sequencer.CLOSED, "claimed though full");
            worker.barrier.release();
          }
          run.check(worker.barrier.poll(1) == 0 && worker.barrier.isDrained(), "no end");
          run.check(before.isSet(), "what came before was not seen");
        });
    behind.plays(
        worker -> worker.takeAll(1),
        worker -> run.check(before.isSet(), "what came before was not seen"));
    run.thread("owner", before::set, () -> Inside.stop(sequencer));
    run.atEnd(() -> run.check(sequencer.isCompleted(), "open though stopped"));
  }

  /**
   * A failure with a plain variable, so that a thread that gets hold of it by a race is found out.
   */
  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private int number; // not final, which no race would reach

    Failure(int number) {
      super(null, null, false, false);
      this.number = number;
    }
  }

  @About("of two failures the first stays, and whoever finds the end because of it finds it")
  public void fail(Simulation run) {
    RingTraffic traffic = single(run, 2);
    Sequencer sequencer = traffic.sequencer;
    run.check(Inside.failure(sequencer) == null, "failed at once");
    for (int i = 1; i <= 2; i++) {
      int number = i;
      run.thread(
          "consumer that fails " + i,
          () -> Inside.fail(sequencer, new Failure(number)),
          () -> run.check(Inside.failure(sequencer) != null, "no failure"));
    }
    traffic
        .stage(PARK)
        .plays(
            worker -> {
              run.check(worker.take(1) == 0 && worker.barrier.isDrained(), "an event");
              int number = ((Failure) Inside.failure(sequencer)).number;
              run.check(number == 1 || number == 2, "another failure");
              run.check(((Failure) Inside.failure(sequencer)).number == number, "not the first");
            });
    run.atEnd(() -> run.check(sequencer.isCompleted(), "open though failed"));
  }

  @About("a failure may be looked for at any time")
  public void failureIsSeen(Simulation run) {
    RingTraffic traffic = single(run, 2);
    run.thread("consumer", () -> Inside.fail(traffic.sequencer, new Failure(1)));
    run.thread(
        "sampler",
        () -> {
          Failure failure = (Failure) Inside.failure(traffic.sequencer);
          run.check(failure == null || failure.number == 1, "another failure");
        });
  }

  @About("close stops and frees the stamps; who still uses them is told")
  public void close(Simulation run) {
    for (RingOptions options :
        new RingOptions[] {RingOptions.singleProducer(2), RingOptions.multiProducer(2)}) {
      Sequencer sequencer = Sequencer.of(options);
      SequenceConsumer barrier = sequencer.newConsumer(PARK);
      sequencer.commit(sequencer.tryClaim());
      sequencer.close();
      run.check(barrier.tryPoll(1) == 0 && barrier.isDrained(), "an event though closed");
      run.check(sequencer.tryClaim() == Sequencer.CLOSED, "claimed though closed");
      run.check(sequencer.publishedEnd() == 1, "the end is not what was claimed");
      run.check(refuses(() -> sequencer.commit(1)), "committed though closed");
    }
  }
}

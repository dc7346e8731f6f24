package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.RingTraffic.Stage;

/** One producer, and consumers that see every event. */
@ScenariosOf("SingleProducerSequencer")
public final class SingleProducerSequencerScenarios extends RingScenarios {
  @About("events through two slots: each once, in order, whole; slots are reused")
  public void singles(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.addProducer("producer", 5);
    traffic.stage().polls(4, 2);
  }

  @About("runs, single events, and claims that are given back")
  public void runsAndAborts(Simulation run) {
    RingTraffic traffic = single(run, 4);
    run.thread(
        "producer",
        traffic.offers(3),
        traffic.aborts(1),
        traffic.offers(1),
        traffic.aborts(2),
        traffic.offers(2));
    traffic
        .stage()
        .plays(
            worker -> {
              worker.poll(1);
              worker.poll(4);
              worker.poll(2);
              worker.poll(4);
            });
  }

  @About("each of two consumers gets every event, and the slower one holds back the producer")
  public void broadcast(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.addProducer("producer", 4);
    traffic.stage().polls(4, 1);
    traffic.stage().polls(3, 2);
  }

  @About("a consumer behind another sees what it did, and holds back the producer for it")
  public void chain(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.addProducer("producer", 4);
    traffic.stage(traffic.stage().polls(4, 2)).polls(4, 1);
  }

  @About("a consumer behind two sees what the producer and both did, through slots used again")
  public void diamond(Simulation run) {
    RingTraffic traffic = single(run, 2);
    traffic.addProducer("producer", 4);
    Stage left = traffic.stage().polls(4, 2);
    Stage right = traffic.stage().polls(4, 1);
    traffic.stage(left, right).polls(4, 2);
  }

  @About("samplers see numbers within bounds, whatever goes on")
  public void samplers(Simulation run) {
    RingTraffic traffic = single(run, 2);
    Sequencer sequencer = traffic.sequencer;
    run.thread("producer", traffic.offers(1), traffic.aborts(1), traffic.offers(2));
    Stage stage = traffic.stage().polls(3, 2);
    SequenceConsumer barrier = stage.worker().barrier;
    run.thread(
        "sampler",
        () -> {
          long published = sequencer.publishedEnd();
          checkWithin(run, 0, published, 3, "published to");
          run.check(sequencer.publishedEnd() >= published, "published to less than before");
          checkWithin(run, 0, sequencer.claimedEnd(), 3, "claimed to");
          long consumed = Inside.progress(barrier);
          run.check(consumed <= sequencer.publishedEnd(), "consumed to " + consumed);
          boolean isAtWork = Inside.isAtWork(barrier);
          run.check(Inside.progress(barrier) >= consumed, "consumed to less, at work: " + isAtWork);
          checkWithin(run, 0, sequencer.remainingCapacity(), 2, "free");
          checkWithin(run, 0, Inside.counters(sequencer).claimed(), 3, "counted");
        });
    run.atEnd(
        traffic::checkAll,
        () -> run.check(Inside.counters(sequencer).claimed() == traffic.sentCount(), "claimed"));
  }

  @About("how far it is and who is at work, while nothing else goes on")
  public void atRest(Simulation run) {
    RingTraffic traffic = single(run, 4);
    Sequencer sequencer = traffic.sequencer;
    run.check(sequencer.remainingCapacity() == 4, "free before there is a consumer");
    run.check(refuses(sequencer::tryClaim), "a claim without a consumer");
    Stage first = traffic.stage();
    Stage second = traffic.stage(first);
    SequenceConsumer barrier = first.worker().barrier;
    SequenceConsumer behind = second.worker().barrier;
    long sequence = sequencer.tryClaim(3);
    run.check(sequence == 0 && sequencer.claimedEnd() == 3, "claimed: " + sequencer);
    run.check(sequencer.publishedEnd() == 0, "published: " + sequencer.publishedEnd());
    run.check(sequencer.remainingCapacity() == 1, "free: " + sequencer.remainingCapacity());
    run.check(barrier.tryPoll(1) == 0 && behind.tryPoll(1) == 0, "polled, though none is there");
    run.check(refuses(barrier::release), "a release of nothing");
    run.check(traffic.send(0, 3) && sequencer.publishedEnd() == 3, "published: " + sequencer);
    run.check(behind.tryPoll(1) == 0, "polled before the one before");
    run.check(!Inside.isAtWork(barrier), "at work before the poll");
    run.check(barrier.tryPoll(2) == 2 && barrier.sequence() == 0, "polled: " + barrier);
    run.check(Inside.isAtWork(barrier) && Inside.progress(barrier) == 0, "not at work");
    run.check(refuses(() -> barrier.tryPoll(1)), "a poll before the release");
    first.worker().handle(2, 2);
    barrier.release();
    run.check(!Inside.isAtWork(barrier) && Inside.progress(barrier) == 2, "at work: " + barrier);
    run.check(Inside.source(barrier) == 3 && Inside.source(behind) == 2, "source: " + behind);
    run.check(second.worker().poll(4) == 2, "what the one before is through with");
    run.check(sequencer.remainingCapacity() == 3, "free: " + sequencer.remainingCapacity());
    run.check(refuses(() -> sequencer.newConsumer(PARK)), "a consumer after the first claim");
    run.check(refuses(() -> barrier.tryPoll(0)), "a poll of none");
  }

  @About("misuse is refused, and changes nothing")
  public void misuseIsRefused(Simulation run) {
    RingTraffic traffic = single(run, 4);
    Sequencer sequencer = traffic.sequencer;
    traffic.stage();
    run.check(refuses(() -> sequencer.commit(0)), "published, though nothing is claimed");
    run.check(refuses(() -> sequencer.abort(0)), "aborted, though nothing is claimed");
    run.check(refuses(() -> sequencer.tryClaim(0)), "a claim of none");
    run.check(refuses(() -> sequencer.tryClaim(5)), "a claim of more than there are");
    run.check(sequencer.tryClaim(2) == 0, "full though empty");
    run.check(refuses(sequencer::tryClaim), "a claim beside an open one");
    run.check(refuses(() -> sequencer.commit(0)), "published one of two");
    run.check(refuses(() -> sequencer.commit(1, 2)), "published another sequence");
    run.check(refuses(() -> sequencer.abort(0, 3)), "aborted more than was claimed");
    traffic.send(0, 2);
    run.check(refuses(() -> sequencer.commit(0, 2)), "published twice");
    run.check(traffic.offer(2) && !traffic.offer(1), "not full: " + sequencer);
  }

  @About("what a worker counts is seen by samplers, each count late perhaps, and whole in the end")
  public void counts(Simulation run) {
    Inside.Counted counted = new Inside.Counted();
    long[] each = {2, 1, 1, 1, 3};
    run.thread("worker", counted::add, counted::add);
    run.thread(
        "sampler",
        () -> {
          long[] now = counted.now();
          for (int i = 0; i < each.length; i++) {
            run.check(now[i] % each[i] == 0 && now[i] <= 2 * each[i], "count " + i + ": " + now[i]);
          }
        });
    run.atEnd(
        () -> {
          long[] now = counted.now();
          for (int i = 0; i < each.length; i++) {
            run.check(now[i] == 2 * each[i], "in the end count " + i + " is " + now[i]);
          }
        });
  }

  @About("of two workers that release an event one is the last, and counts its latency")
  public void latencyIsCountedOnce(Simulation run) {
    Inside.Latencies latencies = new Inside.Latencies();
    run.thread("first", () -> latencies.released(0, 0, 2));
    run.thread("second", () -> latencies.released(1, 0, 2));
    run.atEnd(
        () -> run.check(latencies.total() == 2, "counted " + latencies.total()),
        () -> latencies.released(1, 2, 3),
        () -> run.check(latencies.total() == 2, "counted by the first"),
        () -> latencies.released(0, 2, 3),
        () -> run.check(latencies.total() == 3, "not counted by the last"),
        latencies::close,
        () -> run.check(latencies.total() == 3, "forgot when closed"));
  }

  @About("the time of a publication is there for whoever sees the event")
  public void timeIsNoted(Simulation run) {
    Sequencer sequencer = Sequencer.of(RingOptions.singleProducer(2));
    SequenceConsumer consumer = sequencer.newConsumer(WaitStrategy.busySpin());
    Inside.Latencies latencies = new Inside.Latencies();
    latencies.noteIn(sequencer);
    run.thread(
        "producer",
        () -> {
          System.nanoTime(); // so that no time is 0
          long sequence = sequencer.tryClaim();
          sequencer.commit(sequence);
        });
    run.thread(
        "consumer",
        () -> {
          if (consumer.tryPoll(1) == 1) {
            run.check(latencies.notedFor(0) > 0, "not noted");
            consumer.release();
          }
        });
  }

  @About("a duration that is counted is seen by samplers, late perhaps, and in the end")
  public void histogram(Simulation run) {
    Inside.Latencies latencies = new Inside.Latencies();
    run.thread("worker", () -> latencies.count(0, 7), () -> latencies.count(0, 7));
    run.thread(
        "sampler",
        () -> {
          long seen = latencies.counted(0, 7);
          long again = latencies.counted(0, 7);
          run.check(seen >= 0 && again >= seen && again <= 2, seen + ", then " + again);
        });
    run.atEnd(() -> run.check(latencies.counted(0, 7) == 2, "lost one"));
  }
}

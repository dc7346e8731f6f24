package dev.millrace.stress.scenario;

import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.RingTraffic.Stage;

/** Many producers, and consumers that see every event. */
@ScenariosOf("MultiProducerSequencer")
public final class MultiProducerSequencerScenarios extends RingScenarios {
  @About("two producers' events through two slots: each once, in order, whole; slots are reused")
  public void singles(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    traffic.addProducer("producer", 3);
    traffic.addProducer("another producer", 3);
    traffic.stage().polls(5, 2);
  }

  @About("runs and single events of two producers, to a consumer and one behind it")
  public void runsAndSingles(Simulation run) {
    RingTraffic traffic = multi(run, 4);
    run.thread("producer", traffic.offers(2), traffic.offers(3));
    run.thread("another producer", traffic.offers(1), traffic.offers(2), traffic.offers(1));
    traffic.stage(traffic.stage().polls(4, 3)).polls(3, 2);
  }

  @About("what was aborted is passed by a consumer and by one behind it")
  public void aborts(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    run.thread(
        "producer that aborts",
        traffic.aborts(1),
        traffic.offers(1),
        traffic.aborts(2),
        traffic.offers(1));
    traffic.addProducer("producer", 2);
    traffic.stage(traffic.stage().polls(4, 2)).polls(3, 2);
    run.atEnd(
        () -> {
          traffic.checkAll();
          Inside.Counters counters = Inside.counters(traffic.sequencer);
          run.check(counters.aborted() == traffic.abortedCount(), "aborted: " + counters);
          run.check(
              counters.claimed() == traffic.abortedCount() + traffic.sentCount(),
              "claimed: " + counters);
        });
  }

  @About("a consumer behind two sees what the producer and both did, and passes what was aborted")
  public void diamond(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    run.thread(
        "producer", traffic.offers(2), traffic.aborts(1), traffic.offers(1), traffic.offers(1));
    Stage left = traffic.stage().polls(4, 2);
    Stage right = traffic.stage().polls(4, 1);
    traffic.stage(left, right).polls(4, 2);
  }

  @About("a producer may write where another has seen that the consumer is through")
  public void limitIsHandedOn(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    Stage stage = traffic.stage();
    traffic.offer(2);
    stage.polls(1, 2);
    traffic.addProducer("producer", 1);
    traffic.addProducer("another producer", 2);
  }

  @About("events that their first consumer discards are seen by nobody, and their slots free")
  public void discarded(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    traffic.addProducer("producer", 4);
    Stage first = traffic.stage();
    Stage second = traffic.stage(first).polls(4, 2);
    int[] discarded = new int[1];
    first.plays(
        worker -> {
          worker.poll(1);
          int count = worker.barrier.tryPoll(2);
          if (count > 0) {
            worker.handle(count, 2);
            Inside.discard(worker.barrier);
            discarded[0] = count;
          }
          worker.poll(2);
        });
    run.atEnd(
        () -> {
          while (first.worker().poll(2) > 0 || second.worker().poll(2) > 0) {
            // until there is none
          }
          run.check(first.seenCount() == traffic.sentCount(), "lost: " + first.seenCount());
          run.check(
              second.seenCount() + discarded[0] == traffic.sentCount(),
              second.seenCount() + " seen, " + discarded[0] + " discarded");
          run.check(traffic.sequencer.remainingCapacity() == 2, "not empty");
        });
  }

  @About("samplers see numbers within bounds, whatever goes on")
  public void samplers(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    Sequencer sequencer = traffic.sequencer;
    run.thread("producer", traffic.offers(1), traffic.aborts(1), traffic.offers(2));
    traffic.addProducer("another producer", 1);
    SequenceConsumer barrier = traffic.stage().polls(3, 2).worker().barrier;
    run.thread(
        "sampler",
        () -> {
          long consumed = Inside.progress(barrier);
          long published = sequencer.publishedEnd();
          run.check(published >= consumed, "published to " + published);
          run.check(published <= sequencer.claimedEnd(), "published to " + published);
          run.check(sequencer.claimedEnd() <= 5, "claimed to " + sequencer.claimedEnd());
          boolean isAtWork = Inside.isAtWork(barrier);
          int free = sequencer.remainingCapacity();
          run.check(free >= 0 && free <= 2, "free: " + free + ", at work: " + isAtWork);
          Inside.Counters counters = Inside.counters(sequencer);
          run.check(counters.aborted() <= 1 && counters.claimed() <= 5, counters.toString());
        });
  }

  @About("whoever sees a publication from afar sees all publications before it")
  public void publishedEnd(Simulation run) {
    RingTraffic traffic = multi(run, 4);
    Sequencer sequencer = traffic.sequencer;
    traffic.stage();
    Flag first = new Flag();
    Flag both = new Flag();
    long left = sequencer.tryClaim(1);
    long right = sequencer.tryClaim(2);
    run.thread("producer", () -> traffic.send(left, 1), first::raise);
    run.thread("another producer", () -> traffic.send(right, 2), both::raise);
    run.thread(
        "sampler",
        () -> {
          boolean isFirst = first.isRaised();
          boolean areBoth = isFirst && both.isRaised();
          long published = sequencer.publishedEnd();
          run.check(published <= 3 && published != 2, "published to " + published);
          run.check(published >= 1 || !isFirst, "none published, though one is");
          run.check(published == 3 || !areBoth, "published to " + published + ", though all are");
        });
  }

  @About("a publication counts for a sampler though its slot is claimed again while it looks")
  public void publishedEndMeetsReuse(Simulation run) {
    RingTraffic traffic = multi(run, 2);
    traffic.stage().polls(2, 1);
    Flag first = new Flag();
    run.thread("producer", traffic.offers(1), first::raise, traffic.offers(1), traffic.offers(1));
    run.thread(
        "sampler",
        () -> {
          boolean isFirst = first.isRaised();
          long published = traffic.sequencer.publishedEnd();
          run.check(published >= 1 || !isFirst, "none published, though one is");
        });
  }

  @About("whatever an earlier turn has left in a slot, it is no publication of this one")
  public void publishedEndPassesNothingOpen(Simulation run) {
    RingTraffic traffic = multi(run, 4);
    Sequencer sequencer = traffic.sequencer;
    Stage stage = traffic.stage();
    run.check(traffic.abort(1) && traffic.offer(1) && traffic.abort(2), "full though empty");
    run.check(stage.worker().poll(4) == 1 && stage.worker().poll(4) == 0, "not passed");
    run.check(sequencer.remainingCapacity() == 4, "not empty");
    Flag.Plain[] ended = {new Flag.Plain(), new Flag.Plain(), new Flag.Plain(), new Flag.Plain()};
    run.thread(
        "producer",
        rounds(
            2,
            i -> {
              long first = sequencer.tryClaim(1);
              ended[(int) first - 4].set();
              traffic.send(first, 1);
            }));
    run.thread(
        "another producer",
        () -> {
          long first = sequencer.tryClaim(2);
          ended[(int) first - 4].set();
          ended[(int) first - 3].set();
          traffic.send(first, 2);
        });
    run.thread(
        "sampler",
        times(
            2,
            () -> {
              long published = sequencer.publishedEnd();
              for (long sequence = 4; sequence < published; sequence++) {
                run.check(
                    ended[(int) sequence - 4].isSet(), "published to " + published + ", but no");
              }
            }));
  }

  @About("how far it is and what counts, while nothing else goes on")
  public void atRest(Simulation run) {
    RingTraffic traffic = multi(run, 4);
    Sequencer sequencer = traffic.sequencer;
    run.check(refuses(sequencer::tryClaim), "a claim without a consumer");
    Stage stage = traffic.stage();
    long open = sequencer.tryClaim();
    long aborted = sequencer.tryClaim(2);
    sequencer.abort(aborted, 2);
    run.check(sequencer.publishedEnd() == 0, "published to " + sequencer.publishedEnd());
    run.check(stage.worker().poll(4) == 0, "polled an open claim");
    run.check(sequencer.remainingCapacity() == 1 && sequencer.claimedEnd() == 3, "not three");
    traffic.send(open, 1);
    run.check(sequencer.publishedEnd() == 3, "published to " + sequencer.publishedEnd());
    run.check(traffic.offer(1) && !traffic.offer(1), "not full");
    run.check(sequencer.publishedEnd() == 4, "published to " + sequencer.publishedEnd());
    run.check(stage.worker().poll(4) == 1, "passed an abort within a poll");
    run.check(sequencer.remainingCapacity() == 1, "free: " + sequencer.remainingCapacity());
    run.check(stage.worker().poll(4) == 1, "lost what is behind an abort");
    run.check(sequencer.remainingCapacity() == 4, "free: " + sequencer.remainingCapacity());
    run.check(traffic.offer(3), "full though empty");
    run.check(sequencer.publishedEnd() == 7, "published to " + sequencer.publishedEnd());
    Inside.Counters counters = Inside.counters(sequencer);
    run.check(counters.equals(new Inside.Counters(7, 2, 0, 0, 0, 0, 0)), counters.toString());
  }

  @About("misuse is refused, and changes nothing")
  public void misuseIsRefused(Simulation run) {
    RingTraffic traffic = multi(run, 4);
    Sequencer sequencer = traffic.sequencer;
    Stage stage = traffic.stage();
    run.check(refuses(() -> sequencer.commit(0)), "published, though nothing is claimed");
    run.check(refuses(() -> sequencer.abort(0)), "aborted, though nothing is claimed");
    run.check(refuses(() -> sequencer.tryClaim(0)), "a claim of none");
    run.check(refuses(() -> sequencer.tryClaim(5)), "a claim of more than there are");
    run.check(sequencer.tryClaim(2) == 0, "full though empty");
    run.check(sequencer.tryClaim(2) == 2, "full though two are free");
    run.check(refuses(() -> sequencer.commit(0)), "published one of two");
    run.check(refuses(() -> sequencer.commit(1)), "published another sequence");
    run.check(refuses(() -> sequencer.commit(4, 2)), "published a later turn");
    run.check(refuses(() -> sequencer.abort(0, 3)), "aborted more than was claimed");
    traffic.send(2, 2);
    run.check(stage.worker().poll(2) == 0, "went past an open claim");
    traffic.send(0, 2);
    run.check(refuses(() -> sequencer.commit(0, 2)), "published twice");
    run.check(!traffic.offer(1), "not full: " + sequencer);
    Inside.refuseWaits(sequencer);
    run.thread("handler", () -> run.check(refuses(sequencer::claim), "waited for itself"));
  }
}

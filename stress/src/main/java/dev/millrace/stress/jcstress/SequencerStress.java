package dev.millrace.stress.jcstress;

import dev.millrace.core.Consumer;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.stress.trial.Numbered;
import dev.millrace.stress.trial.NumberedRing;
import java.util.List;
import java.util.function.Function;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A {@link dev.millrace.disruptor.Sequencer} with its consumers. */
public final class SequencerStress {
  private SequencerStress() {}

  /** Makes trials on rings, each with two consumers. */
  private static Pool<QueueTest.Trial> pool(
      RingOptions options, Function<NumberedRing, List<Consumer<Numbered>>> consumers) {
    return new Pool<>(
        () -> {
          NumberedRing ring = new NumberedRing(options);
          return new RingTrial(ring, consumers.apply(ring));
        });
  }

  private static final class RingTrial extends QueueTest.Trial {
    final NumberedRing ring;

    RingTrial(NumberedRing ring, List<Consumer<Numbered>> consumers) {
      super(ring.newProducer(), ring.newProducer(), consumers.getFirst(), consumers.getLast());
      this.ring = ring;
    }
  }

  /**
   * Hazard: two producers claim the same slot, and one event is lost; or one is published before
   * the other's claim has ended.
   *
   * <p>Known to fail: a claim that reads the tail and then writes it, instead of the exchange in
   * {@code Claims.tryAdvance}.
   *
   * <p>{@code stress/prove --all Sequencer_TwoProducersKeepBoth}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.KeepBoth.class)
  public static class Sequencer_TwoProducersKeepBoth extends QueueTest {
    private static final Pool<Trial> POOL =
        pool(RingOptions.multiProducer(2), NumberedRing::newStages);

    public Sequencer_TwoProducersKeepBoth() {
      super(POOL, 2, 0);
    }

    @Actor
    public void left(IIII_Result r) {
      r.r1 = put(trial.producer, 1);
    }

    @Actor
    public void right(IIII_Result r) {
      r.r2 = put(trial.other, 2);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      r.r3 = take(trial.consumer);
      r.r4 = take(trial.consumer);
      takeRest();
    }
  }

  /**
   * Hazard: a consumer behind another handles an event before that one is through with it, or does
   * not see what that one wrote beside it; and the other way round, it writes into an event that
   * the one before it still reads.
   *
   * <p>Known to fail: a consumer that releases before it marks.
   *
   * <p>{@code stress/prove --all Sequencer_BehindSeesAll}
   */
  @JCStressTest
  @State
  @Description("A consumer behind another sees what that one made of the event, or no event.")
  @Outcome(id = "1, 0, 4, 5", expect = Expect.ACCEPTABLE, desc = "Looked before the release.")
  @Outcome(id = "1, 4, 5, 0", expect = Expect.ACCEPTABLE, desc = "Looked after the release.")
  @Outcome(
      id = {"1, 1, .*", "1, 2, .*"},
      expect = Expect.FORBIDDEN,
      desc = "Saw an event that was not marked.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "An event is lost, torn, or twice there.")
  public static class Sequencer_BehindSeesAll extends QueueTest {
    private static final int BY = 3;
    private static final Pool<Trial> POOL =
        pool(RingOptions.singleProducer(2), NumberedRing::newStages);

    public Sequencer_BehindSeesAll() {
      super(POOL, 5, 2);
    }

    @Actor
    public void before(IIII_Result r) {
      r.r1 = mark();
    }

    @Actor
    public void behind(IIII_Result r) {
      r.r2 = take(trial.rival);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      mark();
      r.r3 = take(trial.rival);
      r.r4 = take(trial.rival);
      takeRest();
    }

    /** Takes the next event and marks it, for those behind to see. */
    private int mark() {
      Numbered event = trial.consumer.tryPoll();
      if (event == null) {
        return 0;
      }
      int place = event.whole(base);
      event.write(base + place + BY);
      trial.consumer.release();
      return place;
    }
  }

  /**
   * Hazard: a producer gets the slot of an event that a worker still has in its hand, because the
   * group's cursor, which has passed it, is taken for the end of its use.
   *
   * <p>Known to fail: a {@code Gate.slowest} that looks at the first sequence alone, which is the
   * cursor.
   *
   * <p>{@code stress/prove --all SharedConsumer_InHandHoldsBack}
   */
  @JCStressTest
  @State
  @Description(
      "The first of two slots is claimed again only when the worker that took it is through.")
  @Outcome(id = "1, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "Still in hand: full.")
  @Outcome(id = "1, 2, 1, 3", expect = Expect.ACCEPTABLE, desc = "Claimed after the release.")
  @Outcome(
      id = "2, 1, 0, 0",
      expect = Expect.ACCEPTABLE,
      desc = "The other was first, and said full.")
  @Outcome(
      id = "2, 1, 1, 3",
      expect = Expect.ACCEPTABLE,
      desc = "The other was first, and claimed.")
  @Outcome(id = "3, .*", expect = Expect.FORBIDDEN, desc = "Overwritten while it was read.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "An event is lost, torn, or went to both.")
  public static class SharedConsumer_InHandHoldsBack extends QueueTest {
    private static final Pool<Trial> POOL =
        pool(RingOptions.singleProducer(2), NumberedRing::newWorkers);

    public SharedConsumer_InHandHoldsBack() {
      super(POOL, 3, 2);
    }

    @Actor
    public void worker(IIII_Result r) {
      r.r1 = take(trial.consumer);
    }

    @Actor
    public void workerThenProducer(IIII_Result r) {
      r.r2 = take(trial.rival);
      r.r3 = put(trial.producer, 3);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      r.r4 = take(trial.consumer);
      takeRest();
    }
  }

  /**
   * Hazard: two workers get the same event; or one is told that there is none, because the event
   * that it looked at was taken by the other, while the next is there; or what one has in its hand
   * is taken for free for ever.
   *
   * <p>Known to fail: a poll that reads the cursor and then writes it, instead of the exchange in
   * {@code SharedConsumer.take}.
   *
   * <p>{@code stress/prove --all SharedConsumer_TwoWorkersShareOut}
   */
  @JCStressTest
  @State
  @Description("Of two events each of two workers gets one, and then both slots are free.")
  @Outcome(id = "1, 2, 0, 2", expect = Expect.ACCEPTABLE, desc = "The left worker was first.")
  @Outcome(id = "2, 1, 0, 2", expect = Expect.ACCEPTABLE, desc = "The right worker was first.")
  @Outcome(
      id = {"0, .*", "., 0, .*"},
      expect = Expect.FORBIDDEN,
      desc = "A worker was told that there is none.")
  @Outcome(id = ".*, [01]", expect = Expect.FORBIDDEN, desc = "A slot is not free again.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "An event is lost, torn, or went to both.")
  public static class SharedConsumer_TwoWorkersShareOut extends QueueTest {
    private static final Pool<Trial> POOL =
        pool(RingOptions.multiProducer(2), NumberedRing::newWorkers);

    public SharedConsumer_TwoWorkersShareOut() {
      super(POOL, 2, 2);
    }

    @Actor
    public void left(IIII_Result r) {
      r.r1 = take(trial.consumer);
    }

    @Actor
    public void right(IIII_Result r) {
      r.r2 = take(trial.rival);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      r.r3 = take(trial.consumer);
      r.r4 = ((RingTrial) trial).ring.sequencer().remainingCapacity();
      takeRest();
    }
  }
}

package dev.millrace.stress.lincheck;

import static dev.millrace.stress.lincheck.BoundedQueueContract.HELD;

import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.stress.trial.NumberedRing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A {@link Sequencer} with a consumer that sees every event is a bounded queue: each published
 * record comes whole, once, in the order of the claims.
 *
 * <p><b>Hazard.</b> Two producers get one slot; a slot is claimed while it is read; the consumer
 * goes past a claim that is open, or does not go past an aborted one; it is told of the end before
 * a claim that came before the completion has ended.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all SequencerLincheckTest}
 *
 * <p>With one producer it is a plain queue. With many it is held to {@link BoundedAllows}: none
 * while the oldest claim is open.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class SequencerLincheckTest {
  private static final Mix POLLS = Mix.ofOne("poll");
  private static final Mix SINGLE =
      Mix.ofOne("offer", "offerRun", "offerAborted", "complete").and(Mix.ofOne("pollRun"));
  private static final Mix MANY =
      Mix.ofAny("offer", "offerRun", "offerAborted", "complete").and(Mix.ofOne("pollRun"));

  private static Trial many(Mix mix, String about) {
    return Trial.of(Sequencer.class, Many.class, about).mixing(mix).allowedBy(BoundedAllows.class);
  }

  private static Trial many() {
    return many(MANY, "many producers: none while the oldest claim is open, no more");
  }

  private static Trial single(Mix mix, String about) {
    return Trial.of(Sequencer.class, Single.class, about)
        .mixing(mix)
        .allowedBy(BoundedAllows.OneToOne.class);
  }

  private static Trial single() {
    return single(SINGLE, "one producer, one consumer: a plain queue of records and runs");
  }

  @Test
  void single_whenModelChecked_isPlainQueue(TestInfo test) {
    single().modelChecking(12, 300).passes(test);
  }

  @Test
  void many_whenModelChecked_deliversInOrder(TestInfo test) {
    many().threads(3, 2).modelChecking(8, 300).passes(test);
  }

  @Test
  void held_whenModelChecked_endsInAnyOrder(TestInfo test) {
    many(HELD.and(POLLS), "claims that stay open, end in any order, or are aborted")
        .threads(3, 2)
        .modelChecking(8, 300)
        .passes(test);
  }

  /** Of one producer. */
  public static class Single extends QueueOperations.OfRing {
    public Single() {
      super(new NumberedRing(RingOptions.singleProducer(CAPACITY)));
    }
  }

  /** Of many producers. */
  public static class Many extends QueueOperations.OfRing {
    public Many() {
      super(new NumberedRing(RingOptions.multiProducer(CAPACITY)));
    }
  }
}

package dev.millrace.stress.lincheck;

import dev.millrace.core.Consumer;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.stress.trial.Numbered;
import dev.millrace.stress.trial.NumberedRing;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Workers that share the events of a {@link Sequencer}, {@code newSharedConsumers}: each record
 * goes to one of them, whole, in the order of the claims.
 *
 * <p><b>Hazard.</b> Two workers get one record, or none of them does; a slot is claimed while a
 * worker has it in hand, because another one that is through with a later one is taken for all; a
 * worker is told that there is none though there is.
 *
 * <p><b>Known to fail.</b> {@link QueueOperations#pollReleasedFirst} and {@link SeeEverything}.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all SharedConsumerLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class SharedConsumerLincheckTest {
  private static final Mix RIGHT = Mix.ofOne("pollRunRight");
  private static final Mix POLLS = Mix.ofOne("pollRun").and(RIGHT);
  private static final Mix ONE_PRODUCES = Mix.ofOne("offer", "offerRun", "complete");
  private static final Mix MANY_PRODUCE =
      Mix.ofAny("offer", "offerRun", "offerAborted", "complete");

  private static Trial trial(Class<?> operations, Mix mix, String about) {
    return Trial.of(SequenceConsumer.class, operations, about)
        .mixing(mix)
        .allowedBy(BoundedAllows.ByWorkers.class);
  }

  private static Trial many() {
    return trial(
        Many.class,
        MANY_PRODUCE.and(POLLS),
        "many producers, two workers: each record to one of them, in order");
  }

  @Test
  void many_whenModelChecked_sharesOut(TestInfo test) {
    many().threads(3, 2).modelChecking(8, 300).passes(test);
  }

  @Test
  void single_whenModelChecked_sharesOut(TestInfo test) {
    trial(
            Single.class,
            ONE_PRODUCES.and(POLLS),
            "one producer, two workers: each record to one of them, in order")
        .threads(3, 2)
        .modelChecking(12, 300)
        .passes(test);
  }

  @Test
  void record_whenReleasedFirst_isCaught(TestInfo test) {
    trial(
            Single.class,
            ONE_PRODUCES.and(Mix.ofOne("pollReleasedFirst")).and(RIGHT),
            "planted: release before the slot is read")
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void poll_whenEachSeesAll_isCaught(TestInfo test) {
    trial(
            SeeEverything.class,
            Mix.ofAny("offer").and(POLLS),
            "planted: consumers that see every event are taken for workers")
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /** Of two workers; the left one polls as the only consumer of other rings does. */
  @Param(name = "limit", gen = IntGen.class, conf = "1:3")
  abstract static class TwoConsumers extends QueueOperations.OfRing {
    private final Consumer<Numbered> right;

    TwoConsumers(NumberedRing ring, List<Consumer<Numbered>> consumers) {
      super(ring, consumers.getFirst());
      right = consumers.getLast();
    }

    TwoConsumers(NumberedRing ring) {
      this(ring, ring.newWorkers());
    }

    @Operation
    public String pollRunRight(@Param(name = "limit") int limit) {
      return take(right, right.tryPoll(limit));
    }
  }

  /** Of many producers. */
  public static class Many extends TwoConsumers {
    public Many() {
      super(new NumberedRing(RingOptions.multiProducer(CAPACITY)));
    }
  }

  /** Of one producer. */
  public static class Single extends TwoConsumers {
    public Single() {
      super(new NumberedRing(RingOptions.singleProducer(CAPACITY)));
    }
  }

  /** Planted: two consumers that see every event are taken for workers that share them. */
  public static class SeeEverything extends TwoConsumers {
    public SeeEverything() {
      this(new NumberedRing(RingOptions.multiProducer(CAPACITY)));
    }

    private SeeEverything(NumberedRing ring) {
      super(ring, List.of(ring.newConsumer(), ring.newConsumer()));
    }
  }
}

package dev.millrace.disruptor;

import dev.millrace.core.Handler;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.Overlaps;
import dev.millrace.testkit.Overlaps.Opened;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a method of an end without the check for two threads that call it at once. A new method is
 * called too, unless it is exempt here by name.
 */
class OverlappingCallsTest {
  private static final int CAPACITY = 1 << 10;
  private static final int RECORDS = 1 << 9;
  private static final WaitStrategy WAITS = WaitStrategy.yielding();

  private static final String ANSWERS = "only answers";
  private static final String INLINED = "a check would make it too long to be inlined everywhere";
  private static final String ANY_THREAD = "any thread may call it";

  private static RingOptions options(boolean manyProducers) {
    return manyProducers
        ? RingOptions.multiProducer(CAPACITY)
        : RingOptions.singleProducer(CAPACITY);
  }

  private static RingProducer<Event> producerOf(RecordRing<Event> ring, boolean manyProducers) {
    return manyProducers ? ring.newProducer() : ring.producer();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ringProducer(boolean manyProducers) throws Exception {
    Overlaps.<RingProducer<Event>>of(
            RingProducer.class,
            () -> {
              RecordRing<Event> ring = RecordRing.of(Event.class, options(manyProducers));
              ring.newConsumer(WAITS);
              return new Opened<>(producerOf(ring, manyProducers), ring);
            })
        .withInHand(RingProducer::tryClaim, RingProducer::abort)
        .withNothingInHand("close")
        .exempt("at", INLINED)
        .areFound();
  }

  private static void checkConsumer(
      boolean manyProducers, Function<RecordRing<Event>, RingConsumer<Event>> consumerOf)
      throws Exception {
    Overlaps.<RingConsumer<Event>>of(
            RingConsumer.class,
            () -> {
              RecordRing<Event> ring = RecordRing.of(Event.class, options(manyProducers));
              RingConsumer<Event> consumer = consumerOf.apply(ring);
              RingProducer<Event> producer = producerOf(ring, manyProducers);
              for (int i = 0; i < RECORDS; i++) {
                producer.tryClaim().value(i);
                producer.commit();
              }
              ring.complete();
              return new Opened<>(consumer, ring);
            })
        .withInHand(RingConsumer::tryPoll, RingConsumer::release)
        .withArgument(Handler.class, (Handler<Object>) _ -> {})
        .exempt("at", INLINED)
        .exempt("isDrained", ANSWERS)
        .exempt("sequence", ANSWERS)
        .areFound();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ringConsumer_thatSeesEveryRecord(boolean manyProducers) throws Exception {
    checkConsumer(manyProducers, ring -> ring.newConsumer(WAITS));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ringConsumer_thatSharesRecords(boolean manyProducers) throws Exception {
    checkConsumer(manyProducers, ring -> ring.newSharedConsumers(2, WAITS).getFirst());
  }

  @Test
  void sequencer_ofOneProducer() throws Exception {
    Overlaps.<Sequencer>of(
            Sequencer.class,
            () -> {
              Sequencer sequencer = Sequencer.of(options(false));
              sequencer.newConsumer(WAITS);
              return new Opened<>(sequencer, sequencer);
            })
        .withInHand(Sequencer::tryClaim, OverlappingCallsTest::abort)
        .withCall("commit(long)", sequencer -> sequencer.commit(claimed(sequencer)))
        .withCall("commit(long, int)", sequencer -> sequencer.commit(claimed(sequencer), 1))
        .withCall("abort(long)", OverlappingCallsTest::abort)
        .withCall("abort(long, int)", sequencer -> sequencer.abort(claimed(sequencer), 1))
        .exempt("newConsumer", "part of making the ring")
        .exempt("newSharedConsumers", "part of making the ring")
        .exempt("complete", ANY_THREAD)
        .exempt("close", ANY_THREAD)
        .exempt("awaitDrained", ANY_THREAD)
        .exempt("isCompleted", ANY_THREAD)
        .exempt("isDrained", ANY_THREAD)
        .exempt("isCongested", ANY_THREAD)
        .exempt("capacity", ANY_THREAD)
        .exempt("remainingCapacity", ANY_THREAD)
        .exempt("claimedEnd", ANY_THREAD)
        .exempt("publishedEnd", ANY_THREAD)
        .exempt("counters", ANY_THREAD)
        .exempt("gauges", ANY_THREAD)
        .exempt("metrics", ANY_THREAD)
        .exempt("readMetrics", ANY_THREAD)
        .areFound();
  }

  private static long claimed(Sequencer sequencer) {
    return sequencer.claimedEnd() - 1;
  }

  private static void abort(Sequencer sequencer) {
    sequencer.abort(claimed(sequencer));
  }

  private static void checkPlace(Function<Sequencer, SequenceConsumer> consumerOf)
      throws Exception {
    Overlaps.<SequenceConsumer>of(
            SequenceConsumer.class,
            () -> {
              Sequencer sequencer = Sequencer.of(options(false));
              SequenceConsumer consumer = consumerOf.apply(sequencer);
              sequencer.commit(sequencer.tryClaim(CAPACITY), CAPACITY);
              sequencer.complete();
              return new Opened<>(consumer, sequencer);
            })
        .withInHand(consumer -> consumer.tryPoll(1), SequenceConsumer::release)
        .exempt("isDrained", ANSWERS)
        .exempt("sequence", ANSWERS)
        .areFound();
  }

  @Test
  void sequenceConsumer_thatSeesEveryEvent() throws Exception {
    checkPlace(sequencer -> sequencer.newConsumer(WAITS));
  }

  @Test
  void sequenceConsumer_thatSharesEvents() throws Exception {
    checkPlace(sequencer -> sequencer.newSharedConsumers(2, WAITS).getFirst());
  }
}

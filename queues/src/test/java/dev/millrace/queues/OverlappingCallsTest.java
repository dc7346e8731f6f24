package dev.millrace.queues;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageConsumer.Controller;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.testkit.Overlaps;
import dev.millrace.testkit.Overlaps.Opened;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a method of an end without the check for two threads that call it at once. A new method is
 * called too, unless it is exempt here by name.
 */
class OverlappingCallsTest {
  private static final FlyweightType<Point> POINTS = FlyweightType.of(Point::new);
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 10);
  private static final int RECORDS = 1 << 9;
  private static final int LENGTH = 8;

  private static final String ANSWERS = "only answers";
  private static final String INLINED = "a check would make it too long to be inlined everywhere";
  private static final String VIEW = "only moves the view";

  // ---- queues of records ----

  private static <E extends Producer<Point>, Q extends OffHeapQueue<Point>> Overlaps<E> producersOf(
      Class<?> type, Callable<Q> queues, Function<Q, E> producerOf) {
    return Overlaps.<E>of(
            type,
            () -> {
              Q queue = queues.call();
              return new Opened<>(producerOf.apply(queue), queue);
            })
        .withInHand(Producer::tryClaim, Producer::abort)
        .withNothingInHand("close")
        .exempt("at", INLINED);
  }

  private static <E extends Consumer<Point>, Q extends OffHeapQueue<Point>> Overlaps<E> consumersOf(
      Class<?> type,
      Callable<Q> queues,
      Function<Q, ? extends Producer<Point>> producerOf,
      Function<Q, E> consumerOf) {
    return Overlaps.<E>of(
            type,
            () -> {
              Q queue = queues.call();
              Producer<Point> producer = producerOf.apply(queue);
              for (int i = 0; i < RECORDS; i++) {
                producer.claim().value(i);
                producer.commit();
              }
              queue.complete();
              return new Opened<>(consumerOf.apply(queue), queue);
            })
        .withInHand(Consumer::tryPoll, Consumer::release)
        .withArgument(Handler.class, (Handler<Object>) _ -> {})
        .exempt("at", INLINED)
        .exempt("isDrained", ANSWERS);
  }

  @Test
  void spscQueue() throws Exception {
    Callable<SpscQueue<Point>> queues = () -> SpscQueue.of(POINTS, OPTIONS);
    producersOf(SpscProducer.class, queues, SpscQueue::producer).areFound();
    consumersOf(SpscConsumer.class, queues, SpscQueue::producer, SpscQueue::consumer).areFound();
  }

  @Test
  void mpscQueue() throws Exception {
    Callable<MpscQueue<Point>> queues = () -> MpscQueue.of(POINTS, OPTIONS);
    producersOf(MpscProducer.class, queues, MpscQueue::newProducer).areFound();
    consumersOf(MpscConsumer.class, queues, MpscQueue::newProducer, MpscQueue::consumer).areFound();
  }

  @Test
  void mpmcQueue() throws Exception {
    Callable<MpmcQueue<Point>> queues = () -> MpmcQueue.of(POINTS, OPTIONS);
    producersOf(MpmcProducer.class, queues, MpmcQueue::newProducer).areFound();
    consumersOf(MpmcConsumer.class, queues, MpmcQueue::newProducer, MpmcQueue::newConsumer)
        .areFound();
  }

  @Test
  void kFifoQueue() throws Exception {
    Callable<KFifoQueue<Point>> queues = () -> KFifoQueue.of(POINTS, 8, OPTIONS);
    producersOf(KFifoProducer.class, queues, KFifoQueue::newProducer).areFound();
    consumersOf(KFifoConsumer.class, queues, KFifoQueue::newProducer, KFifoQueue::newConsumer)
        .areFound();
  }

  // ---- messages ----

  private static void checkMessages(Callable<MessageQueue> queues) throws Exception {
    MemorySegment bytes = MemorySegment.ofArray(new byte[LENGTH]);
    Overlaps.<MessageProducer>of(
            MessageProducer.class,
            () -> {
              MessageQueue queue = queues.call();
              return new Opened<>(queue.newProducer(), queue);
            })
        .withInHand(producer -> producer.tryClaim(1, LENGTH), MessageProducer::abort)
        .withNothingInHand("close")
        .withArgument(MemorySegment.class, bytes)
        .withArgument(MemorySegment[].class, new MemorySegment[] {bytes})
        .exempt("at", VIEW)
        .areFound();
    Overlaps.<MessageConsumer>of(
            MessageConsumer.class,
            () -> {
              MessageQueue queue = queues.call();
              MessageProducer producer = queue.newProducer();
              for (int i = 0; i < RECORDS; i++) {
                producer.offer(1, bytes);
              }
              queue.complete();
              return new Opened<>(queue.newConsumer(), queue);
            })
        .withInHand(MessageConsumer::tryPoll, MessageConsumer::release)
        .withArgument(Handler.class, (Handler<Object>) _ -> {})
        .withArgument(Controller.class, (Controller) _ -> MessageConsumer.Then.GO_ON)
        .exempt("at", VIEW)
        .exempt("isDrained", ANSWERS)
        .areFound();
  }

  @Test
  void messageQueue_ofOneProducerAndOneConsumer() throws Exception {
    checkMessages(() -> MessageQueue.spsc(QueueOptions.ofCapacity(1 << 15)));
  }

  @Test
  void messageQueue_ofManyProducersAndConsumers() throws Exception {
    checkMessages(() -> MessageQueue.mpmc(QueueOptions.ofCapacity(1 << 15)));
  }

  // ---- histories ----

  @Test
  void historyRing_ofOneProducer() throws Exception {
    checkHistory(
            () -> HistoryRing.single(POINTS, RECORDS),
            HistoryRing::producer,
            ring -> ring.newReader(1 << 6))
        .exempt("release", "it only throws for a reader without a name")
        .areFound();
  }

  @Test
  void historyRing_ofManyProducers() throws Exception {
    checkHistory(
            () -> HistoryRing.multi(POINTS, RECORDS),
            HistoryRing::newProducer,
            ring -> ring.newReader(1 << 6))
        .exempt("release", "it only throws for a reader without a name")
        .areFound();
  }

  @Test
  void historyRing_inAFile_withANamedReader(@TempDir Path folder) throws Exception {
    AtomicInteger files = new AtomicInteger();
    checkHistory(
            () -> HistoryRing.multi(POINTS, RECORDS, folder.resolve("" + files.getAndIncrement())),
            HistoryRing::newProducer,
            ring -> ring.newReader(1 << 6, "reader"))
        .areFound();
  }

  /** Checks a producer, and returns the check of a reader. */
  private static Overlaps<HistoryReader<Point>> checkHistory(
      Callable<HistoryRing<Point>> rings,
      Function<HistoryRing<Point>, HistoryProducer<Point>> producerOf,
      Function<HistoryRing<Point>, HistoryReader<Point>> readerOf)
      throws Exception {
    Overlaps.<HistoryProducer<Point>>of(
            HistoryProducer.class,
            () -> {
              HistoryRing<Point> ring = rings.call();
              return new Opened<>(producerOf.apply(ring), ring);
            })
        .withInHand(HistoryProducer::tryClaim, HistoryProducer::abort)
        .withNothingInHand("close")
        .exempt("at", VIEW)
        .exempt("refusedCount", ANSWERS)
        .areFound();
    return Overlaps.<HistoryReader<Point>>of(
            HistoryReader.class,
            () -> {
              HistoryRing<Point> ring = rings.call();
              HistoryProducer<Point> producer = producerOf.apply(ring);
              for (int i = 0; i < RECORDS; i++) {
                producer.tryClaim().value(i);
                producer.commit();
              }
              return new Opened<>(readerOf.apply(ring), ring);
            })
        .withArgument(ToLongFunction.class, (ToLongFunction<Point>) Point::value)
        .exempt("at", VIEW)
        .exempt("position", ANSWERS)
        .exempt("sequence", ANSWERS)
        .exempt("readCount", ANSWERS)
        .exempt("lostCount", ANSWERS)
        .exempt("refusedCount", ANSWERS)
        .exempt("unfinishedCount", ANSWERS);
  }
}

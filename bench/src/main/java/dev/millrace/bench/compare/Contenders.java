package dev.millrace.bench.compare;

import com.conversantmedia.util.concurrent.DisruptorBlockingQueue;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import dev.millrace.bench.compare.MarketRecord.Trade;
import dev.millrace.bench.compare.References.Blocking;
import dev.millrace.bench.compare.Stages.Handlers;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.messages.MessageQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.MpmcArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;

/**
 * The contenders by name. Those that pass references use objects in turn, as their users do where
 * allocation hurts; not with many consumers, for one that is stopped with an object in hand would
 * find it written over. Unless their title says otherwise they are of the kind that has as many
 * producers and consumers as a work asks for.
 */
enum Contenders {
  /** Ours with the default options. */
  MILLRACE("Millrace", work -> Millrace.of(work, options(work))),
  /** Ours with a stall limit. */
  MILLRACE_STALL_PROOF(
      "Millrace, stall-proof",
      work -> Millrace.of(work, options(work).withStallLimit(Duration.ofSeconds(5)))),
  /**
   * The first where the JDK's code below has served other kinds of memory: see {@link #prepare}.
   */
  MILLRACE_POLLUTED("Millrace, polluted profile", work -> Millrace.of(work, options(work))),
  /** Ours for several producers. */
  MILLRACE_MPSC("Millrace, MpscQueue", work -> Millrace.mpsc(options(work))),
  /** Ours with a queue for each consumer. */
  MILLRACE_SHARDED(
      "Millrace, ShardedQueue", work -> Millrace.sharded(work.consumers(), options(work))),
  /** Ours for several of both. */
  MILLRACE_MPMC("Millrace, MpmcQueue", work -> Millrace.mpmc(options(work))),
  /** Ours of relaxed order; with this k none is out of order. */
  MILLRACE_KFIFO_1("Millrace, KFifoQueue, k = 1", work -> Millrace.kFifo(1, options(work))),
  /** The same with k of 4. */
  MILLRACE_KFIFO_4("Millrace, KFifoQueue, k = 4", work -> Millrace.kFifo(4, options(work))),
  /** The same with k of 16. */
  MILLRACE_KFIFO_16("Millrace, KFifoQueue, k = 16", work -> Millrace.kFifo(16, options(work))),
  /** The same with k of 64. */
  MILLRACE_KFIFO_64("Millrace, KFifoQueue, k = 64", work -> Millrace.kFifo(64, options(work))),
  /** Ours of Java records, four types at once. */
  MILLRACE_RECORDS("Millrace, RecordQueue", work -> dropIn(type -> ours(type, work), work)),
  /** The same for any number of threads: the default. */
  MILLRACE_RECORDS_MPMC(
      "Millrace, RecordQueue for any threads",
      work -> dropIn(type -> RecordQueue.of(type, work.capacity()), work)),
  /** Our ring of records with handlers of batches. */
  MILLRACE_STAGES(
      "Millrace, RecordRing", work -> Stages.records(work, plan(work), Handlers.OF_BATCHES)),
  /** The same with handlers of events. */
  MILLRACE_STAGES_EACH(
      "Millrace, RecordRing, event by event",
      work -> Stages.records(work, plan(work), Handlers.OF_EVENTS)),
  /** Our ring of objects with handlers of events. */
  MILLRACE_STAGES_OBJECTS(
      "Millrace, ObjectRing, event by event",
      work -> Stages.objects(work, plan(work), Handlers.OF_EVENTS)),
  /** Our ring of records with handlers of batches, all threads spinning. */
  MILLRACE_STAGES_SPINNING(
      "Millrace, RecordRing, spinning",
      work -> Stages.records(work, plan(work), Handlers.OF_BATCHES_SPINNING)),
  /** Our ring of objects with one consumer. */
  MILLRACE_EVENTS("Millrace, ObjectRing", Events::of),
  /** Ours as a blocking queue, for any threads, with the default options. */
  MILLRACE_BLOCKING(
      "Millrace, RecordQueue.of",
      work -> new Blocking(RecordQueue.of(Trade.class, work.capacity()))),
  /** The same of the kind that a work asks for. */
  MILLRACE_BLOCKING_KINDS("Millrace, RecordQueue", work -> new Blocking(ours(Trade.class, work))),
  /** The first where both sides park. */
  MILLRACE_PARKING(
      "Millrace, RecordQueue.of, parking",
      work ->
          new Blocking(
              RecordQueue.of(
                  Trade.class,
                  options(work)
                      .withProducerWaits(WaitStrategy.parking())
                      .withConsumerWaits(WaitStrategy.parking())))),
  /** Ours with a consumer that waits by the default strategy. */
  MILLRACE_WAITS("Millrace, default", work -> Millrace.of(work, options(work))),
  /** The same, spinning. */
  MILLRACE_WAITS_SPINNING("Millrace, spinning", work -> waiting(work, WaitStrategy.busySpin())),
  /** The same, yielding. */
  MILLRACE_WAITS_YIELDING("Millrace, yielding", work -> waiting(work, WaitStrategy.yielding())),
  /** The same, sleeping. */
  MILLRACE_WAITS_SLEEPING(
      "Millrace, sleeping", work -> waiting(work, WaitStrategy.sleeping(Duration.ofNanos(50_000)))),
  /** The same, parking. */
  MILLRACE_WAITS_PARKING("Millrace, parking", work -> waiting(work, WaitStrategy.parking())),
  /** The rings for messages; for many consumers the queue of objects. */
  AGRONA(
      "Agrona",
      work ->
          work.consumers() > 1
              ? References.of(new ManyToManyConcurrentArrayQueue<>(work.capacity()), work)
              : Agrona.of(work)),
  /** Its queue of objects for many of both. */
  AGRONA_MANY_TO_MANY(
      "Agrona, ManyToManyConcurrentArrayQueue",
      work -> new References(new ManyToManyConcurrentArrayQueue<>(work.capacity()), work, false)),
  /** The array queues over Unsafe, objects used in turn. */
  JCTOOLS("JCTools, preallocated", work -> new JcTools(unsafe(work), work, work.consumers() == 1)),
  /** The same, an object made for each record. */
  JCTOOLS_NEW("JCTools, new objects", work -> new JcTools(unsafe(work), work, false)),
  /** That for many of both, an object made for each record. */
  JCTOOLS_MPMC(
      "JCTools, MpmcArrayQueue",
      work -> new JcTools(new MpmcArrayQueue<>(work.capacity()), work, false)),
  /** The same with objects used in turn: for one thread. */
  JCTOOLS_MPMC_IN_TURN(
      "JCTools, MpmcArrayQueue, preallocated",
      work -> new JcTools(new MpmcArrayQueue<>(work.capacity()), work, true)),
  /** The array queues over VarHandles. */
  JCTOOLS_VARHANDLE(
      "JCTools over VarHandles",
      work ->
          new JcTools(
              work.consumers() > 1
                  ? new MpmcVarHandleArrayQueue<>(work.capacity())
                  : work.producers() > 1
                      ? new MpscVarHandleArrayQueue<>(work.capacity())
                      : new SpscVarHandleArrayQueue<>(work.capacity()),
              work,
              work.consumers() == 1)),
  /** Its ring and a poller. */
  DISRUPTOR("Disruptor", Disruptor::of),
  /** Its event processors, which yield. */
  DISRUPTOR_STAGES(
      "Disruptor, yielding",
      work -> Stages.disruptor(work, plan(work), new YieldingWaitStrategy())),
  /** Its event processors, which spin. */
  DISRUPTOR_STAGES_SPINNING(
      "Disruptor, spinning",
      work -> Stages.disruptor(work, plan(work), new BusySpinWaitStrategy())),
  /** The JDK's ring under a lock. */
  ARRAY_BLOCKING_QUEUE(
      "ArrayBlockingQueue", work -> References.of(new ArrayBlockingQueue<>(work.capacity()), work)),
  /** The same, an object made for each record. */
  ARRAY_BLOCKING_QUEUE_NEW(
      "ArrayBlockingQueue, new objects",
      work -> new References(new ArrayBlockingQueue<>(work.capacity()), work, false)),
  /** The JDK's list under two locks. */
  LINKED_BLOCKING_QUEUE(
      "LinkedBlockingQueue",
      work -> References.of(new LinkedBlockingQueue<>(work.capacity()), work)),
  /** The JDK's ring under a lock, by put and take. */
  ARRAY_BLOCKING_QUEUE_BLOCKING(
      "ArrayBlockingQueue", work -> new Blocking(new ArrayBlockingQueue<>(work.capacity()))),
  /** The JDK's list under two locks, by put and take. */
  LINKED_BLOCKING_QUEUE_BLOCKING(
      "LinkedBlockingQueue", work -> new Blocking(new LinkedBlockingQueue<>(work.capacity()))),
  /** Conversant's ring, by put and take, with the wait strategy that it has by default. */
  CONVERSANT(
      "Conversant DisruptorBlockingQueue",
      work -> new Blocking(new DisruptorBlockingQueue<>(work.capacity()))),
  /** The JDK's ring under a lock, of Java records. */
  ARRAY_BLOCKING_QUEUE_RECORDS(
      "ArrayBlockingQueue", work -> dropIn(_ -> new ArrayBlockingQueue<>(work.capacity()), work)),
  /** The JDK's list without locks, of Java records, held to as many as the others. */
  CONCURRENT_LINKED_QUEUE_RECORDS(
      "ConcurrentLinkedQueue",
      work -> permitted(dropIn(_ -> new ConcurrentLinkedQueue<>(), work), work)),
  /** The JDK's list on which threads can wait for each other, of Java records, held likewise. */
  LINKED_TRANSFER_QUEUE_RECORDS(
      "LinkedTransferQueue",
      work -> permitted(dropIn(_ -> new LinkedTransferQueue<>(), work), work)),
  /** Our queue of messages for one of both. */
  MILLRACE_MESSAGES_SPSC(
      "Millrace, MessageQueue.spsc", work -> MillraceMessages.of(work, MessageQueue::spsc)),
  /** That for several producers. */
  MILLRACE_MESSAGES_MPSC(
      "Millrace, MessageQueue.mpsc", work -> MillraceMessages.of(work, MessageQueue::mpsc)),
  /** That for several of both. */
  MILLRACE_MESSAGES_MPMC(
      "Millrace, MessageQueue.mpmc", work -> MillraceMessages.of(work, MessageQueue::mpmc)),
  /** The ring for messages of one producer. */
  AGRONA_MESSAGES_SPSC(
      "Agrona, OneToOneRingBuffer", work -> Agrona.of(work, OneToOneRingBuffer::new)),
  /** That of several. */
  AGRONA_MESSAGES_MPSC(
      "Agrona, ManyToOneRingBuffer", work -> Agrona.of(work, ManyToOneRingBuffer::new)),
  /** The array queue for one of both, an array made for each message. */
  JCTOOLS_ARRAYS_SPSC(
      "JCTools, SpscArrayQueue of byte[]",
      work -> new ByteArrays(new SpscArrayQueue<>(work.slots()), work.lengths())),
  /** That for several producers. */
  JCTOOLS_ARRAYS_MPSC(
      "JCTools, MpscArrayQueue of byte[]",
      work -> new ByteArrays(new MpscArrayQueue<>(work.slots()), work.lengths())),
  /** That for several of both. */
  JCTOOLS_ARRAYS_MPMC(
      "JCTools, MpmcArrayQueue of byte[]",
      work -> new ByteArrays(new MpmcArrayQueue<>(work.slots()), work.lengths())),
  /** The JDK's list on which threads can wait for each other, held to as many as the others. */
  LINKED_TRANSFER_QUEUE_ARRAYS(
      "LinkedTransferQueue of byte[]",
      work ->
          new Permitted(new ByteArrays(new LinkedTransferQueue<>(), work.lengths()), work.slots())),
  /** The shortest claim, commit, poll and release that one can write: for one thread. */
  BARE_CLAIM("bare claim", _ -> Bare.claims()),
  /** No queue at all: for one thread. */
  BARE("bare", _ -> Bare.records()),
  /** Lamport's ring in C++, in a process of its own: see {@link NativeRing}. */
  CPP(
      "C++ Lamport ring",
      _ -> {
        throw new UnsupportedOperationException("not in this process");
      });

  private static final long POLLUTION_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String title;

  @SuppressWarnings("ImmutableEnumChecker") // without state
  private final Function<Work, Contender> maker;

  Contenders(String title, Function<Work, Contender> maker) {
    this.title = title;
    this.maker = maker;
  }

  String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  String title() {
    return title;
  }

  boolean isOurs() {
    return name().startsWith(MILLRACE.name());
  }

  /** What its JVM does before all else. */
  void prepare() throws IOException {
    if (this == MILLRACE_POLLUTED) {
      Pollution.pollute(POLLUTION_NANOS);
    }
  }

  /** Makes its queue for a work. */
  Contender make(Work work) {
    return maker.apply(work);
  }

  private static Stages.Plan<?> plan(Work work) {
    return Stages.Plan.of(work.shape());
  }

  private static QueueOptions options(Work work) {
    return QueueOptions.ofCapacity(work.capacity());
  }

  private static Contender waiting(Work work, WaitStrategy waits) {
    return Millrace.of(work, options(work).withConsumerWaits(waits));
  }

  private static MessagePassingQueue<HeapTick> unsafe(Work work) {
    return work.consumers() > 1
        ? new MpmcArrayQueue<>(work.capacity())
        : work.producers() > 1
            ? new MpscArrayQueue<>(work.capacity())
            : new SpscArrayQueue<>(work.capacity());
  }

  private static <R extends Record> RecordQueue<R> ours(Class<R> type, Work work) {
    return work.consumers() > 1
        ? RecordQueue.of(type, work.capacity())
        : work.producers() > 1
            ? RecordQueue.mpsc(type, work.capacity())
            : RecordQueue.spsc(type, work.capacity());
  }

  @SuppressWarnings("unchecked") // only records of the type are put there
  private static DropIn dropIn(Function<Class<? extends Record>, Queue<?>> queueOf, Work work) {
    return new DropIn(
        type ->
            (Queue<MarketRecord>)
                queueOf.apply(
                    DropIn.isWide(work)
                        ? MarketRecord.Execution.class
                        : MarketRecord.TYPES.get(type)),
        work);
  }

  /** As many as in one queue of the others for each type of record. */
  private static Contender permitted(DropIn unbounded, Work work) {
    return new Permitted(unbounded, (long) MarketRecord.TYPES.size() * work.capacity());
  }

  static Contenders of(String id) {
    for (Contenders contender : values()) {
      if (contender.id().equals(id)) {
        return contender;
      }
    }
    throw new IllegalArgumentException("contender must be one of those known: contender=" + id);
  }
}

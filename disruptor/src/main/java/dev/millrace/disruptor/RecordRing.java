package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.FlyweightType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/**
 * A ring of fixed-size records in off-heap memory, which producers write and consumers read and
 * change in place. Each consumer sees every record, unless consumers share them.
 *
 * <pre>{@code
 * RecordRing<Trade> ring = RecordRing.of(Trade.class, RingOptions.multiProducer(65_536));
 * Pipeline<Trade> pipeline = Pipeline.on(ring)...   // or consumers by hand:
 * RingConsumer<Trade> check = ring.newConsumer(WaitStrategy.yielding());
 * RingConsumer<Trade> sum = ring.newConsumer(WaitStrategy.yielding(), check);  // behind check
 *
 * RingProducer<Trade> out = ring.newProducer();     // each thread's own
 * out.claim().timestamp(t).price(p).volume(v);
 * out.commit();
 * }</pre>
 *
 * <p><b>Roles.</b> With {@link RingOptions#singleProducer} there is one producer, otherwise any
 * number. Each end belongs to one thread at a time. All consumers are made before the first claim,
 * by a thread whose making of them happens before what the others do. Any thread completes, closes
 * and looks.
 *
 * <p><b>Progress, ordering.</b> Those of a {@link Sequencer}. A producer that stops between claim
 * and commit keeps consumers from all later records, unless the ring has a stall limit.
 *
 * <p><b>Failure.</b> Full is a value; claims of a completed ring throw {@link
 * IllegalStateException}, whose cause is the failure if a stage of a {@link Pipeline} has failed. A
 * record's bytes are what a former one left there, until they are written.
 *
 * <p><b>Cost.</b> O(1) per claim, commit, poll and release, whether of one record or of a run; with
 * many producers a store and a look for each record's stamp besides. A slot takes the record's
 * bytes, rounded up to 8, and with many producers 8 more for its stamp. Nothing is allocated after
 * construction.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class RecordRing<T> extends EventRing<T> {
  /** Where records begin that have no stamps: with a cache line, as in memory of their own. */
  private static final long LINE_BYTES = 64;

  final Ring ring;
  private final FlyweightType<T> type;
  private final RingProducer<T> producer; // null where there are many

  private RecordRing(FlyweightType<T> type, RingOptions options, Ring ring, NativeMemory memory) {
    super(Sequencer.of(options, true, ring, memory));
    this.type = type;
    this.ring = ring;
    this.producer = options.manyProducers() ? null : new RingProducer<>(this);
  }

  /**
   * Makes a ring.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param options the capacity, who produces, and what happens when it is full
   * @return the ring
   * @throws IllegalArgumentException if the options contradict each other, or the interface does
   *     not describe a record
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <T> RecordRing<T> of(Class<T> type, RingOptions options) {
    return of(FlyweightType.of(type), options);
  }

  /**
   * Makes a ring.
   *
   * @param <T> the view of a record
   * @param type of the records
   * @param options the capacity, who produces, and what happens when it is full
   * @return the ring
   * @throws IllegalArgumentException if the options contradict each other
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <T> RecordRing<T> of(FlyweightType<T> type, RingOptions options) {
    Checks.notNull("type", type);
    Checks.notNull("options", options).check();
    // one producer needs no stamps: the place of the first one lies before the first line, those
    // of the others are part of the records before
    boolean hasStamps = options.manyProducers();
    long stampedBytes = Ring.strideBytes(type.layout().sizeBytes());
    long strideBytes = hasStamps ? stampedBytes : stampedBytes - Ring.STAMP_BYTES;
    long headBytes = hasStamps ? 0 : LINE_BYTES;
    NativeMemory memory = NativeMemory.allocate(headBytes + options.capacity() * strideBytes);
    MemorySegment slots =
        hasStamps ? memory.segment() : memory.segment().asSlice(headBytes - Ring.STAMP_BYTES);
    Ring ring = new Ring(slots, strideBytes, options.capacity() - 1L);
    return new RecordRing<>(type, options, ring, memory);
  }

  /** Makes a view for one end. */
  T newView() {
    return type.newFlyweight(ring.memory());
  }

  // ---- producers ----

  /**
   * The end at which records go in, where one thread at a time produces.
   *
   * @return the producer, the same each time
   * @throws IllegalStateException if the ring was made for many producers
   */
  public RingProducer<T> producer() {
    if (producer == null) {
      throw new IllegalStateException(
          "ring must be made for one producer, or newProducer() be called: " + this);
    }
    return producer;
  }

  /**
   * Makes an end at which records go in, for a thread of its own, where many threads produce.
   *
   * @return a producer
   * @throws IllegalStateException if the ring was made for one producer, or is closed
   */
  public RingProducer<T> newProducer() {
    if (producer != null) {
      throw new IllegalStateException(
          "ring must be made for many producers, or producer() be called: " + this);
    }
    return new RingProducer<>(this);
  }

  // ---- consumers ----

  /**
   * Makes a consumer: one that sees every record, behind the producers, or behind other consumers.
   * Producers wait for it while nobody is behind it.
   *
   * @param strategy how it waits
   * @param upstream the consumers that must be through with a record before; none for the first
   * @return the consumer
   * @throws IllegalArgumentException if one upstream is of another ring
   * @throws IllegalStateException if something was claimed already
   */
  public RingConsumer<T> newConsumer(WaitStrategy strategy, RingConsumer<?>... upstream) {
    return new RingConsumer<>(this, sequencer.newConsumer(strategy, placesOf(upstream)));
  }

  /**
   * Makes consumers that share the work: each record goes to one of them, whichever is free.
   *
   * @param workers how many, at least 1
   * @param strategy how they wait
   * @param upstream the consumers that must be through with a record before; none for the first
   * @return a consumer for each worker; behind one of them is behind all
   * @throws IllegalArgumentException if there is no worker, or one upstream is of another ring
   * @throws IllegalStateException if something was claimed already
   */
  public List<RingConsumer<T>> newSharedConsumers(
      int workers, WaitStrategy strategy, RingConsumer<?>... upstream) {
    return sequencer.newSharedConsumers(workers, strategy, placesOf(upstream)).stream()
        .map(place -> new RingConsumer<>(this, place))
        .toList();
  }

  private static SequenceConsumer[] placesOf(RingConsumer<?>... consumers) {
    return Stream.of(consumers).map(one -> one.place).toArray(SequenceConsumer[]::new);
  }

  @Override
  Batch<T> newBatch() {
    return new Batch<>(ring, newView());
  }

  /** Returns the size of a slot and the sequencer's state. */
  @Override
  public String toString() {
    return "RecordRing[slotBytes=" + ring.strideBytes() + ", " + sequencer + "]";
  }
}

package dev.millrace.disruptor;

import dev.millrace.core.internal.Checks;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * A ring of Java objects that are made once and used again and again: for programs that come from
 * the LMAX Disruptor, and events that are no records of fixed size. What an object refers to stays
 * reachable until its slot is written again.
 *
 * <pre>{@code
 * ObjectRing<Order> ring = ObjectRing.of(RingOptions.multiProducer(1024), Order::new);
 * ring.publish((order, message) -> order.decode(message), message);
 * }</pre>
 *
 * <p><b>Roles, progress, ordering.</b> Those of its {@link Sequencer}; by sequences it is used
 * through that: {@code claim}, {@link #get}, {@code publish}.
 *
 * <p><b>Failure.</b> Full is a value; a closed ring throws {@link IllegalStateException}, whose
 * cause is the failure if a stage of a {@link Pipeline} has failed. A claim whose writer throws is
 * aborted, and the exception goes on to the caller.
 *
 * <p><b>Cost.</b> As the sequencer's; the objects lie wherever the heap has put them. Nothing is
 * allocated after construction.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class ObjectRing<E> extends EventRing<E> {
  private final Object[] events;
  private final int mask;

  private ObjectRing(RingOptions options, Object[] events) {
    super(Sequencer.of(options));
    this.events = events;
    this.mask = options.capacity() - 1;
  }

  /**
   * Makes a ring and all its objects.
   *
   * @param <E> the events
   * @param options the capacity, who produces, and what happens when it is full
   * @param factory makes an object, and is asked as often as the capacity says
   * @return the ring
   * @throws IllegalArgumentException if the options contradict each other
   * @throws NullPointerException if the factory makes no object
   */
  public static <E> ObjectRing<E> of(RingOptions options, Supplier<? extends E> factory) {
    Checks.notNull("options", options).check();
    Checks.notNull("factory", factory);
    Object[] events = new Object[options.capacity()];
    for (int slot = 0; slot < events.length; slot++) {
      events[slot] = Checks.notNull("event", factory.get());
    }
    return new ObjectRing<>(options, events);
  }

  /**
   * The object of a sequence that the caller has claimed or polled.
   *
   * @param sequence the sequence
   * @return the object, the same one every capacity sequences
   */
  @SuppressWarnings("unchecked") // all of them are
  public E get(long sequence) {
    return (E) events[(int) sequence & mask];
  }

  /**
   * Claims, writes and publishes an event; while the ring is full it does what the back-pressure
   * says.
   *
   * @param <A> what is written from
   * @param writer writes the argument into the event; one that captures nothing is made once
   * @param argument handed on to the writer
   * @return false only as the {@linkplain RingOptions#backPressure() back-pressure} says, or if the
   *     ring has a stall limit and consumers passed over the claim
   * @throws IllegalStateException if the ring is or gets closed
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A> boolean publish(BiConsumer<? super E, ? super A> writer, A argument)
      throws InterruptedException {
    Checks.notNull("writer", writer);
    return write(sequencer.claim(1), writer, argument);
  }

  /**
   * Claims, writes and publishes an event, if a slot is free.
   *
   * @param <A> what is written from
   * @param writer writes the argument into the event; one that captures nothing is made once
   * @param argument handed on to the writer
   * @return false if the ring is full, or it has a stall limit and consumers passed over the claim
   * @throws IllegalStateException if the ring is closed
   */
  public <A> boolean tryPublish(BiConsumer<? super E, ? super A> writer, A argument) {
    Checks.notNull("writer", writer);
    return write(sequencer.tryClaim(1), writer, argument);
  }

  private <A> boolean write(long sequence, BiConsumer<? super E, ? super A> writer, A argument) {
    if (sequence < 0) {
      if (sequence == Sequencer.CLOSED) {
        throw closed();
      }
      return false;
    }
    boolean isWritten = false;
    try {
      writer.accept(get(sequence), argument);
      isWritten = true;
    } finally {
      if (!isWritten) {
        sequencer.abort(sequence);
      }
    }
    return sequencer.publish(sequence);
  }

  @Override
  Batch<E> newBatch() {
    return new Batch<>(events);
  }

  /** Returns the sequencer's state. */
  @Override
  public String toString() {
    return "ObjectRing[" + sequencer + "]";
  }
}

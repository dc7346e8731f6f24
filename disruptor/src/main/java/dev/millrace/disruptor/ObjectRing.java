package dev.millrace.disruptor;

import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.flyweight.internal.Checks;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * A ring of preallocated Java objects that are reused. It suits programs that migrate from the LMAX
 * Disruptor, and events that are not fixed-size records. Whatever an object refers to stays
 * reachable until the object's slot is written again.
 *
 * {@snippet file="Examples.java" region="objects"}
 *
 * <p><b>Roles, progress, ordering.</b> These are the same as for the ring's {@link Sequencer}. To
 * work with sequences, use the sequencer directly: {@code claim}, {@link #get}, {@code commit}.
 *
 * <p><b>Failure.</b> Methods return false or a smaller count if the ring is full. A closed ring
 * throws {@link IllegalStateException}. If a stage of a {@link Pipeline} has failed, the
 * exception's cause is that failure. If a writer throws, its claim is aborted and the exception
 * goes to the caller.
 *
 * <p><b>Cost.</b> The ring costs as much as its sequencer. The objects are wherever the heap places
 * them. Nothing is allocated after construction.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class ObjectRing<E> extends EventRing<E> {
  private final Object[] events;

  private ObjectRing(RingOptions options, Object[] events) {
    super(Sequencer.of(options, true, null, null));
    this.events = events;
  }

  /**
   * Makes a ring and all its objects.
   *
   * @param <E> the events
   * @param options the capacity, the number of producers, and what happens when the ring is full
   * @param factory makes an object. It is called once per slot
   * @return the ring
   * @throws IllegalArgumentException if the options contradict each other
   * @throws NullPointerException if the factory returns null
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
   * Returns the object at a sequence that the caller has claimed or polled.
   *
   * @param sequence the sequence
   * @return the object, the same one for all sequences that differ by a multiple of the capacity
   */
  @SuppressWarnings("unchecked") // all of them are Es
  public E get(long sequence) {
    return (E) events[(int) sequence & (events.length - 1)];
  }

  /**
   * Returns the sequencer, for claims by sequence and for consumers outside a pipeline.
   *
   * @return the sequencer
   */
  public Sequencer sequencer() {
    return sequencer;
  }

  /**
   * Claims, writes and publishes an event. While the ring is full, {@link RingOptions#onFull()}
   * determines what happens.
   *
   * @param <A> the type of the argument
   * @param writer writes the argument into the event. A lambda that captures nothing is allocated
   *     only once
   * @param argument passed to the writer
   * @return false only if the ring is full and {@link RingOptions#onFull()} makes the claim give up
   * @throws IllegalStateException if the ring is closed before or during the call, or the claim was
   *     given up because it was open for longer than the stall limit
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A> boolean publish(BiConsumer<? super E, ? super A> writer, A argument)
      throws InterruptedException {
    Checks.notNull("writer", writer);
    return write(sequencer.claim(), ObjectRing::accept, writer, argument, null);
  }

  /**
   * Claims, writes and publishes an event if a slot is free.
   *
   * @param <A> the type of the argument
   * @param writer writes the argument into the event. A lambda that captures nothing is allocated
   *     only once
   * @param argument passed to the writer
   * @return false if the ring is full
   * @throws IllegalStateException if the ring is closed, or the claim was given up because it was
   *     open for longer than the stall limit
   */
  public <A> boolean tryPublish(BiConsumer<? super E, ? super A> writer, A argument) {
    Checks.notNull("writer", writer);
    return write(sequencer.tryClaim(), ObjectRing::accept, writer, argument, null);
  }

  /**
   * Like {@link #publish(BiConsumer, Object)}, with two arguments.
   *
   * @param <A> the type of the argument
   * @param <B> the type of the second argument
   * @param writer writes the arguments into the event, such as {@code (order, id, price, _) ->
   *     ...}. Its last argument is null
   * @param a passed to the writer
   * @param b passed to the writer
   * @return false only if the ring is full and {@link RingOptions#onFull()} makes the claim give up
   * @throws IllegalStateException as for {@link #publish(BiConsumer, Object)}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A, B> boolean publish(
      EventWriter<? super E, ? super A, ? super B, ? super Object> writer, A a, B b)
      throws InterruptedException {
    return publish(writer, a, b, null);
  }

  /**
   * Like {@link #publish(BiConsumer, Object)}, with three arguments.
   *
   * @param <A> the type of the argument
   * @param <B> the type of the second argument
   * @param <C> the type of the third argument
   * @param writer writes the arguments into the event. A lambda that captures nothing is allocated
   *     only once
   * @param a passed to the writer
   * @param b passed to the writer
   * @param c passed to the writer
   * @return false only if the ring is full and {@link RingOptions#onFull()} makes the claim give up
   * @throws IllegalStateException if the ring is closed before or during the call, or the claim was
   *     given up because it was open for longer than the stall limit
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A, B, C> boolean publish(
      EventWriter<? super E, ? super A, ? super B, ? super C> writer, A a, B b, C c)
      throws InterruptedException {
    Checks.notNull("writer", writer);
    return write(sequencer.claim(), writer, a, b, c);
  }

  /**
   * Publishes one event per argument, in batches. The events of a batch become visible together.
   * While the ring is full, {@link RingOptions#onFull()} determines what happens.
   *
   * @param <A> the type of the argument
   * @param writer writes an argument into an event; if it throws, the current batch is aborted
   * @param arguments passed to the writer one by one, in batches of up to a quarter of the ring
   * @return how many were published; fewer than all only if the ring is full and {@link
   *     RingOptions#onFull()} makes claims give up
   * @throws IllegalStateException as for {@link #publish(BiConsumer, Object)}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A> int publishAll(BiConsumer<? super E, ? super A> writer, List<? extends A> arguments)
      throws InterruptedException {
    Checks.notNull("writer", writer);
    int largest = Math.clamp(capacity() / 4, 1, Stamps.MAX_COUNT);
    int size = Checks.notNull("arguments", arguments).size();
    int done = 0;
    while (done < size) {
      int count = Math.min(largest, size - done);
      long first = sequencer.claim(count);
      if (!isClaimed(first)) {
        break;
      }
      try {
        for (int i = 0; i < count; i++) {
          writer.accept(get(first + i), arguments.get(done + i));
        }
      } catch (Throwable e) {
        sequencer.abort(first, count);
        throw e;
      }
      sequencer.commit(first, count);
      done += count;
    }
    return done;
  }

  /**
   * Adapts a writer and its argument to an {@link EventWriter}. A lambda would have to capture
   * them.
   */
  private static <E, A> void accept(
      E event, BiConsumer<? super E, ? super A> writer, A argument, Object none) {
    writer.accept(event, argument);
  }

  private <A, B, C> boolean write(
      long sequence,
      EventWriter<? super E, ? super A, ? super B, ? super C> writer,
      A a,
      B b,
      C c) {
    if (!isClaimed(sequence)) {
      return false;
    }
    try {
      writer.write(get(sequence), a, b, c);
    } catch (Throwable e) {
      sequencer.abort(sequence);
      throw e;
    }
    sequencer.commit(sequence);
    return true;
  }

  private boolean isClaimed(long sequence) {
    if (sequence == Sequencer.CLOSED) {
      throw closed();
    }
    return sequence >= 0;
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

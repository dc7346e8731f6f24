package dev.millrace.disruptor;

import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.flyweight.internal.Checks;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A ring of preallocated Java objects that are reused. An object ring suits programs that migrate
 * from the LMAX Disruptor, and events that are not fixed-size records. Whatever an object refers to
 * stays reachable until a later event overwrites the reference.
 *
 * {@snippet file="Examples.java" region="objects"}
 *
 * <p><b>Roles, progress, ordering.</b> The rules of the ring's {@link Sequencer} apply. To work
 * with sequences, call the sequencer's {@code claim}, then {@link #get}, and then the sequencer's
 * {@code commit}.
 *
 * <p><b>Failure.</b> If a call finds the ring full and does not wait, the call returns false, or in
 * the case of {@link #publishAll} the number of events that it has published. If the ring is
 * completed or closed, publishing throws {@link IllegalStateException}. If the ring is closed
 * because a stage of a {@link Pipeline} has failed, the exception's cause is the failure. If a
 * writer throws an exception, the ring aborts the claim and passes the exception on to the caller.
 *
 * <p><b>Cost.</b> Publishing costs as much as the sequencer's claim and commit. The objects lie
 * wherever the JVM places them on the heap. After construction, the ring allocates no more than its
 * sequencer does.
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
   * @param factory makes an object. The ring calls the factory once for each slot
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
   * Claims a slot, writes its event and publishes it. While the ring is full, {@link
   * RingOptions#onFull()} determines what happens.
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
  public <A extends @Nullable Object> boolean publish(
      BiConsumer<? super E, ? super A> writer, A argument) throws InterruptedException {
    Checks.notNull("writer", writer);
    return write(sequencer.claim(), ObjectRing::accept, writer, argument, null);
  }

  /**
   * If a slot is free, claims it, writes its event and publishes it.
   *
   * @param <A> the type of the argument
   * @param writer writes the argument into the event. A lambda that captures nothing is allocated
   *     only once
   * @param argument passed to the writer
   * @return false if the ring is full
   * @throws IllegalStateException if the ring is closed, or the claim was given up because it was
   *     open for longer than the stall limit
   */
  public <A extends @Nullable Object> boolean tryPublish(
      BiConsumer<? super E, ? super A> writer, A argument) {
    Checks.notNull("writer", writer);
    return write(sequencer.tryClaim(), ObjectRing::accept, writer, argument, null);
  }

  /**
   * Does the same as {@link #publish(BiConsumer, Object)}, with two arguments.
   *
   * @param <A> the type of the first argument
   * @param <B> the type of the second argument
   * @param writer writes the arguments into the event, for example {@code (order, id, price, _) ->
   *     ...}. The writer's last argument is null
   * @param a passed to the writer
   * @param b passed to the writer
   * @return false only if the ring is full and {@link RingOptions#onFull()} makes the claim give up
   * @throws IllegalStateException as for {@link #publish(BiConsumer, Object)}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A extends @Nullable Object, B extends @Nullable Object> boolean publish(
      EventWriter<? super E, ? super A, ? super B, ? super @Nullable Object> writer, A a, B b)
      throws InterruptedException {
    return publish(writer, a, b, null);
  }

  /**
   * Does the same as {@link #publish(BiConsumer, Object)}, with three arguments.
   *
   * @param <A> the type of the first argument
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
  public <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
      boolean publish(EventWriter<? super E, ? super A, ? super B, ? super C> writer, A a, B b, C c)
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
   * @return how many events were published, which is fewer than there are arguments only if the
   *     ring is full and {@link RingOptions#onFull()} makes a claim give up
   * @throws IllegalStateException as for {@link #publish(BiConsumer, Object)}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A extends @Nullable Object> int publishAll(
      BiConsumer<? super E, ? super A> writer, List<? extends A> arguments)
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
  private static <E, A extends @Nullable Object> void accept(
      E event, BiConsumer<? super E, ? super A> writer, A argument, @Nullable Object none) {
    writer.accept(event, argument);
  }

  private <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object>
      boolean write(
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

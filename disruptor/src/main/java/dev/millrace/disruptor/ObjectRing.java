package dev.millrace.disruptor;

import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Stamps;
import java.util.List;
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
 * through that: {@code claim}, {@link #get}, {@code commit}.
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

  private ObjectRing(RingOptions options, Object[] events) {
    super(Sequencer.of(options, true, null, null));
    this.events = events;
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
    return (E) events[(int) sequence & (events.length - 1)];
  }

  /**
   * What numbers the events: for consumers by hand, and claims by sequence.
   *
   * @return the sequencer
   */
  public Sequencer sequencer() {
    return sequencer;
  }

  /**
   * Claims, writes and publishes an event; while the ring is full it does what {@link
   * RingOptions#onFull()} says.
   *
   * @param <A> what is written from
   * @param writer writes the argument into the event; one that captures nothing is made once
   * @param argument handed on to the writer
   * @return false only as {@link RingOptions#onFull()} says
   * @throws IllegalStateException if the ring is or gets closed, or the claim was given up since it
   *     was open for longer than the stall limit
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A> boolean publish(BiConsumer<? super E, ? super A> writer, A argument)
      throws InterruptedException {
    Checks.notNull("writer", writer);
    return write(sequencer.claim(), ObjectRing::accept, writer, argument, null);
  }

  /**
   * Claims, writes and publishes an event, if a slot is free.
   *
   * @param <A> what is written from
   * @param writer writes the argument into the event; one that captures nothing is made once
   * @param argument handed on to the writer
   * @return false if the ring is full
   * @throws IllegalStateException if the ring is closed, or the claim was given up since it was
   *     open for longer than the stall limit
   */
  public <A> boolean tryPublish(BiConsumer<? super E, ? super A> writer, A argument) {
    Checks.notNull("writer", writer);
    return write(sequencer.tryClaim(), ObjectRing::accept, writer, argument, null);
  }

  /**
   * The same as {@link #publish(BiConsumer, Object)} with two arguments.
   *
   * @param <A> what is written from
   * @param <B> what is written from besides
   * @param writer writes the arguments into the event, such as {@code (order, id, price, _) ->
   *     ...}; its last argument is null
   * @param a handed on to the writer
   * @param b handed on to the writer
   * @return false only as {@link RingOptions#onFull()} says
   * @throws IllegalStateException as {@link #publish(BiConsumer, Object)}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A, B> boolean publish(
      EventWriter<? super E, ? super A, ? super B, ? super Object> writer, A a, B b)
      throws InterruptedException {
    return publish(writer, a, b, null);
  }

  /**
   * The same as {@link #publish(BiConsumer, Object)} with three arguments.
   *
   * @param <A> what is written from
   * @param <B> what is written from besides
   * @param <C> what is written from besides
   * @param writer writes the arguments into the event; one that captures nothing is made once
   * @param a handed on to the writer
   * @param b handed on to the writer
   * @param c handed on to the writer
   * @return false only as {@link RingOptions#onFull()} says
   * @throws IllegalStateException if the ring is or gets closed, or the claim was given up since it
   *     was open for longer than the stall limit
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public <A, B, C> boolean publish(
      EventWriter<? super E, ? super A, ? super B, ? super C> writer, A a, B b, C c)
      throws InterruptedException {
    Checks.notNull("writer", writer);
    return write(sequencer.claim(), writer, a, b, c);
  }

  /**
   * Publishes an event for each argument, in batches: those of a batch become visible together.
   * While the ring is full it does what {@link RingOptions#onFull()} says.
   *
   * @param <A> what is written from
   * @param writer writes an argument into an event; if it throws, the batch in hand is aborted
   * @param arguments handed on to the writer one by one; the batches are of up to a quarter of the
   *     ring
   * @return how many were published: less than all only as {@link RingOptions#onFull()} says
   * @throws IllegalStateException as {@link #publish(BiConsumer, Object)}
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

  /** An {@link EventWriter} of a writer and its argument, since a lambda would capture them. */
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

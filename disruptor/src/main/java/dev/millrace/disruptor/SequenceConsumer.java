package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.Gate;
import dev.millrace.core.internal.ring.SharedClaims;
import dev.millrace.disruptor.ConsumerGraph.Group;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of a {@link Sequencer}'s sequences. A consumer gets an event once a producer has
 * published the event and all upstream consumers have released it. {@link Sequencer#newConsumer}
 * makes a consumer that sees every event. {@link Sequencer#newSharedConsumers} makes several
 * consumers that share events.
 *
 * <p>A consumer <i>polls</i> a run of sequences, handles their events, and <i>releases</i> them. A
 * consumer releases sequences to the consumers after it, and the last consumer releases them to the
 * producers. The terms are the same as in {@link dev.millrace.core.Consumer}. A {@link
 * RingConsumer} also hands out views of the records.
 *
 * <p><b>Roles.</b> Only one thread at a time may poll and release. Any thread may read the progress
 * of a consumer from {@link #toString}.
 *
 * <p><b>Progress.</b> If a consumer sees every event, {@code tryPoll} is wait-free. If consumers
 * share events, {@code tryPoll} is lock-free: it repeats an attempt only if another consumer has
 * taken events. A consumer that stops with events in hand holds up the consumers after it, and
 * eventually the producers.
 *
 * <p><b>Ordering.</b> A consumer gets events in the order of their sequences, even if it sees only
 * its share of them. Everything that the producer and the upstream consumers did with an event
 * happens-before everything that this consumer does after it has polled the event. Everything that
 * this consumer did before it released the event happens-before everything that the consumers after
 * it do with the event, and everything that a producer does after it has claimed the event's slot
 * again. A consumer skips events that were aborted or given up.
 *
 * <p><b>Failure.</b> A poll returns 0 if there is no event, and {@link #isDrained} reports the end.
 * A poll while another poll is open throws {@link IllegalStateException}, as does a release while
 * no poll is open. A call that throws this exception changes nothing.
 *
 * <p><b>Cost.</b> Polling and releasing a run takes O(1) time, plus one read for each upstream
 * consumer. With many producers, each event takes one read of its stamp. Polling and releasing
 * allocate nothing.
 *
 * @since 0.1.0
 */
public abstract sealed class SequenceConsumer permits SoleConsumer, SharedConsumer {
  final Sequencer sequencer;
  final Group group;
  final Role consumer = new Role("a consumer's place allows one thread at a time");

  /**
   * The events in hand, from next to end. If both are equal, no event is in hand. The limit is how
   * far the consumer may go.
   */
  final Cursor own = new Cursor();

  private final Sequence[] upstream;
  // null with one producer: every published slot is an event
  private final @Nullable SharedClaims claims;
  private final long runMask;

  private final WaitPlace waitPlace;
  private @Nullable Thread holder; // of the events in hand; used only by assertions
  private int wanted; // limit of a poll that waits
  private final Waiters.Attempt again = () -> tryPoll(wanted) > 0 || isDrained();

  SequenceConsumer(Sequencer sequencer, Group group) {
    this.sequencer = sequencer;
    this.claims = sequencer.claims;
    this.runMask = sequencer.runMask;
    this.upstream = Group.progressOf(group.upstream);
    this.group = group;
    this.waitPlace = new WaitPlace(group.waiters);
  }

  /**
   * Takes the next events, up to a limit, without waiting. If any events are available, the method
   * takes at least one of them. Even if the method takes fewer events than the limit, more may be
   * available.
   *
   * @param limit the most events to take, at least 1
   * @return how many events were taken, or 0 if there was none
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if the previous poll is not released
   */
  public final int tryPoll(int limit) {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    if (own.end() != own.next()) {
      throw new IllegalStateException("a poll is already open, release it first: " + this);
    }
    int count = sequencer.isStopped() ? 0 : take(limit);
    assert consumer.end(call);
    assert count == 0 || isHeldFromNowOnBy(Thread.currentThread());
    return count;
  }

  /** Takes the next events, up to {@code limit}, if there are any. Returns how many were taken. */
  abstract int take(int limit);

  /**
   * Takes the next events, up to a limit. While there are no events, the method waits.
   *
   * @param limit the most events to take, at least 1
   * @return how many events were taken, or 0 if no more events will come: see {@link #isDrained}
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if the previous poll is not released
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public final int poll(int limit) throws InterruptedException {
    return poll(limit, WaitStrategy.FOREVER);
  }

  /**
   * Takes the next events, up to a limit. While there are no events, the method waits for at most
   * the given time.
   *
   * @param limit the most events to take, at least 1
   * @param timeout how long to wait; zero or less tries once
   * @return how many events were taken, or 0 if none came in time or no more events will come
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if the previous poll is not released
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public final int poll(int limit, Duration timeout) throws InterruptedException {
    return poll(limit, Checks.nanos("timeout", timeout));
  }

  final int poll(int limit, long nanos) throws InterruptedException {
    int count = tryPoll(limit);
    return count > 0 ? count : await(limit, nanos);
  }

  /**
   * Takes the next events after an attempt that found none, waiting for up to {@code nanos} while
   * there is none.
   */
  final int await(int limit, long nanos) throws InterruptedException {
    wanted = limit;
    boolean _ = group.waiters.await(waitPlace, again, nanos);
    return (int) (own.end() - own.next());
  }

  /**
   * Returns whether no more events will come. The method returns true once the sequencer is closed,
   * or once the producers have completed and everything is consumed. If the last slots hold no
   * event, a poll must pass them before they count as consumed.
   *
   * @return whether the consumer can stop
   */
  public final boolean isDrained() {
    return sequencer.isStopped() || sequencer.isEnd(taken());
  }

  /** Returns the end of the events that this consumer or its group has taken. */
  abstract long taken();

  /**
   * Returns the sequence of the first event of the open poll. Between a release and the next poll,
   * the method returns the consumer's position. Only the consumer's own thread may call this
   * method.
   *
   * @return the sequence
   */
  public final long sequence() {
    return own.next();
  }

  /**
   * Releases the events that were polled.
   *
   * @throws IllegalStateException if no poll is open
   */
  public final void release() {
    long end = own.end();
    if (end <= own.next()) {
      throw new IllegalStateException("nothing to release: no open poll, " + this);
    }
    free(end);
  }

  /** Releases all events before the sequence {@code end}. */
  final void free(long end) {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    own.next(end);
    assert isHeldFromNowOnBy(null);
    publishRelease(end);
    assert consumer.end(call);
    signalBehind();
  }

  private boolean isHeldFromNowOnBy(@Nullable Thread thread) {
    holder = thread;
    return true;
  }

  /**
   * Returns whether the calling thread has events in hand. Returns false unless assertions are
   * enabled.
   */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  final boolean isHeldByCaller() {
    return holder == Thread.currentThread(); // a thread sees its own entry, or a different thread
  }

  /**
   * Publishes to the producers and to the consumers after this one that everything before {@code
   * end} is released.
   */
  abstract void publishRelease(long end);

  /**
   * Returns the result of {@link SharedClaims#ready} for {@code sequence}, limited to what upstream
   * has released and, in a ring, to what is contiguous.
   */
  final int ready(long sequence, int limit) {
    long end = own.limit();
    if (end - sequence < limit) {
      end = reach();
      own.limit(end);
    }
    long contiguous = (~sequence & runMask) + 1;
    int most = (int) Math.min(Math.min(limit, contiguous), end - sequence);
    if (most <= 0) {
      return 0;
    }
    return claims == null ? most : claims.ready(sequence, most);
  }

  private long reach() {
    return upstream.length == 0 ? sequencer.reach() : Gate.slowest(upstream);
  }

  /** Wakes the waiters that park until this consumer releases events. */
  final void signalBehind() {
    for (Waiters parked : group.parkedBehind) {
      parked.signal();
    }
  }

  /** Returns the end of what this consumer's group has released. Any thread may call it. */
  final long progress() {
    return Gate.slowest(group.progress);
  }

  /** Returns how far this consumer could have advanced. Any thread may call it. */
  final long source() {
    return upstream.length == 0 ? sequencer.claimedEnd() : Gate.slowest(upstream);
  }

  /** Returns whether this consumer has events in hand. Any thread may call it. */
  abstract boolean isAtWork();

  /**
   * Returns the sequence up to which events are released, and the sequence up to which this
   * consumer could have advanced.
   */
  @Override
  public final String toString() {
    int members = group.members.size();
    return "SequenceConsumer[consumed=%d, source=%d%s]"
        .formatted(progress(), source(), members == 1 ? "" : ", one of " + members);
  }
}

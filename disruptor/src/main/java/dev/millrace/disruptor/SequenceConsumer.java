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

/**
 * A consumer of a {@link Sequencer}'s sequences: it may handle them once they are published and the
 * consumers before it have released them. {@link Sequencer#newConsumer} makes one that sees every
 * event, {@link Sequencer#newSharedConsumers} several that share them.
 *
 * <p>A consumer <i>polls</i> a run of sequences, handles their events, and <i>releases</i> them to
 * the consumers after it or, if there are none, to the producers. The terms are those of {@link
 * dev.millrace.core.Consumer}; the consumer of a {@link RecordRing} also hands out views.
 *
 * <p><b>Roles.</b> One thread at a time polls and releases. Any thread may read its progress from
 * {@link #toString}.
 *
 * <p><b>Progress.</b> {@code tryPoll} is wait-free or, where consumers share events, lock-free: it
 * is retried only when another consumer has taken some. A consumer that stops with events in hand
 * holds up those after it, and eventually the producers.
 *
 * <p><b>Ordering.</b> Events come in the order of their sequences; where consumers share them, each
 * gets its own in that order. What the producer and the consumers before did with an event happens
 * before the return from the poll; what this consumer did before release happens before what others
 * do with the events afterwards. Aborted and given-up events are skipped.
 *
 * <p><b>Failure.</b> No event is a value; {@link #isDrained} reports the end. A release without a
 * poll, and a poll before the release of the previous one, throw {@link IllegalStateException} and
 * change nothing.
 *
 * <p><b>Cost.</b> O(1) per run, plus one read per consumer before it; with many producers, one read
 * of each event's stamp. Nothing is allocated.
 *
 * @since 0.1.0
 */
public abstract sealed class SequenceConsumer permits SoleConsumer, SharedConsumer {
  final Sequencer sequencer;
  final Group group;
  final Role consumer = new Role("a consumer's place allows one thread at a time");

  /**
   * The events in hand, from next to end; none if they are equal. The limit is how far it may go.
   */
  final Cursor own = new Cursor();

  private final Sequence[] upstream;
  private final SharedClaims claims; // null with one producer: every published slot is an event
  private final long runMask;

  private final WaitPlace waitPlace;
  private Thread holder; // of the events in hand; noted for assertions alone
  private int wanted; // by a poll that waits
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
   * Takes the next events, up to a limit, without waiting: at least one if there is one. Fewer than
   * the limit does not mean that there are no more.
   *
   * @param limit the most events to take, at least 1
   * @return how many, 0 if there is none
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

  /** Takes the next events in hand, up to a limit, if there are any; returns how many. */
  abstract int take(int limit);

  /**
   * Takes the next events, up to a limit; waits while there is none.
   *
   * @param limit the most events to take, at least 1
   * @return how many, 0 when no more events will come: see {@link #isDrained}
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if the previous poll is not released
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public final int poll(int limit) throws InterruptedException {
    return poll(limit, WaitStrategy.FOREVER);
  }

  /**
   * Takes the next events, up to a limit; waits while there is none, up to a time limit.
   *
   * @param limit the most events to take, at least 1
   * @param timeout how long to wait; zero or less tries once
   * @return how many, 0 when there is still none, or no more events will come
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

  /** The same after an attempt that found nothing. */
  final int await(int limit, long nanos) throws InterruptedException {
    wanted = limit;
    boolean _ = group.waiters.await(waitPlace, again, nanos);
    return (int) (own.end() - own.next());
  }

  /**
   * Whether no more events will come: the producers have completed and everything is consumed, or
   * the sequencer is closed. Slots at the end that hold no event count as consumed only after a
   * poll has passed them.
   *
   * @return whether the consumer can stop
   */
  public final boolean isDrained() {
    return sequencer.isStopped() || sequencer.isEnd(taken());
  }

  /** The end of the events that this consumer, or its group, has taken. */
  abstract long taken();

  /**
   * The sequence of the first event of the open poll; between release and poll, the consumer's
   * position.
   *
   * @return the sequence, for the consumer's own thread
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

  /** Releases all before a sequence. */
  final void free(long end) {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    own.next(end);
    assert isHeldFromNowOnBy(null);
    publishRelease(end);
    assert consumer.end(call);
    signalBehind();
  }

  private boolean isHeldFromNowOnBy(Thread thread) {
    holder = thread;
    return true;
  }

  /** Whether the calling thread has events in hand; false unless assertions are enabled. */
  @SuppressWarnings("ReferenceEquality") // threads are what they are
  final boolean isHeldByCaller() {
    return holder == Thread.currentThread(); // a thread sees its own entry, or not itself
  }

  /**
   * Shows the consumers after it and the producers that everything before a sequence is released.
   */
  abstract void publishRelease(long end);

  /**
   * The result of {@link SharedClaims#ready} for a sequence, limited to what upstream has released
   * and, in a ring, to what is contiguous.
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

  /** Wakes the parked waiters for a release. */
  final void signalBehind() {
    for (Waiters parked : group.parkedBehind) {
      parked.signal();
    }
  }

  /** The end of what its group has released; for any thread. */
  final long progress() {
    return Gate.slowest(group.progress);
  }

  /** How far it could be; for any thread. */
  final long source() {
    return upstream.length == 0 ? sequencer.claimedEnd() : Gate.slowest(upstream);
  }

  /** Whether it has events in hand; for any thread. */
  abstract boolean isAtWork();

  /** Returns the sequence up to which events are released, and how far it could be. */
  @Override
  public final String toString() {
    int members = group.members.size();
    return "SequenceConsumer[consumed=%d, source=%d%s]"
        .formatted(progress(), source(), members == 1 ? "" : ", one of " + members);
  }
}

package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.Waiters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A consumer's place in a ring: which events it may handle, once they are published and the
 * consumers before it are through with them. Made by {@link Sequencer#newBarrier} for a consumer
 * that sees every event, or by {@link Sequencer#newSharedBarriers} for those that share them.
 *
 * <p>A consumer <i>polls</i> a run of events, handles them, and <i>releases</i> them: to the
 * consumers behind it, or where there are none to the producers.
 *
 * <p><b>Roles.</b> One thread at a time polls and releases: the consumer. Any thread may ask how
 * far it is.
 *
 * <p><b>Progress.</b> A try is wait-free, but where consumers share events lock-free: it is
 * repeated only when another has taken some. A consumer that stops with events in hand holds up
 * those behind it, and in the end the producers.
 *
 * <p><b>Ordering.</b> Events come in the order of their sequences; where consumers share them, to
 * each of them so. What the producer and the consumers before did with an event happens before the
 * poll's return; what this consumer did before release happens before what others do with the
 * events after. Aborted events and those given up are passed over.
 *
 * <p><b>Failure.</b> No event is a value; so is the end. A release without a poll and a poll before
 * the release throw {@link IllegalStateException} and change nothing.
 *
 * <p><b>Cost.</b> O(1) per run, plus a look at each consumer before it; with many producers a look
 * at each event's stamp. Nothing is allocated.
 *
 * @since 0.1.0
 */
public abstract sealed class Barrier permits SoleBarrier, SharedBarrier {
  final Sequencer sequencer;
  final Group group;
  final Role consumer = new Role("a barrier allows one consumer at a time");
  private final Sequence[] upstream;

  /** The consumer's: what it last saw of how far it may go. */
  private final Sequence bound = new Sequence();

  /** Consumers that share their events, or one alone; and who waits for their release. */
  static final class Group {
    final Waiters waiters;
    final Sequence[] progress;
    final List<Barrier> members = new ArrayList<>();
    Waiters[] parkedBehind = {};
    boolean hasFollowers;

    Group(Waiters waiters, Sequence... progress) {
      this.waiters = waiters;
      this.progress = progress;
    }
  }

  Barrier(Sequencer sequencer, Sequence[] upstream, Group group) {
    this.sequencer = sequencer;
    this.upstream = upstream;
    this.group = group;
  }

  /**
   * Takes the next events, up to a limit, without waiting: at least one if there is one. Fewer than
   * the limit does not mean that there are no more.
   *
   * @param limit how many at the most, at least 1
   * @return how many, 0 if there is none, {@link Sequencer#CLOSED} if there will be none
   * @throws IllegalArgumentException if the limit is below 1
   * @throws IllegalStateException if what was polled before is not released
   */
  public abstract int tryPoll(int limit);

  /**
   * Takes the next events, up to a limit, and waits for one as the consumer's strategy says.
   *
   * @param limit how many at the most, at least 1
   * @return how many, 0 only if the strategy's time limit passed, {@link Sequencer#CLOSED} if there
   *     will be none
   * @throws IllegalArgumentException if the limit is below 1
   * @throws IllegalStateException if what was polled before is not released
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final int poll(int limit) throws InterruptedException {
    int count = tryPoll(limit);
    return count == 0 ? await(limit, group.waiters.strategy().timeLimitNanos()) : count;
  }

  /**
   * Takes the next events, up to a limit, and waits for one no longer than the given time.
   *
   * @param limit how many at the most, at least 1
   * @param timeout how long to wait, instead of the strategy's limit
   * @param unit the timeout's unit
   * @return how many, 0 only if the time passed, {@link Sequencer#CLOSED} if there will be none
   * @throws IllegalArgumentException if the limit is below 1
   * @throws IllegalStateException if what was polled before is not released
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final int poll(int limit, long timeout, TimeUnit unit) throws InterruptedException {
    Checks.notNull("unit", unit);
    int count = tryPoll(limit);
    return count == 0 ? await(limit, unit.toNanos(timeout)) : count;
  }

  private int await(int limit, long limitNanos) throws InterruptedException {
    Waiters waiters = group.waiters;
    long deadline = Waiters.deadline(limitNanos);
    long step = 0;
    try {
      while (true) {
        int count = tryPoll(limit);
        if (count != 0) {
          return count;
        }
        step = waiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          return 0;
        }
      }
    } finally {
      waiters.leave(step);
    }
  }

  /**
   * The first of the events that were polled; between release and poll, where the consumer is.
   *
   * @return the sequence, for the consumer
   */
  public abstract long sequence();

  /**
   * Releases the events that were polled.
   *
   * @throws IllegalStateException if none are
   */
  public abstract void release();

  /** What {@link Sequencer#ready} says of a sequence, within what upstream is through with. */
  final int ready(long sequence, int limit) {
    long end = bound.getPlain(); // plain: only the consumer uses it
    if (end - sequence < limit) {
      end = reach();
      bound.setPlain(end); // plain: only the consumer uses it
    }
    int most = (int) Math.min(limit, end - sequence);
    return most <= 0 ? 0 : sequencer.ready(sequence, most);
  }

  private long reach() {
    return upstream.length == 0 ? sequencer.reach() : Gate.slowest(upstream);
  }

  /** Wakes those who wait for a release, whose strategies park. */
  final void signalBehind() {
    for (Waiters parked : group.parkedBehind) {
      parked.signal();
    }
    if (sequencer.signalsProducers && !group.hasFollowers) {
      sequencer.producers.signal();
    }
  }

  /** Whether somebody behind may park. */
  final boolean needSignals() {
    return group.parkedBehind.length != 0 || (sequencer.signalsProducers && !group.hasFollowers);
  }

  static void checkLimit(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
  }

  final IllegalStateException notReleased() {
    return new IllegalStateException("poll must be released before the next: " + this);
  }

  final IllegalStateException nonePolled() {
    return new IllegalStateException("poll must be open: none is, " + this);
  }

  /** Up to where it is released, or where it works, as seen by any thread. */
  final long progress() {
    return Gate.slowest(group.progress);
  }

  /** Up to where it could be, as seen by any thread. */
  final long source() {
    return upstream.length == 0 ? sequencer.claimedEnd() : Gate.slowest(upstream);
  }

  /** Whether it has events in hand, as seen by any thread. */
  abstract boolean isAtWork();

  /** Returns the sequence up to which events are released, and how far it could be. */
  @Override
  public final String toString() {
    return "Barrier[consumed="
        + progress()
        + ", source="
        + source()
        + (group.members.size() == 1 ? "]" : ", one of " + group.members.size() + "]");
  }
}

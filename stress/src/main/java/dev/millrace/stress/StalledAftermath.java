package dev.millrace.stress;

import static dev.millrace.stress.QueueRound.check;

import dev.millrace.core.Producer;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.trial.AnyQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What one thread finds in the queue of a {@link StalledRound} when the others are through. */
final class StalledAftermath {
  private static final int MOST_LEFT_TO_HOLD = 256;
  private static final int NONE_LEFT = -1;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final StalledRound round;
  private final AnyQueue<?> queue;
  private final List<StoppedClaim> held = new ArrayList<>(); // claims that no one ends
  private final int heldSlots;
  private final Producer<? extends Item> in;
  private final SoakConsumer<?> out;

  /** Takes a round's queue over: this thread is its last producer, and one more consumer. */
  StalledAftermath(StalledRound round) {
    this.round = round;
    this.queue = round.ends.queue;
    held.addAll(round.stoppedForGood);
    this.heldSlots = held.stream().mapToInt(StoppedClaim::slotsOutOfUse).sum();
    this.in = round.newLastEnd(round.producers.getLast().sent());
    this.out = round.newConsumer(300);
  }

  /**
   * Looks; throws an {@link AssertionError} if anything is not as it must be.
   *
   * @param memory the queue's
   */
  Counts call(MemorySegment memory) throws InterruptedException {
    int capacity = queue.capacity();
    for (int i = 0; i < 3 * capacity; i++) { // those who came back are in use after a lap
      put();
      take();
    }
    int left = capacity - heldSlots;
    fill(left);
    if (left <= MOST_LEFT_TO_HOLD) {
      holdRest(left);
    }
    queue.complete();
    check(!out.tryTake() && out.isDrained(), "queue must be at its end", queue);
    Counts counts =
        FifoSpec.balance(
            round.producers.stream().map(SoakProducer::sent).toList(),
            Stream.concat(round.consumers.stream(), Stream.of(out))
                .map(SoakConsumer::received)
                .toList());
    QueueRound.checkEnd(queue, memory);
    checkLateness();
    return counts
        .add("slots for good", heldSlots)
        .add("late", left <= MOST_LEFT_TO_HOLD ? 1 : 0)
        .add("none left", left <= MOST_LEFT_TO_HOLD ? 1 : 0);
  }

  private void put() {
    check(in.tryClaim() != null, "slot must be free", queue);
    round.producers.getLast().writeAndCommit(in);
  }

  private void take() {
    check(out.tryTake(), "record must be there", queue);
  }

  /** As many records as slots are left must fit, not one more, and all come out again. */
  private void fill(int left) {
    for (int i = 0; i < left; i++) {
      put();
    }
    check(in.tryClaim() == null, "queue must be full", queue);
    for (int i = 0; i < left; i++) {
      take();
    }
    check(!out.tryTake(), "queue must be empty", queue);
  }

  /** Stops until no slot is left, which claims must say; then one comes back. */
  private void holdRest(int left) throws InterruptedException {
    for (int i = 0; i < left; i++) {
      Producer<? extends Item> claim = round.newLastEnd(round.newUnsent());
      check(claim.tryClaim() != null, "slot must be free", queue);
      held.add(new StoppedClaim.Marked(claim, 1));
    }
    long begin = System.nanoTime();
    for (int count = claim(); count != NONE_LEFT; count = claim()) { // until the last is given up
      check(count == 0, "slot must not be free", queue);
      check(!out.tryTake(), "record must not be there", queue);
      check(System.nanoTime() - begin < PATIENCE_NANOS, "claims must be given up", queue);
      Thread.sleep(0, (int) Math.min(999_999, round.limitNanos / 32));
    }
    held.removeLast().comeBack(true);
    int tries = 0;
    while (claim() <= 0) { // takes the slot back only when it comes by
      check(++tries <= 3 && !out.tryTake(), "slot must be in use again", queue);
    }
    round.producers.getLast().writeAndCommit(in);
    take();
  }

  /** Claims a slot, if there is one; {@link #NONE_LEFT} if producers that stopped hold all. */
  private int claim() {
    try {
      return in.tryClaim() == null ? 0 : 1;
    } catch (IllegalStateException e) {
      if (!SoakProducer.isNoRowLeft(e)) {
        throw e;
      }
      return NONE_LEFT;
    }
  }

  /** Producers that come back when the memory is freed get an exception, unless they abort. */
  private void checkLateness() {
    boolean commits = false;
    for (StoppedClaim claim : held) {
      commits = !commits;
      try {
        claim.goOn(commits);
      } catch (IllegalStateException e) {
        continue;
      }
      if (commits || !(claim instanceof StoppedClaim.Marked)) {
        throw new AssertionError("claim must not end in freed memory: " + claim);
      }
    }
  }
}

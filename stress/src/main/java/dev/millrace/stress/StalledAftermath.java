package dev.millrace.stress;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.AnyQueue;
import java.util.ArrayList;
import java.util.List;

/** What one thread finds in the queue of a {@link StalledSoak} when the others are through. */
final class StalledAftermath {
  private static final int MOST_LEFT_TO_HOLD = 256;

  private final AnyQueue<Entry> queue;
  private final int capacity;
  private final long limitNanos;
  private final StalledClaims claims;
  private final List<SoakProducer> producers;
  private final List<SoakConsumer> consumers;
  private final Ledger.Put put;
  private final Ledger.Taken taken;
  private final Producer<Entry> in;
  private final Consumer<Entry> out;

  /**
   * Takes a soak's queue over.
   *
   * @param claims what has become of the claims that were left open
   * @param producers the last of them is this thread, as is a consumer more than those given
   */
  StalledAftermath(
      AnyQueue<Entry> queue,
      long limitNanos,
      StalledClaims claims,
      List<SoakProducer> producers,
      List<SoakConsumer> consumers) {
    this.queue = queue;
    this.capacity = queue.capacity();
    this.limitNanos = limitNanos;
    this.claims = claims;
    this.producers = producers;
    this.consumers = consumers;
    this.put = producers.getLast().put();
    this.taken = new Ledger.Taken(producers.size());
    this.in = queue.newProducer();
    this.out = queue.newConsumer();
  }

  /**
   * Looks; throws an {@link AssertionError} if anything is not as it must be.
   *
   * @param begin when the soak has begun, by {@link System#nanoTime}
   */
  StalledSoak.Result call(long begin) throws InterruptedException {
    for (int i = 0; i < 3 * capacity; i++) { // those who came back are in use after a lap
      put();
      take();
    }
    int held = claims.slotsForGood();
    fill(capacity - held);
    boolean holdsRest = capacity - held <= MOST_LEFT_TO_HOLD;
    if (holdsRest) {
      holdRest();
    }
    queue.complete();
    if (out.tryPoll() != null || !out.isDrained()) {
      throw new AssertionError("queue must be at its end: " + queue);
    }
    Ledger.Totals totals = balance();
    QueueSoak.checkEnd(queue, consumers.getFirst().memory());
    checkLateness();
    return new StalledSoak.Result(
        totals, System.nanoTime() - begin, claims.lateSlots(), held, holdsRest);
  }

  private Ledger.Totals balance() {
    List<Ledger.Taken> takens = new ArrayList<>(List.of(taken));
    consumers.forEach(consumer -> takens.add(consumer.taken()));
    return Ledger.balance(producers.stream().map(SoakProducer::put).toList(), takens);
  }

  private void put() {
    if (in.tryClaim() == null) {
      throw new AssertionError("slot must be free: " + queue);
    }
    writeAndCommit();
  }

  private void writeAndCommit() {
    long number = put.nextNumber();
    in.at(0).number(number);
    put.committed(number, 1, SoakProducer.commits(in));
  }

  private void take() {
    Entry record = out.tryPoll();
    if (record == null) {
      throw new AssertionError("record must be there: " + queue);
    }
    taken.take(record.wholeNumber());
    out.release();
  }

  /** As many records as slots are left must fit, not one more, and all come out again. */
  private void fill(int left) {
    for (int i = 0; i < left; i++) {
      put();
    }
    if (in.tryClaim() != null) {
      throw new AssertionError("queue must be full: " + queue);
    }
    for (int i = 0; i < left; i++) {
      take();
    }
    if (out.tryPoll() != null) {
      throw new AssertionError("queue must be empty: " + queue);
    }
  }

  /** Stops until no slot is left, which claims must say; then one comes back. */
  private void holdRest() throws InterruptedException {
    Producer<Entry> last = null;
    while (claims.slotsForGood() < capacity) {
      last = queue.newProducer();
      if (last.tryClaim() == null) {
        throw new AssertionError("slot must be free: " + queue);
      }
      claims.hold(last, 1);
    }
    long begin = System.nanoTime();
    while (!isNoneLeft()) { // until the last claim is given up
      if (out.tryPoll() != null) {
        throw new AssertionError("record must not be there: " + queue);
      }
      if (System.nanoTime() - begin > 60_000_000_000L) {
        throw new AssertionError("claims must be given up: " + queue);
      }
      Thread.sleep(0, (int) Math.min(999_999, limitNanos / 32));
    }
    claims.letGo(last, 1);
    SoakProducer.poison(last, 1);
    if (SoakProducer.commits(last)) {
      throw new AssertionError("claim must have been given up: " + last);
    }
    claims.cameBack(1);
    int tries = 0;
    while (!claimsSlot()) { // takes the slot back only when it comes by
      if (++tries > 3 || out.tryPoll() != null) {
        throw new AssertionError("slot must be in use again: " + queue);
      }
    }
    writeAndCommit();
    take();
  }

  /** Whether a claim, which must fail, is told that producers that stopped hold every slot. */
  private boolean isNoneLeft() {
    try {
      if (in.tryClaim() != null) {
        throw new AssertionError("slot must not be free: " + queue);
      }
      return false;
    } catch (IllegalStateException e) {
      return tellsNoneLeft(e);
    }
  }

  private static boolean tellsNoneLeft(IllegalStateException e) {
    if (!e.getMessage().startsWith("slots must be left")) {
      throw e;
    }
    return true;
  }

  private boolean claimsSlot() {
    try {
      return in.tryClaim() != null;
    } catch (IllegalStateException e) {
      return !tellsNoneLeft(e);
    }
  }

  /** Who comes back when the memory is freed is told so. */
  private void checkLateness() {
    boolean commits = false;
    for (Producer<Entry> claim : claims.held()) {
      commits = !commits;
      try {
        if (commits) {
          claim.commit();
        } else {
          claim.abort();
        }
      } catch (IllegalStateException e) {
        continue;
      }
      throw new AssertionError("claim must not end in freed memory: " + claim);
    }
  }
}

package dev.millrace.stress;

import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.OffHeapQueue.Counters;
import java.util.ArrayList;
import java.util.List;

/** What one thread finds in the queue of a {@link StalledSoak} when the others are through. */
final class StalledAftermath {
  private static final int MOST_LEFT_TO_HOLD = 256;

  private final OffHeapQueue<Entry> queue;
  private final int capacity;
  private final long limitNanos;
  private final StalledClaims claims;
  private final List<SoakProducer> producers;
  private final List<SoakConsumer> consumers;
  private final Ledger.Put put;
  private final Ledger.Taken taken;
  private final Entry in;
  private final Entry out;

  /**
   * Takes a soak's queue over.
   *
   * @param claims what has become of the claims that were left open
   * @param producers the last of them is this thread, as is a consumer more than those given
   */
  StalledAftermath(
      OffHeapQueue<Entry> queue,
      int capacity,
      long limitNanos,
      StalledClaims claims,
      List<SoakProducer> producers,
      List<SoakConsumer> consumers) {
    this.queue = queue;
    this.capacity = capacity;
    this.limitNanos = limitNanos;
    this.claims = claims;
    this.producers = producers;
    this.consumers = consumers;
    this.put = producers.getLast().put();
    this.taken = new Ledger.Taken(producers.size());
    this.in = queue.newFlyweight();
    this.out = queue.newFlyweight();
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
    balance();
    checkCounters(held);
    fill(capacity - held);
    boolean holdsRest = capacity - held <= MOST_LEFT_TO_HOLD;
    if (holdsRest) {
      holdRest();
    }
    queue.complete();
    Ledger.check("the end", queue.tryPoll(), OffHeapQueue.CLOSED);
    Ledger.Totals totals = balance();
    long inDoubt = checkCounters(claims.slotsForGood());
    QueueSoak.checkEnd(queue);
    checkLateness();
    return new StalledSoak.Result(
        queue.counters(),
        totals.checksum(),
        System.nanoTime() - begin,
        claims.lateSlots(),
        held,
        totals.refused(),
        inDoubt,
        producers.stream().mapToLong(SoakProducer::declined).sum(),
        holdsRest);
  }

  private Ledger.Totals balance() {
    List<Ledger.Taken> takens = new ArrayList<>(List.of(taken));
    consumers.forEach(consumer -> takens.add(consumer.taken()));
    return Ledger.balance(producers.stream().map(SoakProducer::put).toList(), takens);
  }

  private void put() {
    if (!queue.tryClaim(in)) {
      throw new AssertionError("slot must be free: " + queue + ", " + queue.counters());
    }
    writeAndCommit();
  }

  private void writeAndCommit() {
    long number = put.nextNumber();
    in.number(number);
    put.committed(number, 1, queue.commit(in));
  }

  private void take() {
    if (!queue.tryPoll(out)) {
      throw new AssertionError("record must be there: " + queue + ", " + queue.counters());
    }
    taken.take(out.wholeNumber());
    queue.release(out);
  }

  /** As many records as slots are left must fit, not one more, and all come out again. */
  private void fill(int left) {
    for (int i = 0; i < left; i++) {
      put();
    }
    if (queue.tryClaim(in)) {
      throw new AssertionError("queue must be full: " + queue + ", " + queue.counters());
    }
    Ledger.check("records shown", queue.snapshot(Entry::wholeNumber), left);
    for (int i = 0; i < left; i++) {
      take();
    }
    if (queue.tryPoll(out)) {
      throw new AssertionError("queue must be empty: " + queue + ", " + queue.counters());
    }
  }

  /** Stops until no slot is left, which claims must say; then one comes back. */
  private void holdRest() throws InterruptedException {
    Entry last = null;
    while (claims.slotsForGood() < capacity) {
      last = queue.newFlyweight();
      if (!queue.tryClaim(last)) {
        throw new AssertionError("slot must be free: " + queue + ", " + queue.counters());
      }
      claims.hold(last, 1);
    }
    long begin = System.nanoTime();
    while (queue.counters().outOfUse() < capacity) {
      if (queue.tryPoll(out)) {
        throw new AssertionError("record must not be there: " + out);
      }
      if (System.nanoTime() - begin > 60_000_000_000L) {
        throw new AssertionError("claims must be given up: " + queue.counters());
      }
      Thread.sleep(0, (int) Math.min(999_999, limitNanos / 32));
    }
    if (claimsSlot()) {
      throw new AssertionError("no slot must be left: " + queue.counters());
    }
    claims.letGo(last, 1);
    last.poison();
    if (queue.commit(last)) {
      throw new AssertionError("claim must have been given up: " + last);
    }
    claims.cameBack(1);
    int tries = 0;
    while (!claimsSlot()) { // takes the slot back only when it comes by
      if (++tries > 3 || queue.tryPoll(out)) {
        throw new AssertionError("slot must be in use again: " + queue.counters());
      }
    }
    writeAndCommit();
    take();
  }

  /** Claims, or is told that producers that stopped hold every slot. */
  private boolean claimsSlot() {
    try {
      if (queue.tryClaim(in)) {
        return true;
      }
      throw new AssertionError("claim must say that no slot is left: " + queue.counters());
    } catch (IllegalStateException e) {
      if (!e.getMessage().startsWith("slots must be left")) {
        throw e;
      }
      return false;
    }
  }

  /**
   * Compares the queue's counters with those of the threads; returns how many slots leave room
   * between the two.
   */
  private long checkCounters(int held) {
    long claimed = held + claims.lateSlots();
    long refused = claims.lateSlots();
    long committed = 0;
    long aborted = 0;
    long doubt = 0;
    for (SoakProducer producer : producers) {
      claimed += producer.put().claimed();
      refused += producer.put().refused();
      committed += producer.put().committed();
      aborted += producer.put().aborted();
      doubt += producer.inDoubt();
    }
    Counters counters = queue.counters();
    Ledger.check("committed", counters.committed(), committed);
    Ledger.check("consumed", counters.consumed(), committed);
    Ledger.check("dropped", counters.dropped(), 0);
    Ledger.check("out of use", counters.outOfUse(), held);
    long unmarked = counters.claimed() - claimed;
    Ledger.checkWithin(
        "claimed before its mark", unmarked, 0, counters.stalled() * StalledSoak.RUN);
    long lateAborts = counters.refused() - refused;
    Ledger.checkWithin("aborted too late", lateAborts, 0, doubt);
    long unmarkedStalled = counters.stalled() - refused - lateAborts - held;
    Ledger.checkWithin("stalled before its mark", unmarkedStalled, 0, unmarked);
    Ledger.check("aborted", counters.aborted(), aborted - lateAborts + unmarked - unmarkedStalled);
    return unmarked + doubt;
  }

  /** Who comes back when the memory is freed is told so. */
  private void checkLateness() {
    boolean commits = false;
    for (Entry claim : claims.held()) {
      commits = !commits;
      try {
        if (commits) {
          queue.commit(claim);
        } else {
          queue.abort(claim);
        }
      } catch (IllegalStateException e) {
        continue;
      }
      throw new AssertionError("claim must not end in freed memory: " + claim);
    }
  }
}

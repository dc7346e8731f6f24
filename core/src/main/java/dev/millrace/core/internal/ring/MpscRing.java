package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Waiters;

/**
 * The protocol for many producers and one consumer.
 *
 * <p><b>Roles.</b> Any thread may claim, commit and abort. A claim belongs to the thread that made
 * it. {@link #consumer} belongs to one thread at a time. Any thread may close and inspect the ring.
 *
 * <p><b>Progress.</b> Claims are lock-free. All other methods are wait-free.
 */
public final class MpscRing extends GatedClaims implements RingProtocol {
  /*
   * A producer claims slots by moving the tail, writes the records, and publishes them with the
   * stamp of the first slot, which holds their number. The consumer reads the stamps from run to
   * run; those within a run are never read. Its head tells producers which slots are free: see
   * SharedClaims, whose pairs are S to V.
   *
   *   field           writer             write mode   read by
   *   stamp           producer           release      consumer and any: acquire; in scans opaque, then
   *                                                   an acquire fence
   *   words of claims see SharedClaims
   *   head            consumer           release      producers, through the limit, and any: acquire
   *   consumer.next   consumer           plain        consumer: plain
   *   consumer.end    consumer           opaque       consumer: plain
   *   consumer.limit  consumer; closer   opaque       consumer and any: opaque
   *   passed          consumer           opaque       any: opaque
   *
   * The consumer's limit is the end of the records that it has seen; a record that it found alone
   * is not noted there.
   *
   * Invariants: head = consumer.next <= tail <= head + capacity; the slots from the head to the
   * consumer's limit hold records. The slot at that limit is the first of a run.
   *
   * A  STAMP.setRelease in           ->  stamp.getAcquire in Stamps.read    slot bytes
   *    Stamps.publish
   * B  head.setRelease in release    ->  head.getAcquire in Gate.slowest,   slots are free again; what
   *                                        isConsumed                         the consumer did
   */
  private final Sequence head;
  private final ConsumerSide consumer;

  /**
   * Makes an empty ring of {@code slots}, whose stamps must all be 0. It holds at most {@code
   * capacity} records, which must not be more than one per slot. A claim may be open for {@code
   * stallNanos}, which may be {@link dev.millrace.core.WaitStrategy#FOREVER}. A poll that passes
   * slots without a record wakes waiting producers.
   */
  public MpscRing(Ring slots, long capacity, long stallNanos, Waiters producerWaiters) {
    Sequence head = new Sequence();
    super(slots.stamps(), capacity, stallNanos, false, new Sequence(), head);
    this.head = head;
    this.consumer = new ConsumerSide(this, producerWaiters);
  }

  // ---- producers ----

  @Override
  public long tryClaim(Ring slots) {
    return tryClaim(1); // acquire B: the slot is free
  }

  // ---- the consumer ----

  /** Returns the consumer's side. */
  public ConsumerSide consumer() {
    return consumer;
  }

  /** The consumer's side. */
  public static final class ConsumerSide extends Cursor {
    private final SharedClaims claims;
    private final Sequence head;
    private final Waiters producerWaiters;
    private final Sequence passed = new Sequence();

    private ConsumerSide(MpscRing ring, Waiters producerWaiters) {
      this.claims = ring;
      this.head = ring.head;
      this.producerWaiters = producerWaiters;
    }

    /**
     * Finds the next record; returns its sequence, or {@link Ring#NONE} if there is none. Passes
     * slots that hold no record.
     */
    public long tryPoll(Ring slots) {
      long sequence = next();
      if (sequence < limitSeen()) { // opaque, because the closer writes it too
        return sequence;
      }
      return findRun(slots) > 0 ? next() : Ring.NONE;
    }

    /**
     * Takes the next records in hand: at most {@code limit}, which is at least 1, and none beyond
     * the end of the memory. Returns how many it took.
     */
    public int tryPoll(Ring slots, int limit) {
      long found = limitSeen() - next();
      if (found <= 0) {
        found = findRun(slots);
        if (found == 0) {
          return 0;
        }
      }
      long sequence = next();
      long most = sequence + Math.min(limit, slots.contiguous(sequence));
      long seen = sequence + found;
      if (seen < most) {
        seen = slots.stamps().committedEnd(seen, most); // acquire A: slot bytes
        if (!noteRecords(seen, slots.memory())) {
          return 0;
        }
      }
      end(Math.min(most, seen));
      return (int) (end() - sequence);
    }

    /**
     * Returns how many records are published from the next one on. Passes slots that hold no
     * record.
     */
    private int findRun(Ring slots) {
      while (true) {
        long sequence = next();
        long word =
            slots.stamps().read(slots.offset(sequence)); // acquire A: slot bytes; linearizes
        if (slots.stamps().isCommitted(word, sequence)) {
          int count = Stamps.countOf(word);
          return count == 1 || noteRecords(sequence + count, slots.memory()) ? count : 0;
        }
        int ready = claims.ready(sequence, 1, word);
        if (ready == 0) {
          return 0;
        }
        if (ready < 0 && ready != Stamps.LOOK_AGAIN) {
          pass(sequence, -ready);
        }
      }
    }

    private void pass(long sequence, int count) {
      passed.setOpaque(passed.getPlain() + count); // opaque: a count; plain: its only writer
      end(sequence + count);
      release(sequence + count);
      producerWaiters.signal();
    }

    /**
     * Returns whether there was neither a record nor an open claim at some moment during the call.
     */
    public boolean isEmpty() {
      return claims.end() <= next();
    }

    /** Frees the slots before {@code end}. */
    public void release(long end) {
      next(end);
      head.setRelease(end); // release B: the reads of the slots
    }
  }

  @Override
  public long tryPoll(Ring slots) {
    return consumer.tryPoll(slots);
  }

  @Override
  public void release(Ring slots, long sequence) {
    consumer.release(sequence + 1);
  }

  // ---- the end ----

  @Override
  public boolean isConsumed() {
    return stamps.isEmptyBetween(head.getAcquire(), end()); // acquire B: what the consumer did
  }

  @Override
  public void forget() {
    consumer.forget();
  }

  // ---- seen from outside ----

  @Override
  public Sequence head() {
    return head;
  }

  @Override
  public long recordsAt(long sequence) {
    return stamps.recordsAt(sequence); // acquire A: slot bytes
  }

  @Override
  public long seenEnd() {
    return consumer.limitSeen();
  }

  @Override
  public SharedClaims sharedClaims() {
    return this;
  }

  @Override
  public long passedCount() {
    return consumer.passed.getOpaque(); // opaque: a count
  }
}

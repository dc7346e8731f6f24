package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;

/**
 * The protocol for one producer and one consumer.
 *
 * <p><b>Roles.</b> {@link #producer} and {@link #consumer} belong to one thread at a time each.
 * Only these two threads may make the calls for one record. Any thread may close and inspect the
 * ring.
 *
 * <p><b>Progress.</b> Wait-free.
 */
public final class SpscRing implements RingProtocol {
  /*
   * A commit stamps the slot of its first record with its end, the sequence after its last. So one
   * cache miss brings the consumer both the stamp and the record. The other stamps of a run stay as
   * they were. Commits are in order, so a stamp above its slot's sequence means that everything
   * before that end is published. Therefore the consumer sometimes reads a stamp a few slots ahead;
   * if that slot is published, it reads no stamp in between.
   *
   * The head shows the producer which slots are free: see SoleClaims, whose pairs are P, Q and R.
   *
   *   field             writer             write mode   read by
   *   stamp             producer           release      consumer and any: acquire
   *   head              consumer           release      producer, through its limit, and any: acquire
   *   producer's words  see SoleClaims
   *   consumer.next     consumer           plain        consumer: plain
   *   consumer.end      consumer           opaque       consumer: plain
   *   consumer.limit    consumer; closer   opaque       consumer and any: opaque
   *
   * The consumer's limit is the end of the records that it has seen. A record that it found alone
   * is not noted there, because the next poll has to read a stamp anyway.
   *
   * Invariants: head = consumer.next <= producer.next <= producer.end <= head + capacity, but for a
   * claim that is being refused. A slot's stamp is 0, or the end of a commit that began at the
   * slot. No run goes past the end of the ring, so a stamp of an older lap is at most the slot's
   * sequence in this one.
   *
   * A  STAMP.setRelease in publish   ->  STAMP.getAcquire in endFrom,    slot bytes of this and all
   *                                      endAhead, recordsAt, recordsEnd   earlier commits
   * B  head.setRelease in release    ->  head.getAcquire in isConsumed   what the consumer did
   */
  private static final int STEP = 16; // the consumer reads ahead once per step

  private final Ring slots;
  private final Sequence head = new Sequence();
  private final ProducerSide producer;
  private final ConsumerSide consumer;

  /**
   * Makes an empty ring of {@code slots}, whose stamps must all be 0. It holds at most {@code
   * capacity} records, which must not be more than one per slot.
   */
  public SpscRing(Ring slots, long capacity) {
    this.slots = slots;
    this.producer = new ProducerSide(capacity, head);
    this.consumer = new ConsumerSide(slots, head);
  }

  /** Returns the producer's side. */
  public ProducerSide producer() {
    return producer;
  }

  /** Returns the consumer's side. */
  public ConsumerSide consumer() {
    return consumer;
  }

  /** The producer's side, which adds the publication of a claim to {@link SoleClaims}. */
  public static final class ProducerSide extends SoleClaims {
    private ProducerSide(long capacity, Sequence head) {
      super(capacity, head);
    }

    /** Publishes the open claim; returns false if the memory is freed. */
    public boolean commit(Ring slots) {
      return publish(slots, next(), end());
    }

    private boolean publish(Ring slots, long sequence, long end) {
      next(end);
      return slots.writeStamp(sequence, end); // release A: slot bytes; linearizes
    }
  }

  /** The consumer's side. */
  public static final class ConsumerSide extends Cursor {
    private final Sequence head;
    private final long ahead; // the distance of a read ahead: a power of two, less 1

    private ConsumerSide(Ring slots, Sequence head) {
      this.head = head;
      this.ahead = Math.min(slots.mask() + 1, STEP) - 1;
    }

    /** Finds the next record; returns its sequence, or {@link Ring#NONE} if there is none. */
    public long tryPoll(Ring slots) {
      long sequence = next();
      if (sequence < limitSeen()) { // opaque, because the closer writes it too
        return sequence;
      }
      long end = endFrom(slots, sequence);
      boolean isFound = end == sequence + 1 || (end > sequence && noteRecords(end, slots.memory()));
      return isFound ? sequence : Ring.NONE;
    }

    /**
     * Takes the next records in hand: at most {@code limit}, and none beyond the end of the memory.
     * Returns how many it took.
     */
    public int tryPoll(Ring slots, int limit) {
      long sequence = next();
      long most = sequence + Math.min(limit, slots.contiguous(sequence));
      long seen = Math.max(sequence, limitSeen());
      while (seen < most) {
        long end = endFrom(slots, seen);
        if (end <= seen) {
          break;
        }
        if (!noteRecords(end, slots.memory())) {
          return 0;
        }
        seen = end;
      }
      end(Math.min(most, seen));
      return (int) (end() - sequence);
    }

    /**
     * Returns the end of the records published from {@code sequence} on. If there are none, the
     * result is at most {@code sequence}.
     */
    private long endFrom(Ring slots, long sequence) {
      return (sequence & ahead) == 0
          ? endAhead(slots, sequence)
          : slots.readStamp(sequence); // acquire A: slot bytes; linearizes
    }

    /**
     * Does the same, but also reads a stamp ahead. This method is kept above 35 bytes of code.
     * HotSpot would inline a shorter one although it is rarely called, and that would slow down the
     * common path.
     */
    private long endAhead(Ring slots, long sequence) {
      long end = slots.readStamp(sequence); // acquire A: slot bytes; linearizes
      if (end <= sequence) {
        return end;
      }
      long far = slots.readStamp(sequence + ahead); // acquire A: slot bytes of all up to there
      return far > end ? far : end;
    }

    /** Frees the slots before {@code end}. */
    public void release(long end) {
      next(end);
      head.setRelease(end); // release B: the reads of the slots; also P of SoleClaims
    }
  }

  // ---- one record ----

  @Override
  public long tryClaim(Ring slots) {
    return producer.tryClaim(1);
  }

  @Override
  public boolean commit(Ring slots, long sequence) {
    return producer.publish(slots, sequence, sequence + 1);
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
  public void close() {
    producer.close();
  }

  @Override
  public boolean isClosed() {
    return producer.isClosed();
  }

  @Override
  public boolean isConsumed() {
    long end = end(); // final, or about to be taken back: Q of SoleClaims
    return head.getAcquire() == end; // acquire B: what the consumer did
  }

  @Override
  public void forget() {
    consumer.forget();
  }

  // ---- seen from outside ----

  @Override
  public long end() {
    return producer.endSeen(); // opaque: callers order it
  }

  @Override
  public Sequence head() {
    return head;
  }

  @Override
  public long recordsEnd() {
    long end = end();
    if (end == 0) {
      return 0;
    }
    long stamp = slots.readStamp(end - 1); // acquire A: the earlier commits
    return stamp >= end || stamp == Ring.FREED ? end : end - 1;
  }

  @Override
  public long recordsAt(long sequence) {
    long end = slots.readStamp(sequence); // acquire A: slot bytes
    return Math.max(0, end - sequence);
  }

  @Override
  public long seenEnd() {
    return consumer.limitSeen();
  }
}

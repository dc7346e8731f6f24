package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.internal.Checks;

/**
 * The consumer of an {@link MpscQueue}. Each method that does not wait is wait-free, though a poll
 * passes over all aborted claims that precede its record.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class MpscConsumer<T> extends QueueConsumer<T> {
  /*
   * MpscQueue describes the protocol.
   *
   * A  STAMP.setRelease in            ->  stamp.getAcquire in        slot bytes
   *    MpscProducer.publish                Stamps.read
   * B  head.setRelease in free        ->  head.getAcquire in         slots are free again; in
   *                                        Gate.slowest, and in       firstInUse what the
   *                                        MpscQueue.firstInUse       consumer did
   */
  private final MpscQueue<T> queue;
  private final Claims claims;
  private final Stamps stamps;
  private final Sequence head;

  MpscConsumer(MpscQueue<T> queue) {
    super(queue, ANY_RUN);
    this.queue = queue;
    this.claims = queue.claims;
    this.stamps = queue.stamps;
    this.head = queue.head;
  }

  @Override
  protected long next() {
    return head.getPlain(); // plain: only the consumer writes it
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryPoll() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != next()) {
      throw isOpen();
    }
    if (next() >= own.limitSeen() && !isPublished()) { // seen: the closer writes it too
      assert role.end(call);
      return null;
    }
    long sequence = next();
    own.end(sequence + 1);
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return (T) view;
  }

  @Override
  public int tryPoll(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    if (own.end() != next()) {
      throw isOpen();
    }
    if (next() >= own.limitSeen() && !isPublished()) {
      assert role.end(call);
      return 0;
    }
    long sequence = next();
    long most = sequence + Math.min(limit, ring.contiguous(sequence));
    if (own.limitSeen() < most) {
      lookOn(most);
    }
    long end = Math.min(most, own.limitSeen());
    if (end <= sequence) { // the memory was freed during the call
      assert role.end(call);
      return 0;
    }
    own.end(end);
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return (int) (end - sequence);
  }

  /** Whether there is a record; passes over slots that hold none. */
  private boolean isPublished() {
    try {
      while (true) {
        long sequence = next();
        long word = stamps.read(ring.offset(sequence)); // acquire A; linearizes
        if (stamps.isCommitted(word, sequence)) {
          own.limit(sequence + Stamps.countOf(word));
          return !isFreed();
        }
        int ready = claims.ready(sequence, 1, word);
        if (ready == 0) {
          return false;
        }
        if (ready < 0 && ready != Claims.LOOK_AGAIN) {
          pass(sequence - ready);
        }
      }
    } catch (IllegalStateException e) {
      return false; // the memory is freed: the queue is closed
    }
  }

  private void pass(long end) {
    queue.countPassed((int) (end - next()));
    own.end(end);
    free(end);
  }

  /** Reads on for records behind those already seen. */
  private void lookOn(long end) {
    try {
      own.limit(stamps.committedEnd(own.limitSeen(), end)); // acquire A
      isFreed();
    } catch (IllegalStateException e) {
      // the memory is freed, which forgetRecords will note
    }
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long end = own.end();
    if (end <= next()) {
      throw noneOpen();
    }
    view.leave();
    free(end);
    assert role.end(call);
  }

  private void free(long end) {
    head.setRelease(end); // release B: the reads of the slots
    signalProducers();
  }

  /** To be called by the thread that has freed the memory. */
  void memoryFreed() {
    forgetRecords();
  }

  /** The end of the committed records that it has last seen; for other threads. */
  long seenEnd() {
    return own.limitSeen();
  }
}

package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Stamps;
import java.lang.invoke.VarHandle;

/** A consumer that shares the events with others. */
final class SharedConsumer extends SequenceConsumer {
  /*
   * A worker takes a run by moving the group's cursor over it. Before that it announces, in a
   * sequence of its own, the first event that it may have in hand. So a thread that reads first the
   * cursor, then that sequence, never sees one that is past the run. Everything before the least of
   * the cursor and of the workers' sequences is done with.
   *
   * Who writes what:
   *
   *   field      writer   write mode          read by
   *   cursor     workers  exchange: release   workers: opaque; those behind, producers: acquire
   *   inHand     worker   release             those behind, producers: acquire
   *   own.next   worker   plain               worker: plain
   *   own.end    worker   opaque              worker: plain; samplers: opaque
   *   own.limit  worker   plain               worker: plain
   *
   * Invariant: events before the cursor are done with, or in a worker's hand and not before what it
   * announces. Non-invariants: what a worker announces may be far behind the cursor, because it is
   * announced before the exchange, which may fail; so the least of all may fall.
   *
   * A  cursor.weakCompareAndSetRelease in      ->  head.getAcquire in Gate.slowest  inHand, as said
   *    take                                                                           before
   * B  inHand.setRelease in publishRelease,    ->  head.getAcquire in Gate.slowest  that the worker
   *    take, rest                                                                     is through
   * C  inHand.setRelease in take, rest, and    ->  fullFence in Waiters.announce,   one sees the
   *    fullFence in Waiters.signal or rest         head.getAcquire in Gate.slowest  other: inHand,
   *                                                                                   or the waiter
   */
  private static final long NOTHING = Long.MAX_VALUE;

  private final Sequence cursor;
  private final Sequence inHand;
  private final int workers;

  SharedConsumer(Sequencer sequencer, Group group, int worker) {
    super(sequencer, group);
    this.cursor = group.progress[0];
    this.inHand = group.progress[1 + worker];
    this.workers = group.progress.length - 1;
  }

  /** Makes the sequences of a group: the cursor, then what each worker has in hand. */
  static Sequence[] progressOf(int workers) {
    Sequence[] progress = new Sequence[1 + workers];
    progress[0] = new Sequence();
    for (int worker = 1; worker <= workers; worker++) {
      progress[worker] = new Sequence(NOTHING);
    }
    return progress;
  }

  @Override
  int take(int limit) {
    long held = cursor.getOpaque(); // opaque: the exchange confirms it
    long sequence = held;
    while (true) {
      inHand.setRelease(sequence); // release B: what was done with the events before
      int ready = ready(sequence, limit);
      if (ready == 0) {
        rest(held);
        return 0;
      }
      if (ready > 0) {
        int share = (ready + workers - 1) / workers; // so that others find some as well
        // release A: inHand; linearizes
        if (cursor.weakCompareAndSetRelease(sequence, sequence + share)) {
          own.next(sequence);
          own.end(sequence + share);
          if (sequence != held) {
            signalBehind(); // fence C: what is said now before the look for who saw what was
          }
          return share;
        }
      } else if (ready != Stamps.LOOK_AGAIN) {
        // release A: inHand; if another has passed them, it is as well; who is behind gets a signal
        // when this worker no longer says that they may be in its hand
        boolean _ = cursor.weakCompareAndSetRelease(sequence, sequence - ready);
      }
      sequence = cursor.getOpaque(); // opaque: as above
    }
  }

  /**
   * Announces that nothing is in hand. What was announced before may be behind the cursor, and a
   * thread that saw it may have gone to rest.
   *
   * @param held the first sequence announced since something was released
   */
  private void rest(long held) {
    inHand.setRelease(NOTHING); // release B: what was done with the events before
    if (group.parkedBehind.length > 0) {
      VarHandle.fullFence(); // fence C: that before the look at the cursor
      if (cursor.getOpaque() != held) { // opaque: the fence orders it
        signalBehind();
      }
    }
  }

  @Override
  long taken() {
    return cursor.getOpaque(); // opaque: it only rises, and the end is final
  }

  @Override
  void publishRelease(long end) {
    inHand.setRelease(NOTHING); // release B: what was done with the events
  }

  @Override
  boolean isAtWork() {
    // what it says while it only looks is not before the end of what it had in hand last
    return own.endSeen() > inHand.getOpaque(); // opaque: an estimate
  }
}

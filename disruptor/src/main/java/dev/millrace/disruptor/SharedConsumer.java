package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.disruptor.ConsumerGraph.Group;
import java.lang.invoke.VarHandle;

/** A consumer that shares events with others in its group. */
final class SharedConsumer extends SequenceConsumer {
  /*
   * A worker takes a run by moving the group's cursor past it. Before that it announces the first
   * event of the run in a sequence of its own, inHand. So if a thread finds the cursor past a run
   * and then finds inHand past it too, the run has been released. Every event before the least of
   * the cursor and the workers' sequences is released.
   *
   * Fields:
   *
   *   field      writer   write mode          read by
   *   cursor     workers  exchange: release   workers: opaque; those behind, producers: acquire
   *   inHand     worker   release             those behind, producers: acquire
   *   own.next   worker   plain               worker: plain
   *   own.end    worker   opaque              worker: plain; samplers: opaque
   *   own.limit  worker   plain               worker: plain
   *
   * Invariant: each event before the cursor is released, or a worker that announces this event or
   * an earlier one has it in hand. Non-invariant: the least of all sequences may fall, because a
   * worker announces an event before its exchange, and the exchange may fail when the cursor is
   * already far ahead.
   *
   * A  cursor.weakCompareAndSetRelease in      ->  head.getAcquire in Gate.slowest  inHand, as
   *    take                                                                           announced
   * B  inHand.setRelease in publishRelease,    ->  head.getAcquire in Gate.slowest  the events were
   *    take, rest                                                                     handled
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

  /** Makes the sequences of a group, which are the cursor and then each worker's inHand. */
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
      inHand.setRelease(sequence); // release B: the handling of earlier events
      int ready = ready(sequence, limit);
      if (ready == 0) {
        rest(held);
        return 0;
      }
      if (ready > 0) {
        int share = (ready + workers - 1) / workers; // leaves some for the others
        // release A: inHand; linearizes
        if (cursor.weakCompareAndSetRelease(sequence, sequence + share)) {
          own.next(sequence);
          own.end(sequence + share);
          if (sequence != held) {
            // fence C: publish the new inHand before checking for threads that parked on the
            // old one
            signalBehind();
          }
          return share;
        }
      } else if (ready != Stamps.LOOK_AGAIN) {
        // release A: inHand. If this exchange fails, another worker has passed these events, or the
        // loop comes back here. Consumers behind are signalled later, when inHand is past these
        // events too
        boolean _ = cursor.weakCompareAndSetRelease(sequence, sequence - ready);
      }
      sequence = cursor.getOpaque(); // opaque: the exchange confirms it
    }
  }

  /**
   * Announces that nothing is in hand. The last announcement may have been behind the cursor, and a
   * thread that saw it may have parked.
   *
   * @param held the first sequence that the current take announced
   */
  private void rest(long held) {
    inHand.setRelease(NOTHING); // release B: the handling of earlier events
    if (group.parkedBehind.length > 0) {
      VarHandle.fullFence(); // fence C: the new inHand before reading the cursor
      if (cursor.getOpaque() != held) { // opaque: the fence orders it
        signalBehind();
      }
    }
  }

  @Override
  long taken() {
    return cursor.getOpaque(); // opaque: it only rises, and is final at the end
  }

  @Override
  void publishRelease(long end) {
    inHand.setRelease(NOTHING); // release B: the handling of the events
  }

  @Override
  boolean isAtWork() {
    // while polling, inHand is never below the end of the last run, so this is false
    return own.endSeen() > inHand.getOpaque(); // opaque: an estimate
  }
}

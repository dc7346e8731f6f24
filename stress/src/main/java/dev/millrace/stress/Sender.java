package dev.millrace.stress;

import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.stress.Fault.Plant;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.spec.KFifoSpec.Kind;
import dev.millrace.stress.spec.KFifoSpec.Log;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** A thread that claims in every form, writes, commits or aborts, and keeps account of it. */
final class Sender {
  private static final int ONE_ABORT_IN = 16;
  private static final int ONE_NESTED_IN = 8;
  private static final int ONE_YIELD_IN = 256;
  private static final int ONE_REST_IN = 8_192;
  private static final int MOST_REST_NANOS = 500_000;
  private static final int CLOSED = -1;

  /** How claims of queues and of rings say that no claim succeeds any more. */
  private static final Pattern COMPLETED =
      Pattern.compile("(queue is (completed|closed)|ring takes no more events).*", Pattern.DOTALL);

  final Sent sent;
  private final Round round;
  private final Sink first;
  private final Sink second; // for claims within those of the first; null where there is one only
  private final Log log;
  private final Plant plant;
  private final SplittableRandom random;
  private final Sequence next = new Sequence();
  private long begin; // of the last claim

  Sender(Round round, Sink first, Sink second, Sent sent, Fault fault, long seed) {
    this.round = round;
    this.first = first;
    this.second = second;
    this.sent = sent;
    this.log = round.newLog();
    this.plant = new Plant(fault);
    this.random = new SplittableRandom(seed);
  }

  /** The number that it gives out next, or one before it, for any thread. */
  long next() {
    return next.getOpaque(); // opaque: a count
  }

  private boolean isOneIn(int count) {
    return random.nextInt(count) == 0;
  }

  /**
   * Claims and ends the claim, in a form of its choice; false if the structure is completed. The
   * claim is also ended if the structure is completed while the claim is open: without a stall
   * limit, consumers would wait for it forever.
   */
  boolean step() throws InterruptedException {
    next.setOpaque(sent.peekNumber()); // opaque: for the watcher
    Form form = Form.draw(random, round.claims);
    int count = claim(first, form);
    if (count <= 0) {
      return count != CLOSED;
    }
    long itsBegin = begin;
    long number = write(first, count);
    // what is handed over is not claimed before its end
    if (second != null && count == 1 && form != Form.HAND && isOneIn(ONE_NESTED_IN)) {
      int nested = claim(second, Form.TRY); // without waiting, or all senders might
      if (nested > 0) {
        // without a fault: a repeated record might wait for the room that the first claim has
        end(second, write(second, nested), nested, begin, Fault.NONE);
      }
    }
    linger();
    return end(first, number, count, itsBegin, plant.due());
  }

  /** Now and then lets others go first, or stops for a while, with a claim open. */
  private void linger() {
    if (isOneIn(ONE_YIELD_IN)) {
      Thread.yield();
    } else if (isOneIn(ONE_REST_IN)) {
      LockSupport.parkNanos(random.nextInt(MOST_REST_NANOS));
    } else if (round.stallNanos > 0 && isOneIn(round.load.stallEvery)) {
      LockSupport.parkNanos(round.stallNanos * random.nextInt(8, 30) / 10); // in time, or late
    }
  }

  private int claim(Sink sink, Form form) throws InterruptedException {
    int limit = form.isOfRun() ? 1 + random.nextInt(round.run) : 1;
    begin = log.now();
    try {
      int count = sink.claim(form, sent.peekNumber(), limit);
      if (count == 0 && form.waits()) {
        Counts.check(round.onFull != OnFull.WAIT, "claim must wait", form);
        sent.count(round.onFull == OnFull.SIGNAL ? "signalled" : "dropped", limit);
      } else if (count == 0) {
        log.add(Kind.FULL, -1, begin);
        Thread.yield();
      }
      return count;
    } catch (IllegalStateException e) {
      sent.nextNumber(); // if there is no room for a message, the next one may be shorter
      return refused(e);
    }
  }

  /** Returns 0 if stalled producers have left no room, or {@link #CLOSED}. */
  private int refused(IllegalStateException e) {
    if (e.getMessage().startsWith("no room left")) {
      Thread.yield();
      return 0;
    }
    if (!COMPLETED.matcher(e.getMessage()).matches()) {
      throw e;
    }
    return CLOSED;
  }

  private long write(Sink sink, int count) {
    long number = sent.peekNumber();
    for (int i = 0; i < count; i++) {
      sink.write(i, sent.nextNumber());
    }
    return number;
  }

  /** Ends a claim; false if the structure is completed, and what was claimed is no claim of it. */
  private boolean end(Sink sink, long number, int count, long itsBegin, Fault wrong)
      throws InterruptedException {
    log.add(Kind.CLAIM, number, itsBegin);
    long call = log.now();
    if (isOneIn(ONE_ABORT_IN)) {
      sink.end(false, Fault.NONE);
      log.add(Kind.ABORT, number, call);
      sent.count("aborted", count);
      return true;
    }
    try {
      boolean isAccepted = isAccepted(sink, wrong);
      log.add(Kind.COMMIT, number, call);
      sent.committed(number, count, isAccepted);
      while (wrong == Fault.REPEAT && sink.claim(Form.TRY, number, 1) == 0) {
        Thread.yield();
      }
      if (wrong == Fault.REPEAT) {
        sink.write(0, number);
        sink.end(true, Fault.NONE);
      }
      return true;
    } catch (IllegalStateException e) {
      return refused(e) != CLOSED;
    }
  }

  /** Commits; false if the claim was given up or refused. */
  private static boolean isAccepted(Sink sink, Fault fault) throws InterruptedException {
    try {
      return sink.end(true, fault);
    } catch (IllegalStateException e) {
      if (!isGivenUp(e)) {
        throw e;
      }
      return false;
    }
  }

  /** Whether a commit was refused because its claim had been given up. */
  static boolean isGivenUp(IllegalStateException e) {
    return e.getMessage().startsWith("claim was given up");
  }

  /** Sends one record at another end; returns 1, or 0 if it is full. */
  int trySend(Sink sink) throws InterruptedException {
    int count = claim(sink, Form.TRY);
    if (count > 0) {
      long number = write(sink, 1);
      sent.committed(number, 1, isAccepted(sink, Fault.NONE));
    }
    return count;
  }
}

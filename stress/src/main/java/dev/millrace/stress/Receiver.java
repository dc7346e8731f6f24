package dev.millrace.stress;

import dev.millrace.core.Sequence;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.KFifoSpec.Kind;
import dev.millrace.stress.spec.KFifoSpec.Log;
import java.util.SplittableRandom;

/** A thread that takes records in every form, and keeps account of them. */
final class Receiver {
  private static final int ONE_THROW_IN = 64;

  /** Thrown by a handler, now and then: the record counts as taken. */
  private static final class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Thrown() {
      super("handler", null, false, false);
    }
  }

  final Received received;
  private final Source source;
  private final Log log;
  private final int run;
  private final SplittableRandom random;
  private final Sequence steps = new Sequence();
  private long begin; // of the call, or of what it does for the next record
  private int taken; // by this call
  private int throwAt; // the record whose handler throws; 0 for none

  Receiver(Round round, Source source, Received received, long seed) {
    this.received = received;
    this.source = source;
    this.log = round.newLog();
    this.run = round.run;
    this.random = new SplittableRandom(seed);
  }

  /** How many calls have returned, for any thread. */
  long steps() {
    return steps.getOpaque(); // opaque: a count
  }

  /** Takes records, in one of the forms up to another one; returns what the source does. */
  int take(Form most) throws InterruptedException {
    Form form = Form.draw(random, most);
    int limit = 1 + random.nextInt(run);
    throwAt = form == Form.HAND && random.nextInt(ONE_THROW_IN) == 0 ? limit : 0;
    taken = 0;
    begin = log.now();
    int count;
    try {
      count = source.take(form, limit, this::handle);
      Counts.check("records taken by a call", taken, Math.max(0, count));
    } catch (Thrown e) {
      count = taken;
    }
    if (count <= 0) {
      log.add(Kind.EMPTY, -1, begin);
      Thread.yield();
    }
    steps.setOpaque(steps.getPlain() + 1); // opaque: a count; plain: this thread's own
    return count;
  }

  private void handle(long number) {
    log.add(Kind.POLL, number, begin);
    received.take(number);
    begin = log.now();
    if (++taken == throwAt) {
      throw new Thrown();
    }
  }
}

package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * What the actors do in the tests of a run that follows a record, whatever the kind of queue.
 *
 * <p>jcstress chooses how an actor itself is compiled; what it calls, the queue as well as this, is
 * compiled as the JVM sees fit.
 */
final class RecordThenRun {
  private RecordThenRun() {}

  /** Puts record 1, then 2 and 3 as a run. */
  static void put(QueueTrial trial, long base) {
    Numbered record = trial.producer;
    if (trial.queue.tryClaim(record)) {
      record.write(base + 1);
      trial.queue.commit(record);
    }
    if (trial.queue.tryClaim(record, 2)) {
      record.write(base + 2);
      record.next();
      record.write(base + 3);
      trial.queue.commit(record);
    }
  }

  /** Polls once: how many there are, then which. */
  static void poll(QueueTrial trial, long base, IIII_Result r) {
    Numbered record = trial.consumer;
    int count = trial.queue.tryPoll(record, 3);
    r.r1 = count;
    if (count > 0) {
      r.r2 = record.whole(base);
      if (count > 1) {
        record.next();
        r.r3 = record.whole(base);
      }
      if (count > 2) {
        record.next();
        r.r4 = record.whole(base);
      }
      trial.queue.release(record);
    }
  }
}

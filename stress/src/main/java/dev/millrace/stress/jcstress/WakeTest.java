package dev.millrace.stress.jcstress;

import dev.millrace.stress.trial.Numbered;
import java.time.Duration;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A test of a parked consumer, on a queue of two records whose producer spins. */
abstract class WakeTest extends QueueTest {
  /*
   * The queue is full at first. The producer spins until the consumer's first release, and commits
   * the third record about when the consumer, having taken the second, announces itself for it: so
   * the two meet in the few nanoseconds that matter. If both parked, each would wake up long after
   * the other had gone to sleep. The limits are far beyond any delay of a busy machine, and below
   * that of jcstress for the whole; the producer's is the longer one, for it depends on the other.
   */
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration LONGER_LIMIT = LIMIT.multipliedBy(3);

  private static final int INTERRUPTED = -1;
  private static final int LATE = -3;

  // Set once a wait has failed: or a broken queue would take hours, a time limit for each trial.
  // Plain, so that it orders nothing.
  private static boolean lost;

  WakeTest(Pool<Trial> pool) {
    super(pool, 3, 2);
  }

  /** Claims as soon as there is room, and puts the third record. */
  final void claimThird(IIII_Result r) {
    if (lost) {
      return;
    }
    try {
      Numbered record = trial.producer.claim(LONGER_LIMIT);
      if (record != null) {
        record.write(base + 3);
        trial.producer.commit();
        r.r1 = 1;
      }
    } catch (InterruptedException e) {
      r.r1 = INTERRUPTED;
    }
  }

  /** Takes three records, and waits for them. */
  final void pollThree(IIII_Result r) {
    if (lost) {
      return;
    }
    try {
      r.r2 = poll();
      r.r3 = poll();
      r.r4 = poll();
    } catch (InterruptedException e) {
      r.r4 = INTERRUPTED;
    }
  }

  private int poll() throws InterruptedException {
    long begin = System.nanoTime();
    Numbered record = trial.consumer.poll(LIMIT);
    int place = record != null ? record.whole(base) : 0;
    if (record != null) {
      trial.consumer.release();
    }
    // A poll looks once more when its time is over, so that success alone proves no wake-up.
    if (System.nanoTime() - begin >= LIMIT.toNanos()) {
      lost = true;
      return LATE;
    }
    return place;
  }
}

package dev.millrace.stress.jcstress;

import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Hazard: the consumer finds nothing, announces itself and parks; the producer commits in between
 * and sees no announcement. The consumer sleeps for ever.
 *
 * <p>Known to fail: {@code Waiters.signal} without its fence.
 *
 * <p>{@code stress/prove --all SpscQueue_ParkAndWake}
 */
@JCStressTest
@State
@Description("A parked consumer is woken by the commit of the record that it waits for.")
@Outcome(id = "1, 1, 2, 3", expect = Expect.ACCEPTABLE, desc = "All three were polled, in order.")
@Outcome(
    id = ".*, -3",
    expect = Expect.FORBIDDEN,
    desc = "The consumer woke by the time limit alone.")
@Outcome(id = "0, .*", expect = Expect.FORBIDDEN, desc = "Not tried: a wake-up was lost before.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or of a former trial.")
public class SpscQueue_ParkAndWake {
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

  private static final Pool<QueueTrial> POOL = new Pool<>(QueueTrial::parking);

  // Set once a wait has failed: or a broken queue would take hours, a time limit for each trial.
  // Plain, so that it orders nothing.
  private static boolean lost;

  private final QueueTrial trial = POOL.take();
  private final long base = trial.reserve(3);

  public SpscQueue_ParkAndWake() {
    trial.put(base + 1);
    trial.put(base + 2);
  }

  @Actor
  public void producer(IIII_Result r) {
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

  @Actor
  public void consumer(IIII_Result r) {
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

  @Arbiter
  public void owner() {
    trial.takeRest(base);
  }
}

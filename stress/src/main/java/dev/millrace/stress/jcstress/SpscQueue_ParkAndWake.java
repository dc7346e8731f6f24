package dev.millrace.stress.jcstress;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
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
 * Hazard: one side finds nothing, announces itself and parks; the other publishes in between and
 * sees no announcement. Both are parked for ever.
 *
 * <p>Known to fail: {@code Waiters.signal} without its fence.
 *
 * <p>{@code mvn verify -pl stress -am -DskipTests -Djcstress.tests=SpscQueue_ParkAndWake}
 */
@JCStressTest
@State
@Description("A parked side is woken by what it waits for: a free slot, a record.")
@Outcome(id = "1, 1, 2, 3", expect = Expect.ACCEPTABLE, desc = "Both waits ended, all is there.")
@Outcome(id = "0, .*", expect = Expect.FORBIDDEN, desc = "The producer was not woken.")
@Outcome(id = "1, .*, 0", expect = Expect.FORBIDDEN, desc = "The consumer was not woken.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or of a former trial.")
public class SpscQueue_ParkAndWake {
  /*
   * Neither side spins first, so each wait is a race of announcement and publication. The queue is
   * full at first: the producer waits for a slot, then the consumer for the third record. The limit
   * is far beyond any delay of a busy machine, and below that of jcstress for the whole.
   */
  private static final WaitStrategy AT_ONCE =
      new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER)
          .withTimeLimit(Duration.ofSeconds(10));

  private static final int INTERRUPTED = -1;

  private static final Pool<SpscTrial> POOL =
      new Pool<>(() -> new SpscTrial(new QueueOptions(2, AT_ONCE, AT_ONCE)));

  private final SpscTrial trial = POOL.take();
  private final long base = trial.reserve(3);

  public SpscQueue_ParkAndWake() {
    trial.put(base + 1);
    trial.put(base + 2);
  }

  @Actor
  public void producer(IIII_Result r) {
    try {
      if (trial.queue.claim(trial.producer)) {
        trial.producer.write(base + 3);
        trial.queue.commit(trial.producer);
        r.r1 = 1;
      }
    } catch (InterruptedException e) {
      r.r1 = INTERRUPTED;
    }
  }

  @Actor
  public void consumer(IIII_Result r) {
    try {
      r.r2 = poll();
      r.r3 = poll();
      r.r4 = poll();
    } catch (InterruptedException e) {
      r.r4 = INTERRUPTED;
    }
  }

  private int poll() throws InterruptedException {
    if (!trial.queue.poll(trial.consumer)) {
      return 0;
    }
    int place = trial.consumer.whole(base);
    trial.queue.release(trial.consumer);
    return place;
  }

  @Arbiter
  public void owner() {
    trial.empty(base);
  }
}

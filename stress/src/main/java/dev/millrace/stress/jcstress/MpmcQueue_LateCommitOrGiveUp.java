package dev.millrace.stress.jcstress;

import dev.millrace.queues.QueueOptions;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Hazard: a producer commits at the moment in which a consumer gives its claim up: the producer is
 * told that the record will be seen, and it is not; or that it was refused, and it is delivered.
 *
 * <p>Known to fail: {@code Stamps.exchange} that reads the stamp and then writes it.
 *
 * <p>{@code stress/prove --all MpmcQueue_LateCommitOrGiveUp}
 */
@JCStressTest
@State
@Description("A late commit and a consumer that gives the claim up: exactly one has its way.")
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "Committed, and polled.")
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Given up: the commit is refused.")
@Outcome(
    id = "1, 0, 1",
    expect = Expect.ACCEPTABLE,
    desc = "Committed after a look that was not enough; polled in the end.")
@Outcome(id = "1, 0, 0", expect = Expect.FORBIDDEN, desc = "Committed and given up.")
@Outcome(id = "0, 1, .*", expect = Expect.FORBIDDEN, desc = "Refused and delivered.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Torn, or twice there.")
public class MpmcQueue_LateCommitOrGiveUp {
  /*
   * The claim is looked at as often as may be before the actors begin, so that the consumer's look
   * is the one too many. A look is credited with a sixteenth of the limit at the most, hence 1 to
   * begin with and 15 that are further apart than that.
   */
  private static final Duration LIMIT = Duration.ofNanos(1_000);
  private static final int LOOKS = 16;
  private static final long APART_NANOS = 100;
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(2).withStallLimit(LIMIT);

  // No pool: a slot that was given up is out of use.
  private final QueueTrial trial = QueueTrial.mpmc(OPTIONS);

  public MpmcQueue_LateCommitOrGiveUp() {
    trial.producer.tryClaim().write(1);
    for (int i = 0; i < LOOKS; i++) {
      trial.take(0);
      long begin = System.nanoTime();
      while (System.nanoTime() - begin < APART_NANOS) {
        Thread.onSpinWait();
      }
    }
  }

  @Actor
  public void producer(III_Result r) {
    try {
      trial.producer.commit();
      r.r1 = 1;
    } catch (IllegalStateException e) {
      // given up
    }
  }

  @Actor
  public void consumer(III_Result r) {
    r.r2 = trial.take(0);
  }

  @Arbiter
  public void owner(III_Result r) {
    r.r3 = trial.take(0);
    trial.queue.close();
  }
}

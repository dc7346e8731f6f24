package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Hazard: the consumer looks for a record, finds none, then sees that the queue is completed and
 * frees it, though a record was committed between the two looks.
 *
 * <p>Known to fail: {@code SpscQueue.ended} without its second look for records.
 *
 * <p>{@code stress/prove --all SpscQueue_CompleteDelivers}
 */
@JCStressTest
@State
@Description("A record that was committed before complete() is delivered before the end.")
@Outcome(id = "0, 1, -3", expect = Expect.ACCEPTABLE, desc = "All polls came before the commit.")
@Outcome(id = "1, 0, -3", expect = Expect.ACCEPTABLE, desc = "A poll found the record.")
@Outcome(id = "-3, .*", expect = Expect.FORBIDDEN, desc = "The end came first: the record is lost.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Torn, twice there, or no end.")
public class SpscQueue_CompleteDelivers {
  private static final int POLLS = 1_000;
  private static final int NOT_FREED = -1;

  // No pool: a completed queue is not used again. Who finds the end frees the memory.
  private final SpscTrial trial = new SpscTrial(2);

  @Actor
  public void producer() {
    if (trial.queue.tryClaim(trial.producer)) {
      trial.producer.write(1);
      trial.queue.commit(trial.producer);
    }
    trial.queue.complete();
  }

  @Actor
  public void consumer(III_Result r) {
    // The first answer that is not "empty": to be amid a poll when the producer comes.
    for (int i = 0; i < POLLS && r.r1 == 0; i++) {
      r.r1 = poll();
    }
  }

  @Arbiter
  public void owner(III_Result r) {
    int polled;
    while ((polled = poll()) > 0) {
      r.r2 = 10 * r.r2 + polled;
    }
    r.r3 = polled;
    if (!trial.queue.isDrained()) {
      r.r3 = NOT_FREED;
      trial.queue.abandon();
    }
  }

  /**
   * The record's place in the trial or {@link Numbered#TORN}, 0 if there is none, or CLOSED (-3).
   */
  private int poll() {
    int count = trial.queue.tryPoll(trial.consumer, 1);
    if (count > 0) {
      int place = trial.consumer.whole(0);
      trial.queue.release(trial.consumer);
      return place;
    }
    return count;
  }
}

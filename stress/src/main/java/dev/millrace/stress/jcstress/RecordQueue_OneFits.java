package dev.millrace.stress.jcstress;

import dev.millrace.queues.RecordQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Hazard: a queue for one, whose ring has two slots, takes two records, or finds no room though it
 * is empty.
 *
 * <p>Known to fail: {@code MpmcSlots.claimSlot} without {@code admits}.
 *
 * <p>{@code stress/prove --all RecordQueue_OneFits}
 */
@JCStressTest
@State
@Description("Of two offers to a queue for one, one is taken in until a consumer makes room.")
@Outcome(
    id = "1, 0, 1, 0",
    expect = Expect.ACCEPTABLE,
    desc = "The producer is first; the other thread finds no room, and takes its record.")
@Outcome(
    id = "0, 1, 1, 0",
    expect = Expect.ACCEPTABLE,
    desc = "The other thread is first; the producer comes before it takes its record back.")
@Outcome(
    id = "1, 1, 1, 1",
    expect = Expect.ACCEPTABLE,
    desc = "The other thread is through before the producer comes.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Two inside, or none though one was offered.")
public class RecordQueue_OneFits {
  private static final Pool<Trial> POOL = new Pool<>(Trial::new);

  private final Trial trial = POOL.take();

  private static final class Trial extends Pool.Item {
    final RecordQueue<RecordQueue_PollAndPeek.Whole> queue =
        RecordQueue.of(RecordQueue_PollAndPeek.Whole.class, 1);

    int offer(long number) {
      return queue.offer(new RecordQueue_PollAndPeek.Whole(number, -number)) ? 1 : 0;
    }

    int poll() {
      return queue.poll() == null ? 0 : 1;
    }
  }

  @Actor
  public void producer(IIII_Result r) {
    r.r1 = trial.offer(1);
  }

  @Actor
  public void producerAndConsumer(IIII_Result r) {
    r.r2 = trial.offer(2);
    r.r3 = trial.poll();
  }

  @Arbiter
  public void owner(IIII_Result r) {
    r.r4 = trial.poll();
    trial.queue.clear();
    trial.giveBack();
  }
}

package dev.millrace.stress;

import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.stress.PipelinePort.Answer;
import dev.millrace.stress.PipelinePort.Form;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A producer of the pipelines' soak: claims in every form, publishes or aborts, rests now and then,
 * and with a stall limit sometimes so long amid a claim that its publish may be refused.
 */
final class PipelineProducer {
  private static final long REST_NANOS = 1_000_000;
  private static final int ABORT_EVERY = 20;
  private static final int STALL_EVERY = 300;
  private static final List<Form> FORMS = List.of(Form.values());

  private final PipelinePlan plan;
  private final PipelinePort port;
  private final PipelinePut put;
  private final BooleanSupplier isEnding;
  private final SplittableRandom random;
  private final Sequence steps = new Sequence();

  /**
   * Makes a producer.
   *
   * @param isEnding whether the ring may be closed by now
   */
  PipelineProducer(
      PipelinePlan plan,
      int producer,
      PipelinePort port,
      PipelinePut put,
      BooleanSupplier isEnding) {
    this.plan = plan;
    this.port = port;
    this.put = put;
    this.isEnding = isEnding;
    this.random = new SplittableRandom(plan.seed() * 64 + 63 - producer);
  }

  /** How many claims it has tried, as seen by any thread. */
  long steps() {
    return steps.getOpaque(); // opaque: a count
  }

  /** Publishes until it is through, the time has passed, or the ring is closed. */
  void run(long endNanos) throws InterruptedException {
    try {
      while (put.claimed() < plan.events() && System.nanoTime() - endNanos < 0) {
        if (!step()) {
          checkEnding(null);
          return;
        }
      }
    } catch (IllegalStateException | InterruptedException e) {
      // closed, or its memory freed amid an access, which may leave the thread interrupted
      checkEnding(e);
    }
  }

  private void checkEnding(Exception told) {
    if (!isEnding.getAsBoolean()) {
      throw new AssertionError("ring must be open: " + told, told);
    }
  }

  /** One claim; returns false if the ring is closed. */
  private boolean step() throws InterruptedException {
    steps.setOpaque(steps.getPlain() + 1); // opaque: for who watches; plain: this thread's own
    if (plan.pauseEvery() > 0 && random.nextInt(plan.pauseEvery()) == 0) {
      LockSupport.parkNanos(random.nextLong(REST_NANOS));
    }
    int count = random.nextBoolean() ? 1 : 1 + random.nextInt(plan.longestRun());
    Form form = FORMS.get(random.nextInt(FORMS.size()));
    Answer answer;
    try {
      answer = port.claim(form, count);
    } catch (IllegalStateException e) {
      if (!e.getMessage().startsWith("slots must be left")) {
        throw e;
      }
      Thread.yield(); // others who stall come back
      return true;
    }
    if (answer == Answer.CLAIMED) {
      end(port.claimed());
    } else if (answer == Answer.FULL) {
      full(form, count);
    }
    return answer != Answer.CLOSED;
  }

  private void end(int count) {
    int first = put.nextNumbers(count);
    port.write(first, put.step());
    if (plan.stalls() && random.nextInt(STALL_EVERY) == 0) {
      LockSupport.parkNanos(3 * plan.options().stallNanos());
    }
    if (random.nextInt(ABORT_EVERY) == 0) {
      port.abort();
      put.aborted += count;
    } else {
      put.published(first, count, port.publish());
    }
  }

  private void full(Form form, int count) {
    OnFull policy = plan.options().onFull();
    if (form == Form.TRY || form == Form.TIMED) {
      Thread.yield();
    } else if (policy == OnFull.DROP_NEWEST) {
      put.dropped += count;
    } else if (policy == OnFull.SIGNAL) {
      put.signalled += count;
    } else {
      throw new AssertionError("claim must wait: policy=" + policy + ", count=" + count);
    }
  }
}

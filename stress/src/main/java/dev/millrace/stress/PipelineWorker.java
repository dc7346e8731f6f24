package dev.millrace.stress;

import dev.millrace.core.Sequence;
import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.EventHandler;
import dev.millrace.stress.PipelinePlan.Life;
import dev.millrace.stress.PipelinePlan.StagePlan;
import dev.millrace.stress.spec.PipelineSpec;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A handler of a stage: looks whether the handlers before have left their marks, leaves its own,
 * throws when the plan says so, and tells its log.
 */
final class PipelineWorker implements BatchHandler<Entry>, EventHandler<Entry> {
  private static final long REST_NANOS = 20_000;
  private static final int FAULTY_EVENT = 50;

  /** What one worker does wrong, to see that it is noticed. */
  enum Fault {
    /** Nothing. */
    NONE,
    /** It has not got an event. */
    LOSE,
    /** It has got an event twice. */
    REPEAT,
    /** It has got two events the other way round. */
    REORDER,
    /** It leaves no mark, as if it had not come to the event yet. */
    LAG,
    /** It has thrown an exception that the pipeline did not count. */
    MISCOUNT
  }

  /** What a handler throws when the plan says so. */
  static final class Planned extends Exception {
    private static final long serialVersionUID = 1L;

    private final long sequence;

    Planned(long sequence) {
      super("planned, sequence=" + sequence, null, false, false);
      this.sequence = sequence;
    }

    /** The event's, or -1 if none was looked at. */
    long sequence() {
      return sequence;
    }
  }

  /** What a handler throws when the pipeline shall end by an error. */
  static final class PlannedError extends Error {
    private static final long serialVersionUID = 1L;

    PlannedError() {
      super("planned", null, false, false);
    }
  }

  private final PipelinePlan plan;
  private final StagePlan stage;
  private final int place;
  private final PipelineSpec.Log log;
  private final Fault fault;
  private final SplittableRandom random;
  private final Sequence steps = new Sequence();
  private final int[] placesBefore;
  private final StagePlan[] stagesBefore;
  private volatile boolean isArmed; // behind the warm-up
  private boolean isStopping;
  private boolean isDone; // what it does wrong

  PipelineWorker(PipelinePlan plan, int stage, int worker, PipelineSpec.Log log, Fault fault) {
    this.plan = plan;
    this.stage = plan.stages().get(stage);
    this.place = plan.place(stage, worker);
    this.log = log;
    this.fault = fault;
    this.random = new SplittableRandom(plan.seed() * 64 + place * 4L + worker);
    List<Integer> before = plan.placesBefore(stage);
    this.placesBefore = before.stream().mapToInt(its -> its).toArray();
    this.stagesBefore =
        before.stream().map(its -> plan.stages().get(its / 2)).toArray(StagePlan[]::new);
  }

  /** How often it was called, for any thread. */
  long steps() {
    return steps.getOpaque(); // opaque: a count
  }

  /** From now on events count, and handlers may throw. */
  void arm() {
    isArmed = true;
  }

  @Override
  public void onStart() {
    log.started();
  }

  @Override
  public void onEnd() {
    log.ended();
  }

  @Override
  public void onBatch(Batch<Entry> batch) throws Exception {
    int size = batch.remaining();
    if (size < 1 || size > batch.size()) {
      throw new AssertionError("batch must have events: " + size + " of " + batch.size());
    }
    int retries = stage.shape().retries();
    if (isArmed
        && stage.throwsEvery() > 0
        && retries > 0
        && log.isBetween(retries + 1)
        && random.nextInt(8) == 0) {
      log.threwEarly();
      throw new Planned(-1);
    }
    while (batch.next()) {
      onEvent(batch.event(), batch.sequence(), batch.isLast());
    }
  }

  @Override
  public void onEvent(Entry event, long sequence, boolean endOfBatch) throws Exception {
    steps.setOpaque(steps.getPlain() + 1); // opaque: for who watches; plain: this thread's own
    int number = (int) event.wholeNumber();
    if (number == Entry.WARM_UP) {
      return;
    }
    checkMarks(event, number);
    log.given(sequence, number);
    if (log.thrownInHand() < stage.throwsOn(number, place)) {
      log.threw();
      throw new Planned(sequence);
    }
    if (stage.stopAt() >= 0 && (isStopping || number >= stage.stopAt())) {
      stop(sequence);
    }
    boolean isFaulty = fault != Fault.NONE && !isDone && log.size() >= FAULTY_EVENT;
    isDone |= isFaulty;
    if (!isFaulty || fault != Fault.LAG) {
      event.mark(place, Entry.markOf(number, place));
    }
    log.handled();
    if (isFaulty) {
      doWrong(sequence, number);
    }
    if (stage.slowEvery() > 0 && random.nextInt(stage.slowEvery()) == 0) {
      LockSupport.parkNanos(REST_NANOS);
    }
  }

  private void stop(long sequence) throws Planned {
    isStopping = true;
    log.threw();
    if (plan.life() == Life.ERROR) {
      throw new PlannedError();
    }
    throw new Planned(sequence);
  }

  /** Whether those before are through with an event, and nobody was in this one's place. */
  private void checkMarks(Entry event, int number) {
    for (int i = 0; i < placesBefore.length; i++) {
      int before = placesBefore[i];
      boolean isFailed = stagesBefore[i].failsOn(number, before);
      checkMark(event, before, isFailed ? 0 : Entry.markOf(number, before), "after those before");
    }
    checkMark(event, place, (byte) 0, "once");
  }

  private void checkMark(Entry event, int its, byte mustBe, String rule) {
    if (event.mark(its) != mustBe) {
      throw new AssertionError(
          "event must be handled %s: %s, place=%d, mark=%d, stage=%s"
              .formatted(rule, event, its, event.mark(its), stage));
    }
  }

  private void doWrong(long sequence, int number) {
    switch (fault) {
      case LOSE -> log.forget();
      case REPEAT -> {
        log.given(sequence, number);
        log.handled();
      }
      case REORDER -> log.swap();
      case MISCOUNT -> log.threw();
      default -> {}
    }
  }
}

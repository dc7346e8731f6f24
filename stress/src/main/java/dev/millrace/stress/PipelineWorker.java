package dev.millrace.stress;

import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.EventHandler;
import dev.millrace.stress.PipelinePlan.Life;
import dev.millrace.stress.PipelinePlan.StagePlan;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A handler of a stage: looks whether the handlers before have left their marks, leaves its own,
 * throws when the plan says so, and tells its log.
 */
final class PipelineWorker<E extends PipelineEvent> implements BatchHandler<E>, EventHandler<E> {
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
  private final PipelineLog log;
  private final Fault fault;
  private final SplittableRandom random;
  private final int[] placesBefore;
  private final StagePlan[] stagesBefore;
  private volatile boolean isArmed; // behind the warm-up
  private boolean isStopping;
  private boolean isDone; // what it does wrong

  PipelineWorker(PipelinePlan plan, int stage, int worker, PipelineLog log, Fault fault) {
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
  public void onBatch(Batch<E> batch) throws Exception {
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
  public void onEvent(E event, long sequence, boolean endOfBatch) throws Exception {
    int number = event.wholeNumber();
    if (number == PipelineEvent.WARM_UP) {
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
    if (fault == Fault.LAG && log.size() >= FAULTY_EVENT && !isDone) {
      isDone = true;
      log.handled();
      return;
    }
    event.mark(place, PipelineEvent.markOf(number, place));
    log.handled();
    if (fault != Fault.NONE && log.size() >= FAULTY_EVENT && !isDone) {
      isDone = true;
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
  private void checkMarks(E event, int number) {
    for (int i = 0; i < placesBefore.length; i++) {
      int before = placesBefore[i];
      byte mark = event.mark(before);
      boolean isFailed = stagesBefore[i].failsOn(number, before);
      if (mark != (isFailed ? 0 : PipelineEvent.markOf(number, before))) {
        throw new AssertionError(
            "event must come after the stages before: number="
                + number
                + ", place="
                + before
                + ", mark="
                + mark
                + ", stage="
                + stage);
      }
    }
    if (event.mark(place) != 0) {
      throw new AssertionError("event must be handled once: number=" + number + ", stage=" + stage);
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

package dev.millrace.bench.compare;

import dev.millrace.disruptor.Batch;
import java.util.List;

/** One of three steps, each of which goes on with what the one before has made of an event. */
final class StepsTask extends Task<StepsEvent> {
  private static final long ADDEND = 3;
  private static final long BIT = 4;

  private final Step step;

  private enum Step {
    FIRST,
    SECOND,
    THIRD
  }

  private StepsTask(Step step, List<Task<StepsEvent>> after) {
    super(after);
    this.step = step;
  }

  /** All of them. */
  static List<Task<StepsEvent>> all() {
    Task<StepsEvent> first = new StepsTask(Step.FIRST, List.of());
    Task<StepsEvent> second = new StepsTask(Step.SECOND, List.of(first));
    return List.of(first, second, new StepsTask(Step.THIRD, List.of(second)));
  }

  @Override
  void handle(StepsEvent event) {
    switch (step) {
      case FIRST -> event.first(event.one() + event.two());
      case SECOND -> event.second(event.first() + ADDEND);
      case THIRD -> {
        if ((event.second() & BIT) == BIT) {
          add(1);
        }
      }
    }
  }

  @Override
  void handleAll(Batch<StepsEvent> batch) {
    switch (step) {
      case FIRST -> first(batch);
      case SECOND -> second(batch);
      case THIRD -> add(third(batch));
    }
  }

  private static void first(Batch<StepsEvent> batch) {
    for (int i = 0; i < batch.size(); i++) {
      StepsEvent event = batch.at(i);
      event.first(event.one() + event.two());
    }
  }

  private static void second(Batch<StepsEvent> batch) {
    for (int i = 0; i < batch.size(); i++) {
      StepsEvent event = batch.at(i);
      event.second(event.first() + ADDEND);
    }
  }

  private static long third(Batch<StepsEvent> batch) {
    long count = 0;
    for (int i = 0; i < batch.size(); i++) {
      if ((batch.at(i).second() & BIT) == BIT) {
        count++;
      }
    }
    return count;
  }

  @Override
  long expected(long count, long sum) {
    return step == Step.THIRD && (StepsEvent.SUM + ADDEND & BIT) == BIT ? count : 0;
  }

  @Override
  public String toString() {
    return step.toString();
  }
}

package dev.millrace.bench.compare;

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
    super(step.name(), after);
    this.step = step;
  }

  /** All of them. */
  static List<Task<StepsEvent>> all() {
    Task<StepsEvent> first = new StepsTask(Step.FIRST, List.of());
    Task<StepsEvent> second = new StepsTask(Step.SECOND, List.of(first));
    return List.of(first, second, new StepsTask(Step.THIRD, List.of(second)));
  }

  @Override
  long next(StepsEvent event, long before) {
    switch (step) {
      case FIRST -> event.first(event.one() + event.two());
      case SECOND -> event.second(event.first() + ADDEND);
      case THIRD -> {
        return (event.second() & BIT) == BIT ? before + 1 : before;
      }
    }
    return before;
  }

  @Override
  long expected(long count, long sum) {
    return step == Step.THIRD && (StepsEvent.SUM + ADDEND & BIT) == BIT ? count : 0;
  }
}

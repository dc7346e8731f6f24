package dev.millrace.bench.compare;

import dev.millrace.disruptor.Batch;
import java.util.List;

/** Marks what can be divided by 3, or by 5; behind both, counts what has both marks. */
final class DiamondTask<E extends DiamondEvent> extends Task<E> {
  private final Part part;

  private enum Part {
    THREE,
    FIVE,
    BOTH
  }

  private DiamondTask(Part part, List<Task<E>> after) {
    super(after);
    this.part = part;
  }

  /** All of them. */
  static <E extends DiamondEvent> List<Task<E>> all() {
    Task<E> three = new DiamondTask<>(Part.THREE, List.of());
    Task<E> five = new DiamondTask<>(Part.FIVE, List.of());
    return List.of(three, five, new DiamondTask<>(Part.BOTH, List.of(three, five)));
  }

  @Override
  void handle(E event) {
    switch (part) {
      case THREE -> {
        if (event.value() % 3 == 0) {
          event.markThree();
        }
      }
      case FIVE -> {
        if (event.value() % 5 == 0) {
          event.markFive();
        }
      }
      case BOTH -> {
        if (event.isMarkedTwice()) {
          add(1);
        }
      }
    }
  }

  @Override
  void handleAll(Batch<E> batch) {
    switch (part) {
      case THREE -> markThree(batch);
      case FIVE -> markFive(batch);
      case BOTH -> add(countBoth(batch));
    }
  }

  private static <E extends DiamondEvent> void markThree(Batch<E> batch) {
    for (int i = 0; i < batch.size(); i++) {
      E event = batch.at(i);
      if (event.value() % 3 == 0) {
        event.markThree();
      }
    }
  }

  private static <E extends DiamondEvent> void markFive(Batch<E> batch) {
    for (int i = 0; i < batch.size(); i++) {
      E event = batch.at(i);
      if (event.value() % 5 == 0) {
        event.markFive();
      }
    }
  }

  private static <E extends DiamondEvent> long countBoth(Batch<E> batch) {
    long count = 0;
    for (int i = 0; i < batch.size(); i++) {
      if (batch.at(i).isMarkedTwice()) {
        count++;
      }
    }
    return count;
  }

  @Override
  long expected(long count, long sum) {
    return part == Part.BOTH ? (count + 14) / 15 : 0; // of 0, 1, 2 ...
  }

  @Override
  public String toString() {
    return part.toString();
  }
}

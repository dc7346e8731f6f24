package dev.millrace.bench.compare;

import dev.millrace.disruptor.Batch;
import java.util.List;

/** Marks what can be divided by 3, or by 5; behind both, counts what has both marks. */
final class DiamondTask extends Task<DiamondEvent> {
  private final Part part;

  private enum Part {
    THREE,
    FIVE,
    BOTH
  }

  private DiamondTask(Part part, List<Task<DiamondEvent>> after) {
    super(after);
    this.part = part;
  }

  /** All of them. */
  static List<Task<DiamondEvent>> all() {
    Task<DiamondEvent> three = new DiamondTask(Part.THREE, List.of());
    Task<DiamondEvent> five = new DiamondTask(Part.FIVE, List.of());
    return List.of(three, five, new DiamondTask(Part.BOTH, List.of(three, five)));
  }

  @Override
  void handle(DiamondEvent event) {
    switch (part) {
      case THREE -> {
        if (event.value() % 3 == 0) {
          event.three(true);
        }
      }
      case FIVE -> {
        if (event.value() % 5 == 0) {
          event.five(true);
        }
      }
      case BOTH -> {
        if (event.three() && event.five()) {
          add(1);
        }
      }
    }
  }

  @Override
  void handleAll(Batch<DiamondEvent> batch) {
    switch (part) {
      case THREE -> markThree(batch);
      case FIVE -> markFive(batch);
      case BOTH -> add(countBoth(batch));
    }
  }

  private static void markThree(Batch<DiamondEvent> batch) {
    for (int i = 0; i < batch.size(); i++) {
      DiamondEvent event = batch.at(i);
      if (event.value() % 3 == 0) {
        event.three(true);
      }
    }
  }

  private static void markFive(Batch<DiamondEvent> batch) {
    for (int i = 0; i < batch.size(); i++) {
      DiamondEvent event = batch.at(i);
      if (event.value() % 5 == 0) {
        event.five(true);
      }
    }
  }

  private static long countBoth(Batch<DiamondEvent> batch) {
    long count = 0;
    for (int i = 0; i < batch.size(); i++) {
      DiamondEvent event = batch.at(i);
      if (event.three() && event.five()) {
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

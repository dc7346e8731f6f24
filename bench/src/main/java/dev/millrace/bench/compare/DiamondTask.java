package dev.millrace.bench.compare;

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
    super(part.name(), after);
    this.part = part;
  }

  /** All of them. */
  static List<Task<DiamondEvent>> all() {
    Task<DiamondEvent> three = new DiamondTask(Part.THREE, List.of());
    Task<DiamondEvent> five = new DiamondTask(Part.FIVE, List.of());
    return List.of(three, five, new DiamondTask(Part.BOTH, List.of(three, five)));
  }

  @Override
  long next(DiamondEvent event, long before) {
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
        return event.three() && event.five() ? before + 1 : before;
      }
    }
    return before;
  }

  @Override
  long expected(long count, long sum) {
    return part == Part.BOTH ? (count + 14) / 15 : 0; // of 0, 1, 2 ...
  }
}

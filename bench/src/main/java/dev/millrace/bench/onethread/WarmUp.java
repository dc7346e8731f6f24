package dev.millrace.bench.onethread;

import static dev.millrace.bench.onethread.Style.HANDLED;
import static dev.millrace.bench.onethread.Style.RUNS;
import static dev.millrace.bench.onethread.Style.SINGLES;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What the JVM has seen of a contender before it is measured: code that was compiled for one use
 * may stay slow in another.
 */
public enum WarmUp {
  /** Only what moves records one by one. */
  SINGLES_ONLY("singles", EnumSet.of(SINGLES, Style.WAITING)),
  /** Only runs. */
  RUNS_ONLY("runs", EnumSet.of(RUNS, HANDLED)),
  /** Both, in turn. */
  BOTH("both", EnumSet.allOf(Style.class)),
  /** Both, with four classes of handlers, and with the library's other kinds of queue. */
  MIXED("mixed", EnumSet.allOf(Style.class));

  private static final int RECORDS = 1 << 14;
  private static final int HANDLERS = 4;

  private final String title;

  @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
  private final Set<Style> styles;

  WarmUp(String title, Set<Style> styles) {
    this.title = title;
    this.styles = styles;
  }

  String title() {
    return title;
  }

  /** Uses a contender's queue for a time; and in the mixed form others of its library. */
  void run(Contender contender, Loop loop, long nanos) {
    List<Contender> others = this == MIXED ? contender.siblings() : List.of();
    List<Loop> loops = others.stream().map(Contender::newLoop).toList();
    long begin = System.nanoTime();
    do {
      use(contender, loop);
      for (int i = 0; i < loops.size(); i++) {
        use(others.get(i), loops.get(i));
      }
    } while (System.nanoTime() - begin < nanos);
    loops.forEach(Loop::close);
  }

  private void use(Contender contender, Loop loop) {
    for (Style style : contender.styles()) {
      if (styles.contains(style)) {
        for (int i = 0; i < (style == HANDLED && this == MIXED ? HANDLERS : 1); i++) {
          loop.move(style, RECORDS, i);
        }
      }
    }
  }
}

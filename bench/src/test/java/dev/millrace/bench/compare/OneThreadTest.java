package dev.millrace.bench.compare;

import dev.millrace.bench.compare.OneThread.Loop;
import dev.millrace.bench.compare.OneThread.Style;
import dev.millrace.bench.compare.OneThread.Subject;
import dev.millrace.bench.compare.OneThread.WarmUp;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OneThreadTest {
  static List<Subject> subjects() {
    return OneThread.SUBJECTS;
  }

  @ParameterizedTest
  @MethodSource("subjects")
  void records_inEachStyleAndAfterEachWarmUp_comeOutWhole(Subject subject) throws Exception {
    for (WarmUp warmUp : WarmUp.values()) {
      try (Loop loop = new Loop(subject)) {
        loop.warmUp(warmUp, 1);
        for (Style style : subject.styles()) {
          loop.check(style);
        }
      }
    }
  }
}

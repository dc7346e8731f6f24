package dev.millrace.bench.onethread;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContenderTest {
  @ParameterizedTest
  @EnumSource
  void records_inEachStyleAndAfterEachWarmUp_comeOutWhole(Contender contender) {
    for (WarmUp warmUp : WarmUp.values()) {
      try (Loop loop = contender.newLoop()) {
        warmUp.run(contender, loop, 1);
        contender.styles().forEach(loop::check);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void siblings_areTheOthersOfTheLibrary(Contender contender) {
    assertThat(contender.siblings()).doesNotContain(contender);
    contender.siblings().forEach(other -> assertThat(other.siblings()).contains(contender));
  }
}

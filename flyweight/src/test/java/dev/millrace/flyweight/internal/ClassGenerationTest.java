package dev.millrace.flyweight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Finds a JVM in which classes are made although it is an image, or although a user forbids it. */
class ClassGenerationTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "null",
      value = {
        "null, null, null",
        "true, null, null",
        "'', null, null",
        "false, null, millrace.generateClasses=false",
        "FALSE, null, millrace.generateClasses=false",
        "null, runtime, a native image",
        "true, runtime, a native image",
        "false, runtime, a native image",
        "null, buildtime, a native image"
      })
  void obstacle_ofBothProperties_isAnImageOrTheUsersWish(
      String generate, String image, String obstacle) {
    assertThat(ClassGeneration.obstacle(generate, image)).isEqualTo(obstacle);
  }

  @ParameterizedTest
  @CsvSource({"a native image", "millrace.generateClasses=false"})
  void refusal_isOneSentence(String obstacle) {
    assertThat(ClassGeneration.refusal("interface trades.Trade", obstacle, "write a Flyweight"))
        .isEqualTo(
            "interface trades.Trade needs a class made at run time, which "
                + obstacle
                + " rules out: write a Flyweight");
  }
}

package dev.millrace.flyweight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.CodeSizes;
import org.junit.jupiter.api.Test;

/**
 * Finds an access to a record that has become too large to be inlined where HotSpot takes the call
 * for a rare one.
 */
class InlinedTest {
  @Test
  void accessors_areSmallEnoughForARareCall() throws Exception {
    assertThat(CodeSizes.of(FlyweightFields.class, "(get|put|of).*"))
        .hasSize(40)
        .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(CodeSizes.MAX_INLINE_SIZE));
  }
}

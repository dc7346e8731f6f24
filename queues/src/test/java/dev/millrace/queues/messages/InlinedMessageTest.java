package dev.millrace.queues.messages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.CodeSizes;
import org.junit.jupiter.api.Test;

/**
 * Finds an access to a message that has become too large to be inlined where HotSpot takes the call
 * for a rare one.
 */
class InlinedMessageTest {
  @Test
  void accessors_areSmallEnoughForARareCall() throws Exception {
    assertThat(CodeSizes.of(Message.class, "(get|put)(Byte|Short|Char|Int|Long|Float|Double)|at"))
        .hasSize(15)
        .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(CodeSizes.MAX_INLINE_SIZE));
  }
}

package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.Templates;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import org.junit.jupiter.api.Test;

/** Accesses to a message are inlined also where HotSpot takes the call for a rare one. */
class InlinedMessageTest {
  private static final int MAX_INLINE_SIZE = 35;

  @Test
  void accessors_areSmallEnoughForARareCall() {
    assertThat(
            ClassFile.of().parse(Templates.bytes(Message.class)).methods().stream()
                .filter(
                    method ->
                        method
                            .methodName()
                            .stringValue()
                            .matches("(get|put)(Byte|Short|Char|Int|Long|Float|Double)|at"))
                .map(method -> ((CodeAttribute) method.code().orElseThrow()).codeLength()))
        .hasSizeGreaterThan(20)
        .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(MAX_INLINE_SIZE));
  }
}

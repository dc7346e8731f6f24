package dev.millrace.flyweight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.Templates;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The access to a record of a run must be inlined also where most claims or polls were in vain
 * while HotSpot looked: it then takes the call for a rare one, and inlines no more than {@code
 * MaxInlineSize} bytes. What is not inlined costs a run three quarters of its speed.
 */
class InlinedTest {
  private static final int MAX_INLINE_SIZE = 35;

  @Test
  void accessors_areSmallEnoughForARareCall() throws Exception {
    Class<?> accessors = Class.forName("dev.millrace.flyweight.FlyweightFields");
    assertThat(
            ClassFile.of().parse(Templates.bytes(accessors)).methods().stream()
                .filter(method -> method.methodName().stringValue().matches("(get|put|of).*"))
                .map(MethodModel::code)
                .map(code -> ((CodeAttribute) code.orElseThrow()).codeLength()))
        .hasSize(40)
        .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(MAX_INLINE_SIZE));
  }

  @ParameterizedTest
  @ValueSource(classes = {RecordProducer.class, RecordConsumer.class})
  void at_isSmallEnoughForARareCall(Class<?> type) {
    assertThat(
            ClassFile.of().parse(Templates.bytes(type)).methods().stream()
                .filter(method -> method.methodName().equalsString("at"))
                .map(MethodModel::code)
                .map(code -> ((CodeAttribute) code.orElseThrow()).codeLength()))
        .hasSize(1)
        .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(MAX_INLINE_SIZE));
  }
}

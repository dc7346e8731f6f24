package dev.millrace.core.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.CodeSizes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a move to a record of a run that has become too large to be inlined where most claims or
 * polls have found nothing.
 */
class InlinedEndTest {
  @ParameterizedTest
  @ValueSource(classes = {RecordProducer.class, RecordConsumer.class})
  void at_isSmallEnoughForARareCall(Class<?> type) throws Exception {
    assertThat(CodeSizes.of(type, "at"))
        .hasSize(1)
        .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(CodeSizes.MAX_INLINE_SIZE));
  }
}

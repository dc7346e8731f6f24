package dev.millrace.queues.internal.shared;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Finds two records that differ and have the same text, and a text that a file cannot hold. */
class LayoutTextTest {
  private static StructLayout struct(MemoryLayout... members) {
    return MemoryLayout.structLayout(members);
  }

  @Test
  void of_hasOffsetNameAndTypeOfEachField() {
    ByteOrder other =
        ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
            ? ByteOrder.LITTLE_ENDIAN
            : ByteOrder.BIG_ENDIAN;
    StructLayout record =
        struct(
            JAVA_INT.withName("id"),
            MemoryLayout.paddingLayout(4),
            JAVA_LONG.withOrder(other).withName("größe"),
            JAVA_BYTE.withOrder(other).withName("flag"),
            MemoryLayout.paddingLayout(7),
            MemoryLayout.sequenceLayout(2, struct(JAVA_INT.withName("a"), JAVA_INT.withName("b")))
                .withName("levels"));
    assertThat(LayoutText.of("record: ", record))
        .isEqualTo(
            "record: 0 id: int, 8 gr\\u00f6\\u00dfe: long swapped, 16 flag: byte, 24 levels: 2 x {0"
                + " a: int, 4 b: int} of 8");
  }

  @Test
  void of_whenTooLong_differsByTheChecksum() {
    MemoryLayout[] fields = new MemoryLayout[1_000];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = JAVA_BYTE.withName("field" + i);
    }
    String text = LayoutText.of("", struct(fields));
    fields[999] = JAVA_BYTE.withName("another");
    String other = LayoutText.of("", struct(fields));
    assertThat(text).hasSize(FileLayout.LAYOUT_BYTES).isNotEqualTo(other);
    assertThat(text.substring(0, 3_000)).isEqualTo(other.substring(0, 3_000));
  }
}

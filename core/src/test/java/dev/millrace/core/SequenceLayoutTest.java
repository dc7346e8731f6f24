package dev.millrace.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

/**
 * Finds a field that HotSpot puts within a cache line of a sequence's value. It reads where the
 * fields really are; the build runs it with and without compact object headers.
 */
class SequenceLayoutTest {
  private static final long PADDING_BYTES = 120; // with the value's 8 bytes: a pair of lines

  @Test
  void value_whereverTheObjectLies_sharesItsLinePairWithNothing() {
    ClassLayout layout = ClassLayout.parseClass(Sequence.class);
    FieldLayout value =
        layout.fields().stream().filter(f -> f.name().equals("value")).findFirst().orElseThrow();

    assertThat(value.offset() - layout.headerSize())
        .as("bytes before the value: %s", layout.toPrintable())
        .isGreaterThanOrEqualTo(PADDING_BYTES);
    assertThat(layout.instanceSize() - value.offset() - value.size())
        .as("bytes behind the value: %s", layout.toPrintable())
        .isGreaterThanOrEqualTo(PADDING_BYTES);
    for (FieldLayout field : layout.fields()) {
      assertThat(field.typeClass()).as(field.name()).isEqualTo("long");
    }
  }
}

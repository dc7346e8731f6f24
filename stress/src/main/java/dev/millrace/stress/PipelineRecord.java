package dev.millrace.stress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** An event off the heap, of 16, 24 or 32 bytes. */
final class PipelineRecord extends Flyweight implements PipelineEvent {
  /** The sizes that there are. */
  static final List<Integer> SIZES_BYTES = List.of(16, 24, 32);

  private static final RecordLayout SMALL =
      RecordLayout.of(
          JAVA_INT.withName("number"),
          MemoryLayout.sequenceLayout(PLACES, JAVA_BYTE).withName("marks"));
  private static final RecordLayout MEDIUM =
      RecordLayout.of(
          JAVA_INT.withName("number"),
          MemoryLayout.sequenceLayout(PLACES, JAVA_BYTE).withName("marks"),
          JAVA_LONG.withName("mixed"));
  private static final RecordLayout LARGE =
      RecordLayout.of(
          JAVA_INT.withName("number"),
          MemoryLayout.sequenceLayout(PLACES, JAVA_BYTE).withName("marks"),
          JAVA_LONG.withName("mixed"),
          JAVA_LONG.withName("negated"));

  private final Field number;
  private final Field marks;
  private final Field mixed; // null in the small one
  private final Field negated; // only in the large one

  private PipelineRecord(RecordLayout layout, MemorySegment memory) {
    super(layout, memory);
    number = layout.field("number");
    marks = layout.field("marks[]");
    mixed = layout.equals(SMALL) ? null : layout.field("mixed");
    negated = layout.equals(LARGE) ? layout.field("negated") : null;
  }

  static PipelineRecord of(int sizeBytes, MemorySegment memory) {
    return new PipelineRecord(
        switch (sizeBytes) {
          case 16 -> SMALL;
          case 24 -> MEDIUM;
          default -> LARGE;
        },
        memory);
  }

  @Override
  public void begin(int its) {
    for (int place = 0; place < PLACES; place++) {
      putByte(marks, place, (byte) 0);
    }
    putInt(number, its);
    if (mixed != null) {
      putLong(mixed, Entry.mix(its));
    }
    if (negated != null) {
      putLong(negated, -its);
    }
  }

  @Override
  public int wholeNumber() {
    int its = getInt(number);
    if ((mixed != null && getLong(mixed) != Entry.mix(its))
        || (negated != null && getLong(negated) != -its)) {
      throw new AssertionError("torn event: " + this);
    }
    return its;
  }

  @Override
  public byte mark(int place) {
    return getByte(marks, place);
  }

  @Override
  public void mark(int place, byte value) {
    putByte(marks, place, value);
  }
}

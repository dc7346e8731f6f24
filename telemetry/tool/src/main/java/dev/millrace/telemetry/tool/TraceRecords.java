package dev.millrace.telemetry.tool;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.telemetry.TraceReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies the records that a reader has read, whatever their layout. */
public final class TraceRecords {
  private final TraceReader reader;
  private final FirstByte fields;

  /** Finds where the reader keeps its copy. The record's own layout says what is in it. */
  private static final class FirstByte extends Flyweight {
    private static final RecordLayout LAYOUT =
        RecordLayout.of(ValueLayout.JAVA_BYTE.withName("first"));

    FirstByte(MemorySegment memory) {
      super(LAYOUT, memory);
    }
  }

  /**
   * Makes an object that copies records from a reader, without owning the reader.
   *
   * @param reader reads the records
   */
  public TraceRecords(TraceReader reader) {
    this.reader = reader;
    this.fields = reader.newView(FlyweightType.of(FirstByte::new));
  }

  /**
   * Copies the last record read.
   *
   * @return the copy
   * @throws IllegalStateException if no record was read yet
   */
  public TraceRecord copy() {
    return new TraceRecord(
        reader.time(),
        reader.writer(),
        reader.type(),
        RecordFields.read(reader.layout(), fields.memory(), fields.offset()),
        reader.text());
  }
}

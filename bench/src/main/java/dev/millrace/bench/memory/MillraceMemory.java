package dev.millrace.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * Millrace's native memory full of records of one field, each reached as users reach theirs: a
 * flyweight moves to it, and an accessor with a constant field reads or writes it.
 */
final class MillraceMemory extends Memory {
  private final NativeMemory memory;
  private final ByteRecord byteRecord;
  private final BlockRecord blockRecord;
  private final IntRecord intRecord;
  private final LongRecord longRecord;

  private MillraceMemory(int sizeBytes) {
    super(sizeBytes);
    this.memory = NativeMemory.allocate(sizeBytes);
    this.byteRecord = new ByteRecord(memory.segment());
    this.blockRecord = new BlockRecord(memory.segment());
    this.intRecord = new IntRecord(memory.segment());
    this.longRecord = new LongRecord(memory.segment());
  }

  /** Allocates it. */
  static Memory of(int sizeBytes) {
    return new MillraceMemory(sizeBytes);
  }

  @Override
  public void close() {
    memory.close();
  }

  @Override
  void putByte(int offset, byte value) {
    byteRecord.moveTo(offset);
    byteRecord.value(value);
  }

  @Override
  byte getByte(int offset) {
    byteRecord.moveTo(offset);
    return byteRecord.value();
  }

  @Override
  void putBlock(int offset, byte[] source) {
    blockRecord.moveTo(offset);
    blockRecord.value(source);
  }

  @Override
  void getBlock(int offset, byte[] target) {
    blockRecord.moveTo(offset);
    blockRecord.copyTo(target);
  }

  @Override
  void putInt(int offset, int value) {
    intRecord.moveTo(offset);
    intRecord.value(value);
  }

  @Override
  int getInt(int offset) {
    intRecord.moveTo(offset);
    return intRecord.value();
  }

  @Override
  void putLong(int offset, long value) {
    longRecord.moveTo(offset);
    longRecord.value(value);
  }

  @Override
  long getLong(int offset) {
    longRecord.moveTo(offset);
    return longRecord.value();
  }

  private static final class ByteRecord extends Flyweight {
    private static final RecordLayout LAYOUT = RecordLayout.of(JAVA_BYTE.withName("value"));
    private static final Field VALUE = LAYOUT.field("value");

    ByteRecord(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    void value(byte value) {
      putByte(VALUE, value);
    }

    byte value() {
      return getByte(VALUE);
    }
  }

  private static final class IntRecord extends Flyweight {
    private static final RecordLayout LAYOUT = RecordLayout.of(JAVA_INT.withName("value"));
    private static final Field VALUE = LAYOUT.field("value");

    IntRecord(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    void value(int value) {
      putInt(VALUE, value);
    }

    int value() {
      return getInt(VALUE);
    }
  }

  private static final class LongRecord extends Flyweight {
    private static final RecordLayout LAYOUT = RecordLayout.of(JAVA_LONG.withName("value"));
    private static final Field VALUE = LAYOUT.field("value");

    LongRecord(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    void value(long value) {
      putLong(VALUE, value);
    }

    long value() {
      return getLong(VALUE);
    }
  }

  private static final class BlockRecord extends Flyweight {
    private static final RecordLayout LAYOUT =
        RecordLayout.of(MemoryLayout.sequenceLayout(BLOCK_BYTES, JAVA_BYTE).withName("value"));
    private static final Field VALUE = LAYOUT.field("value");

    BlockRecord(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    void value(byte[] source) {
      putBytes(VALUE, source);
    }

    void copyTo(byte[] target) {
      getBytes(VALUE, target);
    }
  }
}

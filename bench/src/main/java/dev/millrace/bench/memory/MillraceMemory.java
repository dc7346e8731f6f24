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
  private static final RecordLayout BYTE = of(JAVA_BYTE);
  private static final RecordLayout BLOCK = of(MemoryLayout.sequenceLayout(BLOCK_BYTES, JAVA_BYTE));
  private static final RecordLayout INT = of(JAVA_INT);
  private static final RecordLayout LONG = of(JAVA_LONG);
  private static final Field BYTE_VALUE = BYTE.field("value");
  private static final Field BLOCK_VALUE = BLOCK.field("value");
  private static final Field INT_VALUE = INT.field("value");
  private static final Field LONG_VALUE = LONG.field("value");

  private static RecordLayout of(MemoryLayout value) {
    return RecordLayout.of(value.withName("value"));
  }

  private final NativeMemory memory;
  private final Cell bytes;
  private final Cell blocks;
  private final Cell ints;
  private final Cell longs;

  MillraceMemory(int sizeBytes) {
    super(sizeBytes);
    this.memory = NativeMemory.allocate(sizeBytes);
    this.bytes = new Cell(BYTE, memory.segment());
    this.blocks = new Cell(BLOCK, memory.segment());
    this.ints = new Cell(INT, memory.segment());
    this.longs = new Cell(LONG, memory.segment());
  }

  @Override
  public void close() {
    memory.close();
  }

  @Override
  void putByte(int offset, byte value) {
    bytes.moveTo(offset);
    bytes.put(value);
  }

  @Override
  byte getByte(int offset) {
    bytes.moveTo(offset);
    return bytes.getByte();
  }

  @Override
  void putBlock(int offset, byte[] source) {
    blocks.moveTo(offset);
    blocks.put(source);
  }

  @Override
  void getBlock(int offset, byte[] target) {
    blocks.moveTo(offset);
    blocks.get(target);
  }

  @Override
  void putInt(int offset, int value) {
    ints.moveTo(offset);
    ints.put(value);
  }

  @Override
  int getInt(int offset) {
    ints.moveTo(offset);
    return ints.getInt();
  }

  @Override
  void putLong(int offset, long value) {
    longs.moveTo(offset);
    longs.put(value);
  }

  @Override
  long getLong(int offset) {
    longs.moveTo(offset);
    return longs.getLong();
  }

  /** A record of one field, which its accessors name by a constant. */
  private static final class Cell extends Flyweight {
    Cell(RecordLayout layout, MemorySegment memory) {
      super(layout, memory);
    }

    void put(byte value) {
      putByte(BYTE_VALUE, value);
    }

    byte getByte() {
      return getByte(BYTE_VALUE);
    }

    void put(byte[] source) {
      putBytes(BLOCK_VALUE, source);
    }

    void get(byte[] target) {
      getBytes(BLOCK_VALUE, target);
    }

    void put(int value) {
      putInt(INT_VALUE, value);
    }

    int getInt() {
      return getInt(INT_VALUE);
    }

    void put(long value) {
      putLong(LONG_VALUE, value);
    }

    long getLong() {
      return getLong(LONG_VALUE);
    }
  }
}

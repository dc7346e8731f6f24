package dev.millrace.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A {@link MemorySegment} as the JDK has it, native or on the heap: two classes of the JDK's behind
 * one call site each. The layouts are unaligned, since a segment on a {@code byte[]} promises no
 * alignment.
 */
final class SegmentMemory extends Memory {
  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;

  /** Native memory is aligned as Millrace's is. */
  SegmentMemory(int sizeBytes, boolean isNative) {
    super(sizeBytes);
    this.segment =
        isNative
            ? arena.allocate(sizeBytes, NativeMemory.ALIGNMENT_BYTES)
            : MemorySegment.ofArray(new byte[sizeBytes]);
  }

  @Override
  public void close() {
    arena.close();
  }

  @Override
  void putByte(int offset, byte value) {
    segment.set(JAVA_BYTE, offset, value);
  }

  @Override
  byte getByte(int offset) {
    return segment.get(JAVA_BYTE, offset);
  }

  @Override
  void putBlock(int offset, byte[] source) {
    MemorySegment.copy(source, 0, segment, JAVA_BYTE, offset, BLOCK_BYTES);
  }

  @Override
  void getBlock(int offset, byte[] target) {
    MemorySegment.copy(segment, JAVA_BYTE, offset, target, 0, BLOCK_BYTES);
  }

  @Override
  void putInt(int offset, int value) {
    segment.set(JAVA_INT_UNALIGNED, offset, value);
  }

  @Override
  int getInt(int offset) {
    return segment.get(JAVA_INT_UNALIGNED, offset);
  }

  @Override
  void putLong(int offset, long value) {
    segment.set(JAVA_LONG_UNALIGNED, offset, value);
  }

  @Override
  long getLong(int offset) {
    return segment.get(JAVA_LONG_UNALIGNED, offset);
  }
}

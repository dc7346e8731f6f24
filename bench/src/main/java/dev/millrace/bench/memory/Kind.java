package dev.millrace.bench.memory;

import java.nio.ByteBuffer;

/** The kinds of memory, and the ways to reach it. */
public enum Kind {
  /** {@code NativeMemory}, through flyweights. */
  MILLRACE,
  /** A {@code byte[]}, {@code int[]} or {@code long[]}, whichever is natural for the access. */
  ARRAY,
  /** A {@code byte[]} through {@code VarHandle}s. */
  ARRAY_VIEW,
  /** A {@code ByteBuffer} on the heap. */
  HEAP_BUFFER,
  /** A direct {@code ByteBuffer}. */
  DIRECT_BUFFER,
  /** Agrona's {@code UnsafeBuffer} over direct memory. */
  UNSAFE_BUFFER,
  /** A {@code MemorySegment} over a {@code byte[]}. */
  HEAP_SEGMENT,
  /** A {@code MemorySegment} of a shared arena. */
  NATIVE_SEGMENT;

  /** The kind that it is mixed with where two are: an array with ours, all others with an array. */
  Kind other() {
    return this == ARRAY ? MILLRACE : ARRAY;
  }

  /**
   * Allocates memory of this kind. Only the class behind the one case that is taken gets loaded: as
   * objects, the verifier need not know whether the others are memories.
   */
  Memory allocate(int sizeBytes, Access access) {
    return switch (this) {
      case MILLRACE -> memory(new MillraceMemory(sizeBytes));
      case ARRAY -> memory(new ArrayMemory(sizeBytes, access));
      case ARRAY_VIEW -> memory(new ArrayViewMemory(sizeBytes));
      case HEAP_BUFFER -> memory(new BufferMemory(ByteBuffer.allocate(sizeBytes)));
      case DIRECT_BUFFER -> memory(new BufferMemory(ByteBuffer.allocateDirect(sizeBytes)));
      case UNSAFE_BUFFER -> memory(new AgronaMemory(sizeBytes));
      case HEAP_SEGMENT -> memory(new SegmentMemory(sizeBytes, false));
      case NATIVE_SEGMENT -> memory(new SegmentMemory(sizeBytes, true));
    };
  }

  private static Memory memory(Object made) {
    return (Memory) made;
  }
}

package dev.millrace.bench.memory;

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
   * Allocates memory of this kind. Only what is behind the one case that is taken gets loaded: the
   * factories return the abstract class, so that the verifier need not know the others.
   */
  Memory allocate(int sizeBytes, Access access) {
    return switch (this) {
      case MILLRACE -> MillraceMemory.of(sizeBytes);
      case ARRAY -> ArrayMemory.of(sizeBytes, access);
      case ARRAY_VIEW -> ArrayViewMemory.of(sizeBytes);
      case HEAP_BUFFER -> BufferMemory.onHeap(sizeBytes);
      case DIRECT_BUFFER -> BufferMemory.direct(sizeBytes);
      case UNSAFE_BUFFER -> AgronaMemory.of(sizeBytes);
      case HEAP_SEGMENT -> SegmentMemory.onHeap(sizeBytes);
      case NATIVE_SEGMENT -> SegmentMemory.inNative(sizeBytes);
    };
  }
}

package dev.millrace.bench.compare;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a program does that uses memory of all kinds: 64-bit accesses in all modes that queues use,
 * to arrays, mapped files, buffers and native memory of every arena, through handles of the same
 * layout. The JDK's code below all such handles is then compiled for many kinds, and its profile,
 * which C2 asks before it inlines, says so from the first access of a queue on. The queues' own
 * call sites see native memory only; that this suffices is what is to be shown.
 */
final class Pollution {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
  private static final VarHandle LONG_ANYWHERE =
      ValueLayout.JAVA_LONG_UNALIGNED.varHandle().withInvokeExactBehavior();

  private static final int SIZE_BYTES = 4_096;
  private static final int WALKS_PER_LOOK = 64;

  /**
   * What was done.
   *
   * @param walks how many walks over a segment, by the kind of segment
   * @param sum of what was read there, a check
   */
  record Result(Map<String, Long> walks, long sum) {}

  private Pollution() {}

  /** Accesses all kinds in turn, for a time and at least once. */
  static Result pollute(long nanos) throws IOException {
    Path file = Files.createTempFile("millrace", ".pollution");
    try (Arena confined = Arena.ofConfined();
        Arena shared = Arena.ofShared()) {
      Map<String, MemorySegment> kinds = kinds(confined, shared, file);
      Map<String, Long> walks = new LinkedHashMap<>();
      long sum = 0;
      long begin = System.nanoTime();
      do {
        for (Map.Entry<String, MemorySegment> kind : kinds.entrySet()) {
          for (int i = 0; i < WALKS_PER_LOOK; i++) {
            sum += walk(kind.getValue());
          }
          walks.merge(kind.getKey(), (long) WALKS_PER_LOOK, Long::sum);
        }
      } while (System.nanoTime() - begin < nanos);
      return new Result(walks, sum);
    } finally {
      Files.delete(file);
    }
  }

  /** Each kind of segment, and slices of some, by name. */
  static Map<String, MemorySegment> kinds(Arena confined, Arena shared, Path file)
      throws IOException {
    Map<String, MemorySegment> kinds = new LinkedHashMap<>();
    kinds.put("byte[]", MemorySegment.ofArray(new byte[SIZE_BYTES]));
    kinds.put("short[]", MemorySegment.ofArray(new short[SIZE_BYTES / Short.BYTES]));
    kinds.put("char[]", MemorySegment.ofArray(new char[SIZE_BYTES / Character.BYTES]));
    kinds.put("int[]", MemorySegment.ofArray(new int[SIZE_BYTES / Integer.BYTES]));
    kinds.put("float[]", MemorySegment.ofArray(new float[SIZE_BYTES / Float.BYTES]));
    kinds.put("long[]", MemorySegment.ofArray(new long[SIZE_BYTES / Long.BYTES]));
    kinds.put("double[]", MemorySegment.ofArray(new double[SIZE_BYTES / Double.BYTES]));
    kinds.put("heap buffer", MemorySegment.ofBuffer(ByteBuffer.allocate(SIZE_BYTES)));
    kinds.put("direct buffer", MemorySegment.ofBuffer(ByteBuffer.allocateDirect(SIZE_BYTES)));
    kinds.put("confined", confined.allocate(SIZE_BYTES, Long.BYTES));
    kinds.put("shared", shared.allocate(SIZE_BYTES, Long.BYTES));
    kinds.put("auto", Arena.ofAuto().allocate(SIZE_BYTES, Long.BYTES));
    kinds.put("global", Arena.global().allocate(SIZE_BYTES, Long.BYTES));
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      kinds.put("mapped", channel.map(MapMode.READ_WRITE, 0, SIZE_BYTES, shared));
    }
    for (String kind : new String[] {"byte[]", "long[]", "confined", "mapped"}) {
      kinds.put("slice of " + kind, kinds.get(kind).asSlice(Long.BYTES, SIZE_BYTES / 2));
    }
    return kinds;
  }

  /** One shared method, as a program's own accessors are. */
  private static long walk(MemorySegment segment) {
    boolean isAligned = segment.maxByteAlignment() >= Long.BYTES;
    long sum = 0;
    for (long offset = 0; offset <= segment.byteSize() - Long.BYTES; offset += Long.BYTES) {
      sum += isAligned ? useInAllModes(segment, offset) : usePlainly(segment, offset);
    }
    return sum;
  }

  private static long usePlainly(MemorySegment segment, long offset) {
    LONG_ANYWHERE.set(segment, offset, offset);
    return (long) LONG_ANYWHERE.get(segment, offset);
  }

  /** All modes but the plain one need alignment. */
  @SuppressWarnings("unused")
  private static long useInAllModes(MemorySegment segment, long offset) {
    LONG.set(segment, offset, offset);
    LONG.setOpaque(segment, offset, (long) LONG.get(segment, offset) + 1);
    LONG.setRelease(segment, offset, (long) LONG.getOpaque(segment, offset) + 1);
    LONG.setVolatile(segment, offset, (long) LONG.getAcquire(segment, offset) + 1);
    long seen = (long) LONG.getVolatile(segment, offset);
    boolean isSet = LONG.compareAndSet(segment, offset, seen, offset);
    return usePlainly(segment, offset);
  }
}

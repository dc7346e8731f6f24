package dev.millrace.flyweight.internal;

import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;

/** Writes and reads records by the handles of a {@link RecordCodec}. */
final class TestCodec<R extends Record> {
  private final RecordCodec<R> codec;
  private final MethodHandle writer;
  private final MethodHandle reader;
  private MethodHandle placing; // of the one lookup that the tests have

  private TestCodec(RecordCodec<R> codec) {
    this.codec = codec;
    this.writer = PartWriter.writer(codec.part());
    this.reader = codec.reader();
  }

  static <R extends Record> TestCodec<R> of(Class<R> type) {
    return new TestCodec<>(RecordCodec.of(type));
  }

  RecordLayout layout() {
    return codec.layout();
  }

  /** The layout of a field, by the names that lead to it. */
  MemoryLayout field(String... names) {
    return layout()
        .layout()
        .select(Arrays.stream(names).map(PathElement::groupElement).toArray(PathElement[]::new));
  }

  /** A writer to where the methods place, memory and offset of the lookup's class say. */
  MethodHandle writerTo(MethodHandles.Lookup lookup) throws ReflectiveOperationException {
    if (placing == null) {
      placing = newWriterTo(lookup);
    }
    return placing;
  }

  private MethodHandle newWriterTo(MethodHandles.Lookup lookup)
      throws ReflectiveOperationException {
    Class<?> caller = lookup.lookupClass();
    MethodType ofLong = MethodType.methodType(long.class, long.class);
    return codec.writerTo(
        lookup.findVirtual(caller, "place", ofLong),
        lookup.findVirtual(caller, "memory", MethodType.methodType(MemorySegment.class)),
        lookup.findVirtual(caller, "offset", ofLong),
        null);
  }

  void write(R record, MemorySegment memory, long offset) {
    try {
      writer.invokeExact(memory, offset, (Object) record);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  R read(MemorySegment memory, long offset) {
    try {
      return codec.type().cast((Object) reader.invokeExact(memory, offset));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}

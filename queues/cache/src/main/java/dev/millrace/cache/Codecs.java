package dev.millrace.cache;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.ClassGeneration;
import dev.millrace.flyweight.internal.RecordCodec;
import dev.millrace.flyweight.internal.Text;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The library's own codecs. */
final class Codecs {
  static final ReadyCodec<byte[]> BYTES = new Bytes();
  static final ReadyCodec<String> UTF_8 = new Utf8();
  static final ReadyCodec<Long> LONGS = new Longs();
  static final ReadyCodec<Integer> INTS = new Ints();
  static final ReadyCodec<UUID> UUIDS = new Uuids();

  private Codecs() {}

  /** Makes a codec for records. {@code lookup} may see their class, or is null to find one. */
  static <R extends Record> Codec<R> records(Class<R> type, MethodHandles.@Nullable Lookup lookup) {
    String name = Checks.notNull("type", type).getSimpleName();
    ClassGeneration.require(
        "a codec of record " + type.getName(), "write a class that implements Codec<" + name + ">");
    return new Records<>(lookup == null ? RecordCodec.of(type) : RecordCodec.of(type, lookup));
  }

  private static byte[] arrayOf(MemorySegment memory, long offset, long size) {
    byte[] bytes = new byte[Math.toIntExact(size)];
    MemorySegment.copy(memory, JAVA_BYTE, offset, bytes, 0, bytes.length);
    return bytes;
  }

  private static final class Bytes extends ReadyCodec<byte[]> {
    Bytes() {
      super("bytes()", true);
    }

    @Override
    public long size(byte[] value) {
      return value.length;
    }

    @Override
    byte[] array(byte[] value) {
      return value;
    }

    @Override
    void write(byte[] value, MemorySegment memory, long offset) {
      MemorySegment.copy(value, 0, memory, JAVA_BYTE, offset, value.length);
    }

    @Override
    byte[] read(MemorySegment memory, long offset, long size) {
      return arrayOf(memory, offset, size);
    }
  }

  private static final class Utf8 extends ReadyCodec<String> {
    Utf8() {
      super("utf8()", true);
    }

    @Override
    public long size(String value) {
      return Text.encodedBytes(value);
    }

    @Override
    byte[] array(String value) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      boolean isAscii =
          bytes.length == value.length()
              && value.equals(new String(bytes, StandardCharsets.ISO_8859_1));
      if (!isAscii) {
        Text.encodedBytes(value); // throws for half a surrogate pair, now a '?'
      }
      return bytes;
    }

    @Override
    void write(String value, MemorySegment memory, long offset) {
      Text.write(value, memory, offset, Integer.MAX_VALUE);
    }

    @Override
    String read(MemorySegment memory, long offset, long size) {
      return new String(arrayOf(memory, offset, size), StandardCharsets.UTF_8);
    }
  }

  private static final class Longs extends ReadyCodec<Long> {
    Longs() {
      super("longs()", true);
    }

    @Override
    public long size(Long value) {
      return Long.BYTES;
    }

    @Override
    void write(Long value, MemorySegment memory, long offset) {
      memory.set(JAVA_LONG, offset, value);
    }

    @Override
    Long read(MemorySegment memory, long offset, long size) {
      return memory.get(JAVA_LONG, offset);
    }
  }

  private static final class Ints extends ReadyCodec<Integer> {
    Ints() {
      super("ints()", true);
    }

    @Override
    public long size(Integer value) {
      return Integer.BYTES;
    }

    @Override
    void write(Integer value, MemorySegment memory, long offset) {
      memory.set(JAVA_INT, offset, value);
    }

    @Override
    Integer read(MemorySegment memory, long offset, long size) {
      return memory.get(JAVA_INT, offset);
    }
  }

  private static final class Uuids extends ReadyCodec<UUID> {
    Uuids() {
      super("uuids()", true);
    }

    @Override
    public long size(UUID value) {
      return 2 * Long.BYTES;
    }

    @Override
    void write(UUID value, MemorySegment memory, long offset) {
      memory.set(JAVA_LONG, offset, value.getMostSignificantBits());
      memory.set(JAVA_LONG, offset + Long.BYTES, value.getLeastSignificantBits());
    }

    @Override
    UUID read(MemorySegment memory, long offset, long size) {
      return new UUID(memory.get(JAVA_LONG, offset), memory.get(JAVA_LONG, offset + Long.BYTES));
    }
  }

  /** Must not read bytes that are being overwritten, because it runs the record's constructor. */
  private static final class Records<R extends Record> extends ReadyCodec<R> {
    private static final MethodHandle OFFSET =
        MethodHandles.dropArguments(MethodHandles.identity(long.class), 0, MemorySegment.class);
    private static final MethodHandle MEMORY = MethodHandles.identity(MemorySegment.class);

    private final long sizeBytes;
    private final MethodHandle writer;
    private final MethodHandle reader;

    Records(RecordCodec<R> codec) {
      super("records(" + codec.type().getName() + ")", false);
      this.sizeBytes = codec.layout().sizeBytes();
      this.writer =
          codec
              .writerTo(OFFSET, MEMORY, OFFSET, null)
              .asType(
                  MethodType.methodType(long.class, MemorySegment.class, long.class, Object.class));
      this.reader = codec.reader();
    }

    @Override
    public long size(R value) {
      return sizeBytes;
    }

    @Override
    void write(R value, MemorySegment memory, long offset) {
      try {
        var _ = (long) writer.invokeExact(memory, offset, (Object) value);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new AssertionError(e); // accessors of records declare no exceptions
      }
    }

    @Override
    @SuppressWarnings("unchecked") // the reader makes records of type R
    R read(MemorySegment memory, long offset, long size) {
      try {
        return (R) (Object) reader.invokeExact(memory, offset);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("constructor failed: codec=" + this, e);
      }
    }
  }
}

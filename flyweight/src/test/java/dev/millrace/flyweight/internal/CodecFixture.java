package dev.millrace.flyweight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.Throws;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** Memory for records, and the two ways to write one: at an offset, and where a place is given. */
class CodecFixture {
  static final String PLACE = "place";

  final Arena arena = Arena.ofShared();
  final MemorySegment segment = arena.allocate(2048, Long.BYTES);
  long place = 64;
  int places;
  private final Map<Class<?>, TestCodec<?>> codecs = new HashMap<>();

  @AfterEach
  void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  // called through handles

  long place(long argument) {
    assertThat(argument).isEqualTo(42);
    places++;
    return place;
  }

  MemorySegment memory() {
    return segment;
  }

  long offset(long givenPlace) {
    return givenPlace;
  }

  /** Made once for a type: it generates classes. */
  @SuppressWarnings("unchecked") // each is under its own type
  private <R extends Record> TestCodec<R> codecOf(Class<R> type) {
    return (TestCodec<R>) codecs.computeIfAbsent(type, _ -> TestCodec.of(type));
  }

  final long writeTo(TestCodec<?> codec, Record record) {
    try {
      return (long) codec.writerTo(MethodHandles.lookup()).invokeExact(this, 42L, (Object) record);
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Writes in both ways over bytes that are none of its own, and reads it again. */
  @SuppressWarnings("unchecked") // the codec of its class is for it
  final <R extends Record> void assertHeld(R record) {
    TestCodec<R> codec = codecOf((Class<R>) record.getClass());
    segment.fill((byte) 0x55);
    codec.write(record, segment, place);
    assertHeld(codec, record, (byte) 0x55);
    segment.fill((byte) 0xAA);
    assertThat(writeTo(codec, record)).isEqualTo(place);
    assertHeld(codec, record, (byte) 0xAA);
  }

  private <R extends Record> void assertHeld(TestCodec<R> codec, R record, byte filled) {
    assertThat(codec.read(segment, place)).isEqualTo(record).isNotSameAs(record);
    long end = place + codec.layout().sizeBytes();
    assertThat(segment.asSlice(0, place).toArray(ValueLayout.JAVA_BYTE)).containsOnly(filled);
    assertThat(segment.asSlice(end).toArray(ValueLayout.JAVA_BYTE)).containsOnly(filled);
  }

  /** Refuses in both ways, before a place is asked for or a byte written. */
  @SuppressWarnings("unchecked") // as above
  final <R extends Record> void assertRefused(R record, String message) {
    TestCodec<R> codec = codecOf((Class<R>) record.getClass());
    segment.fill((byte) 0x55);
    Throws.illegalArgument(
        message, () -> writeTo(codec, record), () -> codec.write(record, segment, place));
    assertThat(places).isZero();
    assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) 0x55);
  }
}

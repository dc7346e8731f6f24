package dev.millrace.flyweight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.flyweight.Utf8;
import dev.millrace.testkit.Throws;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link RecordCodec#writerTo}: components are read before a place is asked for. */
class RecordCodecWriterToTest {
  private static final String PLACE = "place";

  private enum Side {
    BUY,
    SELL
  }

  private record Primitives(
      byte b, boolean z, short s, char c, int i, float f, long l, double d, Side side) {}

  record Header(int version, @Utf8(5) String source) {}

  private record Message(byte kind, Header header, long sent, Header reply, Primitives rest) {}

  /** More values than a handle takes. */
  private record Line(
      long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) {
    Line(long from) {
      this(
          from, from + 1, from + 2, from + 3, from + 4, from + 5, from + 6, from + 7, from + 8,
          from + 9);
    }
  }

  private record Block(
      @Utf8(4) String name, Line a, Line b, Line c, Line d, Line e, Line f, Line g, byte last) {}

  /** Tells what is called. */
  record Logged(int first, Header header) {
    static final List<String> CALLS = new ArrayList<>();

    @Override
    public int first() {
      CALLS.add("first");
      if (first < 0) {
        throw new ArithmeticException("first");
      }
      return first;
    }

    @Override
    public Header header() {
      CALLS.add("header");
      return header;
    }
  }

  private final NativeMemory memory = NativeMemory.allocate(1024);
  private long place = 2;

  @AfterEach
  void close() {
    memory.close();
  }

  // called through handles

  long place(long argument) {
    assertThat(argument).isEqualTo(42);
    Logged.CALLS.add(PLACE);
    return place;
  }

  MemorySegment memory() {
    return memory.segment();
  }

  long offset(long place) {
    return 8 * place;
  }

  private <R extends Record> void assertWritten(TestCodec<R> codec, R record) throws Throwable {
    assertThat(
            (long) codec.writerTo(MethodHandles.lookup()).invokeExact(this, 42L, (Object) record))
        .isEqualTo(2);
    assertThat(codec.read(memory.segment(), 16)).isEqualTo(record);
    assertThat(memory.segment().asSlice(0, 16).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
  }

  @Test
  void writer_writesWhereThePlaceSays() throws Throwable {
    Primitives primitives =
        new Primitives((byte) 1, true, (short) 2, 'c', 3, 4.5f, 5, 6.5, Side.SELL);
    assertWritten(TestCodec.of(Primitives.class), primitives);
    assertWritten(
        TestCodec.of(Message.class),
        new Message((byte) 7, new Header(8, "ab"), 9, new Header(10, ""), primitives));
  }

  @Test
  void writer_ofMoreValuesThanAHandleTakes_writesThem() throws Throwable {
    Block block =
        new Block(
            "name",
            new Line(1),
            new Line(11),
            new Line(21),
            new Line(31),
            new Line(41),
            new Line(51),
            new Line(61),
            (byte) 71);
    assertWritten(TestCodec.of(Block.class), block);
    Block bad = new Block("name", null, null, null, null, null, null, null, (byte) 0);
    Logged.CALLS.clear();
    Throws.illegalArgument(
        "component must not be null: component=Block.a",
        () -> write(TestCodec.of(Block.class), bad));
    assertThat(Logged.CALLS).isEmpty();
  }

  private long write(TestCodec<?> codec, Record record) throws Throwable {
    return (long) codec.writerTo(MethodHandles.lookup()).invokeExact(this, 42L, (Object) record);
  }

  @Test
  void writer_whenThereIsNoPlace_writesNothing() throws Throwable {
    place = -3;
    assertThat(write(TestCodec.of(Header.class), new Header(1, "a"))).isEqualTo(-3);
    assertThat(memory.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
  }

  @Test
  void writer_readsAllComponentsOnceAndInTurn_thenAsksForThePlace() throws Throwable {
    Logged.CALLS.clear();
    write(TestCodec.of(Logged.class), new Logged(1, new Header(2, "a")));
    assertThat(Logged.CALLS).containsExactly("first", "header", PLACE);
  }

  @Test
  void writer_whenARecordIsBad_asksForNoPlace() {
    TestCodec<Logged> codec = TestCodec.of(Logged.class);
    Logged.CALLS.clear();
    Throws.a(ArithmeticException.class, () -> write(codec, new Logged(-1, null)));
    Throws.illegalArgument(
        "component must not be null: component=Logged.header",
        () -> write(codec, new Logged(1, null)));
    Throws.illegalArgument(
        "Logged.header.source must be at most 5 bytes...",
        () -> write(codec, new Logged(1, new Header(2, "too long"))));
    assertThat(Logged.CALLS).doesNotContain(PLACE);
  }
}

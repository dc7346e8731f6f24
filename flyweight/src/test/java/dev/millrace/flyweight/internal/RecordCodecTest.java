package dev.millrace.flyweight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.Utf8;
import dev.millrace.testkit.Throws;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecordCodecTest {
  private enum Side {
    BUY,
    SELL,
    SHORT {
      @Override
      public String toString() {
        return "a constant with a body has a class of its own";
      }
    }
  }

  private record All(
      byte b, boolean z, short s, char c, int i, float f, long l, double d, Side side) {}

  private record Header(int version, @Utf8(5) String source) {}

  private record Message(byte kind, Header header, long sent, Header reply) {}

  record Value(double value) {
    Value {
      if (value < 0) {
        throw new IllegalArgumentException("value must be at least 0: value=" + value);
      }
    }
  }

  private record Node(int value, Node next) {}

  private record Wide(@Utf8(0) String name) {}

  private record Marked(@Utf8(4) int number) {}

  private record Nothing() {}

  private final NativeMemory memory = NativeMemory.allocate(256);
  private final MemorySegment segment = memory.segment();

  @AfterEach
  void close() {
    if (memory.isOpen()) {
      memory.close();
    }
  }

  @Test
  void read_afterWrite_isEqual() {
    TestCodec<All> codec = TestCodec.of(All.class);
    for (Side side : Side.values()) {
      All all =
          new All((byte) -1, true, (short) -2, '\u20ac', -3, 1.5f, Long.MIN_VALUE, -0.0, side);
      codec.write(all, segment, 64);
      assertThat(codec.read(segment, 64)).isEqualTo(all).isNotSameAs(all);
    }
  }

  @Test
  void read_afterWriteOfNested_isEqual() {
    TestCodec<Message> codec = TestCodec.of(Message.class);
    Message message = new Message((byte) 7, new Header(1, "caf\u00e9"), 99, new Header(-1, ""));
    codec.write(message, segment, 8);
    assertThat(codec.read(segment, 8)).isEqualTo(message);
  }

  @Test
  void layout_ofNested_isThatOfTheComponents() {
    TestCodec<Message> codec = TestCodec.of(Message.class);
    RecordLayout layout = codec.layout();
    assertThat(layout.offsetOf("kind")).isZero();
    assertThat(layout.offsetOf("header.version")).isEqualTo(4);
    assertThat(layout.offsetOf("header.source")).isEqualTo(8);
    assertThat(layout.offsetOf("sent")).isEqualTo(16);
    assertThat(layout.offsetOf("reply.version")).isEqualTo(24);
    assertThat(layout.sizeBytes()).isEqualTo(40);
    assertThat(codec.field("header", "source").byteSize()).isEqualTo(5);
  }

  @Test
  void write_atAnOffset_touchesNothingElse() {
    segment.fill((byte) 0x55);
    TestCodec<Message> codec = TestCodec.of(Message.class);
    codec.write(new Message((byte) 1, new Header(2, "a"), 3, new Header(4, "b")), segment, 64);
    for (long i = 0; i < segment.byteSize(); i++) {
      if (i < 64 || i >= 64 + codec.layout().sizeBytes()) {
        assertThat(segment.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) 0x55);
      }
    }
  }

  @Test
  void write_whenAComponentIsNull_namesItAndWritesNothing() {
    TestCodec<Message> codec = TestCodec.of(Message.class);
    assertRefused(codec, new Message((byte) 1, null, 1, new Header(1, "")), "Message.header");
    assertRefused(
        codec,
        new Message((byte) 1, new Header(1, ""), 1, new Header(1, null)),
        "Message.reply.source");
    assertRefused(
        TestCodec.of(All.class),
        new All((byte) 1, true, (short) 1, 'a', 1, 1, 1, 1, null),
        "All.side");
  }

  private <R extends Record> void assertRefused(TestCodec<R> codec, R record, String path) {
    Throws.illegalArgument(
        "component must not be null: component=" + path, () -> codec.write(record, segment, 0));
    assertThat(segment.mismatch(Arena.global().allocate(segment.byteSize()))).isEqualTo(-1);
  }

  @Test
  void write_whenAStringIsTooLong_saysSoAndWritesNothing() {
    TestCodec<Header> codec = TestCodec.of(Header.class);
    codec.write(new Header(1, "12345"), segment, 64);
    segment.fill((byte) 0);
    Throws.illegalArgument(
        "Header.source must be at most 5 bytes: Header.source=123456",
        () -> codec.write(new Header(1, "123456"), segment, 0));
    Throws.illegalArgument(
        "Header.source must have no NUL...", () -> codec.write(new Header(1, "a\0b"), segment, 0));
    assertThat(segment.mismatch(Arena.global().allocate(segment.byteSize()))).isEqualTo(-1);
  }

  @Test
  void of_whenAComponentCannotBeMapped_namesIt() {
    Throws.illegalArgument(
        "component must not be of a record that contains it: component=Node.next...",
        () -> RecordCodec.of(Node.class));
    Throws.illegalArgument(
        "Utf8 must be at least 1: Utf8=0, component=Wide.name", () -> RecordCodec.of(Wide.class));
    Throws.illegalArgument(
        "component must be a String to be of Utf8: component=Marked.number, type=int",
        () -> RecordCodec.of(Marked.class));
    Throws.illegalArgument(
        "record must have components: record=...", () -> RecordCodec.of(Nothing.class));
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // what the compiler would refuse
  void of_whenItIsNoRecord_saysSo() {
    Throws.illegalArgument(
        "type must be a record: type=java.lang.String", () -> RecordCodec.of((Class) String.class));
    Throws.illegalArgument(
        "type must be a record: type=java.lang.Record", () -> RecordCodec.of(Record.class));
  }

  @Test
  void of_whenTheLookupSeesNothing_saysSo() {
    Throws.illegalArgument(
        "record must be seen by the lookup...",
        () -> RecordCodec.of(Header.class, MethodHandles.publicLookup()));
    assertThat(RecordCodec.of(Header.class, MethodHandles.lookup()).type()).isEqualTo(Header.class);
  }

  @Test
  void of_ofTheSameClass_isTheSame() {
    assertThat(RecordCodec.of(Header.class)).isSameAs(RecordCodec.of(Header.class));
  }

  @Test
  void read_whenTheConstructorThrows_throwsThat() {
    TestCodec<Value> codec = TestCodec.of(Value.class);
    segment.set(java.lang.foreign.ValueLayout.JAVA_DOUBLE, 0, -1);
    Throws.illegalArgument("value must be at least 0: value=-1.0", () -> codec.read(segment, 0));
  }

  @Test
  void read_whenAnOrdinalIsNone_saysSo() {
    TestCodec<All> codec = TestCodec.of(All.class);
    segment.set(java.lang.foreign.ValueLayout.JAVA_BYTE, codec.layout().offsetOf("side"), (byte) 3);
    Throws.illegalState(
        "ordinal must be in 0..2: ordinal=3, component=All.side", () -> codec.read(segment, 0));
  }

  @Test
  void access_whenMemoryIsNotFit_throws() {
    TestCodec<Header> codec = TestCodec.of(Header.class);
    Header header = new Header(1, "a");
    Throws.outOfBounds(() -> codec.write(header, segment, 256));
    memory.close();
    Throws.illegalState("...", () -> codec.read(segment, 0));
  }

  @Test
  void write_allocatesNothing() {
    TestCodec<Message> codec = TestCodec.of(Message.class);
    Message message = new Message((byte) 1, new Header(2, "abc"), 3, new Header(4, "de"));
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < 20_000; i++) {
      codec.write(message, segment, 0);
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      codec.write(message, segment, 0);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
  }
}

package dev.millrace.flyweight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.Utf8;
import dev.millrace.testkit.Throws;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds a component that comes back as another value, a record that is refused after some of it was
 * written, and a variant that is read as another one.
 */
class RecordCodecTest extends CodecFixture {
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

  record Header(int version, @Utf8(5) String source) {}

  private record Message(byte kind, Header header, long sent, Header reply) {}

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

  private sealed interface Shape permits Circle, Square, None {}

  private record Circle(double radius, @Utf8(4) String name) implements Shape {}

  private record Square(byte side, Header header) implements Shape {}

  private record None() implements Shape {}

  private record Drawn(short number, Shape shape, long after) {}

  private static All all(Side side) {
    return new All((byte) -1, true, (short) -2, '\u20ac', -3, 1.5f, Long.MIN_VALUE, -0.0, side);
  }

  @Test
  void read_afterWrite_isEqual() {
    for (Side side : Side.values()) {
      assertHeld(all(side));
    }
    assertHeld(new Message((byte) 7, new Header(1, "caf\u00e9"), 99, new Header(-1, "")));
    assertHeld(
        new Block(
            "name",
            new Line(1),
            new Line(11),
            new Line(21),
            new Line(31),
            new Line(41),
            new Line(51),
            new Line(61),
            (byte) 71));
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
  void write_ofWhatCannotBeHeld_namesItAndWritesNothing() {
    String missing = "component must not be null: component=";
    assertRefused(new Message((byte) 1, null, 1, new Header(1, "")), missing + "Message.header");
    assertRefused(
        new Message((byte) 1, new Header(1, ""), 1, new Header(1, null)),
        missing + "Message.reply.source");
    assertRefused(all(null), missing + "All.side");
    assertRefused(
        new Block("name", null, null, null, null, null, null, null, (byte) 0), missing + "Block.a");
    assertRefused(
        new Header(1, "123456"), "Header.source must be at most 5 bytes: Header.source=123456");
    assertRefused(new Header(1, "a\0b"), "Header.source must have no NUL...");
  }

  // ---- sealed types ----

  @Test
  void read_afterWriteOfEachVariant_isEqual() {
    assertHeld(new Drawn((short) 1, new Circle(1.5, "abc"), -1));
    assertHeld(new Drawn((short) -1, new Square((byte) 2, new Header(1, "a")), 1));
    assertHeld(new Drawn((short) 3, new None(), 2));
  }

  @Test
  void layout_ofASealedType_isAsLargeAsItsLargestVariant() {
    RecordLayout layout = TestCodec.of(Drawn.class).layout();
    assertThat(layout.offsetOf("shape.variant")).isEqualTo(8);
    assertThat(layout.offsetOf("shape.value")).isEqualTo(16);
    assertThat(layout.offsetOf("after")).isEqualTo(16 + 16);
  }

  @Test
  void write_ofAVariantThatCannotBeHeld_namesIt() {
    assertRefused(
        new Drawn((short) 1, new Circle(1, null), 1),
        "component must not be null: component=Circle.name");
    assertRefused(
        new Drawn((short) 1, null, 1), "component must not be null: component=Drawn.shape");
  }

  @Test
  void read_whenTheVariantIsNone_saysSo() {
    TestCodec<Drawn> codec = TestCodec.of(Drawn.class);
    for (int number : new int[] {-1, 3}) {
      segment.set(ValueLayout.JAVA_INT, codec.layout().offsetOf("shape.variant"), number);
      Throws.illegalState(
          "variant must be in 0..2: variant=" + number + ", component=Drawn.shape",
          () -> codec.read(segment, 0));
    }
  }

  // ---- writers to a place ----

  @Test
  void writer_whenThereIsNoPlace_writesNothing() {
    place = -3;
    assertThat(writeTo(TestCodec.of(Header.class), new Header(1, "a"))).isEqualTo(-3);
    assertThat(segment.toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) 0);
  }

  @Override
  long place(long argument) {
    Logged.CALLS.add(PLACE);
    return super.place(argument);
  }

  @Test
  void writer_readsAllComponentsOnceAndInTurn_thenAsksForThePlace() {
    Logged.CALLS.clear();
    writeTo(TestCodec.of(Logged.class), new Logged(1, new Header(2, "a")));
    assertThat(Logged.CALLS).containsExactly("first", "header", PLACE);
  }

  @Test
  void writer_whenAnAccessorThrows_asksForNoPlace() {
    Throws.a(
        ArithmeticException.class, () -> writeTo(TestCodec.of(Logged.class), new Logged(-1, null)));
    assertRefused(
        new Logged(1, new Header(2, "too long")),
        "Logged.header.source must be at most 5 bytes...");
  }

  // ---- types ----

  @Test
  void of_whenAComponentCannotBeMapped_namesIt() {
    Throws.illegalArgument(
        "component Node.next: a Node contains itself, so it has no fixed size",
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
        "type must be a record or a sealed interface of records: type=java.lang.String",
        () -> RecordCodec.of((Class) String.class));
    Throws.illegalArgument(
        "type must be a record or a sealed interface of records: type=java.lang.Record",
        () -> RecordCodec.of(Record.class));
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
    segment.set(ValueLayout.JAVA_DOUBLE, 0, -1);
    Throws.illegalArgument("value must be at least 0: value=-1.0", () -> codec.read(segment, 0));
  }

  @Test
  void read_whenAnOrdinalIsNone_saysSo() {
    TestCodec<All> codec = TestCodec.of(All.class);
    segment.set(ValueLayout.JAVA_BYTE, codec.layout().offsetOf("side"), (byte) 3);
    Throws.illegalState(
        "ordinal must be in 0..2: ordinal=3, component=All.side", () -> codec.read(segment, 0));
  }

  @Test
  void access_whenMemoryIsNotFit_throws() {
    TestCodec<Header> codec = TestCodec.of(Header.class);
    Header header = new Header(1, "a");
    Throws.outOfBounds(() -> codec.write(header, segment, segment.byteSize()));
    arena.close();
    Throws.illegalState("...", () -> codec.read(segment, 0));
  }
}

package dev.millrace.flyweight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.Throws;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

class FlyweightTypeTest {
  private static final int RECORDS = 4;

  enum Side {
    BUY,
    SELL
  }

  interface Level {
    double price();

    Level price(double value);

    int quantity();

    void quantity(int value);
  }

  interface Header {
    short version();

    Header version(short value);
  }

  interface Book {
    long timestamp();

    Book timestamp(long value);

    boolean open();

    Book open(boolean value);

    byte kind();

    Book kind(byte value);

    char letter();

    Book letter(char value);

    float ratio();

    Book ratio(float value);

    Side side();

    Book side(Side value);

    @Utf8(8)
    String symbol();

    Book symbol(CharSequence value);

    void symbol(StringBuilder target);

    @Utf8(6)
    String name();

    Book name(String value);

    Header header();

    @Length(3)
    Level level(int index);

    @Length(5)
    long count(int index);

    Book count(int index, long value);

    @Length(2)
    @Utf8(4)
    String venue(int index);

    Book venue(int index, String value);

    default double best() {
      return level(0).price();
    }
  }

  private static <T> T onRecord(FlyweightType<T> type, MemorySegment memory, int record) {
    T view = type.newFlyweight(memory);
    ((Flyweight) view).moveTo(record * type.layout().sizeBytes());
    return view;
  }

  private static MemorySegment memoryFor(FlyweightType<?> type) {
    return Arena.ofAuto().allocate(RECORDS * type.layout().sizeBytes(), 8);
  }

  @Test
  void fields_ofAnInterface_areReadAsTheyWereWritten() {
    FlyweightType<Book> type = FlyweightType.of(Book.class);
    MemorySegment memory = memoryFor(type);
    for (int record = 0; record < RECORDS; record++) {
      Book book = onRecord(type, memory, record);
      book.timestamp(record)
          .open(record % 2 == 0)
          .kind((byte) -record)
          .letter((char) (65 + record));
      book.ratio(record / 2f)
          .side(Side.values()[record % 2])
          .symbol("SYM" + record)
          .name("ä" + record);
      book.header().version((short) record);
      for (int i = 0; i < 3; i++) {
        book.level(i).price(record + i / 10.0).quantity(record * 10 + i);
      }
      for (int i = 0; i < 5; i++) {
        book.count(i, record * 100L + i);
      }
      book.venue(0, "X" + record).venue(1, "Y" + record);
    }
    for (int record = 0; record < RECORDS; record++) {
      Book book = onRecord(type, memory, record);
      assertThat(book.timestamp()).isEqualTo(record);
      assertThat(book.open()).isEqualTo(record % 2 == 0);
      assertThat(book.kind()).isEqualTo((byte) -record);
      assertThat(book.letter()).isEqualTo((char) (65 + record));
      assertThat(book.ratio()).isEqualTo(record / 2f);
      assertThat(book.side()).isEqualTo(Side.values()[record % 2]);
      assertThat(book.symbol()).isEqualTo("SYM" + record);
      StringBuilder text = new StringBuilder("=");
      book.symbol(text);
      assertThat(text).hasToString("=SYM" + record);
      assertThat(book.name()).isEqualTo("ä" + record);
      assertThat(book.header().version()).isEqualTo((short) record);
      for (int i = 0; i < 3; i++) {
        assertThat(book.level(i).price()).isEqualTo(record + i / 10.0);
        assertThat(book.level(i).quantity()).isEqualTo(record * 10 + i);
      }
      assertThat(book.count(4)).isEqualTo(record * 100L + 4);
      assertThat(book.venue(1)).isEqualTo("Y" + record);
      assertThat(book.best()).isEqualTo(record);
    }
  }

  @Test
  void layout_ofAnInterface_isByAlignmentThenName() {
    assertThat(FlyweightType.of(Book.class).layout().layout().memberLayouts())
        .extracting(member -> member.name().orElse("padding"))
        .containsExactly(
            "count",
            "level",
            "timestamp",
            "ratio",
            "header",
            "letter",
            "kind",
            "name",
            "open",
            "side",
            "symbol",
            "venue",
            "padding");
  }

  @Test
  void of_ofOneInterface_isTheSameTypeAndClass() {
    FlyweightType<Book> type = FlyweightType.of(Book.class);
    MemorySegment memory = memoryFor(type);
    assertThat(FlyweightType.of(Book.class)).isSameAs(type);
    assertThat(type.newFlyweight(memory)).hasSameClassAs(type.newFlyweight(memory));
  }

  @Test
  void access_whenNotOnARecord_throws() {
    FlyweightType<Book> type = FlyweightType.of(Book.class);
    Book book = onRecord(type, memoryFor(type), 1);
    Header header = book.header();
    Level level = book.level(2);
    ((Flyweight) book).leave();
    Throws.outOfBounds(
        book::timestamp,
        () -> book.symbol("A"),
        header::version,
        level::price,
        () -> book.header().version(),
        () -> book.count(0));
  }

  @Test
  void access_beyondItsBounds_namesTheField() {
    FlyweightType<Book> type = FlyweightType.of(Book.class);
    Book book = onRecord(type, memoryFor(type), 0);
    Throws.outOfBounds("index of Book.count must be in 0..4: index=5", () -> book.count(5));
    Throws.outOfBounds("...Book.level...", () -> book.level(-1));
    Throws.illegalArgument("...Book.symbol...", () -> book.symbol("123456789"));
    Throws.illegalArgument("...Book.side...", () -> book.side(null));
    Throws.illegalArgument(
        "component must not be null: component=Book.symbol",
        () -> book.symbol((CharSequence) null));
  }

  interface Price {
    double price();
  }

  interface Inherited extends Price {
    Inherited price(double value);
  }

  @Test
  void of_whenMethodsAreInherited_hasTheirFields() {
    FlyweightType<Inherited> type = FlyweightType.of(Inherited.class);
    assertThat(onRecord(type, memoryFor(type), 0).price(2.5).price()).isEqualTo(2.5);
  }

  interface Nothing {}

  interface Strange {
    long sum(long a, long b);
  }

  interface TwoTypes {
    long price();

    void price(double value);
  }

  interface NoLength {
    long price(int index);
  }

  interface PlainText {
    String name();
  }

  interface TwoTexts {
    @Utf8(4)
    String name();

    @Utf8(5)
    void name(String value);
  }

  interface NoText {
    @Utf8(0)
    String name();
  }

  interface TwoLengths {
    @Length(2)
    long price(int index);

    @Length(3)
    void price(int index, long value);
  }

  interface WritesPart {
    Level level();

    void level(Level value);
  }

  interface Endless {
    Other other();
  }

  interface Other {
    Endless endless();
  }

  sealed interface Closed permits OnlyOne {
    long value();
  }

  record OnlyOne(long value) implements Closed {}

  @Test
  void of_whatCannotBeImplemented_namesTheMethodAndTheRule() {
    assertRefused(Nothing.class, "interface must have a method without a body");
    assertRefused(Strange.class, "must read or write a field: method=", "Strange.sum(long,long)");
    assertRefused(TwoTypes.class, "must be of the field's type", "TwoTypes.price");
    assertRefused(NoLength.class, "if, and only if, it has a Length", "NoLength.price(int)");
    assertRefused(PlainText.class, "PlainText.name: a String needs a limit, write @Utf8(16)");
    assertRefused(TwoTexts.class, "must have one Utf8", "TwoTexts.name");
    assertRefused(NoText.class, "Utf8 must be at least 1", "NoText.name");
    assertRefused(TwoLengths.class, "must have one Length of at least 1", "TwoLengths.price");
    assertRefused(WritesPart.class, "must be of the field's type", "WritesPart.level");
    assertRefused(Endless.class, "must not be of an interface that contains it");
    assertRefused(Closed.class, "type must be an interface, not sealed", "Closed");
    assertRefused(String.class, "type must be an interface, not sealed", "java.lang.String");
  }

  private static void assertRefused(Class<?> type, String... parts) {
    Throws.illegalArgument("..." + String.join("...", parts) + "...", () -> FlyweightType.of(type));
  }

  @Test
  void of_withALookup_implementsAPrivateInterface() {
    FlyweightType<Secret> type = FlyweightType.of(Secret.class, MethodHandles.lookup());
    Secret secret = onRecord(type, memoryFor(type), 0);
    secret.value(7);
    assertThat(secret.value()).isEqualTo(7);
  }

  private interface Secret {
    long value();

    void value(long value);
  }

  @Test
  void of_withALookupOfAnotherPackage_isRefused() {
    Throws.illegalArgument(
        "...lookup must be of the interface's package...",
        () -> FlyweightType.of(Book.class, MethodHandles.publicLookup()));
  }

  @Test
  void of_anInterfaceOfAnotherLoader_isImplementedThere() throws Exception {
    URL here = FlyweightTypeTest.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader loader = new AnotherLoader(here)) {
      Class<?> type = loader.loadClass(Book.class.getName());
      assertThat(type).isNotSameAs(Book.class);
      FlyweightType<?> made = FlyweightType.of(type);
      assertThat(made.layout()).isEqualTo(FlyweightType.of(Book.class).layout());
      assertThat(type).isAssignableFrom(made.newFlyweight(memoryFor(made)).getClass());
    }
  }

  /** Loads the interfaces of this test itself. */
  private static final class AnotherLoader extends URLClassLoader {
    AnotherLoader(URL url) {
      super(new URL[] {url}, FlyweightType.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return name.startsWith(FlyweightTypeTest.class.getName())
          ? findLoadedClass(name) == null ? findClass(name) : findLoadedClass(name)
          : super.loadClass(name, resolve);
    }
  }

  @Test
  void of_aConstructor_learnsTheLayout() {
    FlyweightType<ByHand> type = FlyweightType.of(ByHand::new);
    assertThat(type.layout()).isSameAs(ByHand.LAYOUT);
    ByHand view = onRecord(type, memoryFor(type), 1);
    view.level.moveTo(view.offset());
    ((Flyweight) view).leave();
    assertThat(view.level.offset()).as("left with the whole").isNegative();
  }

  /** Has a part that it positions. */
  static final class ByHand extends Flyweight {
    static final RecordLayout LAYOUT = FlyweightType.of(Level.class).layout();
    final Flyweight level;

    ByHand(MemorySegment memory) {
      this(memory, (Flyweight) FlyweightType.of(Level.class).newFlyweight(memory));
    }

    private ByHand(MemorySegment memory, Flyweight level) {
      super(LAYOUT, memory, level);
      this.level = level;
    }
  }
}

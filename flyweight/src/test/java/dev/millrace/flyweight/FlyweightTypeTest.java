package dev.millrace.flyweight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Finds an interface of which a method reads or writes another field than its name says, and one
 * that cannot be implemented and is not refused by name.
 */
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
    String left = "view of %s may not be used: it is on no record, because ...";
    Throws.outOfBounds(
        left.formatted("Book"),
        book::timestamp,
        () -> book.timestamp(1),
        () -> book.symbol("A"),
        book::symbol,
        () -> book.symbol(new StringBuilder()),
        book::side,
        () -> book.count(0),
        () -> book.count(0, 1));
    Throws.outOfBounds(left.formatted("Header"), header::version, () -> book.header().version());
    Throws.outOfBounds(left.formatted("Level"), level::price, () -> book.level(1).price());
    assertThat(book.toString()).isEqualTo("Book{not positioned}");
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

  interface Order {
    BigDecimal price();

    Order price(BigDecimal value);

    Optional<BigInteger> account();

    Order account(Optional<BigInteger> value);

    @Length(3)
    byte[] payload();

    Order payload(byte[] value);

    @Length(2)
    double[] getLevels();

    void setLevels(double[] value);
  }

  @Test
  void numbersAndArrays_ofAnInterface_areReadAsTheyWereWritten() {
    FlyweightType<Order> type = FlyweightType.of(Order.class);
    MemorySegment memory = memoryFor(type);
    BigDecimal price = new BigDecimal("-12345678901234567890.123");
    for (int record = 0; record < RECORDS; record++) {
      Order order = onRecord(type, memory, record);
      order
          .price(price.add(BigDecimal.valueOf(record)))
          .account(Optional.of(BigInteger.TWO.pow(126)))
          .payload(new byte[] {1, 2, (byte) record})
          .setLevels(new double[] {record});
    }
    for (int record = 0; record < RECORDS; record++) {
      Order order = onRecord(type, memory, record);
      assertThat(order.price()).isEqualTo(price.add(BigDecimal.valueOf(record)));
      assertThat(order.account()).contains(BigInteger.TWO.pow(126));
      assertThat(order.payload()).containsExactly(1, 2, record);
      assertThat(order.getLevels()).containsExactly(record);
    }
    Order order = onRecord(type, memory, 1).payload(new byte[0]);
    assertThat(order.payload()).isEmpty();
    assertThat(order.toString()).contains("payload={length=0", "levels={length=1");
  }

  @Test
  void numbersAndArrays_thatDoNotFit_areRefusedAndChangeNothing() {
    FlyweightType<Order> type = FlyweightType.of(Order.class);
    Order order = onRecord(type, memoryFor(type), 0).payload(new byte[] {7}).price(BigDecimal.TEN);
    Throws.illegalArgument(
        "Order.payload must fit into 7 bytes: Order.payload=byte[4]",
        () -> order.payload(new byte[4]));
    Throws.illegalArgument(
        "Order.price must fit into ... bytes: Order.price=...",
        () -> order.price(new BigDecimal(BigInteger.TWO.pow(127))));
    Throws.illegalArgument(
        "component must not be null: component=Order.payload", () -> order.payload(null));
    assertThat(order.payload()).containsExactly(7);
    assertThat(order.price()).isEqualTo(BigDecimal.TEN);
    ((Flyweight) order).leave();
    Throws.outOfBounds("view of Order may not be used...", order::payload, order::price);
  }

  @Test
  void arrays_ofALengthThatIsNone_areRefusedWhenRead() {
    FlyweightType<Order> type = FlyweightType.of(Order.class);
    MemorySegment memory = memoryFor(type).fill((byte) -1);
    assertThatThrownBy(onRecord(type, memory, 0)::payload)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("length must be in 0..3: length=-1, component=Order.payload");
  }

  interface Price {
    double price();
  }

  interface Inherited extends Price {
    Inherited price(double value);
  }

  private static final String FLOODING = Throws.FLOOD.replace('[', ' '); // may name a field

  @Test
  void messages_ofLongValues_areShortAndOnOneLine() {
    FlyweightType<Book> type = FlyweightType.of(Book.class);
    Book book = onRecord(type, memoryFor(type), 0);
    String longOne = Throws.FLOOD;
    for (String text : List.of(longOne, longOne + "\0", longOne + "\uD83D")) {
      assertThatThrownBy(() -> book.symbol(text))
          .hasMessageContaining("password\\n\\u001b[31mxx")
          .hasMessageContaining("... (" + text.length() + " characters)")
          .message()
          .hasSizeLessThan(250)
          .doesNotContain("\n", "\u001B");
    }
    RecordLayout flooded = RecordLayout.of(ValueLayout.JAVA_INT.withName(FLOODING));
    RecordLayout.Field field = flooded.field(FLOODING);
    Unlike unlike = new Unlike(flooded);
    Throws.readably(
        () -> type.layout().field(Throws.FLOOD),
        () -> type.layout().offsetOf(Throws.FLOOD),
        () -> type.layout().field("count[" + Throws.FLOOD + "]"),
        () -> flooded.field("price"),
        () -> unlike.getLong(field),
        () -> unlike.getInt(field, 1),
        () -> new Unlike(type.layout()).getInt(field),
        () -> RecordLayout.of(ValueLayout.ADDRESS.withName(FLOODING)));
    assertThat(field.toString()).hasSizeLessThan(250);
  }

  /** Is not asked for the fields that it has. */
  private static final class Unlike extends Flyweight {
    Unlike(RecordLayout layout) {
      super(layout, MemorySegment.NULL);
    }
  }

  interface Page {
    @Utf8(100_000)
    String text();

    Page text(CharSequence value);
  }

  @Test
  void toString_ofLongText_showsItsBegin() {
    FlyweightType<Page> type = FlyweightType.of(Page.class);
    Page page = onRecord(type, memoryFor(type), 0);
    page.text("x".repeat(100_000));
    assertThat(page).hasToString("Page@0{text=\"" + "x".repeat(64) + "... (100000 characters)\"}");
    page.text("x\u001B".repeat(50_000));
    assertThat(page.toString()).endsWith("1b... (100000 bytes)}").hasSizeLessThan(250);
    page.text("a\u202Eb"); // would show what follows from right to left
    assertThat(page.toString()).doesNotContain("\u202E");
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
    String rule = "type must be an interface that is not sealed: ";
    assertRefused(Closed.class, rule, "Closed is sealed");
    assertRefused(String.class, rule + "java.lang.String is a class; give an interface");
    assertRefused(OnlyOne.class, rule, "OnlyOne is a record, which RecordQueue takes; or give");
    assertRefused(Side.class, rule, "Side is an enum");
    assertRefused(Utf8.class, rule, "Utf8 is an annotation");
    assertRefused(int.class, rule + "int is a primitive type");
    assertRefused(Level[].class, rule, "Level[] is an array");
    assertRefused(DynamicFlyweight.class, rule, "FlyweightType.of(DynamicFlyweight::new)");
    assertRefused(Generic.class, "Generic.value: the type V is not known here");
    assertRefused(OwnName.class, "must have another name: each flyweight has", "OwnName.offset()");
    assertRefused(Elements.class, "a List has no fixed size");
  }

  interface Generic<V> {
    V value();
  }

  interface OwnName {
    long offset();
  }

  interface Elements {
    List<String> values();
  }

  // ---- beans ----

  interface Quote {
    double getPrice();

    void setPrice(double value);

    boolean isLive();

    Quote setLive(boolean value);

    Boolean isFirm();

    void setFirm(Boolean value);

    int isSize(); // so Kotlin names it

    void setSize(int value);

    @Utf8(16)
    String getURL();

    void setURL(CharSequence value);

    void getURL(StringBuilder target);

    @Length(2)
    long getCount(int index);

    void setCount(int index, long value);

    Level getLevel();

    long volume(); // the reader of the one style, the writer of the other

    void setVolume(long value);

    long getTime();

    Quote time(long value);

    double live(); // next to isLive

    Quote live(double value);

    boolean isIn(); // with a writer of its own name

    Quote isIn(boolean value);

    byte settle(); // no setter

    Quote settle(byte value);

    byte get();

    Quote get(byte value);

    default double getTwice() {
      return 2 * getPrice();
    }
  }

  /** Its readers are inherited, from two interfaces of which one repeats the other's. */
  interface Written extends Quote, Stamped {
    void setStamp(long value);

    @Override
    String toString();
  }

  interface Stamped {
    long getStamp();

    double getPrice();
  }

  @Test
  void fields_ofABean_areReadAsTheyWereWritten() {
    FlyweightType<Written> type = FlyweightType.of(Written.class);
    Written quote = onRecord(type, memoryFor(type), 1);
    quote.setPrice(2.5);
    quote.setLive(true).live(1.25).time(9).isIn(true).settle((byte) 3).get((byte) 4);
    quote.setFirm(true);
    quote.setSize(-1);
    quote.setURL("http://a");
    quote.setCount(1, 7);
    quote.getLevel().price(8);
    quote.setVolume(11);
    quote.setStamp(12);
    assertThat(quote)
        .returns(2.5, Quote::getPrice)
        .returns(5.0, Quote::getTwice)
        .returns(true, Quote::isLive)
        .returns(1.25, Quote::live)
        .returns(9L, Quote::getTime)
        .returns(true, Quote::isIn)
        .returns((byte) 3, Quote::settle)
        .returns((byte) 4, Quote::get)
        .returns(true, Quote::isFirm)
        .returns(-1, Quote::isSize)
        .returns("http://a", Quote::getURL)
        .returns(7L, its -> its.getCount(1))
        .returns(8.0, its -> its.getLevel().price())
        .returns(11L, Quote::volume)
        .returns(12L, Written::getStamp);
    StringBuilder text = new StringBuilder();
    quote.getURL(text);
    assertThat(text).hasToString("http://a");
    assertThat(quote.toString()).startsWith("Written@").contains("URL=\"http://a\"", "price=2.5");
  }

  /** As {@code var isOpen: Boolean} and the like become in Kotlin. */
  interface Properties {
    boolean isOpen();

    void setOpen(boolean value);

    boolean getReady();

    void setReady(boolean value);

    Properties isDone(boolean value);

    boolean isDone();

    int getX();

    void setX(int value);

    String getZone();

    @Utf8(8)
    void setZone(String value);
  }

  /** Writes by fluent setters of its own what it inherits. */
  interface Fluent extends OnlyReads {
    Fluent setPrice(double value);

    Fluent setLive(boolean value);

    Fluent volume(long value);
  }

  @Test
  void fields_ofProperties_areFoundByName() {
    FlyweightType<Properties> type = FlyweightType.of(Properties.class);
    Properties properties = onRecord(type, memoryFor(type), 0);
    properties.setOpen(true);
    properties.setReady(true);
    properties.isDone(true).setX(3);
    properties.setZone("viel");
    assertThat(properties.toString())
        .isEqualTo("Properties@0{x=3, isDone=true, isOpen=true, ready=true, zone=\"viel\"}");
    assertThat(type.layout().field("x").toString()).startsWith("x: int at 0");
    Fluent fluent =
        onRecord(FlyweightType.of(Fluent.class), memoryFor(FlyweightType.of(Fluent.class)), 0);
    assertThat(fluent.setPrice(1).setLive(true).volume(2))
        .hasToString("Fluent@0{price=1.0, volume=2, isLive=true}");
  }

  interface OnlyReads {
    double getPrice();

    boolean isLive();

    long volume();
  }

  interface AlsoWrites extends OnlyReads {
    void setPrice(double value);

    void setLive(boolean value);

    void setVolume(long value);
  }

  @Test
  void layout_ofAnInterfaceThatOnlyReads_isThatOfOneThatAlsoWrites() {
    assertThat(FlyweightType.of(OnlyReads.class).layout())
        .isEqualTo(FlyweightType.of(AlsoWrites.class).layout());
  }

  interface Typo {
    double getPrise();

    void setPrice(double value);

    double getBid();

    void setBid(double value);
  }

  interface NeverRead {
    long id();

    NeverRead price(double value);
  }

  interface WritesOnly {
    void setPrice(double value);
  }

  interface ReadsByDefault {
    long id();

    default double getPrice() {
      return 0;
    }

    void setPrice(double value);
  }

  interface WritesElements {
    long id();

    @Length(2)
    void setPrice(int index, double value);
  }

  interface WritesText {
    long id();

    void setName(@SuppressWarnings("unused") StringBuilder value);

    @Utf8(4)
    String getName();
  }

  interface ReadTwice {
    double price();

    double getPrice();

    void setPrice(double value);
  }

  interface OtherType {
    long getPrice();

    void setPrice(double value);
  }

  interface OtherTypeOfField {
    long price();

    void setPrice(double value);
  }

  interface SetsClass {
    long id();

    void setClass(long value);
  }

  @Test
  void of_whatIsWrittenAndNeverRead_namesTheMethodAndWhatMayReadIt() {
    String rule = "method must write what another method reads: none is named ";
    assertRefused(
        Typo.class,
        rule + "getPrice, isPrice, price; is it meant to be getPrise?: method=",
        "Typo.setPrice(double)");
    assertRefused(NeverRead.class, rule + "price, getPrice, isPrice: method=", ".price(double)");
    assertRefused(WritesOnly.class, rule, "WritesOnly.setPrice(double)");
    assertRefused(ReadsByDefault.class, rule, "ReadsByDefault.setPrice(double)");
    assertRefused(WritesElements.class, rule, "WritesElements.setPrice(int,double)");
    assertRefused(
        SetsClass.class,
        rule + "isClass, class; is it meant to be id?: ",
        "SetsClass.setClass(long)");
    assertRefused(WritesText.class, "must be of the field's type", "WritesText.setName");
    assertRefused(OtherType.class, "must be of the field's type, long", "OtherType.setPrice");
    assertRefused(
        OtherTypeOfField.class, "must be of the field's type, long", "OtherTypeOfField.setPrice");
    assertRefused(ReadTwice.class, "not each of [getPrice, price]", "ReadTwice.setPrice");
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
  void of_interfacesOfTheUnnamedPackage_areAllImplemented() throws Exception {
    for (int loaders = 0; loaders < 3; loaders++) { // each has a package of its own
      ClassLoader loader = ofGenerated();
      List<TestCall<Boolean>> calls = new ArrayList<>();
      for (String name : List.of("A", "B", "there.A", "there.B", "A", "there.A$A", "C$A")) {
        Class<?> type = loader.loadClass(name);
        calls.add(
            TestCall.run(
                () -> {
                  FlyweightType<?> made = FlyweightType.of(type);
                  assertThat(type).isAssignableFrom(made.newFlyweight(memoryFor(made)).getClass());
                }));
      }
      TestCall.results(calls);
    }
  }

  /** Loads any interface, which has one field. */
  private static ClassLoader ofGenerated() {
    return new ClassLoader(FlyweightType.class.getClassLoader()) {
      @Override
      protected Class<?> findClass(String name) {
        byte[] bytes =
            ClassFile.of()
                .build(
                    ClassDesc.of(name),
                    type ->
                        type.withFlags(ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT)
                            .withMethod(
                                "id",
                                MethodTypeDesc.of(ConstantDescs.CD_long),
                                ClassFile.ACC_PUBLIC | ClassFile.ACC_ABSTRACT,
                                _ -> {}));
        return defineClass(name, bytes, 0, bytes.length);
      }
    };
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

package dev.millrace.flyweight.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.Utf8;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.chrono.ThaiBuddhistDate;
import java.util.Arrays;
import java.util.Currency;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a value of the JDK that comes back changed, perhaps only at an end of its range, an absent
 * one that comes back as zero, and a refusal that advises the wrong type.
 */
@SuppressWarnings({"NullOptional", "ArrayRecordComponent"}) // what is tested
class RecordComponentsTest extends CodecFixture {
  enum Side {
    BUY,
    SELL
  }

  record Times(
      Instant instant, Duration duration, LocalDate date, LocalTime time, LocalDateTime both) {}

  record Calendars(
      OffsetDateTime at,
      OffsetTime timeOfDay,
      ZoneOffset offset,
      Year year,
      YearMonth month,
      MonthDay birthday,
      Period period) {}

  record Boxes(
      Byte b, Boolean z, Short s, Character c, Integer i, Float f, Long l, Double d, UUID id) {}

  /** Refuses zeros, so that nothing may make one of what is absent. */
  record Level(double price, @Utf8(4) String venue, Integer count, Optional<Side> side) {
    Level {
      if (price == 0) {
        throw new IllegalArgumentException("price must not be 0");
      }
    }
  }

  record Optionals(
      OptionalInt i,
      OptionalLong l,
      OptionalDouble d,
      Optional<Integer> boxed,
      Optional<Side> side,
      @Utf8(8) Optional<String> name,
      Optional<Instant> instant,
      Optional<LocalDateTime> both,
      Optional<Level> level,
      Optional<Optional<UUID>> id,
      @Utf8(4) String code) {}

  /** All of them, and more values than the handle of a writer takes. */
  record Everything(
      Times times, Boxes boxes, Optionals first, Optionals second, Optionals third, Times last) {}

  private static Optionals none(String code) {
    return new Optionals(
        OptionalInt.empty(),
        OptionalLong.empty(),
        OptionalDouble.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        code);
  }

  @Test
  void read_afterWriteOfAnyCalendar_isEqual() {
    for (int seed = 0; seed < 300; seed++) {
      assertHeld(calendars(new Random(seed)));
    }
  }

  @Test
  void read_afterWriteOfANaN_keepsItsBits() {
    TestCodec<Boxes> codec = TestCodec.of(Boxes.class);
    Double strangeNaN = Double.longBitsToDouble(0x7ff8_0000_0000_1234L);
    codec.write(
        new Boxes(null, true, null, 'x', null, 1f, null, strangeNaN, new UUID(0, 0)), segment, 0);
    assertThat(Double.doubleToRawLongBits(codec.read(segment, 0).d()))
        .isEqualTo(0x7ff8_0000_0000_1234L);
  }

  private static Optionals some(Level level, Optional<UUID> id) {
    return new Optionals(
        OptionalInt.of(0),
        OptionalLong.of(Long.MAX_VALUE),
        OptionalDouble.of(Double.NaN),
        Optional.of(0),
        Optional.of(Side.SELL),
        Optional.of("caf\u00e9"),
        Optional.of(Instant.MAX),
        Optional.of(LocalDateTime.MIN),
        Optional.of(level),
        Optional.of(id),
        "ABCD");
  }

  @Test
  void read_afterWriteOfAnyValues_isEqual() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      assertHeld(
          new Everything(
              times(random),
              boxes(random),
              optionals(random),
              optionals(random),
              optionals(random),
              times(random)));
    }
  }

  private static <T> Optional<T> perhaps(Random random, T value) {
    return random.nextBoolean() ? Optional.of(value) : Optional.empty();
  }

  @SafeVarargs
  private static <T> T oneOf(Random random, T... values) {
    return values[random.nextInt(values.length)];
  }

  private static Instant instant(Random random) {
    Instant any = Instant.ofEpochSecond(random.nextInt(), random.nextInt());
    return oneOf(random, any, Instant.MIN, Instant.MAX);
  }

  private static Times times(Random random) {
    LocalDate date = LocalDate.ofEpochDay(random.nextInt());
    LocalTime time = LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L));
    Duration least = Duration.ofSeconds(Long.MIN_VALUE);
    Duration most = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    Duration any = Duration.ofSeconds(random.nextLong(), random.nextInt(1_000_000_000));
    return new Times(
        instant(random),
        oneOf(random, any, least, most),
        oneOf(random, date, LocalDate.MIN, LocalDate.MAX),
        oneOf(random, time, LocalTime.MIN, LocalTime.MAX),
        oneOf(random, date.atTime(time), LocalDateTime.MIN, LocalDateTime.MAX));
  }

  private static Calendars calendars(Random random) {
    ZoneOffset any = ZoneOffset.ofTotalSeconds(random.nextInt(-64_800, 64_801));
    ZoneOffset offset = oneOf(random, any, ZoneOffset.MIN, ZoneOffset.MAX, ZoneOffset.UTC);
    Times times = times(random);
    int year = random.nextInt(Year.MIN_VALUE, Year.MAX_VALUE + 1);
    int month = random.nextInt(1, 13);
    return new Calendars(
        times.both().atOffset(offset),
        times.time().atOffset(offset),
        offset,
        Year.of(oneOf(random, year, Year.MIN_VALUE, Year.MAX_VALUE)),
        YearMonth.of(year, month),
        oneOf(random, MonthDay.of(month, 28), MonthDay.of(2, 29)),
        Period.of(random.nextInt(), random.nextInt(), oneOf(random, 0, random.nextInt())));
  }

  private static Boxes boxes(Random random) {
    return new Boxes(
        oneOf(random, null, (byte) 0, (byte) random.nextInt()),
        oneOf(random, null, false, true),
        oneOf(random, null, (short) 0, (short) random.nextInt()),
        oneOf(random, null, '\0', (char) random.nextInt()),
        oneOf(random, null, 0, random.nextInt()),
        oneOf(random, null, -0.0f, random.nextFloat()),
        oneOf(random, null, 0L, random.nextLong()),
        oneOf(random, null, Double.NaN, random.nextGaussian()),
        oneOf(random, new UUID(0, 0), new UUID(random.nextLong(), random.nextLong())));
  }

  private static Optionals optionals(Random random) {
    Integer count = perhaps(random, random.nextInt()).orElse(null);
    String venue = oneOf(random, "", "abc", "\u00e9\u00e9");
    Level level = new Level(1 + random.nextDouble(), venue, count, perhaps(random, Side.SELL));
    return new Optionals(
        oneOf(random, OptionalInt.empty(), OptionalInt.of(0), OptionalInt.of(random.nextInt())),
        oneOf(random, OptionalLong.empty(), OptionalLong.of(0), OptionalLong.of(random.nextLong())),
        oneOf(random, OptionalDouble.empty(), OptionalDouble.of(random.nextDouble())),
        perhaps(random, oneOf(random, 0, random.nextInt())),
        perhaps(random, Side.values()[random.nextInt(2)]),
        perhaps(random, oneOf(random, "", "\u20ac" + random.nextInt(1000))),
        perhaps(random, instant(random)),
        perhaps(random, times(random).both()),
        perhaps(random, level),
        perhaps(random, perhaps(random, new UUID(random.nextLong(), random.nextLong()))),
        oneOf(random, "", "ABCD", "" + random.nextInt(1_000)));
  }

  @Test
  void layout_isTheNaturalOne() {
    RecordLayout times = TestCodec.of(Times.class).layout();
    assertThat(times.offsetOf("instant.nano")).isEqualTo(8);
    assertThat(times.offsetOf("duration.seconds")).isEqualTo(16);
    assertThat(times.offsetOf("date.epochDay")).isEqualTo(32);
    assertThat(times.offsetOf("both.localTime.nanoOfDay")).isEqualTo(56);
    TestCodec<Boxes> boxesCodec = TestCodec.of(Boxes.class);
    RecordLayout boxes = boxesCodec.layout();
    assertThat(boxes.offsetOf("b.present")).isZero();
    assertThat(boxes.offsetOf("b.value")).isEqualTo(1);
    assertThat(boxesCodec.field("d", "value")).isEqualTo(ValueLayout.JAVA_DOUBLE.withName("value"));
    assertThat(boxes.field("i.present")).asString().startsWith("i.present: boolean at ");
    assertThat(boxes.field("i.value")).asString().startsWith("i.value: int at ");
    assertThat(boxes.field("id.leastSignificantBits"))
        .asString()
        .startsWith("id.leastSignificantBits: long at ");
    assertThat(TestCodec.of(Optionals.class).field("level", "value", "venue").byteSize())
        .isEqualTo(4L);
  }

  @Test
  void write_whenAbsent_leavesZeros() {
    segment.fill((byte) 0x55);
    TestCodec<Optionals> codec = TestCodec.of(Optionals.class);
    codec.write(none(""), segment, 0);
    long offset = codec.layout().offsetOf("name.value");
    long sizeBytes = codec.field("name", "value").byteSize();
    assertThat(segment.asSlice(offset, sizeBytes).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    assertThat(segment.get(ValueLayout.JAVA_LONG, codec.layout().offsetOf("l.value"))).isZero();
  }

  @Test
  void write_whenAComponentIsNullOrTooLong_namesItAndClaimsNothing() {
    Times times = new Times(Instant.EPOCH, null, LocalDate.EPOCH, LocalTime.MIN, null);
    assertRefused(times, "component must not be null: component=Times.duration");
    assertRefused(
        new Boxes(null, null, null, null, null, null, null, null, null),
        "component must not be null: component=Boxes.id");
    assertRefused(none(null), "component must not be null: component=Optionals.code");
    assertRefused(none("ABCDE"), "Optionals.code must be at most 4 bytes: Optionals.code=ABCDE");
    assertRefused(none("A\u0000"), "Optionals.code must have no NUL: Optionals.code=A\\u0000");
    assertRefused(
        some(new Level(1, null, null, Optional.empty()), Optional.empty()),
        "component must not be null: component=Optionals.level.venue");
    assertRefused(
        some(new Level(1, "a", null, null), Optional.empty()),
        "component must not be null: component=Optionals.level.side");
    assertRefused(
        some(new Level(1, "too long", null, Optional.empty()), Optional.empty()),
        "Optionals.level.venue must be at most 4 bytes: Optionals.level.venue=too long");
  }

  @Test
  void read_whenMemoryHoldsNoSuchValue_throws() {
    TestCodec<Times> codec = TestCodec.of(Times.class);
    segment.set(ValueLayout.JAVA_LONG, codec.layout().offsetOf("instant"), Long.MAX_VALUE);
    Throws.a(DateTimeException.class, () -> codec.read(segment, 0));
  }

  @Test
  void write_allocatesNothing() throws Exception {
    TestCodec<Times> times = TestCodec.of(Times.class);
    Times time = times(new Random(1));
    TestCodec<Calendars> calendars = TestCodec.of(Calendars.class);
    Calendars calendar = calendars(new Random(1));
    TestCodec<Boxes> boxes = TestCodec.of(Boxes.class);
    Boxes box = new Boxes((byte) 1, null, null, 'c', 1234, 5f, 1L << 40, 7.0, new UUID(1, 2));
    TestCodec<Optionals> optionals = TestCodec.of(Optionals.class);
    Optionals some = some(new Level(1, "abc", 99999, Optional.empty()), Optional.empty());
    Optionals none = none("");
    TestCall.Body writes =
        () -> {
          for (int i = 0; i < 10_000; i++) {
            times.write(time, segment, 0);
            calendars.write(calendar, segment, 0);
            boxes.write(box, segment, 0);
            optionals.write(some, segment, 0);
            optionals.write(none, segment, 0);
          }
        };
    for (int i = 0; i < 3; i++) {
      writes.run();
    }
    assertThat(Allocations.bytesIn(writes)).isLessThan(10_000);
  }

  @Test
  void interface_mayHoldValues() {
    FlyweightType<Event> type = FlyweightType.of(Event.class);
    Event event = type.newFlyweight(segment);
    ((Flyweight) event).moveTo(0);
    event.id(new UUID(1, 2));
    event.time(Instant.MIN);
    assertThat(event.count()).isNull();
    event.count(7);
    event.level(Optional.of(new Level(1, "abc", null, Optional.of(Side.SELL))));
    assertThat(event.count()).isEqualTo(7);
    assertThat(event.level()).contains(new Level(1, "abc", null, Optional.of(Side.SELL)));
    event.count(null);
    event.level(Optional.empty());
    assertThat(event.count()).isNull();
    assertThat(event.level()).isEmpty();
    assertThat(event.id()).isEqualTo(new UUID(1, 2));
    assertThat(event.time()).isEqualTo(Instant.MIN);
    Throws.illegalArgument("component must not be null: component=Event.id", () -> event.id(null));
    assertThat(type.layout().field("time.nano")).asString().startsWith("time.nano: int at ");
  }

  interface Event {
    UUID id();

    void id(UUID value);

    Instant time();

    void time(Instant value);

    Integer count();

    void count(Integer value);

    Optional<Level> level();

    void level(Optional<Level> value);
  }

  // ---- what is refused ----

  interface Quote {}

  static final class Position {}

  /** A record of each. */
  interface Refused {
    record OfSymbol(String symbol) {}

    record OfAccount(Optional<String> account) {}

    record OfText(CharSequence text) {}

    record OfChars(char[] chars) {}

    record OfBytes(byte[] bytes) {}

    record OfPrices(double[] prices) {}

    record OfSides(Side[] sides) {}

    record OfNames(List<String> names) {}

    record OfCounts(Map<String, Integer> counts) {}

    record OfSequence(AtomicLong sequence) {}

    record OfDate(Date date) {}

    record OfZoned(ZonedDateTime zoned) {}

    record OfCurrency(Currency currency) {}

    record OfAny(Optional<?> any) {}

    record OfObject(Object object) {}

    record OfGeneric<T>(T generic) {}

    record OfEra(ThaiBuddhistDate era) {}

    record OfZone(ZoneId zone) {}

    record OfLocale(Locale locale) {}

    record OfAddress(URI address) {}

    record OfFile(Path file) {}

    record OfRecord(Record record) {}

    record OfQuote(Quote quote) {}

    record OfPosition(Position position) {}
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          symbol|a String needs a limit, write @Utf8(16) String symbol (import dev.millrace.flyweight.Utf8)
          account|a String needs a limit, write @Utf8(16) Optional<String> account (import dev.millrace.flyweight.Utf8)
          text|a CharSequence needs a limit, write @Utf8(16) String text (import dev.millrace.flyweight.Utf8)
          chars|a char[] needs a limit, write @Utf8(16) String chars (import dev.millrace.flyweight.Utf8)
          bytes|a byte[] needs a limit, write @Length(16) byte[] bytes (import dev.millrace.flyweight.Length)
          prices|a double[] needs a limit, write @Length(16) double[] prices (import dev.millrace.flyweight.Length)
          sides|a Side[] has no fixed size, write an array if it holds numbers, or a component for each element
          names|a List has no fixed size, write an array if it holds numbers, or a component for each element
          counts|a Map has no fixed size, write an array if it holds numbers, or a component for each element
          sequence|an AtomicLong is no fixed value, write long sequence or double sequence
          date|a Date is no fixed value, write Instant date
          zoned|a ZonedDateTime has no fixed size, write Instant zoned
          currency|a Currency cannot be held, write @Utf8(3) String currency, or an enum
          any|an Optional must say of what, write for instance Optional<Instant> any
          object|an Object has no fixed layout, write a record, an enum, or a component for each of its fields
          generic|the type T is not known here, write a type that does not depend on a parameter
          era|a ThaiBuddhistDate cannot be held, write LocalDate era
          zone|a ZoneId cannot be held, write its name: @Utf8(32) String zone (import dev.millrace.flyweight.Utf8)
          locale|a Locale cannot be held, write its name: @Utf8(32) String locale (import dev.millrace.flyweight.Utf8)
          address|a URI cannot be held, write its name: @Utf8(32) String address (import dev.millrace.flyweight.Utf8)
          file|a Path cannot be held, write its name: @Utf8(32) String file (import dev.millrace.flyweight.Utf8)
          record|a Record must be a class of its own, write the record's class
          quote|a Quote has no fixed layout, write a record, an enum, or a component for each of its fields
          position|a Position has no fixed layout, write a record, an enum, or a component for each of its fields
          """)
  void of_whenAComponentCannotBeHeld_saysWhatToWrite(String name, String advice) {
    Class<?> type =
        Arrays.stream(Refused.class.getDeclaredClasses())
            .filter(one -> one.getRecordComponents()[0].getName().equals(name))
            .findFirst()
            .orElseThrow();
    Throws.illegalArgument(
        "component " + type.getSimpleName() + "." + name + ": " + advice,
        () -> RecordCodec.of(type.asSubclass(Record.class)));
  }

  record Inner(String name, byte[] bytes) {}

  record Outer(long id, List<String> names, Inner inner, Node next, @Utf8(4) String code) {}

  record Node(Node next) {}

  @Test
  void of_whenSeveralComponentsCannotBeHeld_namesThemAll() {
    Throws.illegalArgument(
        """
        4 components cannot be held:
          component Outer.names: a List has no fixed size, write an array if it holds numbers, or \
        a component for each element
          component Outer.inner.name: a String needs a limit, write @Utf8(16) String name (import \
        dev.millrace.flyweight.Utf8)
          component Outer.inner.bytes: a byte[] needs a limit, write @Length(16) byte[] bytes (import \
        dev.millrace.flyweight.Length)
          component Outer.next.next: a Node contains itself, so it has no fixed size\
        """,
        () -> RecordCodec.of(Outer.class));
  }
}

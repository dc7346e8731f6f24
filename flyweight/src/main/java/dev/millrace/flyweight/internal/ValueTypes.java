package dev.millrace.flyweight.internal;

import java.io.File;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
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
import java.time.chrono.ChronoLocalDate;
import java.time.temporal.Temporal;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TimeZone;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The JDK types that a component may have, and what to write instead of other types. */
final class ValueTypes {
  /**
   * How a value of type T is taken apart and put together again.
   *
   * @param names the names of the parts
   * @param getters the handles {@code (T)P} that read the parts, which must not allocate
   * @param maker the handle {@code (P...)T} that makes a T from its parts
   */
  record Shape(List<String> names, List<MethodHandle> getters, MethodHandle maker) {
    Part composed(List<Part> parts) {
      return Part.composed(names, getters, parts, readers -> Part.made(maker, readers));
    }
  }

  private static final Map<Class<?>, Shape> SHAPES =
      Stream.of(
              shape(
                  Part.handle(Instant.class, "ofEpochSecond", long.class, long.class),
                  "getEpochSecond",
                  "getNano"),
              shape(
                  Part.handle(Duration.class, "ofSeconds", long.class, long.class),
                  "getSeconds",
                  "getNano"),
              shape(
                  Part.handle(Period.class, "of", int.class, int.class, int.class),
                  "getYears",
                  "getMonths",
                  "getDays"),
              shape(Part.handle(LocalDate.class, "ofEpochDay", long.class), "toEpochDay"),
              shape(Part.handle(LocalTime.class, "ofNanoOfDay", long.class), "toNanoOfDay"),
              shape(
                  Part.handle(LocalDateTime.class, "of", LocalDate.class, LocalTime.class),
                  "toLocalDate",
                  "toLocalTime"),
              shape(
                  Part.handle(OffsetDateTime.class, "of", LocalDateTime.class, ZoneOffset.class),
                  "toLocalDateTime",
                  "getOffset"),
              shape(
                  Part.handle(OffsetTime.class, "of", LocalTime.class, ZoneOffset.class),
                  "toLocalTime",
                  "getOffset"),
              shape(Part.handle(ZoneOffset.class, "ofTotalSeconds", int.class), "getTotalSeconds"),
              shape(Part.handle(Year.class, "of", int.class), "getValue"),
              shape(
                  Part.handle(YearMonth.class, "of", int.class, int.class),
                  "getYear",
                  "getMonthValue"),
              shape(
                  Part.handle(MonthDay.class, "of", int.class, int.class),
                  "getMonthValue",
                  "getDayOfMonth"),
              shape(
                  Part.handle(ValueTypes.class, "newUuid", long.class, long.class),
                  "getMostSignificantBits",
                  "getLeastSignificantBits"))
          .collect(
              Collectors.toUnmodifiableMap(
                  shape -> shape.maker().type().returnType(), Function.identity()));

  /** The type of the content of each kind of optional. */
  private static final Map<Class<?>, Class<?>> CONTENTS =
      Map.of(
          Optional.class, Object.class,
          OptionalInt.class, int.class,
          OptionalLong.class, long.class,
          OptionalDouble.class, double.class);

  private static final String TEXT =
      "%1$s needs a limit, write @Utf8(16) %3$s %2$s (import dev.millrace.flyweight.Utf8)";
  private static final String ELEMENTS =
      "%s has no fixed size, write an array if it holds numbers, or a component for each element";
  private static final String NUMBERS =
      "%1$s needs a limit, write @Length(16) %4$s %2$s (import dev.millrace.flyweight.Length)";

  private static final String NAMED =
      "%1$s cannot be held, write its name: @Utf8(32) %3$s %2$s (import"
          + " dev.millrace.flyweight.Utf8)";

  private static final String OTHERS =
      "%s has no fixed layout, write a record, an enum, or a component for each of its fields";

  /** What to write instead of a type. The first entry applies whose type it can be assigned to. */
  private static final List<Entry<Class<?>, String>> ADVICE =
      List.of(
          Map.entry(CharSequence.class, TEXT),
          Map.entry(char[].class, TEXT),
          Map.entry(Object[].class, ELEMENTS),
          Map.entry(Path.class, NAMED), // before Iterable
          Map.entry(Iterable.class, ELEMENTS),
          Map.entry(Map.class, ELEMENTS),
          Map.entry(Number.class, "%s is no fixed value, write long %s or double %2$s"),
          Map.entry(Date.class, "%s is no fixed value, write Instant %s"),
          Map.entry(Calendar.class, "%s is no fixed value, write Instant %s"),
          Map.entry(ZonedDateTime.class, "%s has no fixed size, write Instant %s"),
          Map.entry(ChronoLocalDate.class, "%s cannot be held, write LocalDate %s"),
          Map.entry(Temporal.class, "%s cannot be held, write Instant %s or LocalDateTime %2$s"),
          Map.entry(ZoneId.class, NAMED),
          Map.entry(TimeZone.class, NAMED),
          Map.entry(Locale.class, NAMED),
          Map.entry(URI.class, NAMED),
          Map.entry(URL.class, NAMED),
          Map.entry(File.class, NAMED),
          Map.entry(Class.class, NAMED),
          Map.entry(Currency.class, "%s cannot be held, write @Utf8(3) String %s, or an enum"),
          Map.entry(Optional.class, "%s must say of what, write for instance Optional<Instant> %s"),
          Map.entry(Record.class, "%s must be a class of its own, write the record's class"),
          Map.entry(Enum.class, "%s must be a class of its own, write the enum's class"));

  private ValueTypes() {}

  /** Returns how {@code type} is taken apart, or null if it is not one of these types. */
  static Shape shape(Class<?> type) {
    return SHAPES.get(type);
  }

  /** Returns the type of an optional's content, or null if {@code type} is not an optional. */
  static Class<?> content(Class<?> type) {
    return CONTENTS.get(type);
  }

  /** Returns the primitive type of a box, or null if {@code type} is not a box. */
  static Class<?> unboxed(Class<?> type) {
    Class<?> primitive = MethodType.methodType(type).unwrap().returnType();
    return type.isPrimitive() || !Part.PRIMITIVES.containsKey(primitive) ? null : primitive;
  }

  /**
   * Maps an optional. {@code type} is the type of its content, which is stored as {@code value}. It
   * may be a subtype of what {@link #content} returns.
   */
  static Part optional(Class<?> optional, Class<?> type, Part value) {
    Class<?> content = content(optional);
    MethodHandle orElse = Part.handle(optional, "orElse", content);
    return Part.optional(
        Part.handle(optional, "isPresent"),
        MethodHandles.collectArguments(orElse, 1, MethodHandles.zero(content))
            .asType(MethodType.methodType(type, optional)),
        value,
        Part.handle(optional, "of", content).asType(MethodType.methodType(optional, type)),
        Part.handle(optional, "empty"));
  }

  /**
   * Returns what to write instead of {@code type}, which cannot be held. {@code name} is the
   * component's name, and {@code text} is the type that a text would have there.
   */
  static String advice(Class<?> type, String name, String text) {
    String known = SlotRules.Elements.isHeld(type) ? NUMBERS : type.isArray() ? ELEMENTS : OTHERS;
    for (Entry<Class<?>, String> entry : ADVICE) {
      if (entry.getKey().isAssignableFrom(type)) {
        known = entry.getValue();
        break;
      }
    }
    return known.formatted(named(type), name, text, type.getSimpleName());
  }

  /** Returns the name of a type with the indefinite article. */
  static String named(Class<?> type) {
    String name = type.getSimpleName();
    boolean isVowel = "AEIOaeiou".indexOf(name.charAt(0)) >= 0; // a URL
    return (isVowel ? "an " : "a ") + name;
  }

  static UUID newUuid(long mostSignificantBits, long leastSignificantBits) {
    return new UUID(mostSignificantBits, leastSignificantBits);
  }

  private static Shape shape(MethodHandle maker, String... getters) {
    Class<?> type = maker.type().returnType();
    List<MethodHandle> handles =
        Arrays.stream(getters).map(name -> Part.handle(type, name)).toList();
    List<Class<?>> parts =
        handles.stream().<Class<?>>map(handle -> handle.type().returnType()).toList();
    return new Shape(
        Arrays.stream(getters).map(ValueTypes::partName).toList(),
        handles,
        maker.asType(MethodType.methodType(type, parts)));
  }

  /**
   * Returns the name of the part that {@code getter} reads: {@code nano} for {@code getNano},
   * {@code epochDay} for {@code toEpochDay}.
   */
  private static String partName(String getter) {
    int start = getter.startsWith("to") ? 2 : 3;
    return Character.toLowerCase(getter.charAt(start)) + getter.substring(start + 1);
  }
}

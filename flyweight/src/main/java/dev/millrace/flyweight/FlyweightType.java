package dev.millrace.flyweight;

import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.function.Function;

/**
 * Describes a type of record. A {@code FlyweightType} has the layout of the records and makes
 * flyweights, each of which views one record at a time.
 *
 * <p>The simplest way to describe a record is an interface, which the library implements:
 *
 * {@snippet file="Examples.java" region="interface"}
 *
 * <p>A method without parameters reads the field that has the method's name. A method with the same
 * name and one parameter writes that field, and returns {@code void} or the interface. Accessors
 * may also have bean names, such as {@code getPrice()}, {@code isOpen()} and {@code setPrice(v)}.
 * An interface may mix both styles. {@code getPrice()} reads the field {@code price}, {@code
 * getURL()} reads {@code URL}, and {@code isOpen()} reads {@code isOpen}. An interface with a field
 * that can be written but not read is rejected. The accessors determine the field's type. This
 * table lists the possible types and how each is stored:
 *
 * <table>
 * <caption>Fields</caption>
 * <tr><th>type</th><th>in memory</th></tr>
 * <tr><td>a primitive type</td><td>the same, in the machine's byte order</td></tr>
 * <tr><td>an enum</td><td>the constant's ordinal, in a byte, or in a short if there are more
 *     than 256 constants</td></tr>
 * <tr><td>a record</td><td>a struct of its components</td></tr>
 * <tr><td>{@code String} with {@link Utf8}</td><td>as many bytes as the annotation says, padded
 * with zeros. Its setter may take any {@code CharSequence}, and {@code void name(StringBuilder)}
 * appends the text to the builder without making a string</td></tr>
 * <tr><td>{@code Instant}</td><td>{@code long epochSecond}, {@code int nano}</td></tr>
 * <tr><td>{@code Duration}</td><td>{@code long seconds}, {@code int nano}</td></tr>
 * <tr><td>{@code UUID}</td><td>{@code long mostSignificantBits}, {@code long
 *     leastSignificantBits}</td></tr>
 * <tr><td>{@code LocalDate}</td><td>{@code long epochDay}</td></tr>
 * <tr><td>{@code LocalTime}</td><td>{@code long nanoOfDay}</td></tr>
 * <tr><td>{@code LocalDateTime}</td><td>{@code localDate}, {@code localTime}</td></tr>
 * <tr><td>{@code OffsetDateTime}, {@code OffsetTime}</td><td>{@code localDateTime} or {@code
 *     localTime}, {@code offset}</td></tr>
 * <tr><td>{@code ZoneOffset}</td><td>{@code int totalSeconds}</td></tr>
 * <tr><td>{@code Year}, {@code YearMonth}, {@code MonthDay}, {@code Period}</td><td>an {@code int}
 *     for each of their fields</td></tr>
 * <tr><td>{@code Integer} and the other boxes, {@code OptionalInt}, {@code OptionalLong}, {@code
 *     OptionalDouble}, and {@code Optional} of any of these</td><td>{@code boolean present},
 *     {@code value}; zeros if absent</td></tr>
 * <tr><td>{@code BigInteger} of at most 127 bits and a sign</td><td>{@code long high}, {@code long
 *     low}</td></tr>
 * <tr><td>{@code BigDecimal} with an unscaled value of that size</td><td>{@code unscaledValue},
 * {@code int
 *     scale}</td></tr>
 * <tr><td>an array of a primitive type except {@code boolean}, with {@link Length}, without an
 * index</td><td>{@code int length}, and room for as many {@code elements} as the annotation says.
 * Reading makes a new array; writing rejects a longer one</td></tr>
 * <tr><td>an interface of the same form</td><td>a struct of its fields. There is no setter:
 *     the method returns a view that moves with this one</td></tr>
 * <tr><td>any of these with {@link Length} and an index</td><td>an array. Its accessors take an
 * index first: {@code double price(int index)}, {@code Trade price(int index, double value)}. All
 * elements whose type is an interface share one view, so an access to one element moves the view
 * away from the previous one</td></tr>
 * </table>
 *
 * <p>The library lays out fields by alignment, largest first, and then by name, because the order
 * of an interface's methods is not specified. A method with a body keeps that body and describes no
 * field.
 *
 * <p>Write a subclass of {@link Flyweight} if you need a layout of your own, or accessors that do
 * more than read or write a field. Pass the constructor of the subclass to {@link #of(Function)}.
 *
 * <p><b>Roles.</b> A type is immutable, so any thread may use it. Each flyweight of the type
 * belongs to one thread at a time.
 *
 * <p><b>Failure.</b> If the library cannot implement an interface, it throws an {@link
 * IllegalArgumentException}. The message names the method and the rule that the method breaks.
 * Where no class can be made at run time, as in a native image, the library implements no
 * interface, and throws {@link UnsupportedOperationException}.
 *
 * <p><b>Cost.</b> A hidden class implements each interface. Making the class takes a few
 * milliseconds. {@link #of(Class)} makes the class of an interface once and then reuses it. The
 * accessors compile to the same code as those of a flyweight written by hand. Accesses to several
 * primitive fields of a record share one bounds check.
 *
 * @param <T> the interface, or the subclass of {@link Flyweight}
 * @since 0.1.0
 */
public final class FlyweightType<T> {
  /** Holds one type per interface, so that all queues share its class and its compiled code. */
  private static final ClassValue<FlyweightType<?>> OF_INTERFACES =
      new ClassValue<>() {
        @Override
        protected FlyweightType<?> computeValue(Class<?> type) {
          return InterfaceMapping.of(type, null);
        }
      };

  private final RecordLayout layout;
  private final Function<MemorySegment, ?> factory;

  FlyweightType(RecordLayout layout, Function<MemorySegment, ?> factory) {
    this.layout = layout;
    this.factory = factory;
  }

  /**
   * Implements an interface that is on the class path or in a package open to {@code
   * dev.millrace.flyweight}.
   *
   * @param <T> the interface
   * @param type the interface's class
   * @return the type, the same on every call
   * @throws IllegalArgumentException if the interface cannot be implemented, or its package is not
   *     open
   * @throws UnsupportedOperationException if no class can be made at run time, as in a native image
   */
  @SuppressWarnings("unchecked") // each class's value is made for that class
  public static <T> FlyweightType<T> of(Class<T> type) {
    return (FlyweightType<T>) OF_INTERFACES.get(Checks.notNull("type", type));
  }

  /**
   * Implements an interface in a package that is not open. Keep the result: each call makes a new
   * implementation.
   *
   * @param <T> the interface
   * @param type the interface's class
   * @param lookup {@link MethodHandles#lookup()} of a class in the interface's package
   * @return the type
   * @throws IllegalArgumentException if the interface cannot be implemented, or the lookup does not
   *     have full access to the interface's package
   * @throws UnsupportedOperationException if no class can be made at run time, as in a native image
   */
  @SuppressWarnings("unchecked") // the type is made for this class
  public static <T> FlyweightType<T> of(Class<T> type, MethodHandles.Lookup lookup) {
    Checks.notNull("lookup", lookup);
    return (FlyweightType<T>) InterfaceMapping.of(Checks.notNull("type", type), lookup);
  }

  /**
   * Returns the type of a flyweight written by hand.
   *
   * @param <F> the flyweight
   * @param constructor makes a flyweight on the given memory, usually {@code TradeFlyweight::new}.
   *     This method calls it once, with {@link MemorySegment#NULL}, to learn the layout
   * @return the type
   */
  public static <F extends Flyweight> FlyweightType<F> of(Function<MemorySegment, F> constructor) {
    Checks.notNull("constructor", constructor);
    F sample = Checks.notNull("flyweight", constructor.apply(MemorySegment.NULL));
    return new FlyweightType<>(sample.layout(), constructor);
  }

  /**
   * Returns the layout of the records.
   *
   * @return the layout
   */
  public RecordLayout layout() {
    return layout;
  }

  /**
   * Makes a flyweight for one thread.
   *
   * @param memory the native memory that holds the records
   * @return a {@link Flyweight} that is not positioned yet
   * @throws IllegalArgumentException if the memory is on the heap
   */
  @SuppressWarnings("unchecked") // the factory makes instances of T
  public T newFlyweight(MemorySegment memory) {
    return (T) factory.apply(memory);
  }

  /** Returns the layout. */
  @Override
  public String toString() {
    return layout.toString();
  }
}

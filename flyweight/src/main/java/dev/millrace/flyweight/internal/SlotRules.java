package dev.millrace.flyweight.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import dev.millrace.flyweight.OnOversize;
import java.io.File;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How a slot holds values that have no fixed size, and what becomes of a record if such a value
 * does not fit.
 *
 * @param textBytes how many bytes a text or an array without an annotation takes in the slot; 0 if
 *     an annotation is required
 * @param holdsReferences whether components of other classes are held, by reference
 * @param onOversize what becomes of a record if one of its values does not fit
 */
public record SlotRules(int textBytes, boolean holdsReferences, OnOversize onOversize) {
  /**
   * The rules where no record is kept on the heap: all values must fit, and annotations give the
   * sizes.
   */
  static final SlotRules FIXED = new SlotRules(0, false, OnOversize.THROW);

  /**
   * Immutable JDK classes whose objects are held by reference, so that a slot holds nothing of
   * them.
   */
  private static final Set<Class<?>> IMMUTABLE =
      Set.of(
          URI.class,
          URL.class,
          InetAddress.class,
          InetSocketAddress.class,
          Currency.class,
          Locale.class,
          ZoneId.class,
          ZonedDateTime.class,
          Path.class,
          File.class,
          Class.class,
          Pattern.class);

  private static final int MOST_BITS = 127;

  /** Returns whether all values must fit. */
  boolean isStrict() {
    return onOversize == OnOversize.THROW;
  }

  /** Returns how a text of the given size is held. */
  Part partOf(Text text) {
    return switch (onOversize) {
      case SPILL -> Part.ofShortText(text);
      case CUT -> Part.ofCutText(text);
      case THROW -> Part.ofText(text);
    };
  }

  /**
   * Returns how values of {@code type}, which has no fixed size, are held, or null if they are not.
   * {@code length} is how many elements of an array lie in the slot, or 0 if no annotation says so.
   * {@code path} names the component in messages.
   */
  Part partOf(Class<?> type, int length, String path) {
    if (type == String.class) {
      return textBytes == 0 ? null : partOf(new Text(textBytes, path));
    }
    Part part = null;
    if (type == BigInteger.class) {
      part = ofBigInteger();
    } else if (type == BigDecimal.class) {
      part = ofBigDecimal();
    } else if (Elements.isHeld(type) && (length > 0 || textBytes > 0)) {
      part = Elements.of(type.componentType(), length, textBytes, path).part();
    } else if (!isStrict() && isReference(type)) {
      return ofReference(type);
    }
    return part != null && isStrict() ? part.strict(path) : part;
  }

  private boolean isReference(Class<?> type) {
    return IMMUTABLE.contains(type) || type == boolean[].class || holdsReferences;
  }

  /** Makes the part for a value of which the slot holds nothing. Only null fits. */
  static Part ofReference(Class<?> type) {
    return Part.ofChecked(
        JAVA_BYTE,
        MethodHandles.dropArguments(
            MethodHandles.constant(type, null), 0, MemorySegment.class, long.class),
        MethodHandles.empty(
            MethodType.methodType(void.class, MemorySegment.class, long.class, type)),
        Part.handle(Objects.class, "isNull", Object.class)
            .asType(MethodType.methodType(boolean.class, type)));
  }

  // ---- large numbers ----

  private static Part ofBigInteger() {
    return Part.composed(
            List.of("high", "low"),
            List.of(
                Part.handle(SlotRules.class, "high", BigInteger.class),
                Part.handle(BigInteger.class, "longValue")),
            List.of(Part.ofPrimitive(long.class), Part.ofPrimitive(long.class)),
            readers ->
                Part.made(
                    Part.handle(SlotRules.class, "newBigInteger", long.class, long.class), readers))
        .checkedBy(Part.handle(SlotRules.class, "fits", BigInteger.class));
  }

  private static Part ofBigDecimal() {
    return Part.composed(
        List.of("unscaledValue", "scale"),
        List.of(
            Part.handle(BigDecimal.class, "unscaledValue"), Part.handle(BigDecimal.class, "scale")),
        List.of(ofBigInteger(), Part.ofPrimitive(int.class)),
        readers ->
            Part.made(
                Part.handle(SlotRules.class, "newBigDecimal", BigInteger.class, int.class),
                readers));
  }

  static boolean fits(BigInteger value) {
    return value == null || value.bitLength() <= MOST_BITS;
  }

  static long high(BigInteger value) {
    return value.bitLength() < Long.SIZE
        ? value.signum() >> 1
        : value.shiftRight(Long.SIZE).longValue();
  }

  static BigInteger newBigInteger(long high, long low) {
    BigInteger unsigned = BigInteger.valueOf(low);
    return high == low >> (Long.SIZE - 1)
        ? unsigned
        : BigInteger.valueOf(high)
            .shiftLeft(Long.SIZE)
            .add(low < 0 ? unsigned.add(BigInteger.ONE.shiftLeft(Long.SIZE)) : unsigned);
  }

  static BigDecimal newBigDecimal(BigInteger unscaledValue, int scale) {
    return unscaledValue.bitLength() < Long.SIZE
        ? BigDecimal.valueOf(unscaledValue.longValue(), scale)
        : new BigDecimal(unscaledValue, scale);
  }

  // ---- arrays ----

  /**
   * How arrays of a primitive type lie in a slot: the length, then the elements.
   *
   * @param type the type of the elements
   * @param layout the layout of an element
   * @param limit the most elements that fit
   * @param path the name of the component, for messages
   */
  record Elements(Class<?> type, ValueLayout layout, int limit, String path) {
    static boolean isHeld(Class<?> array) {
      return array.isArray() && array.componentType().isPrimitive() && array != boolean[].class;
    }

    /**
     * Describes arrays of up to {@code length} elements. If that is 0, the limit is what fits into
     * {@code bytes}, but at least one element.
     */
    static Elements of(Class<?> type, int length, int bytes, String path) {
      ValueLayout layout = Part.PRIMITIVES.get(type).withByteAlignment(1);
      int limit = length > 0 ? length : (int) Math.max(1, bytes / layout.byteSize());
      return new Elements(type, layout, limit, path);
    }

    Part part() {
      Class<?> array = type.arrayType();
      return Part.ofChecked(
          MemoryLayout.structLayout(
              JAVA_INT_UNALIGNED.withName("length"),
              MemoryLayout.sequenceLayout(limit, layout).withName("elements")),
          GET.bindTo(this).asType(GET.type().dropParameterTypes(0, 1).changeReturnType(array)),
          PUT.bindTo(this)
              .asType(PUT.type().dropParameterTypes(0, 1).changeParameterType(2, array)),
          FITS.bindTo(this).asType(MethodType.methodType(boolean.class, array)));
    }

    boolean fits(Object array) {
      return array == null || Array.getLength(array) <= limit;
    }

    void put(MemorySegment memory, long at, Object array) {
      int length = array == null ? 0 : Array.getLength(array);
      memory.set(JAVA_INT_UNALIGNED, at, length);
      if (length > 0) {
        MemorySegment.copy(array, 0, memory, layout, at + Integer.BYTES, length);
      }
    }

    Object get(MemorySegment memory, long at) {
      int length = memory.get(JAVA_INT_UNALIGNED, at);
      if (length < 0 || length > limit) {
        throw new IllegalStateException(
            "length must be in 0.." + limit + ": length=" + length + ", component=" + path);
      }
      Object array = Array.newInstance(type, length);
      MemorySegment.copy(memory, layout, at + Integer.BYTES, array, 0, length);
      return array;
    }

    private static final MethodHandle GET =
        Part.handle(MethodHandles.lookup(), Elements.class, "get", MemorySegment.class, long.class);
    private static final MethodHandle PUT =
        Part.handle(
            MethodHandles.lookup(),
            Elements.class,
            "put",
            MemorySegment.class,
            long.class,
            Object.class);
    private static final MethodHandle FITS =
        Part.handle(MethodHandles.lookup(), Elements.class, "fits", Object.class);
  }
}

package dev.millrace.flyweight.internal;

import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.GroupLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Writes the Java records of one class to memory and reads them from it. The layout has the
 * record's components in their order. Codecs of the same class are interchangeable. Making a codec
 * checks that its maker may see the record class.
 *
 * @param layout how a record lies in memory; the members have the names of the components
 */
public record RecordCodec<R>(Class<R> type, RecordLayout layout, Part part) {
  // the codecs of a class, by their rules
  private static final ClassValue<Map<SlotRules, RecordCodec<?>>> BY_RULES =
      new ClassValue<>() {
        @Override
        protected Map<SlotRules, RecordCodec<?>> computeValue(Class<?> type) {
          return Collections.synchronizedMap(new HashMap<>());
        }
      };

  /**
   * Returns the codec of a record class that this module may see: a class in the unnamed module, a
   * public class in an exported package, or a class in a package that is open to {@code
   * dev.millrace.flyweight}. Returns the same codec for each call. Throws {@link
   * IllegalArgumentException} if the class cannot be seen or a component cannot be mapped. The
   * message names that component.
   */
  public static <R> RecordCodec<R> of(Class<R> type) {
    return of(type, SlotRules.FIXED);
  }

  /**
   * Returns the codec of a record class that this module may see, as {@link #of(Class)} does.
   * {@code rules} says which values must fit.
   */
  @SuppressWarnings("unchecked") // the value of a class is made for it
  public static <R> RecordCodec<R> of(Class<R> type, SlotRules rules) {
    return (RecordCodec<R>)
        BY_RULES.get(checked(type)).computeIfAbsent(rules, _ -> of(type, null, rules));
  }

  /**
   * Makes the codec of a record class that {@code lookup} may see. The lookup must allow making
   * such records and reading their components. If it is null, the codec is for a class that this
   * module may see. Throws {@link IllegalArgumentException} if the class cannot be seen or a
   * component cannot be mapped. The message names that component.
   */
  public static <R> RecordCodec<R> of(Class<R> type, MethodHandles.Lookup lookup) {
    return of(type, lookup, SlotRules.FIXED);
  }

  /**
   * Makes the codec of a record class that {@code lookup} may see, as {@link #of(Class,
   * MethodHandles.Lookup)} does. {@code rules} says which values must fit.
   */
  public static <R> RecordCodec<R> of(Class<R> type, MethodHandles.Lookup lookup, SlotRules rules) {
    Part part = RecordMapping.of(checked(type), lookup, rules);
    return new RecordCodec<>(type, RecordLayout.of((GroupLayout) part.layout()), part);
  }

  private static <R> Class<R> checked(Class<R> type) {
    if (!Checks.notNull("type", type).isRecord() && !RecordMapping.isSealed(type)) {
      throw new IllegalArgumentException(
          "type must be a record or a sealed interface of records: type="
              + type.getTypeName()
              + hint(type));
    }
    return type;
  }

  private static String hint(Class<?> type) {
    if (type.isInterface()) {
      return ", an interface that is not sealed: SpscQueue, MpscQueue and MpmcQueue take one as the"
          + " view of a record";
    }
    boolean isKotlin =
        Arrays.stream(type.getAnnotations())
            .anyMatch(one -> one.annotationType().getName().equals("kotlin.Metadata"));
    return isKotlin ? ", a Kotlin class: annotate a data class with @JvmRecord" : "";
  }

  /**
   * Makes a handle that writes a record to a place that another handle chooses. It reads and checks
   * all components first. Then it calls {@code place}. After that it calls no code of the record
   * class and cannot fail. So a bad record never leaves a place, such as a claimed slot of a queue,
   * half written. The handle allocates nothing. A record of more than a few hundred values,
   * including nested ones, is written slowly, because the JIT compiler does not compile methods of
   * that length.
   *
   * <ul>
   *   <li>{@code place}, of type {@code (C, long)long}, returns a place to write to, such as a
   *       sequence, or a number below 0 to write nothing.
   *   <li>{@code memory}, of type {@code (C)MemorySegment}, returns the native memory that the
   *       place is in.
   *   <li>{@code offset}, of type {@code (C, long)long}, returns where a place begins in that
   *       memory, in bytes.
   *   <li>{@code spill}, of type {@code (C, long, Object)void}, is called with a place and the
   *       record, instead of writing, if some value does not fit. It is null if all values must
   *       fit.
   * </ul>
   *
   * <p>The result is of type {@code (C, long, Object)long}. The record must not be null. The handle
   * returns what {@code place} returns, and throws what {@code place} or an accessor throws. It
   * throws {@link IllegalArgumentException} if a component is null or a string does not fit.
   */
  public MethodHandle writerTo(
      MethodHandle place, MethodHandle memory, MethodHandle offset, MethodHandle spill) {
    Function<Part, MethodHandle> writer =
        stored -> PartWriter.writerTo(stored, place, memory, offset, spill);
    MethodHandle ofVariants = Variants.writer(part, writer);
    return ofVariants == null ? writer.apply(part) : ofVariants;
  }

  /**
   * Returns a handle of type {@code (MemorySegment, long)Object} that makes a record from what is
   * in native memory. The handle throws {@link IllegalStateException} if the memory does not hold a
   * valid ordinal where it should. It also throws what the record's constructor throws.
   */
  public MethodHandle reader() {
    return part.reader().asType(part.reader().type().changeReturnType(Object.class));
  }
}

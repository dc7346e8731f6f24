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
 * How Java records of a class are written to memory and read from it. The layout is that of the
 * record's components, in their order. Codecs of one class are interchangeable; each checks that
 * its maker may see the record.
 *
 * @param layout what a record looks like in memory; the members have the components' names
 */
public record RecordCodec<R>(Class<R> type, RecordLayout layout, Part part) {
  // by their rules
  private static final ClassValue<Map<SlotRules, RecordCodec<?>>> BY_RULES =
      new ClassValue<>() {
        @Override
        protected Map<SlotRules, RecordCodec<?>> computeValue(Class<?> type) {
          return Collections.synchronizedMap(new HashMap<>());
        }
      };

  /**
   * The codec of records that this module may see: of a class in the unnamed module, or public in
   * an exported package, or in a package that is open to {@code dev.millrace.flyweight}. The same
   * at each call. Throws {@link IllegalArgumentException} if a component cannot be mapped, naming
   * it, or the class cannot be seen.
   */
  public static <R> RecordCodec<R> of(Class<R> type) {
    return of(type, SlotRules.FIXED);
  }

  /**
   * The codec of records that this module may see, as {@link #of(Class)}, and whose values need not
   * all fit: the rules say which must.
   */
  @SuppressWarnings("unchecked") // the value of a class is made for it
  public static <R> RecordCodec<R> of(Class<R> type, SlotRules rules) {
    return (RecordCodec<R>)
        BY_RULES.get(checked(type)).computeIfAbsent(rules, _ -> of(type, null, rules));
  }

  /**
   * Makes the codec of records that a lookup may see. The lookup is from a class that may make such
   * records and read their components; null for what this module may see. Throws {@link
   * IllegalArgumentException} if a component cannot be mapped, naming it, or the class cannot be
   * seen.
   */
  public static <R> RecordCodec<R> of(Class<R> type, MethodHandles.Lookup lookup) {
    return of(type, lookup, SlotRules.FIXED);
  }

  /**
   * Makes the codec of records that a lookup may see, as {@link #of(Class, MethodHandles.Lookup)},
   * and whose values need not all fit: the rules say which must.
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
   * Makes a handle that writes a record where another handle says. It reads and checks all
   * components first. Then it calls {@code place}; after that it calls no code of the record's and
   * cannot fail. So a place, such as a claimed slot of a queue, is never left half written because
   * of a bad record. It allocates nothing. A record of more than a few hundred values, nested ones
   * included, is written slowly, because the JIT compiler does not compile methods of that length.
   *
   * <ul>
   *   <li>{@code place}, of type {@code (C, long)long}, returns a place to write to, such as a
   *       sequence, or a number below 0 to write nothing.
   *   <li>{@code memory}, of type {@code (C)MemorySegment}, returns the native memory that the
   *       place is in.
   *   <li>{@code offset}, of type {@code (C, long)long}, returns where a place begins in that
   *       memory, in bytes.
   *   <li>{@code spill}, of type {@code (C, long, Object)void}, is called instead of writing, with
   *       a place and the record, if some value does not fit; null if all must.
   * </ul>
   *
   * <p>The result is of type {@code (C, long, Object)long}. The record must not be null; the handle
   * returns what {@code place} does, and throws what it or an accessor throws, or {@link
   * IllegalArgumentException} if a component is null or a string does not fit.
   */
  public MethodHandle writerTo(
      MethodHandle place, MethodHandle memory, MethodHandle offset, MethodHandle spill) {
    Function<Part, MethodHandle> writer =
        stored -> PartWriter.writerTo(stored, place, memory, offset, spill);
    MethodHandle ofVariants = Variants.writer(part, writer);
    return ofVariants == null ? writer.apply(part) : ofVariants;
  }

  /**
   * Returns a handle of type {@code (MemorySegment, long)Object} that makes a record of what is in
   * native memory. It throws {@link IllegalStateException} if the memory holds no ordinal where it
   * should, and what the record's constructor throws.
   */
  public MethodHandle reader() {
    return part.reader().asType(part.reader().type().changeReturnType(Object.class));
  }
}

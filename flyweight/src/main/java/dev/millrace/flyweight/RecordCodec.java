package dev.millrace.flyweight;

import dev.millrace.core.internal.Checks;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/**
 * Writes Java records into memory and makes records of what is there: the layout is that of the
 * record's components, in their order.
 *
 * <pre>{@code
 * enum Side { BUY, SELL }
 * record Trade(long timestamp, double price, Side side, @Utf8(8) String symbol) {}
 *
 * RecordCodec<Trade> codec = RecordCodec.of(Trade.class);
 * codec.write(trade, memory, 0);
 * Trade copy = codec.read(memory, 0);
 * }</pre>
 *
 * <table>
 * <caption>Components</caption>
 * <tr><th>component</th><th>in memory</th></tr>
 * <tr><td>a primitive type</td><td>the same, in the machine's byte order</td></tr>
 * <tr><td>an enum</td><td>its constant's ordinal, in a byte; of more than 256 constants in a
 *     short</td></tr>
 * <tr><td>a record</td><td>a struct of its components</td></tr>
 * <tr><td>a {@code String} with {@link Utf8} or {@link Ascii}</td><td>so many bytes of text, the
 *     rest zeros</td></tr>
 * <tr><td>{@code Instant}</td><td>{@code long epochSecond}, {@code int nano}</td></tr>
 * <tr><td>{@code Duration}</td><td>{@code long seconds}, {@code int nano}</td></tr>
 * <tr><td>{@code UUID}</td><td>{@code long mostSignificantBits}, {@code long
 *     leastSignificantBits}</td></tr>
 * <tr><td>{@code LocalDate}</td><td>{@code long epochDay}</td></tr>
 * <tr><td>{@code LocalTime}</td><td>{@code long nanoOfDay}</td></tr>
 * <tr><td>{@code LocalDateTime}</td><td>{@code localDate}, {@code localTime}</td></tr>
 * <tr><td>{@code Integer} and the other boxes, {@code OptionalInt}, {@code OptionalLong}, {@code
 *     OptionalDouble}, and {@code Optional} of any of these</td><td>{@code boolean present},
 *     {@code value}; zeros if absent</td></tr>
 * </table>
 *
 * <p>All others are refused, and so is a record that contains itself; the message says what to
 * write instead. A box may be null; no other component may.
 *
 * <p><b>Roles.</b> Immutable: any thread may use it.
 *
 * <p><b>Ordering.</b> All access is plain. The queue, or whatever else decides where a record may
 * be written, orders it.
 *
 * <p><b>Failure.</b> {@link #write} checks the whole record before it writes anything. Memory that
 * is freed, too small, misaligned or on the heap is refused with an exception, and so is an ordinal
 * that no constant has; a date or time out of range throws what its factory does.
 *
 * <p><b>Cost.</b> Writing allocates nothing; reading allocates the record and what it holds. A
 * record of more than about 200 values, nested ones included, is written slowly: the JIT compiler
 * does not compile methods as long as that. The handles are straight-line code once they are
 * constants: keep them in a {@code static final}, or use a queue of records, which does so for each
 * type of record. {@link #write} and {@link #read}, which call them as they are, are for code where
 * that does not matter.
 *
 * @param <R> the record
 * @since 0.1.0
 */
public final class RecordCodec<R extends Record> {
  // one of each class, so that what is made for a codec is made once
  private static final ClassValue<RecordCodec<?>> OF_CLASSES =
      new ClassValue<>() {
        @Override
        protected RecordCodec<?> computeValue(Class<?> type) {
          return new RecordCodec<>(type.asSubclass(Record.class), null);
        }
      };

  private final Class<R> type;
  private final Part part;
  private final RecordLayout layout;
  private final MethodHandle writer;
  private final MethodHandle reader;

  private RecordCodec(Class<R> type, MethodHandles.Lookup lookup) {
    this.type = type;
    this.part = RecordMapping.of(type, lookup);
    this.layout = RecordLayout.of((GroupLayout) part.layout());
    this.writer = PartWriter.writer(part);
    this.reader = part.reader().asType(part.reader().type().changeReturnType(Object.class));
  }

  /**
   * The codec of records that this module may see: of a class in the unnamed module, or public in
   * an exported package, or in a package that is open to {@code dev.millrace.flyweight}.
   *
   * @param <R> the record
   * @param type its class
   * @return the codec, the same at each call
   * @throws IllegalArgumentException if a component cannot be mapped, naming it, or the class
   *     cannot be seen
   */
  @SuppressWarnings("unchecked") // the value of a class is made for it
  public static <R extends Record> RecordCodec<R> of(Class<R> type) {
    return (RecordCodec<R>) OF_CLASSES.get(checked(type));
  }

  /**
   * Makes the codec of records that a lookup may see, such as those of a named module whose package
   * is not open. Keep it: each call makes another one.
   *
   * @param <R> the record
   * @param type its class
   * @param lookup from a class that may make such records and read their components
   * @return the codec
   * @throws IllegalArgumentException if a component cannot be mapped, naming it, or the class
   *     cannot be seen
   */
  public static <R extends Record> RecordCodec<R> of(Class<R> type, MethodHandles.Lookup lookup) {
    return new RecordCodec<>(checked(type), Checks.notNull("lookup", lookup));
  }

  private static <R extends Record> Class<R> checked(Class<R> type) {
    if (!Checks.notNull("type", type).isRecord()) {
      throw new IllegalArgumentException("type must be a record: type=" + type.getName());
    }
    return type;
  }

  /**
   * Returns the class of the records.
   *
   * @return the record's class
   */
  public Class<R> type() {
    return type;
  }

  /**
   * Returns what a record looks like in memory; the members have the components' names.
   *
   * @return the layout
   */
  public RecordLayout layout() {
    return layout;
  }

  /**
   * Writes a record.
   *
   * @param record the record
   * @param memory native memory
   * @param offset where it shall start, at a multiple of the layout's alignment
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if a component is null, a string does not fit, or the memory
   *     is on the heap
   * @throws IndexOutOfBoundsException if it does not lie within the memory
   * @throws IllegalStateException if the memory is freed
   */
  public void write(R record, MemorySegment memory, long offset) {
    checkNative(memory);
    try {
      writer.invokeExact(memory, offset, (Object) Checks.notNull("record", record));
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  /**
   * Makes a record of what is in memory.
   *
   * @param memory native memory
   * @param offset where it starts
   * @return a new record
   * @throws IllegalArgumentException if the memory is on the heap
   * @throws IndexOutOfBoundsException if the record does not lie within the memory
   * @throws IllegalStateException if the memory is freed, or holds no ordinal where it should
   * @throws RuntimeException what the record's constructor throws
   */
  public R read(MemorySegment memory, long offset) {
    checkNative(memory);
    try {
      return type.cast((Object) reader.invokeExact(memory, offset));
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static void checkNative(MemorySegment memory) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException("memory must be native: memory=" + memory);
    }
  }

  /**
   * Makes a handle that writes a record where another handle says. It reads and checks all
   * components first. Then it calls {@code place}; after that it calls no code of the record's and
   * cannot fail. So a place, such as a claimed slot of a queue, is never left half written because
   * of a bad record.
   *
   * @param place of type {@code (C, long)long}: a place to write to, such as a sequence, or a
   *     number below 0 to write nothing
   * @param memory of type {@code (C)MemorySegment}: the native memory that the place is in
   * @param offset of type {@code (C, long)long}: where a place begins in that memory, in bytes
   * @return of type {@code (C, long, Object)long}, for a record that is not null; returns what
   *     {@code place} does, and throws what it or an accessor throws, or as {@link #write}
   */
  public MethodHandle writerTo(MethodHandle place, MethodHandle memory, MethodHandle offset) {
    return PartWriter.writerTo(part, place, memory, offset);
  }

  /**
   * {@link #read} as a handle, for native memory.
   *
   * @return of type {@code (MemorySegment, long)Object}
   */
  public MethodHandle reader() {
    return reader;
  }

  private static RuntimeException unchecked(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    // neither accessors nor constructors of records can declare others
    return thrown instanceof RuntimeException e ? e : new IllegalStateException(thrown);
  }

  /** Returns the record's class and the layout. */
  @Override
  public String toString() {
    return "RecordCodec[" + type.getName() + "]\n" + layout;
  }
}

package dev.millrace.flyweight;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/**
 * A record, or a component of some type T, as the values that are stored of it: first all of them
 * are read and checked, then they are stored, which calls no code of the record's and cannot fail.
 *
 * @param stores for each value V, {@code (MemorySegment, long, V)void}
 * @param spread replaces the values among a handle's parameters by the T that they are read from
 */
record RecordValues(List<MethodHandle> stores, Spread spread) {
  /*
   * The values are parameters of one handle, so that they stay in registers and on the stack. A
   * handle has at most 255 parameters, of which longs and doubles count twice. A record with more
   * values than fit comfortably is encoded into an array, which is then its only value.
   */
  private static final int MOST_SLOTS = 120;

  /** See {@link RecordValues#spread}. */
  @FunctionalInterface
  interface Spread {
    /**
     * Reads the values of one parameter.
     *
     * @param target takes the values
     * @param position where the first of them is among its parameters
     * @return a handle that takes a T there instead
     */
    MethodHandle from(MethodHandle target, int position);
  }

  /** A value that is stored as it is. */
  static RecordValues ofOne(MethodHandle store) {
    return new RecordValues(List.of(store), (target, position) -> target);
  }

  /**
   * A record as the values of its components.
   *
   * @param type the record's class
   * @param components what is stored of each, read from the record
   * @param writer {@code (MemorySegment, long, T)void}, which checks nothing
   * @param checker {@code (T)void}
   * @param sizeBytes how large it is
   */
  static RecordValues ofRecord(
      Class<?> type,
      List<RecordValues> components,
      MethodHandle writer,
      MethodHandle checker,
      long sizeBytes) {
    List<MethodHandle> stores = new ArrayList<>();
    components.forEach(component -> stores.addAll(component.stores));
    if (slots(stores) > MOST_SLOTS) {
      return ofOne(MethodHandles.insertArguments(STORE_ENCODED, 0, sizeBytes))
          .of(encoder(type, writer, sizeBytes))
          .checked(checker);
    }
    return new RecordValues(
        List.copyOf(stores), (target, position) -> spread(type, components, target, position));
  }

  private static int slots(List<MethodHandle> stores) {
    int slots = 0;
    for (MethodHandle store : stores) {
      Class<?> value = store.type().lastParameterType();
      slots += value == long.class || value == double.class ? 2 : 1;
    }
    return slots;
  }

  private static MethodHandle spread(
      Class<?> type, List<RecordValues> components, MethodHandle target, int position) {
    MethodHandle spread = target;
    int behind = position + components.stream().mapToInt(part -> part.stores.size()).sum();
    // from the last to the first, for what is composed last runs first
    for (RecordValues component : components.reversed()) {
      behind -= component.stores.size();
      spread = component.spread.from(spread, behind);
    }
    return merged(spread, position, components.size(), type);
  }

  /** Merges parameters of one type, which follow each other, into one. */
  private static MethodHandle merged(MethodHandle target, int position, int count, Class<?> type) {
    List<Class<?>> types = new ArrayList<>(target.type().parameterList());
    int[] order = new int[types.size()];
    for (int i = 0; i < order.length; i++) {
      order[i] = i < position ? i : Math.max(position, i - count + 1);
    }
    types.subList(position, position + count).clear();
    types.add(position, type);
    return MethodHandles.permuteArguments(
        target, MethodType.methodType(target.type().returnType(), types), order);
  }

  /** The same values of what another is read from: {@code (S)T}. */
  RecordValues of(MethodHandle getter) {
    return new RecordValues(
        stores,
        (target, position) ->
            MethodHandles.filterArguments(spread.from(target, position), position, getter));
  }

  /** The same values once it is checked: {@code (T)void}. */
  RecordValues checked(MethodHandle checker) {
    Class<?> type = checker.type().lastParameterType();
    return of(MethodHandles.foldArguments(MethodHandles.identity(type), checker));
  }

  /** The same values, so far behind the offset given. */
  RecordValues at(long offset) {
    return new RecordValues(
        stores.stream().map(store -> RecordMapping.at(offset, store)).toList(), spread);
  }

  /**
   * Reads and checks all values, then asks where to store them, then stores them there.
   *
   * @param place {@code (C, long)long}: a place, or less than 0 to store nothing
   * @param memory {@code (C)MemorySegment}, in which the place is
   * @param offset {@code (C, long)long}: where a place begins
   * @return {@code (C, long, T)long}, which returns what the place does
   */
  MethodHandle writerTo(MethodHandle place, MethodHandle memory, MethodHandle offset) {
    Class<?> caller = place.type().parameterType(0);
    // (caller, offset, values), then (offset, place, caller, argument, values)
    MethodHandle store = MethodHandles.collectArguments(storeAll(), 0, memory);
    List<Class<?>> types = new ArrayList<>(List.of(long.class, long.class, caller, long.class));
    types.addAll(types());
    int[] order = new int[stores.size() + 2];
    order[0] = 2;
    for (int i = 2; i < order.length; i++) {
      order[i] = i + 2;
    }
    store = MethodHandles.permuteArguments(store, MethodType.methodType(void.class, types), order);
    types.removeFirst();
    MethodHandle offsetOfPlace =
        MethodHandles.permuteArguments(
            offset, MethodType.methodType(long.class, long.class, caller), 1, 0);
    store = MethodHandles.foldArguments(store, offsetOfPlace); // (place, caller, argument, values)
    MethodHandle same =
        MethodHandles.dropArguments(
            MethodHandles.identity(long.class), 1, types.subList(1, types.size()));
    MethodHandle stored =
        MethodHandles.guardWithTest(IS_PLACE, MethodHandles.foldArguments(same, store), same);
    return spread.from(MethodHandles.foldArguments(stored, place), 2);
  }

  private List<Class<?>> types() {
    List<Class<?>> types = new ArrayList<>();
    stores.forEach(store -> types.add(store.type().lastParameterType()));
    return types;
  }

  /** {@code (MemorySegment, long, values)void}. */
  private MethodHandle storeAll() {
    List<Class<?>> types = types();
    List<MethodHandle> steps = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      MethodHandle before = MethodHandles.dropArguments(stores.get(i), 2, types.subList(0, i));
      steps.add(MethodHandles.dropArguments(before, i + 3, types.subList(i + 1, types.size())));
    }
    return RecordMapping.inTurn(steps);
  }

  // ---- records of very many values ----

  /** {@code (T)MemorySegment}. */
  private static MethodHandle encoder(Class<?> type, MethodHandle writer, long sizeBytes) {
    // (segment, record) -> segment, and the segment is made for the record
    MethodHandle written =
        MethodHandles.foldArguments(
            MethodHandles.dropArguments(MethodHandles.identity(MemorySegment.class), 1, type),
            MethodHandles.insertArguments(writer, 1, 0L));
    return MethodHandles.collectArguments(
        written, 0, MethodHandles.insertArguments(NEW_ARRAY, 0, sizeBytes));
  }

  static MemorySegment newArray(long sizeBytes) {
    return MemorySegment.ofArray(new long[(int) ((sizeBytes + Long.BYTES - 1) / Long.BYTES)]);
  }

  static void storeEncoded(
      long sizeBytes, MemorySegment memory, long offset, MemorySegment encoded) {
    MemorySegment.copy(encoded, 0, memory, offset, sizeBytes);
  }

  static boolean isPlace(long place) {
    return place >= 0;
  }

  private static final MethodHandle IS_PLACE =
      own("isPlace", MethodType.methodType(boolean.class, long.class));
  private static final MethodHandle NEW_ARRAY =
      own("newArray", MethodType.methodType(MemorySegment.class, long.class));
  private static final MethodHandle STORE_ENCODED =
      own(
          "storeEncoded",
          MethodType.methodType(
              void.class, long.class, MemorySegment.class, long.class, MemorySegment.class));

  private static MethodHandle own(String name, MethodType type) {
    try {
      return MethodHandles.lookup().findStatic(RecordValues.class, name, type);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("method must be there: method=" + name, e);
    }
  }
}

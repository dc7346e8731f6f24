package dev.millrace.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Set;

/**
 * An access of the woven code, one instruction of it: finds the location, lets the scheduler switch
 * where the access is atomic, and asks the memory model.
 */
final class Access {
  /** The field beside a woven field that holds its location. */
  static final String COMPANION = "location$";

  private static final Set<Class<?>> SUPPORTED_VALUES =
      Set.of(byte.class, short.class, char.class, int.class, long.class, boolean.class);

  private final String operation;
  private final int mode;
  private final Class<?> valueType;
  private final int width;
  private final boolean keepsHistory;

  /** The handle that was last found to fit what this site does; most sites have but one. */
  private VarHandle fitting;

  private static int widthOf(Class<?> type) {
    if (type == long.class || type == double.class) {
      return Long.BYTES;
    }
    return type == int.class || type == float.class
        ? Integer.BYTES
        : type == byte.class || type == boolean.class ? 1 : 2;
  }

  /**
   * Makes an access.
   *
   * @param operation the access mode's method
   * @param speculative whether its method validates what it reads
   * @param valueType the type of the values at this site
   * @param keepsHistory whether the variable's former values may be read
   */
  Access(String operation, boolean speculative, Class<?> valueType, boolean keepsHistory) {
    this.operation = operation;
    this.mode = modeOf(operation, speculative);
    this.valueType = valueType;
    this.width = widthOf(valueType);
    this.keepsHistory = keepsHistory;
  }

  /** Says whether values of a type can be accessed through handles. */
  static boolean supports(Class<?> valueType) {
    return !valueType.isPrimitive() || SUPPORTED_VALUES.contains(valueType);
  }

  private static int modeOf(String name, boolean speculative) {
    if (name.equals("get") || name.equals("set")) {
      return speculative && name.equals("get") ? MemoryModel.SPECULATIVE : MemoryModel.PLAIN;
    }
    if (name.endsWith("Opaque") || name.endsWith("Plain")) {
      return MemoryModel.ATOMIC;
    }
    if (name.endsWith("Acquire")) {
      return MemoryModel.ATOMIC | MemoryModel.ACQUIRE;
    }
    if (name.endsWith("Release")) {
      return MemoryModel.ATOMIC | MemoryModel.RELEASE;
    }
    if (name.equals("getVolatile")) {
      return MemoryModel.VOLATILE_READ;
    }
    if (name.equals("setVolatile")) {
      return MemoryModel.VOLATILE_WRITE;
    }
    return MemoryModel.ALL_OF_VOLATILE;
  }

  Class<?> valueType() {
    return valueType;
  }

  /** The name of the method that performs it, apart from the values' type. */
  String kind() {
    if (operation.startsWith("compareAndExchange")) {
      return "compareAndExchange";
    }
    if (operation.contains("ompareAndSet")) {
      return "compareAndSet";
    }
    if (operation.startsWith("getAnd")) {
      return "modify";
    }
    return operation.startsWith("get") ? "load" : "store";
  }

  // ---- locating ----

  /** Refuses what a handle would convert; else a location could be of the wrong width. */
  private void checkType(VarHandle handle, Class<?> variable) {
    if (variable.isPrimitive() ? variable != valueType : valueType.isPrimitive()) {
      throw Simulation.refusal(
          "values must have the type of the variable: VarHandle.%s of %s, variable=%s"
              .formatted(operation, valueType.getName(), variable.getName()));
    }
    fitting = handle;
  }

  private void checkMemory(VarHandle handle) {
    if (!handle.coordinateTypes().equals(List.of(MemorySegment.class, long.class))) {
      throw Simulation.refusal("handle is not one of memory: " + handle);
    }
    checkType(handle, handle.varType());
  }

  private void checkField(VarHandle companion) {
    Class<?> field = Hooks.fieldType(companion);
    if (field == null) {
      throw Simulation.refusal(
          "handle was not made by woven code for a field of a woven class: " + companion);
    }
    checkType(companion, field);
  }

  private void checkElements(VarHandle handle) {
    List<Class<?>> coordinates = handle.coordinateTypes();
    if (coordinates.size() != 2 || !Object[].class.isAssignableFrom(coordinates.getFirst())) {
      throw Simulation.refusal(
          "handle is not one of elements of an array of references: " + handle);
    }
    fitting = handle;
  }

  Location locate(VarHandle handle, MemorySegment segment, long offset) {
    if (handle != fitting) {
      checkMemory(handle);
    }
    Simulation simulation = begin();
    if ((mode & MemoryModel.ATOMIC) != 0 && (offset & (width - 1)) != 0) {
      throw new IllegalArgumentException("Misaligned access at offset " + offset);
    }
    return simulation.store.at(segment, offset, width, !isAtomic());
  }

  Location locate(MemorySegment segment, ValueLayout layout, long offset) {
    Hooks.checkOrder(layout);
    return begin().store.at(segment, offset, width, !isAtomic());
  }

  Location locate(VarHandle handle, Object[] array, int index) {
    if (handle != fitting) {
      checkElements(handle);
    }
    if (index < 0 || index >= array.length) {
      throw new ArrayIndexOutOfBoundsException(
          "Index " + index + " out of bounds for length " + array.length);
    }
    return begin().arrays.at(array, index);
  }

  Location locate(VarHandle companion, Object owner) {
    if (companion != fitting) {
      checkField(companion);
    }
    Location location = locate(companion, (Object) companion.get(owner), owner);
    location.keepsHistory = true;
    return location;
  }

  /**
   * The same, with what the companion holds, which was read by a handle that is a constant. That
   * tells the execution too, and faster than the thread does.
   */
  Location locate(VarHandle companion, Object held, Object owner) {
    if (held instanceof Location location && location.simulation.isRunning()) {
      begin(location.simulation);
      return location;
    }
    return locate(begin(), companion, owner);
  }

  private Location locate(Simulation simulation, VarHandle companion, Object owner) {
    Location location = (Location) (Object) companion.get(owner);
    if (location == null) {
      location = new Location(simulation, owner, keepsHistory);
      companion.set(owner, (Object) location);
    } else if (location.simulation != simulation) {
      throw new IllegalStateException(
          "objects must be made anew for each execution: object=" + location.name());
    }
    return location;
  }

  /** Counts the access and, if it is atomic, lets the scheduler switch. */
  private Simulation begin() {
    Simulation simulation = Simulation.running();
    if (simulation == null) {
      throw new IllegalStateException("woven classes must run in a simulation only");
    }
    begin(simulation);
    return simulation;
  }

  private void begin(Simulation simulation) {
    simulation.count();
    if ((mode & MemoryModel.ATOMIC) != 0) {
      simulation.point(false);
    }
  }

  // ---- operations ----

  /** Whether it is not plain. */
  private boolean isAtomic() {
    return (mode & (MemoryModel.ATOMIC | MemoryModel.SPECULATIVE)) != 0;
  }

  long load(Location location) {
    MemoryModel memory = location.simulation.memory;
    return isAtomic() ? memory.read(operation, location, mode).bits : memory.plainBits(location);
  }

  void store(Location location, long value) {
    MemoryModel memory = location.simulation.memory;
    if (isAtomic()) {
      memory.write(operation, location, mode, value, null);
    } else {
      memory.plainWrite(location, value, null);
    }
  }

  boolean compareAndSet(Location location, long expected, long value) {
    Message message = exchange(location, expected, null, value, null);
    return message != null && message.bits == expected;
  }

  long compareAndExchange(Location location, long expected, long value) {
    return exchange(location, expected, null, value, null).bits;
  }

  /** Writes if the value is the expected one; returns what was there, null if it failed anyway. */
  @SuppressWarnings("ReferenceEquality") // as the VarHandle does
  private Message exchange(
      Location location, long expected, Object expectedReference, long value, Object reference) {
    MemoryModel memory = location.simulation.memory;
    int weakened = memory.weaken(mode);
    Message message = memory.readToModify(operation, location, weakened);
    boolean matches = message.bits == expected && message.reference == expectedReference;
    if (matches && operation.startsWith("weak") && memory.failsForNoReason()) {
      memory.declineToModify(operation, location, message, weakened);
      return null;
    }
    if (matches) {
      memory.modify(operation, location, message, weakened, value, reference);
    } else {
      memory.declineToModify(operation, location, message, weakened);
    }
    return message;
  }

  long modify(Location location, long operand) {
    MemoryModel memory = location.simulation.memory;
    int weakened = memory.weaken(mode);
    Message message = memory.readToModify(operation, location, weakened);
    memory.modify(operation, location, message, weakened, modified(message.bits, operand), null);
    return message.bits;
  }

  private long modified(long value, long operand) {
    long result =
        operation.startsWith("getAndAdd")
            ? value + operand
            : operation.startsWith("getAndBitwiseOr")
                ? value | operand
                : operation.startsWith("getAndBitwiseAnd")
                    ? value & operand
                    : operation.startsWith("getAndBitwiseXor") ? value ^ operand : operand;
    return valueType == int.class
        ? (int) result
        : valueType == short.class
            ? (short) result
            : valueType == char.class
                ? (char) result
                : valueType == byte.class ? (byte) result : result;
  }

  Object loadReference(Location location) {
    MemoryModel memory = location.simulation.memory;
    return isAtomic()
        ? memory.read(operation, location, mode).reference
        : memory.plainReference(location);
  }

  void storeReference(Location location, Object value) {
    MemoryModel memory = location.simulation.memory;
    if (isAtomic()) {
      memory.write(operation, location, mode, 0, value);
    } else {
      memory.plainWrite(location, 0, value);
    }
    location.showInArray();
  }

  @SuppressWarnings("ReferenceEquality") // as the VarHandle does
  boolean compareAndSetReference(Location location, Object expected, Object value) {
    Message message = exchange(location, 0, expected, 0, value);
    location.showInArray();
    return message != null && message.reference == expected;
  }

  Object compareAndExchangeReference(Location location, Object expected, Object value) {
    Message message = exchange(location, 0, expected, 0, value);
    location.showInArray();
    return message.reference;
  }

  Object modifyReference(Location location, Object value) {
    MemoryModel memory = location.simulation.memory;
    int weakened = memory.weaken(mode);
    Message message = memory.readToModify(operation, location, weakened);
    memory.modify(operation, location, message, weakened, 0, value);
    location.showInArray();
    return message.reference;
  }
}

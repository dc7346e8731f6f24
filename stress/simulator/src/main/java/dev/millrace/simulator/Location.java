package dev.millrace.simulator;

import java.lang.reflect.Field;
import java.nio.ByteOrder;

/**
 * A variable: a field of an object, an element of an array or a few bytes of memory.
 *
 * <p>As long as it is accessed plain it has one value, besides which the former ones are kept. Its
 * first atomic or speculative access makes these its messages; the race detector makes sure that
 * none but a speculative read could see another than the last.
 */
final class Location {
  /**
   * Whether speculative reads may want its former values: it is memory, or there may be a handle of
   * it; {@code getfield} and {@code aaload} are never speculative.
   */
  boolean keepsHistory;

  /** Its place in views; negative while all accesses were plain. */
  int index = -1;

  long bits;
  Object reference;

  /** The last plain write since the threads began, as long as all were plain; null if none. */
  Message plainWrites;

  /** The last in modification order; null while all accesses were plain. */
  Message newest;

  // The race detector's: who accessed it last, at which of its clock's ticks. Race-free plain
  // writes are in a row, so the last stands for all; the others are kept by thread.
  int plainWriter;
  int plainWriteClock;
  int plainReader;
  int plainReadClock;
  int[] plainReads; // by thread, once there were two
  int[] atomicReads;
  int[] atomicWrites;

  // Where those were, kept when tracing.
  String plainWriteOrigin;
  String plainReadOrigin;
  String atomicOrigin;

  /** The execution that it belongs to. */
  final Simulation simulation;

  /** The object whose field it is, or the array; null if it is memory. */
  private final Object owner;

  /** Where it is in memory, or in the array. */
  private final int address;

  /** Of how many bytes of memory it is. */
  final int width;

  /** The places that it consists of, if it stands for several in one plain access; else null. */
  final Location[] parts;

  /** Whether it was part of a wider place: then all accesses must be plain. */
  private boolean isPart;

  Location(Simulation simulation, Object owner, boolean keepsHistory) {
    this.simulation = simulation;
    this.owner = owner;
    this.address = 0;
    this.width = 0;
    this.parts = null;
    this.keepsHistory = keepsHistory;
  }

  Location(Simulation simulation, Object[] array, int index) {
    this.simulation = simulation;
    this.owner = array;
    this.address = index;
    this.width = 0;
    this.parts = null;
    this.reference = array[index];
    this.keepsHistory = true;
  }

  /**
   * A place of memory.
   *
   * @param parts the places that it consists of; null if it is one
   */
  Location(Simulation simulation, int address, int width, Location[] parts) {
    this.simulation = simulation;
    this.owner = null;
    this.address = address;
    this.width = width;
    this.parts = parts;
    this.keepsHistory = true;
  }

  // ---- places of memory ----

  /** Whether accesses other than plain ones are allowed. */
  boolean allowsAtomic() {
    return !isPart;
  }

  /** The end of its bytes. */
  int end() {
    return address + width;
  }

  /** A place of some of its bytes, to split it; all accesses so far were plain. */
  Location part(int from, int to) {
    Location part = new Location(simulation, from, to - from, null);
    part.isPart = true;
    part.keepsHistory = false;
    part.bits = bitsOf(part, bits);
    part.plainWriter = plainWriter;
    part.plainWriteClock = plainWriteClock;
    part.plainReader = plainReader;
    part.plainReadClock = plainReadClock;
    part.plainReads = plainReads == null ? null : plainReads.clone();
    part.plainWriteOrigin = plainWriteOrigin;
    part.plainReadOrigin = plainReadOrigin;
    return part;
  }

  /** The bits of a part, of those of this place. */
  long bitsOf(Location part, long whole) {
    int unused = Long.SIZE - part.width * Byte.SIZE;
    return ((whole >> shiftOf(part)) << unused) >> unused;
  }

  /** The bits of a part, where they are in those of this place. */
  long placed(Location part, long bits) {
    int unused = Long.SIZE - part.width * Byte.SIZE;
    return ((bits << unused) >>> unused) << shiftOf(part);
  }

  private int shiftOf(Location part) {
    boolean isLittle = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    return Byte.SIZE * (isLittle ? part.address - address : end() - part.end());
  }

  /** One of the bytes that bits of it are of. */
  byte byteAt(int at, long bits) {
    boolean isLittle = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    return (byte) (bits >> (Byte.SIZE * (isLittle ? at - address : end() - 1 - at)));
  }

  /** The bits of it that some bytes of an array are. */
  long bitsFrom(byte[] bytes, int index) {
    boolean isLittle = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    long bits = bytes[isLittle ? index + width - 1 : index]; // the highest one has the sign
    for (int i = 1; i < width; i++) {
      int next = isLittle ? index + width - 1 - i : index + i;
      bits = (bits << Byte.SIZE) | (bytes[next] & 0xFF);
    }
    return bits;
  }

  // ---- elements and fields ----

  /** The last reference in modification order. */
  Object newestReference() {
    return newest == null ? reference : newest.reference;
  }

  /** What the array holds, if this is an element of one. */
  Object element() {
    return ((Object[]) owner)[address];
  }

  /** Lets the array hold what was written, if this is an element of one. */
  void showInArray() {
    if (owner instanceof Object[] array) {
      array[address] = newestReference();
    }
  }

  /** What traces call it: the owner and the field, found by the companion that holds this. */
  String name() {
    if (owner == null) {
      return "memory+" + address;
    }
    if (owner instanceof Object[]) {
      return owner.getClass().getComponentType().getSimpleName()
          + "[]@"
          + Integer.toHexString(System.identityHashCode(owner))
          + "["
          + address
          + "]";
    }
    String name =
        owner.getClass().getSimpleName()
            + "@"
            + Integer.toHexString(System.identityHashCode(owner));
    try {
      for (Class<?> type = owner.getClass(); type != Object.class; type = type.getSuperclass()) {
        for (Field field : type.getDeclaredFields()) {
          if (field.getName().startsWith(Access.COMPANION)) {
            field.setAccessible(true);
            if (field.get(owner) == this) {
              return name + "." + field.getName().substring(Access.COMPANION.length());
            }
          }
        }
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
    return name;
  }
}

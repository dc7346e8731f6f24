package dev.millrace.simulator;

import java.lang.reflect.Field;

/**
 * A variable: a field of an object or a few bytes of memory.
 *
 * <p>As long as it is accessed plain it has one value, besides which the former ones are kept. Its
 * first atomic or speculative access makes these its messages; the race detector makes sure that
 * none but a speculative read could see another than the last.
 */
final class Location {
  /**
   * Whether speculative reads may want its former values: it is memory, or accessed through a
   * handle; {@code getfield} is never speculative.
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

  /** The object whose field it is; null if it is memory. */
  private final Object owner;

  /** Where it is in memory, and of how many bytes; of no bytes if it is a field. */
  private final int address;

  final int width;

  Location(Simulation simulation, Object owner) {
    this.simulation = simulation;
    this.owner = owner;
    this.address = 0;
    this.width = 0;
  }

  Location(Simulation simulation, int address, int width) {
    this.simulation = simulation;
    this.owner = null;
    this.address = address;
    this.width = width;
    this.keepsHistory = true;
  }

  /** What traces call it: the owner and the field, found by the companion that holds this. */
  String name() {
    if (owner == null) {
      return "memory+" + address;
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

package dev.millrace.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The native memory of an execution. Segments are real, of one block that all executions share, but
 * that is only for their addresses: what is in them is in {@link Location}s, one for each place
 * that was accessed, by address and width. Bytes that were never accessed are zero.
 */
final class NativeStore {
  /*
   * Plain accesses may overlap, as of a long and of an int in it. Places never do: an access of a
   * part of a place splits it, and an access of several places accesses each of them. A place that
   * was split allows plain accesses only, because no memory model of Java covers others.
   */
  private static final int LINE_BITS = 7;
  private static final int LINES = 512;
  private static final int FIRST_LINES = 64;
  private static final int WIDEST = 8;

  /** How much memory an execution has. */
  static final int BLOCK_BYTES = LINES << LINE_BITS;

  private static final MemorySegment BLOCK = Arena.global().allocate(BLOCK_BYTES, 1L << LINE_BITS);
  private static final long BASE = BLOCK.address();

  private final Simulation simulation;
  private final Location[] locations;
  private SimulatedArena[] owners = new SimulatedArena[FIRST_LINES]; // by line, as far as used
  private final List<SimulatedArena> arenas = new ArrayList<>(4);
  private int used;

  /**
   * Makes the memory of an execution.
   *
   * @param simulation the execution
   * @param locations room for {@link #BLOCK_BYTES} of them, all null; left so by {@link #close}
   */
  NativeStore(Simulation simulation, Location[] locations) {
    this.simulation = simulation;
    this.locations = locations;
  }

  /** Makes the locations ready for the next execution. */
  void close() {
    Arrays.fill(locations, 0, used, null);
  }

  Arena newArena() {
    SimulatedArena arena = new SimulatedArena();
    arenas.add(arena);
    return arena;
  }

  boolean isAlive(MemorySegment.Scope scope) {
    for (SimulatedArena arena : arenas) {
      if (arena.real.scope().equals(scope)) {
        simulation.point(false);
        arena.learnIfClosed();
        return !arena.closed;
      }
    }
    return scope.isAlive();
  }

  /** The scope of the arena that a segment is of; the block's own never ends. */
  MemorySegment.Scope scopeOf(MemorySegment segment) {
    long address = segment.address() - BASE;
    return segment.isNative() && address >= 0 && address < used
        ? owners[(int) address >> LINE_BITS].scope()
        : segment.scope();
  }

  /**
   * The place at an offset of a segment, where an access is to be.
   *
   * @param isPlain whether the access is; only then the place may overlap others
   */
  Location at(MemorySegment segment, long offset, int width, boolean isPlain) {
    checkBounds(segment, offset, width);
    return at(address(segment, offset), width, isPlain);
  }

  private static void checkBounds(MemorySegment segment, long offset, long bytes) {
    if (offset < 0 || bytes < 0 || offset > segment.byteSize() - bytes) {
      throw new IndexOutOfBoundsException(
          "Out of bound access on segment "
              + segment
              + "; new offset = "
              + offset
              + "; new length = "
              + bytes);
    }
  }

  private int address(MemorySegment segment, long offset) {
    long address = segment.address() - BASE + offset;
    if (!isOwn(address)) {
      throw Simulation.refusal(
          "memory must be of an arena that the simulation knows: segment=" + segment);
    }
    SimulatedArena owner = owners[(int) address >> LINE_BITS];
    if (owner.closed) {
      owner.cutShort(simulation.current());
      throw new IllegalStateException("Already closed");
    }
    return (int) address;
  }

  private boolean isOwn(long address) {
    return address >= 0 && address < used;
  }

  // ---- places ----

  private Location at(int address, int width, boolean isPlain) {
    Location location = locations[address];
    if (location != null && location.width == width && (isPlain || location.allowsAtomic())) {
      return location;
    }
    Location other = firstOf(address, address + width);
    if (other == null) {
      return add(address, width);
    }
    if (!isPlain) {
      throw mixed(address, width, other);
    }
    cutBoth(address, width);
    Location first = next(address, address + width);
    return first.width == width ? first : join(address, width);
  }

  private Location add(int address, int width) {
    Location location = new Location(simulation, address, width, null);
    locations[address] = location;
    return location;
  }

  /** One for several places, whose bounds are those of the range. */
  private Location join(int address, int width) {
    List<Location> parts = new ArrayList<>(width);
    for (int i = address; i < address + width; i = parts.getLast().end()) {
      parts.add(next(i, address + width));
    }
    return new Location(simulation, address, width, parts.toArray(Location[]::new));
  }

  /** The first place that has bytes of a range; null if there is none. */
  private Location firstOf(int address, int end) {
    for (int i = Math.max(0, address - WIDEST + 1); i < end; i++) {
      Location place = locations[i];
      if (place != null && place.end() > address) {
        return place;
      }
    }
    return null;
  }

  /** The place at an address of a range; made, as wide as it can be, if there is none. */
  private Location next(int address, int end) {
    Location location = locations[address];
    if (location != null) {
      return location;
    }
    int width = WIDEST;
    while ((address & (width - 1)) != 0
        || address + width > end
        || firstOf(address, address + width) != null) {
      width >>= 1;
    }
    return add(address, width);
  }

  /** Splits the places that a range begins or ends in. */
  private void cutBoth(int address, long bytes) {
    cut(address, address, bytes);
    cut(address + (int) bytes, address, bytes);
  }

  private void cut(int at, int address, long bytes) {
    for (int i = Math.max(0, at - WIDEST + 1); i < at; i++) {
      Location place = locations[i];
      if (place != null && place.end() > at) {
        if (place.newest != null) {
          throw mixed(address, bytes, place);
        }
        locations[i] = place.part(i, at);
        locations[at] = place.part(at, place.end());
      }
    }
  }

  private static UnsupportedOperationException mixed(int address, long width, Location other) {
    return Simulation.refusal(
        "accesses must not overlap unless they are of one place: "
            + width
            + " bytes at memory+"
            + address
            + ", "
            + other.width
            + " bytes at "
            + other.name());
  }

  // ---- many places ----

  /** Copies place by place; what was never written is zero. */
  void copy(
      MemorySegment source,
      long from,
      MemorySegment target,
      long to,
      long bytes,
      boolean speculative) {
    checkBounds(source, from, bytes);
    checkBounds(target, to, bytes);
    if (bytes == 0) {
      return;
    }
    int sourceAddress = address(source, from);
    int targetAddress = address(target, to);
    int distance = Math.abs(sourceAddress - targetAddress);
    if (distance != 0 && distance < bytes) {
      throw Simulation.refusal(
          "memory must not be copied to where it overlaps: %d bytes from memory+%d to memory+%d"
              .formatted(bytes, sourceAddress, targetAddress));
    }
    cutBoth(sourceAddress, bytes);
    cutBoth(targetAddress, bytes);
    MemoryModel memory = simulation.memory;
    for (int i = 0; i < bytes; ) {
      Location place = locations[sourceAddress + i];
      if (place == null) {
        place = locations[targetAddress + i];
      }
      if (place == null) {
        i++;
        continue;
      }
      int width = place.width;
      long bits = load(memory, at(sourceAddress + i, width, !speculative), speculative);
      memory.plainWrite(at(targetAddress + i, width, true), bits, null);
      i += width;
    }
  }

  private static long load(MemoryModel memory, Location location, boolean speculative) {
    return speculative
        ? memory.read("speculative get", location, MemoryModel.SPECULATIVE).bits
        : memory.plainBits(location);
  }

  /** Copies to an array. */
  void read(MemorySegment source, long from, byte[] bytes, int index, int count) {
    checkBounds(source, from, count);
    Objects.checkFromIndexSize(index, count, bytes.length);
    if (count == 0) {
      return;
    }
    int address = address(source, from);
    cutBoth(address, count);
    for (int i = address; i < address + count; ) {
      Location place = next(i, address + count);
      long bits = simulation.memory.plainBits(place);
      for (; i < place.end(); i++) {
        bytes[index + i - address] = place.byteAt(i, bits);
      }
    }
  }

  /** Copies from an array. */
  void write(MemorySegment target, long to, byte[] bytes, int index, int count) {
    checkBounds(target, to, count);
    Objects.checkFromIndexSize(index, count, bytes.length);
    if (count == 0) {
      return;
    }
    int address = address(target, to);
    cutBoth(address, count);
    for (int i = address; i < address + count; ) {
      // atomic accesses want words whole, speculative reads of bytes want them apart
      boolean isWord = (i & 3) == 0 && address + count - i >= 4 && firstOf(i, i + 4) == null;
      Location place = locations[i] != null || isWord ? next(i, address + count) : add(i, 1);
      simulation.memory.plainWrite(place, place.bitsFrom(bytes, index + i - address), null);
      i = place.end();
    }
  }

  /** Writes zeros to what was accessed before. */
  void clear(MemorySegment segment) {
    if (segment.byteSize() == 0) {
      return;
    }
    int from = address(segment, 0);
    cutBoth(from, segment.byteSize());
    for (int i = from; i < from + segment.byteSize(); i++) {
      if (locations[i] != null) {
        simulation.memory.plainWrite(locations[i], 0, null);
      }
    }
  }

  /**
   * Where two ranges of one length differ; negative if they do not. Memory that the simulation does
   * not know, which woven code cannot write, is compared as it is.
   */
  long mismatch(
      MemorySegment one,
      long from,
      MemorySegment other,
      long otherFrom,
      long bytes,
      boolean speculative) {
    checkBounds(one, from, bytes);
    checkBounds(other, otherFrom, bytes);
    if (bytes > 0) {
      Bytes left = new Bytes(one, from, bytes, speculative);
      Bytes right = new Bytes(other, otherFrom, bytes, speculative);
      for (int i = 0; i < bytes; i++) {
        if (left.at(i) != right.at(i)) {
          return i;
        }
      }
    }
    return -1;
  }

  /** The bytes of a range in their order; each place that was accessed before is read once. */
  private final class Bytes {
    private final MemorySegment segment;
    private final long from;
    private final int address; // negative if the simulation does not know the memory
    private final boolean speculative;
    private Location place; // at the byte that was read last; null if there is none
    private long bits;

    Bytes(MemorySegment segment, long from, long bytes, boolean speculative) {
      this.segment = segment;
      this.from = from;
      this.speculative = speculative;
      if (segment.isNative() && isOwn(segment.address() - BASE)) {
        address = address(segment, from);
        cutBoth(address, bytes);
      } else {
        address = -1;
      }
    }

    byte at(int index) {
      if (address < 0) {
        return segment.get(ValueLayout.JAVA_BYTE, from + index);
      }
      int at = address + index;
      if (place == null || at >= place.end()) {
        place = locations[at];
        bits = place == null ? 0 : load(place);
      }
      return place == null ? 0 : place.byteAt(at, bits);
    }

    private long load(Location place) {
      if (speculative && !place.allowsAtomic()) {
        throw mixed(place.end() - place.width, place.width, place);
      }
      return NativeStore.load(simulation.memory, place, speculative);
    }
  }

  // ---- arenas ----

  /** An arena whose memory is the simulation's. */
  private final class SimulatedArena implements Arena {
    /** Has no memory; for its scope. */
    private final Arena real = Arena.ofConfined();

    private boolean closed;
    private int closer;
    private long[] closersView;
    private int[] closersClock;

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
      long bytes = (Math.max(1, byteSize) + (1 << LINE_BITS) - 1) >> LINE_BITS << LINE_BITS;
      if (byteAlignment > 1 << LINE_BITS || used + bytes > BLOCK_BYTES) {
        throw new OutOfMemoryError(
            "simulated memory must be at most "
                + BLOCK_BYTES
                + " bytes, aligned to "
                + (1 << LINE_BITS)
                + ": byteSize="
                + byteSize
                + ", byteAlignment="
                + byteAlignment);
      }
      MemorySegment segment = BLOCK.asSlice(used, byteSize);
      int lines = (int) (used + bytes) >> LINE_BITS;
      if (lines > owners.length) {
        owners = Arrays.copyOf(owners, Math.max(lines, 2 * owners.length));
      }
      Arrays.fill(owners, used >> LINE_BITS, lines, this);
      used += (int) bytes;
      return segment;
    }

    @Override
    public MemorySegment.Scope scope() {
      return real.scope();
    }

    /** Closes at once for all threads: the JVM interrupts them to make it so. */
    @Override
    public void close() {
      simulation.point(false);
      if (closed) {
        throw new IllegalStateException("Already closed");
      }
      closed = true;
      closer = simulation.current().id;
      closersView = simulation.current().view.clone();
      closersClock = simulation.current().clock.clone();
      simulation.current().clock[simulation.current().id]++;
      real.close();
      if (simulation.trace.isOn()) {
        simulation.trace.event("close memory");
      }
    }

    /**
     * The JDK sets the interrupt status of a thread that it finds during an access; that may be any
     * that did not know that the memory is closed.
     */
    private void cutShort(SimulatedThread thread) {
      if (thread.clock[closer] < closersClock[closer]) {
        thread.interrupted = true;
      }
      learnIfClosed();
    }

    /** Who is told that it is closed knows what the one who closed it did before. */
    private void learnIfClosed() {
      if (closed) {
        simulation.memory.learn(simulation.current(), closersView, closersClock);
      }
    }
  }
}

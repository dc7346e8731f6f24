package dev.millrace.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The native memory of an execution. Segments are real, of one block that all executions share, but
 * that is only for their addresses: what is in them is in {@link Location}s, one for each place
 * that was accessed, told by its address and width.
 */
final class NativeStore {
  /*
   * Places that overlap without being the same, as a long and an int in it, are refused: what a
   * machine does with them no memory model of Java says.
   */
  private static final int LINE_BITS = 7;
  private static final int LINES = 64;
  private static final int WIDEST = 8;

  /** How much memory an execution has. */
  static final int BLOCK_BYTES = LINES << LINE_BITS;

  private static final MemorySegment BLOCK = Arena.global().allocate(BLOCK_BYTES, 1L << LINE_BITS);
  private static final long BASE = BLOCK.address();

  private final Simulation simulation;
  private final Location[] locations;
  private final SimulatedArena[] owners = new SimulatedArena[LINES];
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

  /** The place at an offset of a segment, where an access is to be. */
  Location at(MemorySegment segment, long offset, int width) {
    checkBounds(segment, offset, width);
    return at(address(segment, offset), width);
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
    if (address < 0 || address >= used) {
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

  private Location at(int address, int width) {
    Location location = locations[address];
    if (location == null) {
      for (int i = Math.max(0, address - WIDEST + 1); i < address + width; i++) {
        Location other = locations[i];
        if (other != null && i + other.width > address) {
          throw mixed(address, width, other);
        }
      }
      location = new Location(simulation, address, width);
      locations[address] = location;
    } else if (location.width != width) {
      throw mixed(address, width, location);
    }
    return location;
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

  /** Refuses a range of memory that begins or ends within a place. */
  private void checkWhole(int address, long bytes) {
    for (int i = Math.max(0, address - WIDEST + 1); i < address; i++) {
      Location place = locations[i];
      if (place != null && i + place.width > address) {
        throw mixed(address, bytes, place);
      }
    }
    long end = address + bytes;
    for (int i = (int) Math.max(address, end - WIDEST + 1); i < end; i++) {
      Location place = locations[i];
      if (place != null && i + place.width > end) {
        throw mixed(address, bytes, place);
      }
    }
  }

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
    checkWhole(sourceAddress, bytes);
    checkWhole(targetAddress, bytes);
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
      long bits = load(memory, at(sourceAddress + i, place.width), speculative);
      memory.plainWrite(at(targetAddress + i, place.width), bits, null);
      i += place.width;
    }
  }

  /** Writes zeros to what was accessed before. */
  void clear(MemorySegment segment) {
    if (segment.byteSize() == 0) {
      return;
    }
    int from = address(segment, 0);
    checkWhole(from, segment.byteSize());
    for (int i = from; i < from + segment.byteSize(); i++) {
      if (locations[i] != null) {
        simulation.memory.plainWrite(locations[i], 0, null);
      }
    }
  }

  static long load(MemoryModel memory, Location location, boolean speculative) {
    return speculative
        ? memory.read("speculative get", location, MemoryModel.SPECULATIVE).bits
        : memory.plainBits(location);
  }

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
      Arrays.fill(owners, used >> LINE_BITS, (int) (used + bytes) >> LINE_BITS, this);
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

package dev.millrace.core.internal;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.ClosedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Off-heap memory with one owner: aligned to 128 bytes, zeroed, freed exactly once.
 *
 * <p><b>Roles.</b> Any thread may use the {@link #segment()}, and any thread may close it, once.
 *
 * <p><b>Ordering.</b> Publish the object like any other. Accesses to the segment are ordered as
 * their {@link java.lang.invoke.VarHandle} modes say. An access that overlaps {@link #close()}
 * either reaches live memory or throws.
 *
 * <p><b>Failure.</b> After {@code close} each access to the segment throws {@link
 * IllegalStateException}; memory is never read or written after it is freed. Memory that is not
 * closed stays allocated until the process ends. Neither the heap limit nor {@code
 * -XX:MaxDirectMemorySize} counts it; the machine sets the limit.
 *
 * <p><b>Leaks.</b> While the system property {@value #REPORT_LEAKS} is {@code true}, each
 * allocation keeps its stack trace. If its owner becomes unreachable without having been closed, a
 * warning is logged once the garbage collector notices. The memory stays allocated. {@link
 * dev.millrace.core.Measured#nativeBytesInUse} reports how much memory is allocated and not yet
 * closed.
 *
 * <p><b>Cost.</b> Allocation zeroes the memory and thus touches each page. Closing takes tens of
 * microseconds, because the JVM makes sure that no thread is in the middle of an access. So
 * allocate and close memory once per structure, never per message.
 */
public final class NativeMemory implements AutoCloseable {
  /** The alignment of all memory, in bytes: a pair of 64-byte cache lines. */
  public static final long ALIGNMENT_BYTES = 128;

  /** The system property that turns on leak reports for later allocations. */
  public static final String REPORT_LEAKS = "millrace.reportLeaks";

  private static final long MAX_SIZE_BYTES = 1L << 47; // half of a 48-bit address space

  private final Arena arena;
  private final MemorySegment segment;
  private final Leak leak; // null unless leaks are reported

  private NativeMemory(Arena arena, MemorySegment segment) {
    this.arena = arena;
    this.segment = segment;
    this.leak = Boolean.getBoolean(REPORT_LEAKS) ? Leak.watch(this, segment.byteSize()) : null;
    Jvm.addNativeBytes(segment.byteSize());
  }

  /**
   * Allocates {@code sizeBytes} of zeroed memory, from 1 byte to 128 TiB. The caller owns it. If
   * the machine does not have enough, throws {@link OutOfMemoryError}, whose message names the
   * size.
   */
  public static NativeMemory allocate(long sizeBytes) {
    Checks.inRange("sizeBytes", sizeBytes, 1, MAX_SIZE_BYTES);
    Arena arena = Arena.ofShared();
    try {
      return new NativeMemory(arena, arena.allocate(sizeBytes, ALIGNMENT_BYTES));
    } catch (OutOfMemoryError e) {
      arena.close();
      OutOfMemoryError named =
          new OutOfMemoryError("native memory must fit the machine: sizeBytes=" + sizeBytes);
      named.initCause(e);
      throw named;
    }
  }

  /**
   * Returns the memory itself, which any thread may use until {@link #close()}. Throws {@link
   * IllegalStateException} if the memory is closed.
   */
  public MemorySegment segment() {
    if (!isOpen()) {
      throw new IllegalStateException(
          "memory must be open: closed, sizeBytes=" + segment.byteSize());
    }
    return segment;
  }

  /** Returns whether the memory can still be used; false once {@link #close()} has succeeded. */
  public boolean isOpen() {
    return arena.scope().isAlive();
  }

  /**
   * Frees the memory, as {@link #close()} does, and records {@code owner}. From then on {@link
   * ClosedMemory#whyClosed} names that owner.
   */
  public void close(Object owner) {
    ClosedMemory.note(segment, owner);
    close();
  }

  /**
   * Frees the memory. A thread that uses it at the same time gets an {@link IllegalStateException}.
   * If its access was cut short, its interrupt status is also set. So let all users finish first.
   *
   * <p>Throws {@link IllegalStateException} if the memory is already closed or if an I/O operation
   * is using it. In the second case it stays open.
   */
  @Override
  public void close() {
    try {
      arena.close();
    } catch (IllegalStateException e) {
      String rule = isOpen() ? "must not be in use by I/O when closed" : "must be closed only once";
      throw new IllegalStateException("memory " + rule + ": sizeBytes=" + segment.byteSize(), e);
    }
    Jvm.addNativeBytes(-segment.byteSize());
    if (leak != null) {
      leak.close(this);
    }
  }
}

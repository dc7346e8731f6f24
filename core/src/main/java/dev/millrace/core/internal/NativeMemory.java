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
 * their {@link java.lang.invoke.VarHandle} modes say; an access that overlaps {@link #close()}
 * either happens on live memory or throws.
 *
 * <p><b>Failure.</b> After {@code close} each access to the segment throws {@link
 * IllegalStateException}; memory is never read or written after it is freed. Memory that is not
 * closed stays allocated until the process ends. Neither the heap limit nor {@code
 * -XX:MaxDirectMemorySize} counts it; the machine sets the limit.
 *
 * <p><b>Leaks.</b> While the system property {@value #REPORT_LEAKS} is {@code true}, each
 * allocation keeps its stack trace; if its owner becomes unreachable without closing it, a warning
 * is logged once the garbage collector has noticed. The memory stays allocated. {@link
 * dev.millrace.core.Measured#nativeBytesInUse} is how much is allocated and not yet closed.
 *
 * <p><b>Cost.</b> Allocation zeroes the memory, hence touches each page. Closing takes tens of
 * microseconds, because the JVM makes sure that no thread is in the middle of an access: close once
 * per structure, never per message.
 */
public final class NativeMemory implements AutoCloseable {
  /** The alignment of all memory, in bytes: a pair of 64-byte cache lines. */
  public static final long ALIGNMENT_BYTES = 128;

  /** The system property that makes leaks of later allocations be reported. */
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
   * Allocates zeroed memory, from 1 byte to 128 TiB, which the caller owns. If the machine does not
   * have enough, throws {@link OutOfMemoryError}, whose message names the size.
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
   * The memory itself, usable by any thread until {@link #close()}. Throws {@link
   * IllegalStateException} if it is closed.
   */
  public MemorySegment segment() {
    if (!isOpen()) {
      throw new IllegalStateException(
          "memory must be open: closed, sizeBytes=" + segment.byteSize());
    }
    return segment;
  }

  /** Whether the memory can still be used; false once {@link #close()} has succeeded. */
  public boolean isOpen() {
    return arena.scope().isAlive();
  }

  /**
   * Frees the memory, as {@link #close()} does, and notes its owner, which {@link
   * ClosedMemory#whyClosed} names from now on.
   */
  public void close(Object owner) {
    ClosedMemory.note(segment, owner);
    close();
  }

  /**
   * Frees the memory. A thread that uses it at the same time gets an {@link IllegalStateException},
   * and if its access was cut short it is left with its interrupt status set. So let all users
   * finish first.
   *
   * <p>Throws {@link IllegalStateException} if the memory is already closed, or in use by an I/O
   * operation; in the second case it stays open.
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

package dev.millrace.core;

import dev.millrace.core.internal.MemorySequence;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Keeps the fields of whatever object lies before a {@link Sequence} off its cache-line pair. */
class SequenceLeftPad {
  @SuppressWarnings("unused") // padding
  private long l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15;
}

/** Holds the value between its pads. HotSpot lays out a superclass's fields before a subclass's. */
class SequenceValue extends SequenceLeftPad {
  long value;
}

/**
 * A padded 64-bit counter with named access modes. A sequence records how far one role of a
 * concurrent structure has advanced.
 *
 * <p><b>Roles.</b> Any thread may call any method. The structure that owns the sequence decides
 * which threads write to it.
 *
 * <p><b>Progress.</b> Reads and writes are wait-free. {@link #getAndAdd} and {@link #getAndSet} are
 * wait-free where the processor has an instruction for them, and lock-free elsewhere. {@link
 * #getAndAddPlain} is lock-free: it tries again whenever another thread has changed the value since
 * the read. On x86, where {@link #getAndAdd} is a single instruction, it is therefore cheaper than
 * {@code getAndAddPlain} if many threads add at once, although its ordering is stronger.
 *
 * <p><b>Ordering.</b> Each method's name states its access mode, as {@link VarHandle} defines it:
 * plain, opaque, acquire, release or volatile. If a {@code getAcquire} in one thread reads the
 * value that a {@code setRelease} in another thread wrote, everything before the {@code setRelease}
 * in its thread happens-before everything after the {@code getAcquire} in its thread.
 *
 * <p><b>Failure.</b> No method throws an exception. The value wraps at 2<sup>63</sup>, which it
 * reaches after 292 years at a billion increments per second.
 *
 * <p><b>Cost.</b> A sequence takes 256 to 264 bytes of heap. The value has at least 120 bytes of
 * padding on each side, so no field of another object is in the same 128 bytes as the value. The
 * padding covers a pair of 64-byte cache lines because some processors prefetch the adjacent line,
 * and then false sharing affects both lines. On some AArch64 machines a single line has 128 bytes.
 *
 * <p><b>Source.</b> Doug Lea explains the access modes in <a
 * href="https://gee.cs.oswego.edu/dl/html/j9mm.html">Using JDK 9 Memory Order Modes</a>.
 *
 * @since 0.1.0
 */
public sealed class Sequence extends SequenceValue permits MemorySequence {
  // Not @Contended, which needs a flag outside the JDK. The superclass ladder is needed because
  // HotSpot orders the fields within a class as it likes. Only longs: a smaller field could be
  // placed into the gap after the object header. SequenceLayoutTest reads the real offsets.
  @SuppressWarnings("unused") // padding
  private long r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;

  private static final VarHandle VALUE =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "value", VarHandle.class, SequenceValue.class, long.class)
          .withInvokeExactBehavior();

  /** Makes a sequence with the value 0. */
  public Sequence() {}

  /**
   * Makes a sequence with the given value. The constructor's write is plain, so the sequence needs
   * safe publication, as any other object does.
   *
   * @param initialValue the first value
   */
  public Sequence(long initialValue) {
    value = initialValue;
  }

  /**
   * Reads the value with the memory effects of a plain read. A plain read is enough for the only
   * thread that writes the value.
   *
   * @return the value
   */
  public long getPlain() {
    return value;
  }

  /**
   * Writes the value with the memory effects of a plain write. A plain write is enough if no other
   * thread reads the value before a later release.
   *
   * @param newValue the value to write
   */
  public void setPlain(long newValue) {
    value = newValue;
  }

  /**
   * Reads the value without ordering any other access. The value may be stale, but it is one that
   * the sequence once had.
   *
   * @return the value
   */
  public long getOpaque() {
    return (long) VALUE.getOpaque((SequenceValue) this);
  }

  /**
   * Writes the value without ordering any other access. Other threads eventually see the new value.
   *
   * @param newValue the value to write
   */
  public void setOpaque(long newValue) {
    VALUE.setOpaque((SequenceValue) this, newValue);
  }

  /**
   * Reads the value. Everything that a thread did before it released this value is visible to the
   * calling thread after the read.
   *
   * @return the value
   */
  public long getAcquire() {
    return (long) VALUE.getAcquire((SequenceValue) this);
  }

  /**
   * Writes the value. Everything that the calling thread did before the write is visible to any
   * thread that acquires the new value.
   *
   * @param newValue the value to write
   */
  public void setRelease(long newValue) {
    VALUE.setRelease((SequenceValue) this, newValue);
  }

  /**
   * Reads the value with the memory effects of a {@code volatile} read.
   *
   * @return the value
   */
  public long getVolatile() {
    return (long) VALUE.getVolatile((SequenceValue) this);
  }

  /**
   * Writes the value with the memory effects of a {@code volatile} write.
   *
   * @param newValue the value to write
   */
  public void setVolatile(long newValue) {
    VALUE.setVolatile((SequenceValue) this, newValue);
  }

  /**
   * Atomically replaces the expected value with a new one. The call has the memory effects of a
   * volatile read and a volatile write.
   *
   * @param expected the value to replace
   * @param newValue the value to write
   * @return whether the expected value was replaced; the method never fails spuriously
   */
  public boolean compareAndSet(long expected, long newValue) {
    return VALUE.compareAndSet((SequenceValue) this, expected, newValue);
  }

  /**
   * Atomically replaces the expected value with a new one. The call does not order any other
   * access.
   *
   * @param expected the value to replace
   * @param newValue the value to write
   * @return whether the expected value was replaced; the method may fail spuriously, so retry
   */
  public boolean weakCompareAndSetPlain(long expected, long newValue) {
    return VALUE.weakCompareAndSetPlain((SequenceValue) this, expected, newValue);
  }

  /**
   * Atomically replaces the expected value with a new one. The call has the memory effects of a
   * releasing write.
   *
   * @param expected the value to replace
   * @param newValue the value to write
   * @return whether the expected value was replaced; the method may fail spuriously, so retry
   */
  public boolean weakCompareAndSetRelease(long expected, long newValue) {
    return VALUE.weakCompareAndSetRelease((SequenceValue) this, expected, newValue);
  }

  /**
   * Atomically writes a new value and returns the old one. The call has the memory effects of a
   * volatile read and a volatile write.
   *
   * @param newValue the value to write
   * @return the previous value
   */
  public long getAndSet(long newValue) {
    return (long) VALUE.getAndSet((SequenceValue) this, newValue);
  }

  /**
   * Atomically adds to the value. The call has the memory effects of a volatile read and a volatile
   * write.
   *
   * @param delta the number to add
   * @return the previous value
   */
  public long getAndAdd(long delta) {
    return (long) VALUE.getAndAdd((SequenceValue) this, delta);
  }

  /**
   * Atomically adds to the value. The call does not order any other access.
   *
   * @param delta the number to add
   * @return the previous value
   */
  public long getAndAddPlain(long delta) {
    long value = getOpaque();
    while (!weakCompareAndSetPlain(value, value + delta)) {
      value = getOpaque();
    }
    return value;
  }

  /** Reads the value with {@link #getOpaque} and returns it as a decimal number. */
  @Override
  public String toString() {
    return Long.toString(getOpaque());
  }
}

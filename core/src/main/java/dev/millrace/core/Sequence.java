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

/** The value between its pads; a superclass's fields are laid out before a subclass's. */
class SequenceValue extends SequenceLeftPad {
  long value;
}

/**
 * A padded 64-bit counter with named access modes: how far one role of a concurrent structure has
 * come.
 *
 * <p><b>Roles.</b> Any thread may call any method; the structure that owns the sequence decides
 * which thread writes it.
 *
 * <p><b>Progress.</b> Reads and writes are wait-free. {@link #getAndAdd} and {@link #getAndSet} are
 * so where the processor has an instruction for them, and lock-free elsewhere. {@link
 * #getAndAddPlain} is lock-free: it tries again whenever another thread intervenes, so where many
 * threads add, the stronger form is cheaper on x86.
 *
 * <p><b>Ordering.</b> As the method's name says, in the sense of {@link VarHandle}: plain, opaque,
 * acquire, release or volatile. A {@code setRelease} happens before what follows a {@code
 * getAcquire} that reads its value.
 *
 * <p><b>Failure.</b> None. The value wraps at 2<sup>63</sup>; at a billion increments a second that
 * is 292 years away.
 *
 * <p><b>Cost.</b> 256 to 264 bytes of heap: at least 120 bytes of padding on both sides of the
 * value, so that no other object's field shares its pair of 64-byte lines (adjacent-line prefetch
 * makes the pair the unit of false sharing; on some AArch64 machines the line itself has 128
 * bytes).
 *
 * <p><b>Source.</b> Access modes: Doug Lea, <a
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

  /** Makes a sequence of value 0. */
  public Sequence() {}

  /**
   * Makes a sequence of the given value. Publish it like any other object: the constructor's write
   * is plain.
   *
   * @param initialValue the first value
   */
  public Sequence(long initialValue) {
    value = initialValue;
  }

  /**
   * Reads as a plain variable: for the only thread that writes it.
   *
   * @return the value
   */
  public long getPlain() {
    return value;
  }

  /**
   * Writes as a plain variable: for values that no other thread reads before a later release.
   *
   * @param newValue the value to write
   */
  public void setPlain(long newValue) {
    value = newValue;
  }

  /**
   * Reads a value that some thread wrote, possibly a stale one, and orders nothing.
   *
   * @return the value
   */
  public long getOpaque() {
    return (long) VALUE.getOpaque((SequenceValue) this);
  }

  /**
   * Writes so that others see it eventually, and orders nothing.
   *
   * @param newValue the value to write
   */
  public void setOpaque(long newValue) {
    VALUE.setOpaque((SequenceValue) this, newValue);
  }

  /**
   * Reads; what the writer did before the release of the value read is visible afterwards.
   *
   * @return the value
   */
  public long getAcquire() {
    return (long) VALUE.getAcquire((SequenceValue) this);
  }

  /**
   * Writes; whatever this thread did before is visible to a thread that acquires the value.
   *
   * @param newValue the value to write
   */
  public void setRelease(long newValue) {
    VALUE.setRelease((SequenceValue) this, newValue);
  }

  /**
   * Reads as a {@code volatile} variable.
   *
   * @return the value
   */
  public long getVolatile() {
    return (long) VALUE.getVolatile((SequenceValue) this);
  }

  /**
   * Writes as a {@code volatile} variable.
   *
   * @param newValue the value to write
   */
  public void setVolatile(long newValue) {
    VALUE.setVolatile((SequenceValue) this, newValue);
  }

  /**
   * Replaces the expected value with another, with the effects of a volatile read and write.
   *
   * @param expected the value that must be there
   * @param newValue the value to write
   * @return whether it was there and was replaced; never fails spuriously
   */
  public boolean compareAndSet(long expected, long newValue) {
    return VALUE.compareAndSet((SequenceValue) this, expected, newValue);
  }

  /**
   * Replaces the expected value with another in one step, and orders nothing.
   *
   * @param expected the value that must be there
   * @param newValue the value to write
   * @return whether it was replaced; may fail spuriously, so retry
   */
  public boolean weakCompareAndSetPlain(long expected, long newValue) {
    return VALUE.weakCompareAndSetPlain((SequenceValue) this, expected, newValue);
  }

  /**
   * Replaces the expected value with another in one step, with the effects of a releasing write.
   *
   * @param expected the value that must be there
   * @param newValue the value to write
   * @return whether it was replaced; may fail spuriously, so retry
   */
  public boolean weakCompareAndSetRelease(long expected, long newValue) {
    return VALUE.weakCompareAndSetRelease((SequenceValue) this, expected, newValue);
  }

  /**
   * Writes, and returns the value that was there, with the effects of a volatile read and write.
   *
   * @param newValue the value to write
   * @return the value before
   */
  public long getAndSet(long newValue) {
    return (long) VALUE.getAndSet((SequenceValue) this, newValue);
  }

  /**
   * Adds, with the effects of a volatile read and write.
   *
   * @param delta what to add
   * @return the value before
   */
  public long getAndAdd(long delta) {
    return (long) VALUE.getAndAdd((SequenceValue) this, delta);
  }

  /**
   * Adds in one step, and orders nothing.
   *
   * @param delta what to add
   * @return the value before
   */
  public long getAndAddPlain(long delta) {
    long value = getOpaque();
    while (!weakCompareAndSetPlain(value, value + delta)) {
      value = getOpaque();
    }
    return value;
  }

  /** Returns the value, read opaque, as a decimal number. */
  @Override
  public String toString() {
    return Long.toString(getOpaque());
  }
}

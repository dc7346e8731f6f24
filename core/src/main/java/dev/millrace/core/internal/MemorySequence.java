package dev.millrace.core.internal;

import dev.millrace.core.Sequence;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A sequence whose value is stored in the memory of the structure that it belongs to, so that code
 * that has only that memory can find it.
 *
 * <p><b>Failure.</b> Once the memory is freed, reads return the value that {@link #keep} saved, and
 * writes change nothing. If no value was saved, both throw {@link IllegalStateException}.
 */
public final class MemorySequence extends Sequence {
  /** The memory that a sequence takes: a pair of cache lines that it shares with no other data. */
  public static final long SIZE_BYTES = NativeMemory.ALIGNMENT_BYTES;

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  private final MemorySegment memory;
  private final long offset;
  private boolean isKept; // freeing the memory orders it

  /**
   * Makes a sequence over the value at {@code offset} in {@code memory}. It takes {@link
   * #SIZE_BYTES} from there on.
   */
  public MemorySequence(MemorySegment memory, long offset) {
    this.memory = memory; // not a slice: users have just checked this object
    this.offset = offset;
  }

  /** Saves the value for later reads. Must be called before the memory is freed. */
  public void keep() {
    // plain: freeing the memory orders it. opaque: other threads may still write it
    super.setPlain(getOpaque());
    isKept = true;
  }

  /**
   * Returns the value that was saved. If no value was saved, throws {@code e}, which is the
   * exception of the access.
   */
  private long kept(IllegalStateException e) {
    if (!isKept) {
      throw e;
    }
    return super.getPlain(); // plain: freeing the memory orders it
  }

  @Override
  public long getPlain() {
    try {
      return (long) WORD.get(memory, offset); // plain: as named
    } catch (IllegalStateException e) {
      return kept(e);
    }
  }

  @Override
  public long getOpaque() {
    try {
      return (long) WORD.getOpaque(memory, offset); // opaque: as named
    } catch (IllegalStateException e) {
      return kept(e);
    }
  }

  @Override
  public long getAcquire() {
    try {
      return (long) WORD.getAcquire(memory, offset); // acquire: as named
    } catch (IllegalStateException e) {
      return kept(e);
    }
  }

  @Override
  public long getVolatile() {
    try {
      return (long) WORD.getVolatile(memory, offset); // volatile: as named
    } catch (IllegalStateException e) {
      return kept(e);
    }
  }

  @Override
  public void setPlain(long newValue) {
    try {
      WORD.set(memory, offset, newValue); // plain: as named
    } catch (IllegalStateException e) {
      kept(e);
    }
  }

  @Override
  public void setOpaque(long newValue) {
    try {
      WORD.setOpaque(memory, offset, newValue); // opaque: as named
    } catch (IllegalStateException e) {
      kept(e);
    }
  }

  @Override
  public void setRelease(long newValue) {
    try {
      WORD.setRelease(memory, offset, newValue); // release: as named
    } catch (IllegalStateException e) {
      kept(e);
    }
  }

  @Override
  public void setVolatile(long newValue) {
    try {
      WORD.setVolatile(memory, offset, newValue); // volatile: as named
    } catch (IllegalStateException e) {
      kept(e);
    }
  }

  @Override
  public boolean compareAndSet(long expected, long newValue) {
    try {
      return WORD.compareAndSet(memory, offset, expected, newValue); // volatile: as named
    } catch (IllegalStateException e) {
      kept(e);
      return false;
    }
  }

  @Override
  public boolean weakCompareAndSetPlain(long expected, long newValue) {
    try {
      return WORD.weakCompareAndSetPlain(memory, offset, expected, newValue); // atomic: as named
    } catch (IllegalStateException e) {
      kept(e);
      return false;
    }
  }

  @Override
  public boolean weakCompareAndSetRelease(long expected, long newValue) {
    try {
      return WORD.weakCompareAndSetRelease(memory, offset, expected, newValue); // release: as named
    } catch (IllegalStateException e) {
      kept(e);
      return false;
    }
  }

  @Override
  public long getAndSet(long newValue) {
    try {
      return (long) WORD.getAndSet(memory, offset, newValue); // volatile: as named
    } catch (IllegalStateException e) {
      return kept(e);
    }
  }

  @Override
  public long getAndAdd(long delta) {
    try {
      return (long) WORD.getAndAdd(memory, offset, delta); // volatile: as named
    } catch (IllegalStateException e) {
      return kept(e);
    }
  }

  @Override
  public long getAndAddPlain(long delta) {
    try {
      long value;
      do {
        value = (long) WORD.getOpaque(memory, offset); // opaque: the exchange confirms it
      } while (!WORD.weakCompareAndSetPlain(memory, offset, value, value + delta));
      return value;
    } catch (IllegalStateException e) {
      return kept(e);
    }
  }
}

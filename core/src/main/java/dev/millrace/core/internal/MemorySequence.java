package dev.millrace.core.internal;

import dev.millrace.core.Sequence;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A sequence whose value is stored in the memory of the structure that it belongs to, so that it
 * can be found by code that has only that memory.
 *
 * <p><b>Failure.</b> Once the memory is freed, reads return what {@link #keep} has kept, and writes
 * change nothing. If nothing was kept, they throw {@link IllegalStateException}.
 */
public final class MemorySequence extends Sequence {
  /** The memory that each takes: a pair of cache lines, so that it shares them with none. */
  public static final long SIZE_BYTES = NativeMemory.ALIGNMENT_BYTES;

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  private final MemorySegment memory;
  private final long offset;
  private boolean isKept; // the freeing orders it

  /**
   * Makes a sequence of the value that the memory holds; it takes {@link #SIZE_BYTES} from the
   * offset on.
   */
  public MemorySequence(MemorySegment memory, long offset) {
    this.memory = memory; // not a slice: users have just checked this object
    this.offset = offset;
  }

  /** Keeps the value; called before the memory is freed. */
  public void keep() {
    // plain: the freeing orders it. opaque: others may still write it
    super.setPlain(getOpaque());
    isKept = true;
  }

  /** What was kept; throws what the access has thrown if the memory was freed without that. */
  private long kept(IllegalStateException e) {
    if (!isKept) {
      throw e;
    }
    return super.getPlain(); // plain: the freeing orders it
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

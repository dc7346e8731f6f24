package dev.millrace.simulator.litmus;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/** Classes that the weaver must refuse, each for one instruction. */
final class Unsupported {
  private Unsupported() {}

  static final class SynchronizedMethod {
    synchronized void method() {}
  }

  static final class SynchronizedBlock {
    int method(Object lock) {
      synchronized (lock) {
        return lock.hashCode();
      }
    }
  }

  static final class Atomics {
    int method(AtomicInteger counter) {
      return counter.incrementAndGet();
    }
  }

  static final class AtomicsByReference {
    IntSupplier method(AtomicInteger counter) {
      return counter::incrementAndGet;
    }
  }

  static final class StaticField {
    static int field;

    void method() {
      field = 1;
    }
  }

  static final class ArrayHandle {
    int method(VarHandle handle, int[] array) {
      return (int) handle.getAcquire(array, 0);
    }
  }

  static final class ArrayElementHandle {
    VarHandle method() {
      return MethodHandles.arrayElementVarHandle(int[].class);
    }
  }

  static final class FloatHandle {
    float method(VarHandle handle, Object owner) {
      return (float) handle.getAcquire(owner);
    }
  }

  static final class StartedThread {
    void method(Thread thread) {
      thread.start();
    }
  }

  static final class StartedByReference {
    Runnable method(Thread thread) {
      return thread::start;
    }
  }

  static final class SpinByReference {
    Runnable method() {
      return Thread::onSpinWait;
    }
  }

  static final class ParkByReference {
    Runnable method() {
      return LockSupport::park;
    }
  }

  static final class SegmentByReference {
    interface Reader {
      int read(MemorySegment segment, ValueLayout.OfInt layout, long offset);
    }

    Reader method() {
      return MemorySegment::get;
    }
  }

  static final class Wait {
    @SuppressWarnings("WaitNotInLoop") // it is never called
    void method(Object lock) throws InterruptedException {
      lock.wait();
    }
  }

  static final class Sleep {
    void method() throws InterruptedException {
      Thread.sleep(1);
    }
  }

  static final class StoreFence {
    void method() {
      VarHandle.storeStoreFence();
    }
  }

  static final class LoadFence {
    void method() {
      VarHandle.loadLoadFence();
    }
  }

  static final class Fill {
    void method(MemorySegment segment) {
      segment.fill((byte) 0);
    }
  }
}

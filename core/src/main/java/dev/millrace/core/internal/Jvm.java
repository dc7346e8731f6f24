package dev.millrace.core.internal;

import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** What needs the JVM or a thread of its own, and what exists once per process. */
public final class Jvm {
  private static final long LATER_SECONDS = 1;

  private static final boolean CAN_FENCE_ALL = canFenceAll(System.getProperty("java.vm.name", ""));

  private static final Object FENCES = new Object();
  private static final LongAdder NATIVE_BYTES = new LongAdder();

  @SuppressWarnings("UnusedVariable") // so that something is done under the lock
  private static long fences;

  private Jvm() {}

  /**
   * A full fence in every thread: what a thread did before this in its program's order is visible
   * to the caller afterwards, and what a thread does after it sees all that the caller did before.
   * Takes tens of microseconds, more if more threads run than there are processors.
   *
   * <p>So a thread that does something often needs no fence of its own against another that does
   * its part once, as long as the JVM is one that {@link #canFenceAll}. The frequent accesses must
   * be at least opaque, or the compiler may change their order.
   */
  public static void fenceAll() {
    // To close shared memory, HotSpot does a handshake with each thread, in which the thread passes
    // a full fence or is found stopped. It does so even if the arena holds no memory.
    Arena.ofShared().close();
    fenceSelf();
  }

  /**
   * A full fence, if other threads cannot execute it for this one by {@link #fenceAll}; otherwise
   * nothing.
   */
  public static void fenceSelf() {
    if (!CAN_FENCE_ALL) {
      // Of two threads that do this, the later one sees what the earlier one did before.
      synchronized (FENCES) {
        fences++;
      }
    }
  }

  /**
   * Whether {@link #fenceAll} makes other threads execute a fence, as it does in HotSpot and JVMs
   * made from it. On another JVM, code that relies on that must call {@link #fenceSelf}.
   */
  public static boolean canFenceAll() {
    return CAN_FENCE_ALL;
  }

  static boolean canFenceAll(String vmName) {
    return vmName.contains("HotSpot") || vmName.contains("OpenJDK") || vmName.contains("Zing");
  }

  /** Runs an action, which must be short, after a second and in a daemon thread. */
  public static void runLater(Runnable action) {
    CompletableFuture.delayedExecutor(LATER_SECONDS, TimeUnit.SECONDS).execute(action);
  }

  /**
   * Counts bytes of native memory that this library has allocated; negative if it has freed them.
   */
  public static void addNativeBytes(long bytes) {
    NATIVE_BYTES.add(bytes);
  }

  /** How many bytes of native memory this library has. */
  public static long nativeBytes() {
    return NATIVE_BYTES.sum();
  }
}

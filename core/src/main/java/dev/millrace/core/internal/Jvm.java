package dev.millrace.core.internal;

import java.lang.foreign.Arena;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Services that depend on the JVM or need their own thread, and state that exists once per process.
 */
public final class Jvm {
  private static final long LATER_SECONDS = 1;

  private static final boolean CAN_FENCE_ALL = canFenceAll(System.getProperty("java.vm.name", ""));

  private static final Object FENCES = new Object();
  private static final LongAdder NATIVE_BYTES = new LongAdder();

  @SuppressWarnings("UnusedVariable") // so that something is done under the lock
  private static long fences;

  private Jvm() {}

  /**
   * Executes a full fence in every thread. Everything that a thread did before its fence in program
   * order is visible to the caller afterwards. Everything that the caller did before this call is
   * visible to what a thread does after its fence. Takes tens of microseconds, or longer if more
   * threads run than there are processors.
   *
   * <p>So if one thread acts often and another rarely, only the rare one pays for a fence, provided
   * that {@link #canFenceAll} returns true. The frequent accesses must be at least opaque, or the
   * compiler may reorder them.
   */
  public static void fenceAll() {
    // To close shared memory, HotSpot does a handshake with each thread, in which the thread passes
    // a full fence or is found stopped. It does so even if the arena holds no memory.
    Arena.ofShared().close();
    fenceSelf();
  }

  /**
   * Executes a full fence if {@link #fenceAll} in another thread cannot execute one for this
   * thread. Otherwise does nothing.
   */
  public static void fenceSelf() {
    if (!CAN_FENCE_ALL) {
      // Of two threads that take this lock, the later one sees what the earlier one did before.
      synchronized (FENCES) {
        fences++;
      }
    }
  }

  /**
   * Returns whether {@link #fenceAll} makes other threads execute a fence, as it does in HotSpot
   * and the JVMs derived from it. On any other JVM, each of those threads must call {@link
   * #fenceSelf} itself.
   */
  public static boolean canFenceAll() {
    return CAN_FENCE_ALL;
  }

  static boolean canFenceAll(String vmName) {
    return vmName.contains("HotSpot") || vmName.contains("OpenJDK") || vmName.contains("Zing");
  }

  /** Runs {@code action} in a daemon thread after one second. The action must be short. */
  public static void runLater(Runnable action) {
    CompletableFuture.delayedExecutor(LATER_SECONDS, TimeUnit.SECONDS).execute(action);
  }

  /**
   * Adds {@code bytes} to the amount of native memory that this library holds. The number is
   * negative if the memory was freed.
   */
  public static void addNativeBytes(long bytes) {
    NATIVE_BYTES.add(bytes);
  }

  /** Returns how many bytes of native memory this library holds. */
  public static long nativeBytes() {
    return NATIVE_BYTES.sum();
  }
}

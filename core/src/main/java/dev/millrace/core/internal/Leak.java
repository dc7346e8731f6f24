package dev.millrace.core.internal;

import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

/**
 * Watches native memory, and reports it if its owner becomes garbage without having been closed.
 */
final class Leak implements Runnable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final long sizeBytes;
  private final Throwable allocation = new Throwable("allocated here");
  private Cleaner.Cleanable cleanable;
  private boolean isClosed; // before it is cleaned, by the same thread

  private Leak(long sizeBytes) {
    this.sizeBytes = sizeBytes;
  }

  /** Watches memory that is being allocated. */
  static Leak watch(NativeMemory owner, long sizeBytes) {
    Leak leak = new Leak(sizeBytes);
    leak.cleanable = CLEANER.register(owner, leak);
    return leak;
  }

  /** Ends the watch, since the owner was closed. */
  void close(NativeMemory owner) {
    try {
      isClosed = true;
      cleanable.clean();
    } finally {
      Reference.reachabilityFence(owner); // or it might count as garbage before this
    }
  }

  /** Runs once: in close, or when the owner is garbage. */
  @Override
  public void run() {
    if (!isClosed) {
      System.getLogger(NativeMemory.class.getName())
          .log(Level.WARNING, "memory must be closed: lost, sizeBytes=" + sizeBytes, allocation);
    }
  }
}

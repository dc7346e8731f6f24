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
  private boolean isClosed; // set before cleaning, by the same thread

  private Leak(long sizeBytes) {
    this.sizeBytes = sizeBytes;
  }

  /** Begins to watch memory of {@code sizeBytes} that {@code owner} is allocating. */
  static Leak watch(NativeMemory owner, long sizeBytes) {
    Leak leak = new Leak(sizeBytes);
    leak.cleanable = CLEANER.register(owner, leak);
    return leak;
  }

  /** Ends the watch because {@code owner} was closed. */
  void close(NativeMemory owner) {
    try {
      isClosed = true;
      cleanable.clean();
    } finally {
      Reference.reachabilityFence(owner); // otherwise it could become unreachable before this
    }
  }

  /** Runs once, either in {@code close} or after the owner has become garbage. */
  @Override
  public void run() {
    if (!isClosed) {
      System.getLogger(NativeMemory.class.getName())
          .log(Level.WARNING, "memory must be closed: lost, sizeBytes=" + sizeBytes, allocation);
    }
  }
}

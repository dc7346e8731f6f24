package dev.millrace.queues.internal.shared;

/**
 * Liveness by locks that the kernel drops when a process ends. Entries of this JVM are known from
 * {@link OpenFile}.
 */
final class EntryLocks implements Liveness {
  private final OpenFile file;
  private int heldCount; // guarded by this

  EntryLocks(OpenFile file) {
    this.file = file;
  }

  @Override
  public boolean isAlive(int entry) {
    return file.isLocked(entry);
  }

  @Override
  public synchronized boolean tryHold(int entry) {
    boolean isHeld = file.tryLock(entry);
    heldCount += isHeld ? 1 : 0;
    return isHeld;
  }

  @Override
  public synchronized void letGo(int entry) {
    file.unlock(entry);
    heldCount--;
  }

  @Override
  public boolean hasEnded(long ticket) {
    return Processes.hasEnded(ticket);
  }

  /** How many entries are held through this object. */
  synchronized int heldCount() {
    return heldCount;
  }
}

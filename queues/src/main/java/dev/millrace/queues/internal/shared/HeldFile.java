package dev.millrace.queues.internal.shared;

import dev.millrace.flyweight.internal.Checks;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file that at most one living holder has, in all processes. The hold is a lock of the kernel,
 * which drops it when the process dies, however it dies. See {@link OpenFile} for what else drops
 * it.
 *
 * <p>Others may map the file for reading.
 */
public final class HeldFile implements Closeable {
  private static final int TRIES = 100;
  private static final int HOLD = 0; // the entry that is locked

  private final Path path;
  private final OpenFile file;
  private boolean isHeld;
  private boolean isClosed;

  private HeldFile(Path path, OpenFile file) {
    this.path = path;
    this.file = file;
  }

  // ---- opening ----

  /**
   * Holds a file, and makes an empty one if it does not exist. Returns null if a living holder has
   * it. Interrupts do not end the call.
   */
  public static HeldFile tryHold(Path path) throws IOException {
    return Uninterrupted.run(
        () -> {
          for (int tries = 0; tries < TRIES; tries++) {
            try {
              HeldFile opened = open(path, true);
              if (opened.tryLock()) {
                return opened.isHeld ? opened : null;
              }
            } catch (NoSuchFileException e) {
              make(path);
            }
          }
          throw new IOException(
              Checks.shownPath(path) + ": removed again and again, or the name leads to no file");
        });
  }

  /** Opens a file for reading, whether or not it is held. */
  public static HeldFile observe(Path path) throws IOException {
    return Uninterrupted.run(() -> open(path, false));
  }

  private static HeldFile open(Path path, boolean writes) throws IOException {
    Path absolute = path.toAbsolutePath();
    return new HeldFile(absolute, OpenFile.open(absolute, writes, OpenFile.LOCKS));
  }

  private static void make(Path path) throws IOException {
    try {
      Files.createFile(path);
    } catch (FileAlreadyExistsException e) {
      // another process was faster
    }
  }

  /**
   * Locks the file. Unless that succeeds, closes it. Returns false if the name leads elsewhere by
   * now.
   */
  private boolean tryLock() throws IOException {
    boolean isInPlace = true;
    try {
      isHeld = file.tryLock(HOLD);
      isInPlace = !isHeld || file.isAt(path);
      return isInPlace;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      if (!isHeld || !isInPlace) {
        close();
      }
    }
  }

  // ---- contents ----

  /**
   * Writes the first contents of an empty file, and waits until they are on the disk. Returns false
   * if the file is not empty.
   */
  public boolean fill(byte[] contents) throws IOException {
    return Uninterrupted.run(() -> file.fill(contents));
  }

  /** Maps all of the file; for writing too if it is held. */
  public MemorySegment map(Arena arena) throws IOException {
    return Uninterrupted.run(() -> file.map(isHeld, arena));
  }

  /** Removes the file, which must be held and not mapped. It stays held until it is closed. */
  public void delete() throws IOException {
    Files.delete(path);
  }

  /** Lets go of the file. May be called repeatedly. */
  @Override
  public synchronized void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      if (isHeld) {
        isHeld = false;
        file.unlock(HOLD);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      file.close();
    }
  }
}

package dev.millrace.queues.log;

import dev.millrace.queues.internal.shared.HeldFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The lock that reserves a directory for one writing log, in this process and in others. */
final class DirectoryLock implements Closeable {
  private static final String LOCK = "lock";

  /**
   * The directories to which this process writes, by keys that identify them under any name. The
   * file alone would not do: once it is deleted, another one can be locked.
   */
  private static final Set<Object> WRITTEN = ConcurrentHashMap.newKeySet();

  private final Path directory;
  private final @Nullable Object identity; // null if the file system has no file keys
  private final Object key;
  private final HeldFile held;

  private DirectoryLock(Path directory, Object key, HeldFile held) throws IOException {
    this.directory = directory;
    this.key = key;
    this.held = held;
    this.identity = identity(directory);
  }

  /** Locks {@code directory}. */
  static DirectoryLock take(Path directory) throws IOException {
    Object key = Objects.requireNonNullElse(identity(directory), directory.toRealPath());
    if (!WRITTEN.add(key)) {
      throw alreadyLocked(directory);
    }
    HeldFile held = null;
    boolean isTaken = false;
    try {
      held = HeldFile.tryHold(directory.resolve(LOCK));
      if (held == null) {
        throw alreadyLocked(directory);
      }
      DirectoryLock lock = new DirectoryLock(directory, key, held);
      isTaken = true;
      return lock;
    } finally {
      if (!isTaken) {
        if (held != null) {
          held.close();
        }
        WRITTEN.remove(key); // after closing the file, which drops its lock
      }
    }
  }

  /**
   * Returns a key that identifies {@code file} under any name, or null if there is no such file or
   * the file system has no file keys.
   */
  private static @Nullable Object identity(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /**
   * Returns whether the directory's path still leads to the directory that was locked, or to
   * nothing.
   */
  boolean isInPlace() throws IOException {
    Object found = identity == null ? null : identity(directory);
    return found == null || found.equals(identity);
  }

  /** Releases the lock. */
  @Override
  public void close() throws IOException {
    held.close();
    WRITTEN.remove(key);
  }

  private static IOException alreadyLocked(Path directory) {
    return new IOException("log is already open for writing: directory=" + directory);
  }
}

package dev.millrace.queues.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The lock that keeps a directory for one log that writes it, in this process and in others. */
final class DirectoryLock implements Closeable {
  private static final String LOCK = "lock";

  /**
   * The directories that this process writes, by what identifies them under any name. A lock of the
   * file system is the process's: closing any channel on the file, as of a second attempt, may give
   * it up.
   */
  private static final Set<Object> WRITTEN = ConcurrentHashMap.newKeySet();

  /**
   * Channels on lock files that this process has locked, but another class loader's log. They stay
   * open, and serve the next attempt.
   */
  private static final Map<Object, FileChannel> LEFT_OPEN = new ConcurrentHashMap<>();

  private final Path directory;
  private final Object identity; // null if the system knows no such
  private final Object key;
  private final FileChannel locked;

  private DirectoryLock(Path directory, Object key, FileChannel locked) throws IOException {
    this.directory = directory;
    this.key = key;
    this.locked = locked;
    this.identity = identity(directory);
  }

  /** Takes the lock of a directory. */
  static DirectoryLock take(Path directory) throws IOException {
    Object key = Objects.requireNonNullElse(identity(directory), directory.toRealPath());
    if (!WRITTEN.add(key)) {
      throw alreadyLocked(directory);
    }
    try {
      return new DirectoryLock(directory, key, lockFile(directory));
    } catch (IOException | RuntimeException e) {
      WRITTEN.remove(key); // after the channel is closed, which gives up all locks of the process
      throw e;
    }
  }

  private static FileChannel lockFile(Path directory) throws IOException {
    Path file = directory.resolve(LOCK);
    Object key = identity(file);
    if (key != null) {
      DiskFiles.checkRegular(file);
    }
    FileChannel channel = key == null ? null : LEFT_OPEN.remove(key);
    if (channel == null) {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      leaveOpen(key == null ? identity(file) : key, channel);
      throw alreadyLocked(directory);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw DiskFiles.named(file, e);
    }
    if (lock == null) {
      channel.close();
      throw alreadyLocked(directory);
    }
    return channel;
  }

  private static void leaveOpen(Object key, FileChannel channel) throws IOException {
    if (key == null || LEFT_OPEN.putIfAbsent(key, channel) != null) {
      channel.close(); // on a system whose locks are the channel's
    }
  }

  /** What identifies a file under any name; null if there is none, or the system knows no such. */
  private static Object identity(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Whether the directory's path still leads to what was locked, or to nothing. */
  boolean isInPlace() throws IOException {
    Object found = identity == null ? null : identity(directory);
    return found == null || found.equals(identity);
  }

  /** Gives the lock up. */
  @Override
  public void close() throws IOException {
    locked.close();
    WRITTEN.remove(key);
  }

  private static IOException alreadyLocked(Path directory) {
    return new IOException("log is already open for writing: directory=" + directory);
  }
}

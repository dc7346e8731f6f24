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

/** The lock that reserves a directory for one writing log, in this process and in others. */
final class DirectoryLock implements Closeable {
  private static final String LOCK = "lock";

  /**
   * The directories to which this process writes, by keys that identify them under any name. They
   * are needed because a file lock belongs to the whole process: closing any channel on the file,
   * such as that of a second attempt, may release it.
   */
  private static final Set<Object> WRITTEN = ConcurrentHashMap.newKeySet();

  /**
   * Channels on lock files that this process has already locked, for a log of a different class
   * loader. They stay open and are reused by the next attempt.
   */
  private static final Map<Object, FileChannel> LEFT_OPEN = new ConcurrentHashMap<>();

  private final Path directory;
  private final Object identity; // null if the file system has no file keys
  private final Object key;
  private final FileChannel locked;

  private DirectoryLock(Path directory, Object key, FileChannel locked) throws IOException {
    this.directory = directory;
    this.key = key;
    this.locked = locked;
    this.identity = identity(directory);
  }

  /** Locks {@code directory}. */
  static DirectoryLock take(Path directory) throws IOException {
    Object key = Objects.requireNonNullElse(identity(directory), directory.toRealPath());
    if (!WRITTEN.add(key)) {
      throw alreadyLocked(directory);
    }
    try {
      return new DirectoryLock(directory, key, lockFile(directory));
    } catch (IOException | RuntimeException e) {
      WRITTEN.remove(key); // after closing the channel, which drops all locks
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
      channel.close(); // locks belong to the channel here
    }
  }

  /**
   * Returns a key that identifies {@code file} under any name, or null if there is no such file or
   * the file system has no file keys.
   */
  private static Object identity(Path file) throws IOException {
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
    locked.close();
    WRITTEN.remove(key);
  }

  private static IOException alreadyLocked(Path directory) {
    return new IOException("log is already open for writing: directory=" + directory);
  }
}

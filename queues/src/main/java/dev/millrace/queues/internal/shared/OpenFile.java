package dev.millrace.queues.internal.shared;

import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * A file that this JVM has open, once for all who use it, and the locks of this JVM on it.
 *
 * <p>POSIX drops all locks that a process has on a file when the process closes <i>any</i>
 * descriptor of the file. The channels of a file therefore stay open until its last user is done,
 * and while another class loader's users have locks on it. They are found by what identifies the
 * file under any name. A JVM cannot ask the kernel for locks of its own, so the locks are noted
 * here.
 */
final class OpenFile {
  /** How locks are asked for; another one in tests. */
  interface LockCalls {
    /** Takes a lock of one byte; returns null if another process has it. */
    FileLock tryLock(FileChannel channel, long at, boolean isShared) throws IOException;
  }

  static final LockCalls LOCKS = (channel, at, isShared) -> channel.tryLock(at, 1, isShared);

  private static final Map<Object, OpenFile> OPEN = new HashMap<>(); // guarded by itself

  private final Object key;
  private final Path path;
  private final LockCalls calls;
  private final List<FileChannel> channels = new ArrayList<>();
  private FileChannel reading; // null if there is none
  private FileChannel writing; // the same
  private int users;

  // guarded by this
  private final Map<Integer, FileLock> held = new HashMap<>(); // by entry
  private FileLock presence; // null while no user writes, or a class loader elsewhere has it
  private int writers;
  private int entries;

  private OpenFile(Object key, Path path, LockCalls calls) {
    this.key = key;
    this.path = path;
    this.calls = calls;
  }

  // ---- opening ----

  /**
   * Opens a file, or shares the one that is open. The caller is to {@link #close} it.
   *
   * @param calls takes the locks, if this is the first to open it
   */
  static OpenFile open(Path path, boolean writes, LockCalls calls) throws IOException {
    synchronized (OPEN) {
      Object key = keyOfRegular(path);
      OpenFile file = OPEN.computeIfAbsent(key, _ -> new OpenFile(key, path, calls));
      file.users++;
      try {
        file.openChannel(path, writes);
        return file;
      } catch (IOException | RuntimeException e) {
        file.close();
        throw e;
      }
    }
  }

  /** What is run while no thread of this JVM opens a file. */
  interface Action {
    void run() throws IOException;
  }

  static void whileNoneOpens(Action action) throws IOException {
    synchronized (OPEN) {
      action.run();
    }
  }

  private void openChannel(Path from, boolean writes) throws IOException {
    if ((writes ? writing : reading) != null) {
      return;
    }
    FileChannel channel;
    try {
      channel =
          writes
              ? FileChannel.open(from, StandardOpenOption.READ, StandardOpenOption.WRITE)
              : FileChannel.open(from, StandardOpenOption.READ);
    } catch (AccessDeniedException e) {
      throw denied(from, writes, e);
    }
    if (!key.equals(keyOfRegular(from))) {
      keepOpen(channel, from);
      throw new IOException(Checks.shownPath(from) + ": replaced while it was opened");
    }
    channels.add(channel);
    if (writes) {
      writing = channel;
    } else {
      reading = channel;
    }
  }

  /** Closes a channel on a file that is not the one that was looked for, unless that is open. */
  private static void keepOpen(FileChannel channel, Path path) throws IOException {
    OpenFile other = OPEN.get(keyOfRegular(path));
    if (other == null) {
      channel.close();
    } else {
      other.channels.add(channel); // to close it would drop the locks there
    }
  }

  private static IOException denied(Path file, boolean writes, AccessDeniedException cause) {
    AccessDeniedException denied =
        new AccessDeniedException(
            Checks.shownPath(file),
            null,
            "not %s for user %s"
                .formatted(
                    writes ? "readable and writable" : "readable",
                    System.getProperty("user.name")));
    denied.initCause(cause);
    return denied;
  }

  /** What identifies a regular file under any name. To open a pipe would wait for ever. */
  private static Object keyOfRegular(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw new IOException(Checks.shownPath(path) + ": not a regular file");
    }
    Object key = attributes.fileKey();
    return key == null ? path.toRealPath() : key;
  }

  /** Whether a path leads to this file. */
  boolean isAt(Path there) throws IOException {
    try {
      return keyOfRegular(there).equals(key);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /** Maps all of the file. */
  MemorySegment map(boolean writes, Arena arena) throws IOException {
    FileChannel channel = writes ? writing : reading;
    return channel.map(writes ? MapMode.READ_WRITE : MapMode.READ_ONLY, 0, channel.size(), arena);
  }

  /**
   * Writes the first contents of an empty file, and waits until they are on the disk. Returns false
   * if the file is not empty.
   */
  boolean fill(byte[] contents) throws IOException {
    if (writing.size() > 0) {
      return false;
    }
    ByteBuffer left = ByteBuffer.wrap(contents);
    while (left.hasRemaining()) {
      int _ = writing.write(left, left.position());
    }
    writing.force(true);
    return true;
  }

  /** Closes it for one user, and its channels behind the last one. */
  void close() throws IOException {
    synchronized (OPEN) {
      users--;
      if (users == 0 && !isLockedElsewhere()) {
        closeChannels();
      }
    }
  }

  private void closeChannels() throws IOException {
    OPEN.remove(key);
    for (FileChannel channel : channels) {
      channel.close();
    }
  }

  // ---- presence ----

  /**
   * Notes that a user writes, so that no other process removes the file. Returns false if one is
   * just removing it.
   *
   * @param entryCount how many entries' locks there are
   */
  synchronized boolean arrive(int entryCount) throws IOException {
    if (writers == 0) {
      try {
        presence = calls.tryLock(writing, FileLayout.PRESENCE_LOCK, true);
        if (presence == null) {
          return false;
        }
      } catch (OverlappingFileLockException e) {
        presence = null; // a user that another class loader has loaded is present
      } catch (IOException e) {
        throw cannotLock(e);
      }
    }
    entries = Math.max(entries, entryCount);
    writers++;
    return true;
  }

  /** The opposite of {@link #arrive}. */
  synchronized void depart() throws IOException {
    writers--;
    if (writers == 0 && presence != null) {
      presence.release();
      presence = null;
    }
  }

  /**
   * Departs and closes it, for one user that writes. If no process is left that writes, also
   * removes the file, if it may. Returns whether it did.
   *
   * <p>Of several processes that leave at once, one removes the file, because each asks for the
   * exclusive lock after it has released every other. The last one to ask gets it, unless another
   * one has it just then.
   *
   * @param mayRemove asked while no other process is present, and none can arrive
   */
  boolean leave(Path name, BooleanSupplier mayRemove) throws IOException {
    synchronized (OPEN) {
      users--;
      depart();
      boolean isElsewhere = users == 0 && isLockedElsewhere();
      try {
        return !isElsewhere && tryRemove(name, mayRemove);
      } finally {
        if (users == 0 && !isElsewhere) {
          closeChannels();
        }
      }
    }
  }

  private synchronized boolean tryRemove(Path name, BooleanSupplier mayRemove) throws IOException {
    if (writers > 0) {
      return false;
    }
    try (FileLock last = calls.tryLock(writing, FileLayout.PRESENCE_LOCK, false)) {
      boolean isRemoved = last != null && mayRemove.getAsBoolean() && isAt(name);
      if (isRemoved) {
        Files.delete(name);
      }
      return isRemoved;
    } catch (OverlappingFileLockException e) {
      return false; // a user that another class loader has loaded is left
    }
  }

  // ---- locks of entries ----

  /** Takes the lock of an entry; returns false if it is held. */
  synchronized boolean tryLock(int entry) {
    if (held.containsKey(entry)) {
      return false;
    }
    entries = Math.max(entries, entry + 1);
    try {
      FileLock lock = calls.tryLock(writing, FileLayout.ENTRY_LOCKS + entry, false);
      if (lock != null) {
        held.put(entry, lock);
      }
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // of this JVM, but another class loader
    } catch (IOException e) {
      throw new UncheckedIOException(cannotLock(e));
    }
  }

  synchronized void unlock(int entry) {
    try {
      held.remove(entry).release();
    } catch (IOException e) {
      throw new UncheckedIOException(cannotLock(e));
    }
  }

  /**
   * Whether the lock of an entry is held. Where the system refuses to say, it counts as held: a
   * wrong verdict would be worse than a late one.
   */
  synchronized boolean isLocked(int entry) {
    if (held.containsKey(entry)) {
      return true;
    }
    FileChannel channel = writing == null ? reading : writing; // to observe, reading suffices
    // shared, so that two that ask at once do not take each other for a holder
    try (FileLock lock = calls.tryLock(channel, FileLayout.ENTRY_LOCKS + entry, true)) {
      return lock == null;
    } catch (OverlappingFileLockException | IOException e) {
      return true;
    }
  }

  /** Whether users of this JVM that another class loader has loaded have locks. */
  private synchronized boolean isLockedElsewhere() {
    long locks = writing == null ? 0 : entries + 1;
    for (long at = 0; at < locks; at++) {
      if (overlaps(FileLayout.PRESENCE_LOCK + at)) {
        return true;
      }
    }
    return false;
  }

  private boolean overlaps(long at) {
    try (FileLock _ = calls.tryLock(writing, at, true)) {
      return false;
    } catch (OverlappingFileLockException e) {
      return true;
    } catch (IOException e) {
      return false; // no process has a lock that is refused
    }
  }

  private IOException cannotLock(IOException e) {
    return lockRefused(path, e);
  }

  static IOException lockRefused(Path path, IOException e) {
    return new IOException(
        Checks.shownPath(path) + ": the file system refuses a lock: " + e.getMessage(), e);
  }
}

package dev.millrace.queues.internal.shared;

import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Makes a file: complete under a temporary name, then under its own, so that no process ever finds
 * a part of it. Its space is allocated by writing zeros, so that a full disk is an error here and
 * not a signal when a ring is used.
 */
final class FileCreation {
  private static final int CHUNK_BYTES = 1 << 16;
  private static final String ENDING = ".new";
  private static final int TRIES = 10;

  /** What this JVM makes: to close another channel on it would drop its lock. */
  private static final Set<Path> IN_WORK = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileHeader header;
  private final Set<PosixFilePermission> permissions;
  private final Consumer<MemorySegment> initializer;
  private final OpenFile.LockCalls calls;

  private FileCreation(
      Path file,
      FileHeader header,
      Set<PosixFilePermission> permissions,
      Consumer<MemorySegment> initializer,
      OpenFile.LockCalls calls) {
    this.file = file;
    this.header = header;
    this.permissions = permissions;
    this.initializer = initializer;
    this.calls = calls;
  }

  /**
   * Makes a file; of several that make one at once, one does.
   *
   * @param initializer writes what is not zero in the memory of the ring
   * @param calls takes the lock that the file has while it is made
   * @throws FileAlreadyExistsException if there is a file of this name
   */
  static void create(
      Path file,
      RingSpec spec,
      FileOptions options,
      Consumer<MemorySegment> initializer,
      OpenFile.LockCalls calls)
      throws IOException {
    FileHeader header = FileHeader.now(spec, options);
    FileCreation creation =
        new FileCreation(file, header, options.permissions(), initializer, calls);
    creation.create();
  }

  private void create() throws IOException {
    for (int tries = 1; true; tries++) {
      if (Files.exists(file)) {
        throw exists();
      }
      removeLeftovers();
      String random = Long.toHexString(ThreadLocalRandom.current().nextLong());
      Path temporary = folder().resolve(prefix() + random + ENDING);
      IN_WORK.add(temporary);
      try {
        write(temporary);
        return;
      } catch (NoSuchFileException e) {
        // another creator took it for a leftover, before it was locked
        if (tries == TRIES || Files.notExists(folder())) {
          throw e;
        }
      } finally {
        Files.deleteIfExists(temporary);
        IN_WORK.remove(temporary);
      }
    }
  }

  private Path folder() {
    return file.toAbsolutePath().getParent();
  }

  private String prefix() {
    return "." + file.getFileName() + ".";
  }

  private FileAlreadyExistsException exists() {
    return new FileAlreadyExistsException(Checks.shownPath(file), null, "file exists already");
  }

  /** Writes all of the file, locked while that lasts, and gives it its name. */
  private void write(Path temporary) throws IOException {
    boolean isPosix = Files.getFileStore(folder()).supportsFileAttributeView("posix");
    FileAttribute<?>[] attributes =
        isPosix
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
            : new FileAttribute<?>[0];
    Set<StandardOpenOption> options =
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    FileChannel channel = FileChannel.open(temporary, options, attributes);
    try {
      if (isPosix) {
        Files.setPosixFilePermissions(temporary, permissions); // whatever the umask takes away
      }
      FileLock _ = tryLock(channel); // until the channel is closed
      allocate(channel);
      fill(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    OpenFile.whileNoneOpens(
        () -> {
          try (channel) { // closed before this JVM has locks on the file, which that would drop
            link(temporary);
          }
        });
  }

  private void fill(FileChannel channel) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = channel.map(MapMode.READ_WRITE, 0, header.fileBytes(), arena);
      initializer.accept(header.ring(memory));
      header.write(memory);
      Magic.write(memory);
    }
  }

  private FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return calls.tryLock(channel, FileLayout.PRESENCE_LOCK, false);
    } catch (IOException e) {
      throw OpenFile.lockRefused(file, e);
    }
  }

  private void allocate(FileChannel channel) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES);
    try {
      for (long left = header.fileBytes(); left > 0; left -= channel.write(zeros)) {
        zeros.clear().limit((int) Math.min(CHUNK_BYTES, left));
      }
    } catch (IOException e) {
      throw new IOException(
          "%s: cannot be made: bytes=%d, %s"
              .formatted(Checks.shownPath(file), header.fileBytes(), e.getMessage()),
          e);
    }
  }

  /** Gives the file its name, unless another one has it. */
  private void link(Path temporary) throws IOException {
    try {
      Files.createLink(file, temporary);
    } catch (FileAlreadyExistsException e) {
      throw exists();
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException e) {
      try {
        Files.move(temporary, file); // where there are no links; not atomic against another creator
      } catch (FileAlreadyExistsException alsoFailed) {
        throw exists();
      }
    }
  }

  /** Removes what creators have left that were killed. */
  private void removeLeftovers() throws IOException {
    try (DirectoryStream<Path> names =
        Files.newDirectoryStream(
            folder(),
            path -> {
              String name = path.getFileName().toString();
              return name.startsWith(prefix()) && name.endsWith(ENDING);
            })) {
      for (Path leftover : names) {
        if (!IN_WORK.contains(leftover)) {
          removeUnlocked(leftover);
        }
      }
    }
  }

  private static void removeUnlocked(Path leftover) throws IOException {
    try (FileChannel channel = FileChannel.open(leftover, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock(FileLayout.PRESENCE_LOCK, 1, false)) {
      if (lock != null) {
        Files.deleteIfExists(leftover);
      }
    } catch (OverlappingFileLockException | FileSystemException e) {
      // another thread makes it, or it is gone or another user's
    }
  }
}

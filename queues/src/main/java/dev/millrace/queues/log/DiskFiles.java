package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.shared.HeldFile;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directory of a log in a file system. */
final class DiskFiles implements LogFiles {
  /**
   * The number of zeros written at once. Linux caches the bytes of one write as one unit, and a
   * store through a mapping makes its whole unit dirty. After writes of 256 KiB, forcing one
   * message would therefore write 256 KiB.
   */
  private static final int CHUNK_BYTES = 1 << 14;

  private static final int PAGE_BYTES = 4096; // the smallest page size

  private static final VarHandle BYTE = JAVA_BYTE.varHandle().withInvokeExactBehavior();

  private static final boolean IS_POSIX = File.separatorChar == '/';

  private final Path directory;
  private @Nullable DirectoryLock lock; // null until the directory is locked

  private DiskFiles(Path directory) {
    this.directory = directory;
  }

  /** Returns the files in {@code directory}, which is created if it does not exist. */
  static DiskFiles make(Path directory) throws IOException {
    checkFileSystem(directory);
    List<Path> parents = new ArrayList<>(); // of the directories created
    Path made = directory.toAbsolutePath();
    for (; made != null && Files.notExists(made); made = made.getParent()) {
      parents.add(made.getParent());
    }
    Files.createDirectories(directory);
    for (Path parent : parents) {
      force(parent); // the parent has the name: otherwise a crash could lose the log
    }
    return of(directory);
  }

  /** Returns the files in {@code directory}, which must exist. */
  static DiskFiles of(Path directory) throws IOException {
    checkFileSystem(directory);
    if (!Files.isDirectory(directory)) {
      throw new NotDirectoryException(directory.toString());
    }
    return new DiskFiles(directory);
  }

  private static void checkFileSystem(Path directory) {
    if (!directory.getFileSystem().equals(FileSystems.getDefault())) {
      throw new IllegalArgumentException(
          "a log needs a directory of the default file system: " + directory.toUri());
    }
  }

  /** Adds the path to a failure that does not name it. */
  static IOException named(Path file, Exception e) {
    return e instanceof FileSystemException named
        ? named
        : new IOException(file + ": " + e.getMessage(), e);
  }

  @Override
  public Path directory() {
    return directory;
  }

  @Override
  public List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Override
  public Mapped create(String name, long bytes) throws IOException {
    Path file = path(name);
    try {
      return uninterrupted(() -> createOnce(file, bytes));
    } catch (IOException e) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw new IOException(
          "%s: cannot be made: bytes=%d, %s".formatted(file, bytes, e.getMessage()), e);
    }
  }

  private static Mapped createOnce(Path file, long bytes) throws IOException {
    Files.deleteIfExists(file);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES);
      for (long left = bytes; left > 0; left -= channel.write(zeros)) {
        zeros.clear().limit((int) Math.min(CHUNK_BYTES, left));
      }
      channel.force(true);
      return mapped(channel, bytes, MapMode.READ_WRITE);
    }
  }

  @Override
  public Mapped map(String name, boolean isWritten) throws IOException {
    StandardOpenOption[] options =
        isWritten
            ? new StandardOpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE}
            : new StandardOpenOption[] {StandardOpenOption.READ};
    MapMode mode = isWritten ? MapMode.READ_WRITE : MapMode.READ_ONLY;
    Path file = path(name);
    checkRegular(file);
    try {
      return uninterrupted(
          () -> {
            try (FileChannel channel = FileChannel.open(file, options)) {
              return mapped(channel, Math.min(channel.size(), LogOptions.MOST_BYTES), mode);
            }
          });
    } catch (IOException | RuntimeException e) {
      throw named(file, e);
    }
  }

  /** Rejects files that cannot be mapped. Opening a pipe would block forever. */
  static void checkRegular(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
      throw new IOException(file + ": not a regular file");
    }
  }

  private static Mapped mapped(FileChannel channel, long bytes, MapMode mode) throws IOException {
    Arena arena = Arena.ofShared(); // producers and readers may change threads
    try {
      return new MappedFile(channel.map(mode, 0, bytes, arena), arena, () -> {});
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /** A mapped file. {@code file} is closed once it is unmapped. */
  private record MappedFile(MemorySegment memory, Arena arena, Closeable file) implements Mapped {
    @Override
    public void touch(long from, long to) {
      for (long at = from; at < to; at = (at / PAGE_BYTES + 1) * PAGE_BYTES) {
        byte found = memory.get(JAVA_BYTE, at);
        BYTE.setOpaque(memory, at, found); // opaque: keeps the store of the same value
      }
    }

    @Override
    public void force(long from, long to) {
      memory.asSlice(from, to - from).force();
    }

    @Override
    public void close() {
      arena.close();
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(path(from), path(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(path(name));
  }

  @Override
  public void force() throws IOException {
    force(directory);
  }

  private static void force(Path directory) throws IOException {
    if (IS_POSIX) { // other systems cannot open a directory
      DiskFiles.<@Nullable Void>uninterrupted(
          () -> {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
              channel.force(true);
            }
            return null;
          });
    }
  }

  @Override
  public Closeable lock() throws IOException {
    lock = DirectoryLock.take(directory);
    return lock;
  }

  @Override
  public @Nullable Mapped hold(String name, byte[] contents) throws IOException {
    HeldFile held = HeldFile.tryHold(path(name));
    if (held == null) {
      return null;
    }
    try {
      if (held.fill(contents)) {
        force();
      }
    } catch (IOException | RuntimeException e) {
      held.close();
      throw named(path(name), e);
    }
    return mapped(name, held);
  }

  private Mapped mapped(String name, HeldFile file) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new MappedFile(file.map(arena), arena, file);
    } catch (IOException | RuntimeException e) {
      arena.close();
      file.close();
      throw named(path(name), e);
    }
  }

  @Override
  public Mapped observe(String name) throws IOException {
    return mapped(name, HeldFile.observe(path(name)));
  }

  @Override
  public boolean deleteUnheld(String name) throws IOException {
    checkRegular(path(name)); // to hold it would make it
    try (HeldFile held = HeldFile.tryHold(path(name))) {
      if (held != null) {
        held.delete();
      }
      return held != null;
    }
  }

  @Override
  public boolean canReplaceMapped() {
    return IS_POSIX;
  }

  @Override
  public boolean isInPlace() throws IOException {
    return lock == null || lock.isInPlace();
  }

  private interface Operation<T extends @Nullable Object> {
    T run() throws IOException;
  }

  /**
   * Runs an operation on a channel of its own until it completes, and preserves the thread's
   * interrupt status. An interrupt closes the channel but says nothing about the disk, so the
   * operation is then run again.
   */
  private static <T extends @Nullable Object> T uninterrupted(Operation<T> operation)
      throws IOException {
    boolean wasInterrupted = false;
    try {
      while (true) {
        try {
          return operation.run();
        } catch (ClosedByInterruptException e) {
          wasInterrupted = true;
          boolean _ = Thread.interrupted();
        }
      }
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

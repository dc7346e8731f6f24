package dev.millrace.queues.internal.shared;

import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A file that several processes map, with the memory of one ring: made, attached to, or observed.
 *
 * <p><b>Roles.</b> Any thread may use it; close it once its participants have left.
 *
 * <p><b>Failure.</b> A file that cannot be used is refused by an {@link IOException} that names the
 * file, and says why. A file is never truncated by this library; where somebody else does, accesses
 * behind its end throw {@link InternalError}. A file that is removed or replaced stays as it is for
 * those who have it open: see {@link #isInPlace}.
 */
public final class SharedFile implements AutoCloseable {
  private static final int TRIES = 100;
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Path path;
  private final OpenFile file;
  private final FileHeader header;
  private final Arena arena;
  private final MemorySegment memory;
  private final EntryLocks locks; // null of an observer
  private boolean isClosed; // guarded by this

  private SharedFile(Path path, OpenFile file, boolean writes, Arena arena, MemorySegment memory)
      throws IOException {
    this.path = path;
    this.file = file;
    this.header = FileHeader.read(Checks.shownPath(path), memory);
    this.arena = arena;
    this.memory = memory;
    this.locks = writes ? new EntryLocks(file) : null;
  }

  // ---- opening ----

  /**
   * Makes a file and attaches to it.
   *
   * @param initializer writes what is not zero at first into the memory of the ring
   * @throws FileAlreadyExistsException if there is a file of this name
   */
  public static SharedFile create(
      Path path, RingSpec spec, FileOptions options, Consumer<MemorySegment> initializer)
      throws IOException {
    return uninterrupted(
        path,
        () -> {
          FileCreation.create(path, spec, options, initializer, OpenFile.LOCKS);
          return attachOnce(path, _ -> spec, OpenFile.LOCKS);
        });
  }

  /**
   * Attaches to a file that there is.
   *
   * @param expected returns what the file must have, given what it has; throws {@link
   *     IllegalArgumentException} if nothing fits
   */
  public static SharedFile attach(Path path, UnaryOperator<RingSpec> expected) throws IOException {
    return attach(path, expected, OpenFile.LOCKS);
  }

  static SharedFile attach(Path path, UnaryOperator<RingSpec> expected, OpenFile.LockCalls calls)
      throws IOException {
    return uninterrupted(path, () -> attachOnce(path, expected, calls));
  }

  /** Attaches to a file, or makes it if there is none: for peers that start in any order. */
  public static SharedFile createOrAttach(
      Path path, RingSpec spec, FileOptions options, Consumer<MemorySegment> initializer)
      throws IOException {
    return uninterrupted(
        path,
        () -> {
          for (int tries = 1; true; tries++) {
            try {
              return attachOnce(path, _ -> spec, OpenFile.LOCKS);
            } catch (NoSuchFileException e) {
              if (tries == TRIES) {
                throw e; // made and removed by others, again and again
              }
            }
            try {
              FileCreation.create(path, spec, options, initializer, OpenFile.LOCKS);
            } catch (FileAlreadyExistsException e) {
              // another process was faster
            }
          }
        });
  }

  /**
   * Opens a file for reading: holds no lock, and writes nothing.
   *
   * @param expected as for {@link #attach(Path, UnaryOperator)}
   */
  public static SharedFile observe(Path path, UnaryOperator<RingSpec> expected) throws IOException {
    return uninterrupted(
        path,
        () -> {
          SharedFile opened = open(path, false, OpenFile.LOCKS);
          try {
            opened.check(expected);
            return opened;
          } catch (IOException | RuntimeException e) {
            opened.unmap();
            throw e;
          }
        });
  }

  /** Runs an operation in a thread that is never interrupted. */
  private static SharedFile uninterrupted(Path path, Uninterrupted.Operation<SharedFile> operation)
      throws IOException {
    if (!path.getFileSystem().equals(FileSystems.getDefault())) {
      throw new IllegalArgumentException(
          "processes share files of the default file system alone: " + Checks.shownPath(path));
    }
    return Uninterrupted.run(operation);
  }

  private static SharedFile attachOnce(
      Path path, UnaryOperator<RingSpec> expected, OpenFile.LockCalls calls) throws IOException {
    for (int tries = 0; tries < TRIES; tries++) {
      SharedFile opened = open(path, true, calls);
      boolean isAttached = false;
      try {
        opened.check(expected);
        if (opened.file.arrive(opened.header.participants())) {
          isAttached = opened.isInPlace();
          if (isAttached) {
            return opened;
          }
          opened.file.depart();
        }
      } finally {
        if (!isAttached) {
          opened.unmap();
        }
      }
      LockSupport.parkNanos(REST_NANOS); // it is being removed
    }
    throw new IOException(Checks.shownPath(path) + ": still being removed by another process");
  }

  private static SharedFile open(Path path, boolean writes, OpenFile.LockCalls calls)
      throws IOException {
    Path absolute = path.toAbsolutePath();
    OpenFile file = OpenFile.open(absolute, writes, calls);
    Arena arena = Arena.ofShared();
    try {
      return new SharedFile(absolute, file, writes, arena, file.map(writes, arena));
    } catch (IOException | RuntimeException e) {
      arena.close();
      file.close();
      throw e;
    }
  }

  private void check(UnaryOperator<RingSpec> expected) throws IOException {
    String difference;
    try {
      difference = header.spec().differenceFrom(expected.apply(header.spec()));
    } catch (IllegalArgumentException e) {
      throw new IOException(Checks.shownPath(path) + ": " + e.getMessage(), e);
    }
    if (difference != null) {
      throw new IOException(Checks.shownPath(path) + ": " + difference);
    }
  }

  // ---- what there is ----

  /** What the ring of the file is. */
  public RingSpec spec() {
    return header.spec();
  }

  /** The memory of the ring, words first, aligned to 128 bytes; read-only for an observer. */
  public MemorySegment memory() {
    return header.ring(memory);
  }

  /** Where the data begin in the memory of the ring. */
  public long dataOffset() {
    return header.dataOffset() - header.wordsOffset();
  }

  /** The name of the file, as it was opened. */
  public Path path() {
    return path;
  }

  /** Whether the file's name still leads to it. */
  public boolean isInPlace() throws IOException {
    return file.isAt(path);
  }

  /** How many bytes the file has. */
  public long sizeBytes() {
    return memory.byteSize();
  }

  /** When the file was made. */
  public Instant created() {
    return Instant.ofEpochMilli(header.created());
  }

  /** The id of the process that made the file. */
  public long creator() {
    return header.creator();
  }

  /**
   * Returns the participants, and whether they hold their locks. To find out, this takes a shared
   * lock on the byte of each participant that does not, and releases it at once.
   */
  public List<Presence> presences() {
    Participants participants = participants(locks == null ? new EntryLocks(file) : locks, null);
    return IntStream.range(0, participants.count())
        .mapToObj(participants::presence)
        .filter(Objects::nonNull)
        .toList();
  }

  /** The table of participants. An observer can only look at their {@link #presences}. */
  public Participants participants(Burial burial) {
    if (locks == null) {
      throw new IllegalStateException("an observer takes no part: " + Checks.shownPath(path));
    }
    return participants(locks, burial);
  }

  private Participants participants(Liveness liveness, Burial burial) {
    return new Participants(
        memory.asSlice(FileLayout.HEADER_BYTES, header.participants() * FileLayout.ENTRY_BYTES),
        header.spec().reserved(),
        Processes.self(),
        liveness,
        burial,
        Checks.shownPath(path));
  }

  // ---- the end ----

  /**
   * Unmaps the file. May be repeated. Throws {@link IllegalStateException} if a participant that
   * entered here has not left.
   */
  @Override
  public void close() throws IOException {
    boolean _ = close(false);
  }

  /**
   * Unmaps the file. If {@code removes}, also removes it, unless a process is left that has it open
   * for writing. Returns whether it removed the file. Throws as {@link #close()} does.
   */
  public synchronized boolean close(boolean removes) throws IOException {
    if (isClosed) {
      return false;
    }
    if (locks == null) {
      isClosed = true;
      unmap();
      return false;
    }
    if (locks.heldCount() > 0) {
      throw new IllegalStateException(
          "participants must leave before their file is closed: %d are left, %s"
              .formatted(locks.heldCount(), Checks.shownPath(path)));
    }
    isClosed = true;
    Participants participants = participants(locks, null);
    try {
      return Uninterrupted.run(
          () -> file.leave(path, () -> removes && !participants.isAnyRunning()));
    } finally {
      arena.close();
    }
  }

  private void unmap() throws IOException {
    arena.close();
    file.close();
  }

  /** Returns the file's name, the kind of its ring and the settings. */
  @Override
  public String toString() {
    return "SharedFile[%s, %s%s]"
        .formatted(Checks.shownPath(path), header.spec().kind(), header.spec().settings());
  }
}

package dev.millrace.queues.internal;

import dev.millrace.queues.log.MessageLog;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * The directory of a {@link MessageLog}: all that a log asks of a file system. A log has the real
 * one; tests have others, which crash or are full.
 */
public interface LogFiles {
  /** A file in memory, until it is closed. */
  interface Mapped extends AutoCloseable {
    MemorySegment memory();

    /**
     * Makes the pages of some bytes dirty without changing them, so that the next force writes them
     * and the system keeps them until then. After a force that failed, pages may be clean that are
     * not on the disk: another force of them does nothing, and they may be dropped from memory. No
     * other thread may write these bytes during the call.
     */
    void touch(long from, long to);

    /** Waits until bytes are on the disk; throws {@link java.io.UncheckedIOException}. */
    void force(long from, long to);

    @Override
    void close();
  }

  /** The directory, for messages. */
  Path directory();

  /** The names of all files. */
  List<String> names() throws IOException;

  /**
   * Makes a file of zeros that has all its space, replacing a former one. Its bytes are on the
   * disk; its name need not be.
   */
  Mapped create(String name, long bytes) throws IOException;

  /**
   * Maps a file at its full length, but at most that of the longest one that a log makes. Throws
   * {@link java.nio.file.NoSuchFileException} if there is none, and an {@link IOException} that
   * names the file if it is no regular file, or cannot be mapped.
   */
  Mapped map(String name, boolean isWritten) throws IOException;

  void rename(String from, String to) throws IOException;

  /** Deletes a file, if there is one. */
  void delete(String name) throws IOException;

  /** Waits until the names of all files are on the disk. */
  void force() throws IOException;

  /** Makes sure that there is one writer, until what is returned is closed. */
  Closeable lock() throws IOException;

  /** Whether a name can be given to another file while the one that has it is mapped. */
  default boolean canReplaceMapped() {
    return true;
  }

  /** Whether the directory's path still leads to what was locked, or to nothing. */
  default boolean isInPlace() throws IOException {
    return true;
  }

  default Path path(String name) {
    return directory().resolve(name);
  }
}

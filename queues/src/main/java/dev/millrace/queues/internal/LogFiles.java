package dev.millrace.queues.internal;

import dev.millrace.queues.log.MessageLog;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * The directory of a {@link MessageLog}, with everything that a log needs from a file system. A log
 * normally uses the real file system. Tests use others, which crash or are full.
 */
public interface LogFiles {
  /** A file that is mapped into memory until it is closed. */
  interface Mapped extends AutoCloseable {
    MemorySegment memory();

    /**
     * Makes the pages of the bytes from {@code from} to {@code to} dirty without changing the
     * bytes. The next force then writes these pages, and the system keeps them in memory up to that
     * force. This matters after a failed force, which may leave pages clean that are not on the
     * disk. Another force would not write such pages, and the system may drop them from memory. No
     * other thread may write these bytes during the call.
     */
    void touch(long from, long to);

    /**
     * Waits until the bytes from {@code from} to {@code to} are on the disk. Throws {@link
     * java.io.UncheckedIOException} if they cannot be written.
     */
    void force(long from, long to);

    @Override
    void close();
  }

  /** Returns the directory, for messages. */
  Path directory();

  /** Returns the names of all files. */
  List<String> names() throws IOException;

  /**
   * Makes a file of {@code bytes} zeros with all its space allocated, replacing any file of that
   * name. Its bytes are on the disk when this returns. Its name may not be.
   */
  Mapped create(String name, long bytes) throws IOException;

  /**
   * Maps a file at its full length, up to the length of the longest file that a log makes. Throws
   * {@link java.nio.file.NoSuchFileException} if there is no such file, and an {@link IOException}
   * that names the file if it is not a regular file or cannot be mapped.
   */
  Mapped map(String name, boolean isWritten) throws IOException;

  void rename(String from, String to) throws IOException;

  /** Deletes a file if it exists. */
  void delete(String name) throws IOException;

  /** Waits until the names of all files are on the disk. */
  void force() throws IOException;

  /** Makes sure that there is only one writer until the returned object is closed. */
  Closeable lock() throws IOException;

  /**
   * Maps a small file for its only holder, until the result is closed. If there is no such file, or
   * it is empty, makes it with the given contents. They and the name are then on the disk. Returns
   * null if a living holder has the file, in any process.
   */
  default Mapped hold(String name, byte[] contents) throws IOException {
    throw new UnsupportedOperationException("no files to hold: " + directory());
  }

  /**
   * Maps such a file for reading, whether or not it is held. Throws {@link
   * java.nio.file.NoSuchFileException} if there is none.
   */
  default Mapped observe(String name) throws IOException {
    throw new UnsupportedOperationException("no files to hold: " + directory());
  }

  /**
   * Deletes such a file. Returns false if a living holder has it. Throws {@link
   * java.nio.file.NoSuchFileException} if there is none.
   */
  default boolean deleteUnheld(String name) throws IOException {
    throw new UnsupportedOperationException("no files to hold: " + directory());
  }

  /** Returns whether another file can take over the name of a file that is mapped. */
  default boolean canReplaceMapped() {
    return true;
  }

  /**
   * Returns whether the directory's path still leads to the directory that was locked, or to
   * nothing.
   */
  default boolean isInPlace() throws IOException {
    return true;
  }

  default Path path(String name) {
    return directory().resolve(name);
  }
}

package dev.millrace.queues.log;

import dev.millrace.core.internal.Lifecycle;
import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One opening of a log for writing. It has a number, and knows whether it still owns the log and
 * whether it is closed.
 */
final class LogOpening {
  /*
   * A file lock keeps others from writing to the log, but it can be lost without notice. POSIX
   * releases it when the process closes any descriptor of the file, for example after copying the
   * directory. And once the file is removed, a new file can be locked. The lock therefore rejects
   * most second openings, and the remaining ones fence each other. Each opening has a number, which
   * is in the header of the segment to which it appends. The header is memory of the file itself,
   * so both openings share the same word, whatever becomes of names and paths. L is the later
   * opening, E the earlier one:
   *
   *   L  writes its number into the last segment
   *   L  deletes the segments that earlier openings make or begin under names of their own
   *   L  lists the names: if the last segment is a different one, it does all that again
   *   L  scans and seals the segments it finds, and appends to a segment of its own
   *
   *   E  beginning a segment: takes the spare under a name of its own; compares; renames
   *   E  forcing: forces; compares; only then says that the messages are durable
   *
   * Force: if E finds its own number, L has not yet written its number, so L scans after the
   * messages were written. Begin: there are two cases. If E gave the spare its name after L deleted
   * such names, E compares after L wrote its number, and fails. Otherwise E's rename either finds
   * no file, or happens before L lists the names, so that L takes over that segment too. Messages
   * that E has committed but not forced when L scans may be lost, which E learns at its next
   * comparison.
   *
   * L appends to the segment of E only if E has marked it as closed, because E may write to it as
   * long as it lives. Otherwise L seals the segment and continues in the next one. If the segment
   * is small, L continues in a copy under the same name instead, which it begins like any segment.
   * So when L lists the names, the last segment must be the very file to which L wrote its number,
   * not just one of the same name. The copy is forced before it gets the name, because it contains
   * the durable messages. No mark says how many these are, because marks may be lost in a crash. A
   * reader at the end of a sealed last segment opens its name again.
   */
  private final LogFiles files;
  private final Lifecycle lifecycle = new Lifecycle();
  private long number;

  /** The last segment, until this opening has one of its own, or null if there was none. */
  private LogFiles.@Nullable Mapped taken;

  private long written; // the number written to it, or 0 if there is none

  private LogOpening(LogFiles files) {
    this.files = files;
  }

  /**
   * Thrown if another opening has taken the log over, or a different directory now has its name.
   */
  static final class LostException extends IOException {
    @Serial private static final long serialVersionUID = 1;

    LostException(String message) {
      super(message);
    }
  }

  // ---- taking over ----

  /** Takes a log over from an earlier opening, which may still be writing to it. */
  static LogOpening takeOver(LogFiles files) throws IOException {
    LogOpening opening = new LogOpening(files);
    try {
      opening.takeOver();
      return opening;
    } catch (IOException | RuntimeException e) {
      opening.letGo();
      throw e;
    }
  }

  private void takeOver() throws IOException {
    List<String> names = files.names();
    for (String name : SegmentNames.lastAndAside(names)) {
      number = Math.max(number, openingOf(name));
    }
    number++;
    do {
      letGo();
      String last = SegmentNames.last(names);
      if (last != null) {
        taken = files.map(last, true);
        written = SegmentMarks.takeOver(taken.memory(), number);
        number = Math.max(number, written);
      }
      takeSpares();
      names = files.names();
    } while (!hasTaken(SegmentNames.last(names)));
  }

  private long openingOf(String name) throws IOException {
    try (LogFiles.Mapped mapped = files.map(name, false)) {
      return SegmentMarks.opening(mapped.memory());
    }
  }

  /**
   * Returns whether {@code last} is the segment that was taken over. A different file may have its
   * name by now.
   */
  private boolean hasTaken(@Nullable String last) throws IOException {
    return last == null ? taken == null : taken != null && openingOf(last) == written;
  }

  /** Takes a spare segment that is ready, and deletes those that were being made or begun. */
  private void takeSpares() throws IOException {
    for (String name : files.names()) {
      String own = SegmentNames.isMade(name) ? SegmentNames.taken(name) : null;
      if (own != null) {
        try {
          files.rename(name, own);
        } catch (NoSuchFileException e) {
          // the earlier opening has just begun the segment, under a name of its own
        }
      } else if (SegmentNames.isMade(name) && !SegmentNames.isSpare(name)) {
        files.delete(name);
      }
    }
  }

  /** Unmaps the segment that was taken over, once the log has one of its own. */
  void letGo() {
    if (taken != null) {
      taken.close();
      taken = null;
    }
    written = 0;
  }

  // ---- having the log ----

  /** Returns the number of this opening, from 1. */
  long number() {
    return number;
  }

  /**
   * Checks that the log has not been opened for writing again, and that its path still leads to it.
   *
   * @param inLast the number in the log's last segment
   */
  void checkOwn(long inLast) throws IOException {
    long last = inLast;
    if (taken != null) {
      last = written == 0 ? number : SegmentMarks.opening(taken.memory());
    }
    if (last != number) {
      throw new LostException(
          "log was opened for writing again: opening=%d, of this one=%d, directory=%s"
              .formatted(last, number, files.directory()));
    }
    if (!files.isInPlace()) {
      throw new LostException(
          "another directory has the name of this log's: moved or replaced while it was open,"
              + " directory="
              + files.directory());
    }
  }

  // ---- the end ----

  /**
   * Closes this opening. Returns false if it was already closed. Messages committed before are
   * visible to a reader that finds it closed. Completing publishes them; closing alone does not.
   */
  boolean close() {
    lifecycle.complete();
    return lifecycle.close();
  }

  boolean isClosed() {
    return lifecycle.isCompleted();
  }

  /** Throws if the log is closed. */
  void checkOpen() {
    if (isClosed()) {
      throw new IllegalStateException("log is closed: " + this);
    }
  }

  /** Returns the log's name for messages. */
  @Override
  public String toString() {
    return "MessageLog[" + files.directory() + "]";
  }
}

package dev.millrace.queues.log;

import dev.millrace.core.internal.Lifecycle;
import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * One opening of a log for writing: its number, whether it still has the log, and whether it is
 * closed.
 */
final class LogOpening {
  /*
   * The lock of the file system keeps others from writing the log, but it can be lost without
   * notice: POSIX gives it up when the process closes any descriptor of the file, as after a copy
   * of the directory. And once the file is removed, another one can be locked. The lock therefore
   * refuses most second openings, and openings fence each other. Each has a number, which is in the
   * header of the segment that it appends to. That is memory of the file itself, so both openings
   * have the same word, whatever became of names and paths. L is the later one, E the earlier:
   *
   *   L  writes its number into the last segment
   *   L  deletes what earlier openings make, or begin, under names of their own
   *   L  lists the names: if there is another last segment, it does all that again
   *   L  scans and seals what it finds, and appends to a segment of its own
   *
   *   E  beginning a segment: takes the spare under a name of its own; compares; renames
   *   E  forcing: forces; compares; only then says that the messages are durable
   *
   * Force: if E finds its own number, L had not yet written its number, and so it scans after the
   * messages were written. Begin: E's rename finds its file only if E gave it that name after L
   * had deleted such names, and then E compares after L wrote its number; or else E has renamed
   * before L lists the names, and L takes over that segment too. What E has committed and not
   * forced when L scans may be lost, and E learns it at its next comparison.
   *
   * L appends to the segment of E only if E has marked it as closed: E may write there as long
   * as it lives. Otherwise L seals it and goes on in the next one, or, if it is small, in a copy
   * under the same name, which it begins as any segment: so what L lists has to be the file in
   * which it wrote, not only its name. The copy is forced before it has the name, since what was
   * durable is in it, and no mark says how much that is: marks may be lost in a crash.
   * A reader at the end of a sealed segment that is the last opens its name again.
   */
  private final LogFiles files;
  private final Lifecycle lifecycle = new Lifecycle();
  private long number;

  /** The last segment, until this opening has one of its own; null if there was none. */
  private LogFiles.Mapped taken;

  private long written; // the number in that; 0 if it has none

  private LogOpening(LogFiles files) {
    this.files = files;
  }

  /** Another opening has taken the log over, or another directory has its name. */
  static final class LostException extends IOException {
    @Serial private static final long serialVersionUID = 1;

    LostException(String message) {
      super(message);
    }
  }

  // ---- taking over ----

  /** Takes a log over from an earlier opening, which may still write it. */
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

  /** Whether the last segment is the one that was taken over: another may have its name now. */
  private boolean hasTaken(String last) throws IOException {
    return last == null ? taken == null : taken != null && openingOf(last) == written;
  }

  /** Takes a segment that waits to be begun, and deletes what was being made or begun. */
  private void takeSpares() throws IOException {
    for (String name : files.names()) {
      String own = SegmentNames.isMade(name) ? SegmentNames.taken(name) : null;
      if (own != null) {
        try {
          files.rename(name, own);
        } catch (NoSuchFileException e) {
          // the earlier opening has just begun it, under a name of its own
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

  /** Its number, from 1. */
  long number() {
    return number;
  }

  /**
   * Checks that the log has not been opened for writing again, and that its names are its own.
   *
   * @param inLast the opening that has the log's last segment
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
   * Closes it; returns false if it was closed before. What was committed before is visible to a
   * reader that finds it closed: completing publishes that, and closing alone does not.
   */
  boolean close() {
    lifecycle.complete();
    return lifecycle.close();
  }

  boolean isClosed() {
    return lifecycle.isCompleted();
  }

  /** Refuses what needs an open log. */
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

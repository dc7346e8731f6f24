package dev.millrace.queues.internal;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.SharedSecret;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import java.io.IOException;

/** Lets the proofs open logs whose files are not on a disk. */
public interface LogAccess {
  /** Shared by {@link MessageLog}. */
  SharedSecret<LogAccess> SECRET = new SharedSecret<>(MessageLog.class);

  /**
   * Opens a log without threads of its own. The size of a segment comes from {@code files}, not
   * from {@code options}.
   */
  MessageLog open(LogFiles files, LogOptions options) throws IOException;

  /** Does once what the threads of such a log would do. */
  void work(MessageLog log);

  /** Makes segments ahead until the log is closed, as one of these threads would. */
  void makeSegments(MessageLog log);

  /** Makes a reader like that of another process, which knows only the files of the log. */
  LogReader newReader(LogFiles files, WaitStrategy waits);

  /** Makes such a reader with a name. */
  LogReader newReader(LogFiles files, WaitStrategy waits, String name) throws IOException;

  /** Returns where a named reader last released: see {@link MessageLog#releasedBy}. */
  long releasedBy(LogFiles files, String name) throws IOException;

  /**
   * Returns the size in bytes of a segment that holds {@code messages} messages of {@code length}
   * bytes each.
   */
  long segmentBytes(int messages, int length);

  /** Returns the size in bytes of the index of a segment of {@code segmentBytes}. */
  long indexBytes(long segmentBytes);
}

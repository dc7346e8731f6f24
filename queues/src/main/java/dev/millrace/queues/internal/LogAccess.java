package dev.millrace.queues.internal;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.SharedSecret;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import java.io.IOException;

/** Logs whose files are not on a disk; for the proofs. */
public interface LogAccess {
  /** Shared by {@link MessageLog}. */
  SharedSecret<LogAccess> SECRET = new SharedSecret<>(MessageLog.class);

  /**
   * Opens a log without threads of its own. The files, and not the options, decide how large a
   * segment is.
   */
  MessageLog open(LogFiles files, LogOptions options) throws IOException;

  /** Does once what the threads of such a log would do. */
  void work(MessageLog log);

  /** Does what one of these threads would do, until the log is closed: it makes segments ahead. */
  void makeSegments(MessageLog log);

  /** Makes a reader as another process has it, which knows nothing of the log but its files. */
  LogReader newReader(LogFiles files, WaitStrategy waits);

  /** The size in bytes of a segment that holds so many messages, each of {@code length} bytes. */
  long segmentBytes(int messages, int length);

  /** The size in bytes of the index of a segment of {@code segmentBytes}. */
  long indexBytes(long segmentBytes);
}

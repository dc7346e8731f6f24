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
   * Opens a log without threads of its own.
   *
   * @param files its directory
   * @param options of the log; how large a segment is, is the affair of the files
   * @return the log
   * @throws IOException if the files say so
   */
  MessageLog open(LogFiles files, LogOptions options) throws IOException;

  /**
   * Makes a reader as another process has it, which knows nothing of the log but its files.
   *
   * @param files the directory
   * @param waits how the reader waits
   * @return the reader
   */
  LogReader newReader(LogFiles files, WaitStrategy waits);

  /**
   * How large a segment is.
   *
   * @param messages how many fit it
   * @param length of each, in bytes
   * @return bytes
   */
  long segmentBytes(int messages, int length);

  /**
   * How large the index of a segment is.
   *
   * @param segmentBytes how large that is
   * @return bytes
   */
  long indexBytes(long segmentBytes);
}

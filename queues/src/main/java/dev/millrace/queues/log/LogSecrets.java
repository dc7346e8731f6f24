package dev.millrace.queues.log;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.internal.LogAccess;
import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;

/** Gives the proofs access to package-private members of {@link MessageLog} and its parts. */
final class LogSecrets implements LogAccess {
  @Override
  public MessageLog open(LogFiles files, LogOptions options) throws IOException {
    return MessageLog.open(files, options);
  }

  @Override
  public void work(MessageLog log) {
    log.work();
  }

  @Override
  public void makeSegments(MessageLog log) {
    log.makeSegments();
  }

  @Override
  public LogReader newReader(LogFiles files, WaitStrategy waits) {
    return new LogReader(files, waits, null);
  }

  @Override
  public LogReader newReader(LogFiles files, WaitStrategy waits, String name) throws IOException {
    return LogReader.named(files, waits, null, name);
  }

  @Override
  public long releasedBy(LogFiles files, String name) throws IOException {
    return MessageLog.releasedBy(files, name);
  }

  @Override
  public long segmentBytes(int messages, int length) {
    return SegmentHeader.BYTES + messages * LogSegment.room(length) + SegmentHeader.END_BYTES;
  }

  @Override
  public long indexBytes(long segmentBytes) {
    return SegmentIndex.bytes(segmentBytes);
  }
}

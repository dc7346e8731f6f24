package dev.millrace.bench.articles;

import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/** A Chronicle Queue, whose messages are written and read in place, as bytes. */
final class ChronicleLog implements Partition {
  private static final long NONE = -1;

  private final ChronicleQueue queue;
  private final ExcerptAppender appender;
  private final ExcerptTailer tailer;
  private long firstIndex = NONE;
  private long next; // to be read

  ChronicleLog(Path directory) {
    // by default sync() does not wait for the disk
    queue = SingleChronicleQueueBuilder.binary(directory).syncMode(SyncMode.SYNC).build();
    appender = queue.createAppender();
    tailer = queue.createTailer();
  }

  @Override
  public void append(long first, long second) {
    try (DocumentContext context = appender.writingDocument()) {
      context.wire().bytes().writeLong(first).writeLong(second);
    }
    if (firstIndex == NONE) {
      firstIndex = appender.lastIndexAppended();
    }
  }

  @Override
  public void force() {
    appender.sync();
  }

  @Override
  public long read(long number) {
    if (number != next && !tailer.moveToIndex(firstIndex + number)) {
      throw new IllegalStateException( // as where the day ends, and with it the file
          "message must be in the first file: number=" + number);
    }
    next = number + 1;
    try (DocumentContext context = tailer.readingDocument()) {
      Bytes<?> bytes = context.wire().bytes();
      return Partition.fold(bytes.readLong(), bytes.readLong());
    }
  }

  @Override
  public void close() {
    tailer.close();
    appender.close();
    queue.close();
  }
}

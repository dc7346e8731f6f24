package dev.millrace.bench.ipc;

import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;

/** A Chronicle Queue, whose messages are written and read in place, as bytes. */
final class ChronicleChannel extends Channel {
  private final ChronicleQueue queue;
  private final ExcerptAppender appender;
  private final ExcerptTailer tailer;

  ChronicleChannel(Path directory, int bytes, boolean sends) {
    super(bytes);
    this.queue = ChronicleQueue.singleBuilder(directory).build();
    this.appender = sends ? queue.createAppender() : null;
    this.tailer = sends ? null : queue.createTailer();
  }

  @Override
  boolean send(long number) {
    try (DocumentContext context = appender.writingDocument()) {
      Bytes<?> bytes = context.wire().bytes();
      for (int i = 0; i < words; i++) {
        bytes.writeLong(number + i);
      }
    }
    return true;
  }

  @Override
  int receive(int limit) {
    for (int received = 0; received < limit; received++) {
      try (DocumentContext context = tailer.readingDocument()) {
        if (!context.isPresent()) {
          return received;
        }
        Bytes<?> bytes = context.wire().bytes();
        long first = bytes.readLong();
        long sum = first;
        for (int i = 1; i < words; i++) {
          sum += bytes.readLong();
        }
        take(first, sum);
      }
    }
    return limit;
  }

  @Override
  public void close() {
    queue.close();
  }
}

package dev.millrace.bench.articles;

import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.nio.file.Path;

/** Ours, which writes in place, and checks each message that it reads by its checksum. */
final class MillraceLog implements Partition {
  private static final int TYPE = 1;

  private final MessageLog log;
  private final LogProducer producer;
  private final LogReader reader;

  MillraceLog(Path directory, long segmentBytes) throws IOException {
    log = MessageLog.open(directory, LogOptions.ofSegmentBytes(segmentBytes));
    producer = log.newProducer();
    reader = log.newReader();
  }

  @Override
  public void append(long first, long second) {
    producer.claim(TYPE, BYTES).putLong(0, first).putLong(8, second);
    producer.commit();
  }

  @Override
  public void appendRun(long from, int count) {
    for (int done = 0; done < count; ) {
      int claimed = producer.claim(TYPE, BYTES, count - done);
      for (int i = 0; i < claimed; i++, done++) {
        long number = from + done;
        producer.at(i).putLong(0, Partition.first(number)).putLong(8, Partition.second(number));
      }
      producer.commit();
    }
  }

  @Override
  public void force() {
    producer.sync();
  }

  @Override
  public long read(long number) {
    if (reader.number() != number) {
      reader.seek(number);
    }
    Message message = reader.tryPoll();
    long read = Partition.fold(message.getLong(0), message.getLong(8));
    reader.release();
    return read;
  }

  @Override
  public void close() {
    reader.close();
    producer.close();
    log.close();
  }
}

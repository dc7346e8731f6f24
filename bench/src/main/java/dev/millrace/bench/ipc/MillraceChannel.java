package dev.millrace.bench.ipc;

import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;

/** Our queue, in a file or within one process. */
final class MillraceChannel extends Channel {
  private static final int TYPE = 1;

  private final MessageQueue queue;
  private final MessageProducer producer;
  private final MessageConsumer consumer;

  MillraceChannel(MessageQueue queue, int bytes, boolean sends) {
    super(bytes);
    this.queue = queue;
    this.producer = sends ? queue.newProducer() : null;
    this.consumer = sends ? null : queue.newConsumer();
  }

  @Override
  boolean send(long number) {
    Message message = producer.tryClaim(TYPE, words * Long.BYTES);
    if (message == null) {
      return false;
    }
    write(message, number);
    producer.commit();
    return true;
  }

  @Override
  int send(long first, int count) {
    int claimed = producer.tryClaim(TYPE, words * Long.BYTES, count);
    if (claimed > 0) {
      for (int i = 0; i < claimed; i++) {
        write(producer.at(i), first + i);
      }
      producer.commit();
    }
    return claimed;
  }

  private void write(Message message, long first) {
    for (int i = 0; i < words; i++) {
      message.putLong(i * Long.BYTES, first + i);
    }
  }

  @Override
  int receive(int limit) {
    if (limit == 1) {
      Message message = consumer.tryPoll();
      if (message == null) {
        return 0;
      }
      read(message);
      consumer.release();
      return 1;
    }
    int polled = consumer.tryPoll(limit);
    for (int i = 0; i < polled; i++) {
      read(consumer.at(i));
    }
    if (polled > 0) {
      consumer.release();
    }
    return polled;
  }

  private void read(Message message) {
    long sum = 0;
    for (int i = 0; i < words; i++) {
      sum += message.getLong(i * Long.BYTES);
    }
    take(message.getLong(0), sum);
  }

  @Override
  public void close() {
    queue.close();
  }
}

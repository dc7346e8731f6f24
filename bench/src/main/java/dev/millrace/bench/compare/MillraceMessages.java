package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import dev.millrace.core.Handler;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import java.util.function.Function;

/** Our queue of messages, written and read in place. */
record MillraceMessages(MessageQueue queue, Lengths lengths) implements Contender {
  static MillraceMessages of(Work work, Function<QueueOptions, MessageQueue> kind) {
    return new MillraceMessages(
        kind.apply(QueueOptions.ofCapacity(work.capacity())), work.lengths());
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return Ends.of(
        InPlace.class,
        sends ? queue.newProducer() : null,
        receives ? queue.newConsumer() : null,
        lengths);
  }

  @Override
  public void close() {
    queue.close();
  }

  /** Messages claimed and polled; in runs, where they are of one length. */
  static final class InPlace extends Ends implements Handler<Message> {
    private static final int TYPE = 1;

    private final MessageProducer producer;
    private final MessageConsumer consumer;
    private final Lengths lengths;

    InPlace(MessageProducer producer, MessageConsumer consumer, Lengths lengths) {
      this.producer = producer;
      this.consumer = consumer;
      this.lengths = lengths;
    }

    @Override
    boolean send(long number) {
      int length = lengths.of(number);
      Message message = producer.tryClaim(TYPE, length);
      if (message == null) {
        return false;
      }
      set(message, length, number);
      producer.commit();
      return true;
    }

    @Override
    int send(long first, int count) {
      if (lengths == Lengths.MIXED) {
        return sendMixed(first, count);
      }
      int length = lengths.of(first);
      int claimed = producer.tryClaim(TYPE, length, count);
      if (claimed > 0) {
        for (int i = 0; i < claimed; i++) {
          set(producer.at(i), length, first + i);
        }
        producer.commit();
      }
      return claimed;
    }

    private int sendMixed(long first, int count) {
      int room = 0;
      for (int i = 0; i < count; i++) {
        room += roomOf(lengths.of(first + i));
      }
      Message message = producer.tryClaim(TYPE, room);
      if (message == null) {
        return 0;
      }
      int length = lengths.of(first);
      set(message, length, first);
      for (int i = 1; i < count; i++) {
        int next = lengths.of(first + i);
        set(producer.next(length, TYPE, next), next, first + i);
        length = next;
      }
      producer.commit(length);
      return count;
    }

    @Override
    long receive() {
      Message message = consumer.tryPoll();
      if (message == null) {
        return NONE;
      }
      long sum = sum(message);
      consumer.release();
      return sum;
    }

    @Override
    int receive(int limit) {
      return consumer.drain(this, limit);
    }

    @Override
    public void handle(Message message) {
      runSum += sum(message);
    }

    private static int roomOf(int length) {
      return length + (-length & (MessageQueue.CELL_BYTES - 1));
    }

    private static void set(Message message, int length, long number) {
      int last = length - Long.BYTES;
      message.putLong(0, number);
      long sum = number;
      for (int i = Lengths.STEP_BYTES; i < last; i += Lengths.STEP_BYTES) {
        message.putLong(i, number + i);
        sum += number + i;
      }
      message.putLong(last, Words.sum(number) - sum);
    }

    private static long sum(Message message) {
      int last = message.length() - Long.BYTES;
      long sum = message.getLong(0) + message.getLong(last);
      for (int i = Lengths.STEP_BYTES; i < last; i += Lengths.STEP_BYTES) {
        sum += message.getLong(i);
      }
      return sum;
    }
  }
}

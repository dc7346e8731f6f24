package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.SoakProducer.Patience;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.spec.KFifoSpec;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.CellQueue;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;

/** A queue of a round, of records or of messages, and the ends that the soaks use. */
abstract class SoakQueue {
  final AnyQueue<?> queue;

  private SoakQueue(AnyQueue<?> queue) {
    this.queue = queue;
  }

  /**
   * Makes an end at which records go in.
   *
   * @param index the producer's
   * @param sent gives out its numbers
   */
  abstract Producer<? extends Item> newProducer(int index, Sent sent);

  /**
   * Makes a consumer.
   *
   * @param ends how many ends it has
   * @param producers how many producers there are
   */
  abstract SoakConsumer<?> newConsumer(
      int ends,
      int producers,
      Received received,
      KFifoSpec.Log log,
      int run,
      Patience patience,
      long seed);

  /** The queue of messages; throws if it is of records. */
  MessageQueue messages() {
    throw new UnsupportedOperationException();
  }

  /** The memory that is freed at the end. */
  abstract MemorySegment memory();

  static SoakQueue ofRecords(AnyQueue<Entry> queue) {
    return new OfRecords(queue);
  }

  /**
   * Wraps a queue of messages.
   *
   * @param isSole whether one consumer at a time takes them
   * @param fault what its consumers do wrong
   */
  static SoakQueue ofMessages(MessageQueue queue, MessageShape shape, boolean isSole, Fault fault) {
    return new OfMessages(queue, shape, isSole, fault);
  }

  /** Of records. */
  private static final class OfRecords extends SoakQueue {
    private final AnyQueue<Entry> records;

    OfRecords(AnyQueue<Entry> records) {
      super(records);
      this.records = records;
    }

    @Override
    Producer<Entry> newProducer(int index, Sent sent) {
      return records.newProducer();
    }

    @Override
    SoakConsumer<Entry> newConsumer(
        int ends,
        int producers,
        Received received,
        KFifoSpec.Log log,
        int run,
        Patience patience,
        long seed) {
      return new SoakConsumer<>(
          Stream.generate(records::newConsumer).limit(ends).toList(),
          Entry::wholeNumber,
          producers,
          received,
          log,
          run,
          patience,
          seed);
    }

    @Override
    MemorySegment memory() {
      Producer<Entry> producer = records.newProducer();
      MemorySegment memory = producer.tryClaim().memory();
      producer.abort();
      return memory;
    }
  }

  /** Of messages. */
  private static final class OfMessages extends SoakQueue {
    private final MessageQueue messages;
    private final MessageShape shape;
    private final boolean isSole;
    private final MessageConsumer sole; // null if there are many
    private final Fault fault;

    OfMessages(MessageQueue messages, MessageShape shape, boolean isSole, Fault fault) {
      super(new AnyQueue<Message>(new CellQueue<>(messages, message -> message)));
      this.messages = messages;
      this.shape = shape;
      this.isSole = isSole;
      this.sole = isSole ? messages.newConsumer() : null;
      this.fault = fault;
    }

    @Override
    Producer<Item> newProducer(int index, Sent sent) {
      return new MessageSender(messages, shape, index, sent);
    }

    @Override
    SoakConsumer<Message> newConsumer(
        int ends,
        int producers,
        Received received,
        KFifoSpec.Log log,
        int run,
        Patience patience,
        long seed) {
      return new MessageTaker(
          Stream.generate(() -> isSole ? sole : messages.newConsumer()).limit(ends).toList(),
          shape,
          isSole,
          received,
          run,
          patience,
          fault,
          seed);
    }

    @Override
    MessageQueue messages() {
      return messages;
    }

    @Override
    MemorySegment memory() {
      return HalfClaim.memoryOf(messages);
    }
  }
}

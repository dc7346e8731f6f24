package dev.millrace.stress.jcstress;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.jcstress.QueueTest.Trial;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.MessageRecords;
import dev.millrace.stress.trial.Numbered;
import java.util.function.Function;
import java.util.function.Supplier;

/** Makes the queues of the tests; apart from these, as tests of other structures need none. */
final class Queues {
  private static final QueueOptions TWO = QueueOptions.ofCapacity(2);
  private static final QueueOptions PARKING =
      TWO.withProducerWaits(WaitStrategy.busySpin())
          .withConsumerWaits(new WaitStrategy(0, 0, WaitStrategy.FOREVER));

  private Queues() {}

  /** Makes trials on queues. */
  static Pool<Trial> pool(Supplier<AnyQueue<Numbered>> queues) {
    return new Pool<>(
        () -> {
          AnyQueue<Numbered> queue = queues.get();
          return new Trial(
              queue.newProducer(), queue.newProducer(), queue.newConsumer(), queue.newConsumer());
        });
  }

  /** Of one producer and one consumer. */
  static AnyQueue<Numbered> spsc(int capacity) {
    return new AnyQueue<>(SpscQueue.of(Numbered.TYPE, QueueOptions.ofCapacity(capacity)));
  }

  /** Of one producer, which spins, and one consumer, which parks; of two slots. */
  static AnyQueue<Numbered> parking() {
    return new AnyQueue<>(SpscQueue.of(Numbered.TYPE, PARKING));
  }

  /** Of many producers and one consumer. */
  static AnyQueue<Numbered> mpsc(int capacity) {
    return new AnyQueue<>(MpscQueue.of(Numbered.TYPE, QueueOptions.ofCapacity(capacity)));
  }

  /** Of many producers and many consumers. */
  static AnyQueue<Numbered> mpmc(int capacity) {
    return new AnyQueue<>(MpmcQueue.of(Numbered.TYPE, QueueOptions.ofCapacity(capacity)));
  }

  /** Of two messages of many cells, of which the last has the record. */
  static AnyQueue<Numbered> messages(Function<QueueOptions, MessageQueue> kind) {
    return messages(kind, 2);
  }

  /** The same of another number of messages. */
  static AnyQueue<Numbered> messages(Function<QueueOptions, MessageQueue> kind, int capacity) {
    return messages(kind.apply(MessageRecords.inBytes(TWO)), capacity);
  }

  /** Of one producer, which spins, and one consumer, which parks; of two such messages. */
  static AnyQueue<Numbered> parkingMessages() {
    return messages(MessageQueue.spsc(MessageRecords.inBytes(PARKING)), 2);
  }

  private static AnyQueue<Numbered> messages(MessageQueue queue, int capacity) {
    return new MessageRecords<>(queue, capacity, false, Numbered::last);
  }

  /** Of many producers and many consumers, in relaxed order. */
  static AnyQueue<Numbered> kFifo(int k, int capacity) {
    return new AnyQueue<>(KFifoQueue.of(Numbered.TYPE, k, QueueOptions.ofCapacity(capacity)));
  }
}

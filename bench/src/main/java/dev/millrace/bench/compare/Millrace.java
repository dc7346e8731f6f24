package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/** Any queue of ours, in place. */
final class Millrace implements Contender {
  private static final FlyweightType<Tick> TYPE = FlyweightType.of(Tick::new);

  private final Supplier<Producer<Tick>> producers;
  private final Supplier<Consumer<Tick>> consumers;
  private final Function<Consumer<Tick>, Receiver> receivers;
  private final int capacity;
  private final Runnable closing;

  private Millrace(
      Supplier<Producer<Tick>> producers,
      Supplier<Consumer<Tick>> consumers,
      int capacity,
      Runnable closing) {
    this(producers, consumers, EndReceiver::new, capacity, closing);
  }

  private Millrace(
      Supplier<Producer<Tick>> producers,
      Supplier<Consumer<Tick>> consumers,
      Function<Consumer<Tick>, Receiver> receivers,
      int capacity,
      Runnable closing) {
    this.producers = producers;
    this.consumers = consumers;
    this.receivers = receivers;
    this.capacity = capacity;
    this.closing = closing;
  }

  /** That for as many threads as a work has. */
  static Millrace of(Work work, QueueOptions options) {
    return work.consumers() > 1
        ? mpmc(options)
        : work.producers() > 1 ? mpsc(options) : spsc(options);
  }

  private static Millrace spsc(QueueOptions options) {
    SpscQueue<Tick> queue = SpscQueue.of(TYPE, options);
    return new Millrace(queue::producer, queue::consumer, queue.capacity(), queue::close);
  }

  static Millrace mpsc(QueueOptions options) {
    MpscQueue<Tick> queue = MpscQueue.of(TYPE, options);
    return new Millrace(queue::newProducer, queue::consumer, queue.capacity(), queue::close);
  }

  static Millrace mpmc(QueueOptions options) {
    MpmcQueue<Tick> queue = MpmcQueue.of(TYPE, options);
    return new Millrace(queue::newProducer, queue::newConsumer, queue.capacity(), queue::close);
  }

  /** That of relaxed order. */
  static Millrace kFifo(int k, QueueOptions options) {
    KFifoQueue<Tick> queue = KFifoQueue.of(TYPE, k, options);
    return new Millrace(queue::newProducer, queue::newConsumer, queue.capacity(), queue::close);
  }

  /** One whose consumer waits by its strategy, up to a millisecond at a time. */
  static Millrace waiting(QueueOptions options) {
    SpscQueue<Tick> queue = SpscQueue.of(TYPE, options);
    return new Millrace(
        queue::producer, queue::consumer, WaitingReceiver::new, queue.capacity(), queue::close);
  }

  @Override
  public Sender sender() {
    return new EndSender(producers.get());
  }

  @Override
  public Receiver receiver() {
    return receivers.apply(consumers.get());
  }

  @Override
  public long offHeapBytes() {
    return (long) capacity * (TYPE.layout().sizeBytes() + Long.BYTES); // with its stamp
  }

  @Override
  public void close() {
    closing.run();
  }

  static void set(Tick tick, long number) {
    if (Tick.USUAL) {
      tick.set(number);
    } else {
      tick.setAll(number);
    }
  }

  private static final class EndSender extends Sender {
    private final Producer<Tick> producer;

    EndSender(Producer<Tick> producer) {
      this.producer = producer;
    }

    @Override
    boolean send(long number) {
      Tick tick = producer.tryClaim();
      if (tick == null) {
        return false;
      }
      set(tick, number);
      producer.commit();
      return true;
    }

    @Override
    int send(long first, int limit) {
      int count = producer.tryClaim(limit);
      if (count > 0) {
        for (int i = 0; i < count; i++) {
          set(producer.at(i), first + i);
        }
        producer.commit();
      }
      return count;
    }
  }

  static final class EndReceiver extends Receiver implements Handler<Tick> {
    private final Consumer<Tick> consumer;

    EndReceiver(Consumer<Tick> consumer) {
      this.consumer = consumer;
    }

    @Override
    long receive() {
      Tick tick = consumer.tryPoll();
      if (tick == null) {
        return NONE;
      }
      long sum = Tick.USUAL ? tick.sum() : tick.sumOfAll();
      consumer.release();
      return sum;
    }

    @Override
    int receive(int limit) {
      return consumer.drain(this, limit);
    }

    @Override
    public void handle(Tick tick) {
      batchSum += Tick.USUAL ? tick.sum() : tick.sumOfAll();
    }
  }

  private static final class WaitingReceiver extends Receiver {
    private static final Duration LONGEST = Duration.ofMillis(1);

    private final Consumer<Tick> consumer;

    WaitingReceiver(Consumer<Tick> consumer) {
      this.consumer = consumer;
    }

    @Override
    long receive() {
      try {
        Tick tick = consumer.poll(LONGEST);
        if (tick == null) {
          return NONE;
        }
        long sum = tick.sum();
        consumer.release();
        return sum;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}

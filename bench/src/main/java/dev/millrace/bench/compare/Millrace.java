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
import dev.millrace.queues.ShardedQueue;
import dev.millrace.queues.SpscQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Any queue of ours, in place.
 *
 * @param producers makes producers' ends
 * @param consumers makes consumers' ends
 */
record Millrace(
    Supplier<Producer<Tick>> producers,
    Supplier<Consumer<Tick>> consumers,
    int capacity,
    Runnable closing)
    implements Contender {
  private static final FlyweightType<Tick> TYPE = FlyweightType.of(Tick::new);

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

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return Ends.of(
        InPlace.class, sends ? producers.get() : null, receives ? consumers.get() : null);
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

  static long sum(Tick tick) {
    return Tick.USUAL ? tick.sum() : tick.sumOfAll();
  }

  /** Records claimed and polled. */
  static final class InPlace extends Ends implements Handler<Tick> {
    private static final Duration LONGEST = Duration.ofNanos(LONGEST_NANOS);

    private final Producer<Tick> producer;
    private final Consumer<Tick> consumer;

    InPlace(Producer<Tick> producer, Consumer<Tick> consumer) {
      this.producer = producer;
      this.consumer = consumer;
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

    @Override
    void put(long number) throws InterruptedException {
      set(producer.claim(), number);
      producer.commit();
    }

    @Override
    long receive() {
      Tick tick = consumer.tryPoll();
      if (tick == null) {
        return NONE;
      }
      long sum = sum(tick);
      consumer.release();
      return sum;
    }

    @Override
    int receive(int limit) {
      return consumer.drain(this, limit);
    }

    @Override
    public void handle(Tick tick) {
      runSum += sum(tick);
    }

    @Override
    int receiveRun(int limit) {
      int count = consumer.tryPoll(limit);
      long sum = 0;
      for (int i = 0; i < count; i++) {
        sum += sum(consumer.at(i));
      }
      consumer.release();
      runSum += sum;
      return count;
    }

    @Override
    long take() throws InterruptedException {
      Tick tick = consumer.poll(LONGEST);
      if (tick == null) {
        return NONE;
      }
      long sum = sum(tick);
      consumer.release();
      return sum;
    }
  }

  /** A queue for each consumer, among which records are distributed by their number. */
  static Contender sharded(int shards, QueueOptions options) {
    return new Sharded(ShardedQueue.of(TYPE, shards, options), new AtomicInteger());
  }

  private record Sharded(ShardedQueue<Tick> queue, AtomicInteger receivers) implements Contender {
    @Override
    public Ends ends(boolean sends, boolean receives) {
      return sends
          ? new ByNumber(queue)
          : Ends.of(InPlace.class, null, queue.shard(receivers.getAndIncrement()).consumer());
    }

    @Override
    public void close() {
      queue.close();
    }
  }

  private static final class ByNumber extends Ends {
    private final ShardedQueue<Tick> queue;
    private final List<Ends> shards;

    ByNumber(ShardedQueue<Tick> queue) {
      this.queue = queue;
      this.shards =
          queue.newProducers().stream().map(one -> (Ends) new InPlace(one, null)).toList();
    }

    @Override
    boolean send(long number) {
      return shards.get(queue.shardOf(number)).send(number);
    }
  }
}

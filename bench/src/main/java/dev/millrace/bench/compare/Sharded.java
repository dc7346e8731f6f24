package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.MpscProducer;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.ShardedQueue;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Our queue for each consumer, among which records are distributed by their number. */
final class Sharded implements Contender {
  private final ShardedQueue<Tick> queue;
  private final AtomicInteger receivers = new AtomicInteger();

  Sharded(int shards, QueueOptions options) {
    this.queue = ShardedQueue.of(FlyweightType.of(Tick::new), shards, options);
  }

  @Override
  public Sender sender() {
    return new ByNumber(queue);
  }

  @Override
  public Receiver receiver() {
    return new Millrace.EndReceiver(queue.shard(receivers.getAndIncrement()).consumer());
  }

  @Override
  public void close() {
    queue.close();
  }

  private static final class ByNumber extends Sender {
    private final ShardedQueue<Tick> queue;
    private final List<MpscProducer<Tick>> producers;

    ByNumber(ShardedQueue<Tick> queue) {
      this.queue = queue;
      this.producers = queue.newProducers();
    }

    @Override
    boolean send(long number) {
      MpscProducer<Tick> producer = producers.get(queue.shardOf(number));
      Tick tick = producer.tryClaim();
      if (tick == null) {
        return false;
      }
      Millrace.set(tick, number);
      producer.commit();
      return true;
    }
  }
}

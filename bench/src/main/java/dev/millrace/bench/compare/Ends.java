package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.ends.KFifoQueue;
import dev.millrace.queues.ends.MpmcQueue;
import dev.millrace.queues.ends.MpscQueue;
import dev.millrace.queues.ends.OffHeapQueue;
import dev.millrace.queues.ends.SpscQueue;

/** Our queues with ends. */
final class Ends implements Contender {
  private static final FlyweightType<Tick> TYPE = FlyweightType.of(Tick::new);

  private final OffHeapQueue<Tick> queue;
  private final Work work;

  Ends(Work work) {
    QueueOptions options = QueueOptions.ofCapacity(work.capacity());
    if (work.consumers() > 1) {
      this.queue = MpmcQueue.of(TYPE, options);
    } else if (work.producers() > 1) {
      this.queue = MpscQueue.of(TYPE, options);
    } else {
      this.queue = SpscQueue.of(TYPE, options);
    }
    this.work = work;
  }

  /** That of relaxed order. */
  Ends(Work work, int k) {
    this.queue = KFifoQueue.of(TYPE, k, QueueOptions.ofCapacity(work.capacity()));
    this.work = work;
  }

  @Override
  public Sender sender() {
    return new EndSender(
        switch (queue) {
          case SpscQueue<Tick> spsc -> spsc.producer();
          case MpscQueue<Tick> mpsc -> mpsc.newProducer();
          case MpmcQueue<Tick> mpmc -> mpmc.newProducer();
          case KFifoQueue<Tick> kFifo -> kFifo.newProducer();
        });
  }

  @Override
  public Receiver receiver() {
    return new EndReceiver(
        switch (queue) {
          case SpscQueue<Tick> spsc -> spsc.consumer();
          case MpscQueue<Tick> mpsc -> mpsc.consumer();
          case MpmcQueue<Tick> mpmc -> mpmc.newConsumer();
          case KFifoQueue<Tick> kFifo -> kFifo.newConsumer();
        });
  }

  @Override
  public long offHeapBytes() {
    return (long) work.capacity() * work.recordBytes();
  }

  @Override
  public void close() {
    queue.close();
  }

  private static void set(Tick tick, long number) {
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

  private static final class EndReceiver extends Receiver implements Handler<Tick> {
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
}

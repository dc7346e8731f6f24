package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;

/** Any queue of ours, in place. */
final class Millrace implements Contender {
  private static final FlyweightType<Tick> TYPE = FlyweightType.of(Tick::new);

  private final OffHeapQueue<Tick> queue;

  private Millrace(OffHeapQueue<Tick> queue) {
    this.queue = queue;
  }

  /** That for as many threads as a work has. */
  static Millrace of(Work work, QueueOptions options) {
    return work.consumers() > 1
        ? mpmc(options)
        : work.producers() > 1 ? mpsc(options) : new Millrace(SpscQueue.of(TYPE, options));
  }

  static Millrace mpsc(QueueOptions options) {
    return new Millrace(MpscQueue.of(TYPE, options));
  }

  static Millrace mpmc(QueueOptions options) {
    return new Millrace(MpmcQueue.of(TYPE, options));
  }

  /** That of relaxed order. */
  static Millrace kFifo(int k, QueueOptions options) {
    return new Millrace(KFifoQueue.of(TYPE, k, options));
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
    return (long) queue.capacity() * (TYPE.layout().sizeBytes() + Long.BYTES); // with its stamp
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

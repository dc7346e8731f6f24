package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.core.Handler;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.ends.SpscConsumer;
import dev.millrace.queues.ends.SpscProducer;
import dev.millrace.queues.ends.SpscQueue;

/** Our queue with ends. */
final class Ends implements Contender {
  private final SpscQueue<Tick> queue;
  private final Work work;

  Ends(Work work) {
    this.queue =
        SpscQueue.of(FlyweightType.of(Tick::new), QueueOptions.ofCapacity(work.capacity()));
    this.work = work;
  }

  @Override
  public Sender sender() {
    return new EndSender(queue.producer());
  }

  @Override
  public Receiver receiver() {
    return new EndReceiver(queue.consumer());
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
    private final SpscProducer<Tick> producer;

    EndSender(SpscProducer<Tick> producer) {
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
    private final SpscConsumer<Tick> consumer;

    EndReceiver(SpscConsumer<Tick> consumer) {
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

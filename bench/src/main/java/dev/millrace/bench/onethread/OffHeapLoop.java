package dev.millrace.bench.onethread;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.SpscQueue;
import java.util.List;

/** A queue of ours, through its ends and views that the library writes. */
final class OffHeapLoop extends Loop {
  private final Runnable closing;
  private final Producer<Values> producer;
  private final Consumer<Values> consumer;
  private final List<Handler<Values>> handlers = handlers(this);

  OffHeapLoop(Ends ends) {
    this.closing = ends.closing();
    this.producer = ends.producer();
    this.consumer = ends.consumer();
  }

  /** A queue's ends, and what closes it. */
  record Ends(Runnable closing, Producer<Values> producer, Consumer<Values> consumer) {
    static Ends spsc() {
      SpscQueue<Values> queue = SpscQueue.of(Values.class, CAPACITY);
      return new Ends(queue::close, queue.producer(), queue.consumer());
    }

    static Ends mpsc() {
      MpscQueue<Values> queue = MpscQueue.of(Values.class, CAPACITY);
      return new Ends(queue::close, queue.newProducer(), queue.consumer());
    }

    static Ends mpmc() {
      MpmcQueue<Values> queue = MpmcQueue.of(Values.class, CAPACITY);
      return new Ends(queue::close, queue.newProducer(), queue.newConsumer());
    }

    static Ends kFifo() {
      KFifoQueue<Values> queue = KFifoQueue.of(Values.class, 4, CAPACITY);
      return new Ends(queue::close, queue.newProducer(), queue.newConsumer());
    }
  }

  // Four classes. They see the loop as one of Loop: within a hidden class nothing can name it.
  private static List<Handler<Values>> handlers(Loop loop) {
    return List.of(
        one -> loop.sum += one.time() + one.price() + one.volume(),
        one -> loop.sum += one.time() + one.price() + one.volume(),
        one -> loop.sum += one.time() + one.price() + one.volume(),
        one -> loop.sum += one.time() + one.price() + one.volume());
  }

  /** A record. */
  interface Values {
    long time();

    Values time(long value);

    long price();

    Values price(long value);

    long volume();

    Values volume(long value);
  }

  @Override
  long singles(int records) {
    Producer<Values> producer = this.producer;
    Consumer<Values> consumer = this.consumer;
    long total = 0;
    long next = number;
    for (int i = 0; i < records; i++) {
      Values in = producer.tryClaim();
      if (in != null) {
        in.time(next).price(next + 1).volume(next + 2);
        producer.commit();
        next++;
      }
      Values out = consumer.tryPoll();
      if (out != null) {
        total += out.time() + out.price() + out.volume();
        consumer.release();
      }
    }
    number = next;
    return total;
  }

  @Override
  long waiting(int records) throws InterruptedException {
    Producer<Values> producer = this.producer;
    Consumer<Values> consumer = this.consumer;
    long total = 0;
    long next = number;
    for (int i = 0; i < records; i++) {
      producer.claim().time(next).price(next + 1).volume(next + 2);
      producer.commit();
      next++;
      Values out = consumer.poll();
      total += out.time() + out.price() + out.volume();
      consumer.release();
    }
    number = next;
    return total;
  }

  @Override
  long runs(int records) {
    long total = 0;
    for (int i = 0; i < records; i += RUN) {
      claimRun();
      int count = consumer.tryPoll(RUN);
      total += sumOf(count);
      consumer.release();
    }
    return total;
  }

  private void claimRun() {
    Producer<Values> producer = this.producer;
    int count = producer.tryClaim(RUN);
    long first = number;
    for (int i = 0; i < count; i++) {
      producer.at(i).time(first + i).price(first + i + 1).volume(first + i + 2);
    }
    producer.commit();
    number = first + count;
  }

  private long sumOf(int count) {
    Consumer<Values> consumer = this.consumer;
    long total = 0;
    for (int i = 0; i < count; i++) {
      Values out = consumer.at(i);
      total += out.time() + out.price() + out.volume();
    }
    return total;
  }

  @Override
  long handled(int records, int handler) {
    sum = 0;
    Handler<Values> to = handlers.get(handler);
    for (int i = 0; i < records; i += RUN) {
      claimRun();
      consumer.drain(to, RUN);
    }
    return sum;
  }

  @Override
  public void close() {
    closing.run();
  }
}

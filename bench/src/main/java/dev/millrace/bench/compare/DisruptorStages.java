package dev.millrace.bench.compare;

import com.lmax.disruptor.EventHandlerIdentity;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.List;
import java.util.function.Supplier;

/** The Disruptor's ring of preallocated events, with event processors as its DSL makes them. */
final class DisruptorStages<E extends Event> extends Stages<E> {
  private final Disruptor<E> disruptor;

  DisruptorStages(Work work, Supplier<E> events, List<Task<E>> tasks, WaitStrategy waits) {
    super(tasks);
    this.disruptor =
        new Disruptor<>(
            events::get,
            work.capacity(),
            this::newThread,
            work.producers() == 1 ? ProducerType.SINGLE : ProducerType.MULTI,
            waits);
    for (Task<E> task : tasks) {
      if (task.after().isEmpty()) {
        disruptor.handleEventsWith(task);
      } else {
        disruptor.after(task.after().toArray(EventHandlerIdentity[]::new)).handleEventsWith(task);
      }
    }
  }

  @Override
  void start() {
    disruptor.start();
  }

  @Override
  public Sender sender() {
    return new Producer<>(disruptor.getRingBuffer());
  }

  @Override
  public void close() {
    disruptor.halt();
  }

  private static final class Producer<E extends Event> extends Sender {
    private final RingBuffer<E> ring;

    Producer(RingBuffer<E> ring) {
      this.ring = ring;
    }

    @Override
    boolean send(long number) {
      long sequence = ring.next();
      ring.get(sequence).set(number);
      ring.publish(sequence);
      return true;
    }

    @Override
    int send(long first, int count) {
      long last = ring.next(count);
      long begin = last - count + 1;
      for (int i = 0; i < count; i++) {
        ring.get(begin + i).set(first + i);
      }
      ring.publish(begin, last);
      return count;
    }
  }
}

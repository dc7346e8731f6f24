package dev.millrace.bench.compare;

import com.lmax.disruptor.EventHandlerIdentity;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.function.ObjLongConsumer;

/** The Disruptor's ring of preallocated events, with event processors as its DSL makes them. */
final class DisruptorStages<E> extends Stages<E> {
  private final Disruptor<E> disruptor;

  private final ObjLongConsumer<E> set;

  DisruptorStages(Work work, Plan<E> plan, WaitStrategy waits) {
    super(plan);
    this.set = plan.set();
    this.disruptor =
        new Disruptor<>(
            plan.onHeap()::get,
            work.capacity(),
            this::newThread,
            work.producers() == 1 ? ProducerType.SINGLE : ProducerType.MULTI,
            waits);
    for (Task<E> task : plan.tasks()) {
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
  Ends newSender() {
    return new Producer<>(disruptor.getRingBuffer(), set);
  }

  @Override
  public void close() {
    disruptor.halt();
  }

  private static final class Producer<E> extends Ends {
    private final RingBuffer<E> ring;
    private final ObjLongConsumer<E> set;

    Producer(RingBuffer<E> ring, ObjLongConsumer<E> set) {
      this.ring = ring;
      this.set = set;
    }

    @Override
    boolean send(long number) {
      long sequence = ring.next();
      set.accept(ring.get(sequence), number);
      ring.publish(sequence);
      return true;
    }

    @Override
    int send(long first, int count) {
      long last = ring.next(count);
      long begin = last - count + 1;
      for (int i = 0; i < count; i++) {
        set.accept(ring.get(begin + i), first + i);
      }
      ring.publish(begin, last);
      return count;
    }
  }
}

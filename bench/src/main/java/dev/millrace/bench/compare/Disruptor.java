package dev.millrace.bench.compare;

import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;

/** The Disruptor's ring of preallocated events, read by a poller. */
final class Disruptor implements Contender {
  private final RingBuffer<HeapTick> ring;
  private final EventPoller<HeapTick> poller;

  Disruptor(Work work) {
    this.ring =
        work.producers() == 1
            ? RingBuffer.createSingleProducer(
                HeapTick::new, work.capacity(), new BusySpinWaitStrategy())
            : RingBuffer.createMultiProducer(
                HeapTick::new, work.capacity(), new BusySpinWaitStrategy());
    // now, for a poller begins behind what was published before it was made
    this.poller = ring.newPoller();
    ring.addGatingSequences(poller.getSequence());
  }

  @Override
  public Sender sender() {
    return new Producer(ring);
  }

  @Override
  public Receiver receiver() {
    return new Consumer(poller);
  }

  private static final class Producer extends Sender {
    private final RingBuffer<HeapTick> ring;

    Producer(RingBuffer<HeapTick> ring) {
      this.ring = ring;
    }

    @Override
    boolean send(long number) {
      return send(number, 1) == 1;
    }

    @Override
    int send(long first, int count) {
      if (!ring.hasAvailableCapacity(count)) {
        return 0; // tryNext would throw
      }
      long last;
      try {
        last = ring.tryNext(count);
      } catch (InsufficientCapacityException e) {
        return 0;
      }
      long begin = last - count + 1;
      for (int i = 0; i < count; i++) {
        ring.get(begin + i).set(first + i);
      }
      ring.publish(begin, last);
      return count;
    }
  }

  private static final class Consumer extends Receiver implements EventPoller.Handler<HeapTick> {
    private final EventPoller<HeapTick> poller;
    private int left;
    private int count;

    Consumer(EventPoller<HeapTick> poller) {
      this.poller = poller;
    }

    @Override
    long receive() {
      batchSum = 0;
      return receive(1) == 0 ? NONE : batchSum;
    }

    @Override
    int receive(int limit) {
      count = 0;
      left = limit;
      try {
        poller.poll(this);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      return count;
    }

    @Override
    public boolean onEvent(HeapTick event, long sequence, boolean endOfBatch) {
      batchSum += event.sum();
      count++;
      return --left > 0;
    }
  }
}

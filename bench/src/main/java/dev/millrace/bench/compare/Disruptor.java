package dev.millrace.bench.compare;

import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;

/** The Disruptor's ring of preallocated events, read by a poller. */
record Disruptor(RingBuffer<HeapTick> ring, EventPoller<HeapTick> poller) implements Contender {
  /** That for as many producers as a work has. */
  static Disruptor of(Work work) {
    RingBuffer<HeapTick> ring =
        work.producers() == 1
            ? RingBuffer.createSingleProducer(
                HeapTick::new, work.capacity(), new BusySpinWaitStrategy())
            : RingBuffer.createMultiProducer(
                HeapTick::new, work.capacity(), new BusySpinWaitStrategy());
    // now, for a poller begins behind what was published before it was made
    EventPoller<HeapTick> poller = ring.newPoller();
    ring.addGatingSequences(poller.getSequence());
    return new Disruptor(ring, poller);
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return Ends.of(Polled.class, ring, poller);
  }

  /** Published, and polled. */
  static final class Polled extends Ends implements EventPoller.Handler<HeapTick> {
    private final RingBuffer<HeapTick> ring;
    private final EventPoller<HeapTick> poller;
    private int left;
    private int count;

    Polled(RingBuffer<HeapTick> ring, EventPoller<HeapTick> poller) {
      this.ring = ring;
      this.poller = poller;
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

    @Override
    void put(long number) {
      long sequence = ring.next();
      ring.get(sequence).set(number);
      ring.publish(sequence);
    }

    @Override
    long receive() {
      runSum = 0;
      return receive(1) == 0 ? NONE : runSum;
    }

    @Override
    long take() {
      return receive();
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
      runSum += event.sum();
      count++;
      return --left > 0;
    }
  }
}

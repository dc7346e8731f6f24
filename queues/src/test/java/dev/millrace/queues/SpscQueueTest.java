package dev.millrace.queues;

import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

class SpscQueueTest extends OffHeapQueueSamplersContract {
  @Override
  <F extends Flyweight> OffHeapQueue<F> newQueue(
      QueueOptions options, Function<MemorySegment, F> flyweights) {
    return SpscQueue.of(options, flyweights);
  }

  @Override
  boolean hasManyProducers() {
    return false;
  }

  @Override
  boolean hasManyConsumers() {
    return false;
  }
}

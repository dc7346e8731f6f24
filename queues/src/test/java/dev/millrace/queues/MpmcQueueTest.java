package dev.millrace.queues;

import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

class MpmcQueueTest extends OffHeapQueueSamplersContract {
  @Override
  <F extends Flyweight> OffHeapQueue<F> newQueue(
      QueueOptions options, Function<MemorySegment, F> flyweights) {
    return MpmcQueue.of(options, flyweights);
  }

  @Override
  boolean hasManyProducers() {
    return true;
  }

  @Override
  boolean hasManyConsumers() {
    return true;
  }
}

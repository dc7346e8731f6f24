package dev.millrace.stress.jcstress;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.Numbered;
import org.openjdk.jcstress.infra.results.III_Result;

/** A test of a queue's end. There is no pool: a completed queue is not used again. */
abstract class CompletionTest {
  private final AnyQueue<Numbered> queue;
  private final Producer<Numbered> producer;
  private final Consumer<Numbered> consumer;

  CompletionTest(AnyQueue<Numbered> queue) {
    this.queue = queue;
    this.producer = queue.newProducer();
    this.consumer = queue.newConsumer();
  }

  /** Puts records 1 and 2, unless the queue is completed, and counts them. */
  final void putTwo(III_Result r) {
    try {
      while (r.r1 < 2 && QueueTest.offer(producer, r.r1 + 1) == 1) {
        r.r1++;
      }
    } catch (IllegalStateException e) {
      // completed
    }
  }

  /** Completes the queue, takes what is there to the end, and counts it. */
  final void completeThenTake(III_Result r) {
    queue.complete();
    while (!queue.isDrained()) {
      if (QueueTest.poll(consumer, 0) == r.r2 + 1) {
        r.r2++;
      }
    }
  }

  final void end(III_Result r) {
    r.r3 = queue.isDrained() ? 1 : 0;
    queue.close();
  }
}

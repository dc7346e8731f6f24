package dev.millrace.stress.trial;

import dev.millrace.core.Handler;
import dev.millrace.queues.internal.BoundedQueue;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageQueue;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * A queue of messages as what all bounded queues have in common. Its numbers are of cells.
 *
 * @param queue of any kind
 * @param view makes a view of what a message holds
 * @param <T> the view
 */
public record CellQueue<T>(MessageQueue queue, Function<? super Message, ? extends T> view)
    implements BoundedQueue<T> {
  @Override
  public void complete() {
    queue.complete();
  }

  @Override
  public boolean isCompleted() {
    return queue.isCompleted();
  }

  @Override
  public boolean isDrained() {
    return queue.isDrained();
  }

  @Override
  public boolean awaitDrained(Duration timeout) throws InterruptedException {
    return queue.awaitDrained(timeout);
  }

  @Override
  public void close() {
    queue.close();
  }

  @Override
  public int capacity() {
    return queue.capacity();
  }

  @Override
  public int sizeEstimate() {
    return queue.sizeEstimate();
  }

  @Override
  public int snapshot(Handler<? super T> viewer) {
    return queue.snapshot(message -> viewer.handle(view.apply(message)));
  }

  @Override
  public List<String> counters() {
    return queue.counters();
  }

  @Override
  public List<String> gauges() {
    return queue.gauges();
  }

  @Override
  public void readMetrics(long[] values) {
    queue.readMetrics(values);
  }

  @Override
  public String toString() {
    return queue.toString();
  }
}

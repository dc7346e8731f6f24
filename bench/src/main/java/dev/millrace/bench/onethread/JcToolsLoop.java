package dev.millrace.bench.onethread;

import java.util.List;
import org.jctools.queues.MessagePassingQueue;

/** A queue of JCTools, its objects used in turn; runs by {@code fill} and {@code drain}. */
final class JcToolsLoop extends Loop {
  private final MessagePassingQueue<HeapRecord> queue;
  private final HeapRecord[] pool = HeapRecord.pool();
  private final MessagePassingQueue.Supplier<HeapRecord> source = source(this, pool);
  private final List<MessagePassingQueue.Consumer<HeapRecord>> handlers = handlers(this);

  JcToolsLoop(MessagePassingQueue<HeapRecord> queue) {
    this.queue = queue;
  }

  // static: within a hidden class nothing can name it
  private static MessagePassingQueue.Supplier<HeapRecord> source(Loop loop, HeapRecord[] pool) {
    return () -> pool[(int) loop.number & (pool.length - 1)].set(loop.number++);
  }

  private static List<MessagePassingQueue.Consumer<HeapRecord>> handlers(Loop loop) {
    return List.of(
        one -> loop.sum += one.sum(),
        one -> loop.sum += one.sum(),
        one -> loop.sum += one.sum(),
        one -> loop.sum += one.sum());
  }

  @Override
  long singles(int records) {
    MessagePassingQueue<HeapRecord> queue = this.queue;
    HeapRecord[] pool = this.pool;
    long total = 0;
    long next = number;
    for (int i = 0; i < records; i++) {
      queue.offer(pool[(int) next & (pool.length - 1)].set(next++));
      HeapRecord one = queue.poll();
      if (one != null) {
        total += one.sum();
      }
    }
    number = next;
    return total;
  }

  @Override
  long handled(int records, int handler) {
    sum = 0;
    MessagePassingQueue.Consumer<HeapRecord> to = handlers.get(handler);
    for (int i = 0; i < records; i += RUN) {
      queue.fill(source, RUN);
      queue.drain(to, RUN);
    }
    return sum;
  }
}

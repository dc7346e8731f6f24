package dev.millrace.disruptor;

import dev.millrace.core.Sequence;

/**
 * Remembers which thread runs a worker. Each thread knows for certain whether it is that thread.
 */
final class Runner {
  private final Sequence id = new Sequence();

  /** Notes that the calling thread runs the worker from now on. */
  void begin() {
    id.setOpaque(Thread.currentThread().threadId()); // opaque: only this thread must see it
  }

  /** Notes that no thread runs the worker any more. */
  void end() {
    id.setOpaque(-1); // opaque: only this thread must see it
  }

  boolean is(Thread thread) {
    return id.getOpaque() == thread.threadId(); // opaque: a thread sees its own write
  }
}

package dev.millrace.disruptor;

import dev.millrace.core.Sequence;

/** Which thread runs a worker: each thread knows for certain whether it is the one. */
final class Runner {
  private final Sequence id = new Sequence();

  /** The calling thread runs the worker from now on. */
  void begin() {
    id.setOpaque(Thread.currentThread().threadId()); // opaque: for this thread alone
  }

  /** No thread runs the worker any more. */
  void end() {
    id.setOpaque(-1); // opaque: for this thread alone
  }

  boolean is(Thread thread) {
    return id.getOpaque() == thread.threadId(); // opaque: a thread finds what it wrote itself
  }
}

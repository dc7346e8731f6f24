package dev.millrace.stress.lincheck;

import dev.millrace.queues.KFifoQueue;

/** The operations on a {@link KFifoQueue} that the trials choose from; answers are texts. */
class KFifoOperations {
  static final String DONE = "done";
  static final String FULL = "full";
  static final String EMPTY = "empty";

  static final int K = 2;
  static final int CAPACITY = 2; // so that cells come back soon

  final KFifoQueue<Triple> queue = KFifoQueue.of(K, CAPACITY, Triple::new);

  String put(long value) {
    Triple claimed = queue.newFlyweight();
    if (!queue.tryClaim(claimed)) {
      return FULL;
    }
    claimed.write(value);
    queue.commit(claimed);
    return DONE;
  }

  String take() {
    Triple polled = queue.newFlyweight();
    if (!queue.tryPoll(polled)) {
      return EMPTY;
    }
    String record = polled.read();
    queue.release(polled);
    return record;
  }
}

package dev.millrace.stress.lincheck;

import static dev.millrace.stress.lincheck.Answers.CLOSED;
import static dev.millrace.stress.lincheck.Answers.DONE;
import static dev.millrace.stress.lincheck.Answers.EMPTY;
import static dev.millrace.stress.lincheck.Answers.FULL;
import static dev.millrace.stress.lincheck.Answers.NONE_OPEN;
import static dev.millrace.stress.lincheck.Answers.ONE_OPEN;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.AnyQueue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The operations of a queue by its ends, each from claim to commit or from poll to release. Each
 * makes an end of its own where there may be many. A kind says who may poll.
 */
abstract class QueueOperations {
  private final AnyQueue<Triple> queue;

  // Written where a planted bug leaves others a chance: the model checker switches at accesses of
  // fields, but not at each access of a record.
  @SuppressWarnings("unused") // it is the access that counts
  private volatile boolean isExposed;

  QueueOperations(AnyQueue<Triple> queue) {
    this.queue = queue;
  }

  final void completeQueue() {
    queue.complete();
  }

  final Producer<Triple> producer() {
    return queue.newProducer();
  }

  final Consumer<Triple> consumer() {
    return queue.newConsumer();
  }

  String tryPut(long value) {
    Producer<Triple> producer = producer();
    try {
      return put(producer, producer.tryClaim(), value);
    } catch (IllegalStateException e) {
      return CLOSED;
    }
  }

  /** A run of two records, or of one where no more fits. */
  String tryPutRun(long value) {
    Producer<Triple> producer = producer();
    int count;
    try {
      count = producer.tryClaim(2);
    } catch (IllegalStateException e) {
      return CLOSED;
    }
    if (count == 0) {
      return FULL;
    }
    for (int i = 0; i < count; i++) {
      producer.at(i).write(i == 0 ? value : -value);
    }
    producer.commit();
    return DONE + " " + count;
  }

  static String put(Producer<Triple> producer, Triple claimed, long value) {
    if (claimed == null) {
      return FULL;
    }
    claimed.write(value);
    producer.commit();
    return DONE;
  }

  /** Planted: the record is published, and then written. */
  String putCommittedFirst(long value) {
    Producer<Triple> producer = producer();
    Triple claimed;
    try {
      claimed = producer.tryClaim();
    } catch (IllegalStateException e) {
      return CLOSED;
    }
    if (claimed == null) {
      return FULL;
    }
    long offset = claimed.offset();
    producer.commit();
    isExposed = true;
    claimed.moveTo(offset);
    claimed.write(value);
    return DONE;
  }

  String tryAbort() {
    Producer<Triple> producer = producer();
    try {
      if (producer.tryClaim() == null) {
        return FULL;
      }
    } catch (IllegalStateException e) {
      return CLOSED;
    }
    producer.abort();
    return DONE;
  }

  String tryTake() {
    Consumer<Triple> consumer = consumer();
    return taken(consumer, consumer.tryPoll());
  }

  String taken(Consumer<Triple> consumer, Triple polled) {
    if (polled == null) {
      return nothing(consumer);
    }
    String record = polled.read();
    consumer.release();
    return record;
  }

  /** What is told where there is none: the end only if it is certain. */
  String nothing(Consumer<Triple> consumer) {
    return consumer.isDrained() ? CLOSED : EMPTY;
  }

  /**
   * Planted: a consumer that finds the queue completed, and nothing there, takes it for drained.
   */
  String endedEarly() {
    return queue.isCompleted() ? CLOSED : EMPTY;
  }

  /** Planted: the record is read after its slot was given back. */
  String takeReleasedFirst() {
    Consumer<Triple> consumer = consumer();
    Triple polled = consumer.tryPoll();
    if (polled == null) {
      return nothing(consumer);
    }
    long offset = polled.offset();
    consumer.release();
    isExposed = true;
    polled.moveTo(offset);
    return polled.read();
  }

  String tryTakeRun(int limit) {
    Consumer<Triple> consumer = consumer();
    int count = consumer.tryPoll(limit);
    if (count == 0) {
      return nothing(consumer);
    }
    StringBuilder records = new StringBuilder(consumer.at(0).read());
    for (int i = 1; i < count; i++) {
      records.append(' ').append(consumer.at(i).read());
    }
    consumer.release();
    return records.toString();
  }

  String tryDrainOne() {
    Consumer<Triple> consumer = consumer();
    StringBuilder records = new StringBuilder();
    int count = consumer.drain(record -> records.append(record.read()), 1);
    return count == 0 ? nothing(consumer) : records.toString();
  }

  /** On a queue that any thread completes. */
  abstract static class Completed extends QueueOperations {
    Completed(AnyQueue<Triple> queue) {
      super(queue);
    }

    @Operation
    public void complete() {
      completeQueue();
    }
  }

  /** Offers of single records and runs, and aborts. */
  @Param(name = "value", gen = Rising.class)
  abstract static class Relaxed extends Completed {
    Relaxed(AnyQueue<Triple> queue) {
      super(queue);
    }

    @Operation
    public String offer(@Param(name = "value") long value) {
      return tryPut(value);
    }

    @Operation
    public String offerUpTo(@Param(name = "value") long value) {
      return tryPutRun(value);
    }

    @Operation
    public String abort() {
      return tryAbort();
    }
  }

  /** Two producers that keep claims open from call to call. */
  @Param(name = "value", gen = Rising.class)
  abstract static class Held extends Completed {
    private final Producer<Triple> left = producer();
    private final Producer<Triple> right = producer();
    private final boolean[] open = new boolean[2];

    Held(AnyQueue<Triple> queue) {
      super(queue);
    }

    @Operation(nonParallelGroup = "left")
    public String claimLeft() {
      return claim(left, 0);
    }

    @Operation(nonParallelGroup = "left")
    public String commitLeft(@Param(name = "value") long value) {
      return commit(left, 0, value);
    }

    @Operation(nonParallelGroup = "left")
    public String abortLeft() {
      return abort(left, 0);
    }

    @Operation(nonParallelGroup = "right")
    public String claimRight() {
      return claim(right, 1);
    }

    @Operation(nonParallelGroup = "right")
    public String commitRight(@Param(name = "value") long value) {
      return commit(right, 1, value);
    }

    @Operation(nonParallelGroup = "right")
    public String abortRight() {
      return abort(right, 1);
    }

    private String claim(Producer<Triple> producer, int side) {
      if (open[side]) {
        return ONE_OPEN;
      }
      try {
        open[side] = producer.tryClaim() != null;
      } catch (IllegalStateException e) {
        return CLOSED;
      }
      return open[side] ? DONE : FULL;
    }

    private String commit(Producer<Triple> producer, int side, long value) {
      if (!open[side]) {
        return NONE_OPEN;
      }
      producer.at(0).write(value);
      producer.commit();
      open[side] = false;
      return DONE;
    }

    private String abort(Producer<Triple> producer, int side) {
      if (!open[side]) {
        return NONE_OPEN;
      }
      producer.abort();
      open[side] = false;
      return DONE;
    }
  }
}

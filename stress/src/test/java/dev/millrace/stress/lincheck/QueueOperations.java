package dev.millrace.stress.lincheck;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import dev.millrace.stress.trial.AnyQueue;
import dev.millrace.stress.trial.Numbered;
import dev.millrace.stress.trial.NumberedRing;
import java.util.StringJoiner;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The operations of a queue by its ends, each from claim to commit or from poll to release, for
 * trials to choose from by a {@link Mix}. Each makes an end of its own where there may be many.
 *
 * <p>Answers are texts, so that a result that is none of a record's shows. A completed queue
 * answers a claim with an {@link IllegalStateException}.
 */
@Param(name = "value", gen = Rising.class)
@Param(name = "limit", gen = IntGen.class, conf = "1:3")
public abstract class QueueOperations {
  /** With the number of records: a run may be shorter than it was asked to be. */
  static final String DONE = "done ";

  static final String FULL = "full";
  static final String EMPTY = "empty";
  static final String DRAINED = "drained";
  static final String NONE_OPEN = "none open";
  static final String ONE_OPEN = "one open";

  /** The least, so that positions wrap after two records. */
  static final int CAPACITY = 2;

  /** Both sides spin: the model checker makes another thread go on. */
  static final QueueOptions OPTIONS =
      QueueOptions.ofCapacity(CAPACITY)
          .withProducerWaits(WaitStrategy.busySpin())
          .withConsumerWaits(WaitStrategy.busySpin());

  private final Held left = new Held();
  private final Held right = new Held();

  // Written where a planted bug leaves others a chance: the model checker switches at accesses of
  // fields, but not at each access of a record.
  @SuppressWarnings("unused") // it is the access that counts
  private volatile boolean isExposed;

  abstract Producer<Numbered> producer();

  abstract Consumer<Numbered> consumer();

  abstract boolean isCompleted();

  /** How many a claim or a poll of one has got. */
  static int count(Numbered record) {
    return record == null ? 0 : 1;
  }

  // ---- producers ----

  static String put(Producer<Numbered> producer, int count, long value) {
    if (count == 0) {
      return FULL;
    }
    for (int i = 0; i < count; i++) {
      producer.at(i).write(i == 0 ? value : -value);
    }
    producer.commit();
    return DONE + count;
  }

  @Operation
  public String offer(@Param(name = "value") long value) {
    Producer<Numbered> producer = producer();
    return put(producer, count(producer.tryClaim()), value);
  }

  /** A run of two records. */
  @Operation
  public String offerRun(@Param(name = "value") long value) {
    Producer<Numbered> producer = producer();
    return put(producer, producer.tryClaim(2), value);
  }

  /** A run of two records, or of one where no more fits. */
  @Operation
  public String offerUpTo(@Param(name = "value") long value) {
    return offerRun(value);
  }

  @Operation
  public String offerAborted(@Param(name = "value") long value) {
    Producer<Numbered> producer = producer();
    Numbered claimed = producer.tryClaim();
    if (claimed == null) {
      return FULL;
    }
    claimed.write(value);
    producer.abort();
    return DONE + 0;
  }

  /** Planted: the record is published, and then written. */
  @Operation
  public String offerCommittedFirst(@Param(name = "value") long value) {
    Producer<Numbered> producer = producer();
    Numbered claimed = producer.tryClaim();
    if (claimed == null) {
      return FULL;
    }
    long offset = claimed.offset();
    producer.commit();
    isExposed = true;
    claimed.moveTo(offset);
    claimed.write(value);
    return DONE + 1;
  }

  @Operation
  public abstract void complete();

  // ---- consumers ----

  static String take(Consumer<Numbered> consumer, int count) {
    if (count == 0) {
      return consumer.isDrained() ? DRAINED : EMPTY;
    }
    StringJoiner records = new StringJoiner(" ");
    for (int i = 0; i < count; i++) {
      records.add(consumer.at(i).read());
    }
    consumer.release();
    return records.toString();
  }

  @Operation
  public String poll() {
    Consumer<Numbered> consumer = consumer();
    return take(consumer, count(consumer.tryPoll()));
  }

  @Operation
  public String pollRun(@Param(name = "limit") int limit) {
    Consumer<Numbered> consumer = consumer();
    return take(consumer, consumer.tryPoll(limit));
  }

  @Operation
  public String drain(@Param(name = "limit") int limit) {
    Consumer<Numbered> consumer = consumer();
    StringJoiner records = new StringJoiner(" ");
    int count = consumer.drain(record -> records.add(record.read()), limit);
    return count == 0 ? take(consumer, 0) : records.toString();
  }

  @Operation
  public String drainOne() {
    return drain(1);
  }

  /** Planted: the record is read after its slot was given back. */
  @Operation
  public String pollReleasedFirst() {
    Consumer<Numbered> consumer = consumer();
    Numbered polled = consumer.tryPoll();
    if (polled == null) {
      return take(consumer, 0);
    }
    long offset = polled.offset();
    consumer.release();
    isExposed = true;
    polled.moveTo(offset);
    return polled.read();
  }

  /** Planted: that a queue is completed, and nothing there, is taken for the end. */
  @Operation
  public String pollEndingEarly() {
    String answer = poll();
    return answer.equals(EMPTY) && isCompleted() ? DRAINED : answer;
  }

  // ---- two producers that keep claims open from call to call ----

  @Operation
  public String claimLeft() {
    return left.claim();
  }

  @Operation
  public String commitLeft(@Param(name = "value") long value) {
    return left.commit(value);
  }

  @Operation
  public String abortLeft() {
    return left.abort();
  }

  @Operation
  public String claimRight() {
    return right.claim();
  }

  @Operation
  public String commitRight(@Param(name = "value") long value) {
    return right.commit(value);
  }

  @Operation
  public String abortRight() {
    return right.abort();
  }

  private final class Held {
    private Producer<Numbered> producer; // null before the first claim
    private boolean isOpen;

    String claim() {
      if (isOpen) {
        return ONE_OPEN;
      }
      if (producer == null) {
        producer = producer();
      }
      isOpen = producer.tryClaim() != null;
      return isOpen ? DONE + 1 : FULL;
    }

    String commit(long value) {
      if (!isOpen) {
        return NONE_OPEN;
      }
      isOpen = false;
      return put(producer, 1, value);
    }

    String abort() {
      if (!isOpen) {
        return NONE_OPEN;
      }
      isOpen = false;
      producer.abort();
      return DONE + 0;
    }
  }

  /** On a queue. */
  abstract static class OfQueue extends QueueOperations {
    private final AnyQueue<Numbered> queue;

    OfQueue(AnyQueue<Numbered> queue) {
      this.queue = queue;
    }

    @Override
    final Producer<Numbered> producer() {
      return queue.newProducer();
    }

    @Override
    final Consumer<Numbered> consumer() {
      return queue.newConsumer();
    }

    @Override
    final boolean isCompleted() {
      return queue.isCompleted();
    }

    @Override
    public final void complete() {
      queue.complete();
    }
  }

  /** On a ring, of which one consumer sees every record. */
  abstract static class OfRing extends QueueOperations {
    private final NumberedRing ring;
    private final Consumer<Numbered> consumer;

    OfRing(NumberedRing ring, Consumer<Numbered> consumer) {
      this.ring = ring;
      this.consumer = consumer;
    }

    OfRing(NumberedRing ring) {
      this(ring, ring.newConsumer());
    }

    @Override
    final Producer<Numbered> producer() {
      return ring.newProducer();
    }

    @Override
    final Consumer<Numbered> consumer() {
      return consumer;
    }

    @Override
    final boolean isCompleted() {
      return ring.sequencer().isCompleted();
    }

    @Override
    public final void complete() {
      ring.sequencer().complete();
    }
  }
}

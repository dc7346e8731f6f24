package dev.millrace.stress.trial;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import java.time.Duration;
import java.util.function.Function;

/**
 * A queue of messages as one of records, so that it is tried as the other kinds are. Each record is
 * a message of the same length; or a run is one record, whose message is as many times as long.
 *
 * @param <T> the view of a record
 */
public final class MessageRecords<T> extends AnyQueue<T> {
  /** The type of each message. */
  public static final int TYPE = 7;

  private final MessageQueue queue;
  private final int length;
  private final int cells;
  private final Function<Message, T> view;
  private final boolean runsAreLonger;
  private final In firstIn; // the only one if the queue admits no other
  private final Out firstOut;

  /**
   * Wraps a queue.
   *
   * @param queue of messages
   * @param records how many of them fill it, at least 2
   * @param runsAreLonger whether a run is one message that is longer, as far as may be; then the
   *     metrics, which count cells, do not count records
   * @param view makes a view of what a message holds
   */
  public MessageRecords(
      MessageQueue queue, int records, boolean runsAreLonger, Function<Message, T> view) {
    super(new CellQueue<>(queue, view));
    this.queue = queue;
    this.cells = queue.capacity() / records;
    this.length = cells * MessageQueue.CELL_BYTES;
    this.runsAreLonger = runsAreLonger;
    this.view = view;
    this.firstIn = new In(queue.newProducer());
    this.firstOut = new Out(queue.newConsumer());
  }

  private int longer(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return (int) Math.min((long) limit * length, queue.maxLength());
  }

  /**
   * The options of a queue that so many records fill.
   *
   * @param options with the number of records as capacity
   * @return the same with the least number of bytes
   */
  public static QueueOptions inBytes(QueueOptions options) {
    return options.withCapacity(1 << 10);
  }

  @Override
  public Producer<T> newProducer() {
    try {
      return new In(queue.newProducer());
    } catch (IllegalStateException e) {
      return firstIn; // the queue has its one producer
    }
  }

  @Override
  public Consumer<T> newConsumer() {
    try {
      return new Out(queue.newConsumer());
    } catch (IllegalStateException e) {
      return firstOut; // the queue has its one consumer
    }
  }

  @Override
  public int capacity() {
    return super.capacity() / cells;
  }

  @Override
  public int sizeEstimate() {
    return Math.ceilDiv(super.sizeEstimate(), cells);
  }

  /** Counts of records: each is of several cells, but for those that are dropped. */
  @Override
  public void readMetrics(long[] values) {
    super.readMetrics(values);
    for (int i = 0; i < values.length; i++) {
      if (!"dropped".equals(i < counters().size() ? counters().get(i) : "")) {
        values[i] = Math.ceilDiv(values[i], cells);
      }
    }
  }

  /** The end at which records go in. */
  private final class In extends Producer<T> {
    private final MessageProducer producer;

    In(MessageProducer producer) {
      this.producer = producer;
    }

    private T claimed(Message message) {
      return message == null ? null : view.apply(message);
    }

    @Override
    public T tryClaim() {
      return claimed(producer.tryClaim(TYPE, length));
    }

    @Override
    public T claim() throws InterruptedException {
      return claimed(producer.claim(TYPE, length));
    }

    @Override
    public T claim(Duration timeout) throws InterruptedException {
      return claimed(producer.claim(TYPE, length, timeout));
    }

    @Override
    public int tryClaim(int limit) {
      return runsAreLonger
          ? producer.tryClaim(TYPE, longer(limit), 1)
          : producer.tryClaim(TYPE, length, limit);
    }

    @Override
    public int claim(int limit) throws InterruptedException {
      return runsAreLonger
          ? producer.claim(TYPE, longer(limit), 1)
          : producer.claim(TYPE, length, limit);
    }

    @Override
    public T at(int index) {
      return view.apply(producer.at(index));
    }

    @Override
    public void commit() {
      producer.commit();
    }

    @Override
    public void abort() {
      producer.abort();
    }

    @Override
    public void close() {
      producer.close();
    }
  }

  /** The end at which records come out. */
  private final class Out extends Consumer<T> {
    private final MessageConsumer consumer;

    Out(MessageConsumer consumer) {
      this.consumer = consumer;
    }

    private T taken(Message message) {
      return message == null ? null : view.apply(message);
    }

    @Override
    public T tryPoll() {
      return taken(consumer.tryPoll());
    }

    @Override
    public T poll() throws InterruptedException {
      return taken(consumer.poll());
    }

    @Override
    public T poll(Duration timeout) throws InterruptedException {
      return taken(consumer.poll(timeout));
    }

    @Override
    public int tryPoll(int limit) {
      return consumer.tryPoll(limit);
    }

    @Override
    public int poll(int limit) throws InterruptedException {
      return consumer.poll(limit);
    }

    @Override
    public T at(int index) {
      return taken(consumer.at(index));
    }

    @Override
    public void release() {
      consumer.release();
    }

    @Override
    public int drain(Handler<? super T> handler, int limit) {
      return consumer.drain(message -> handler.handle(view.apply(message)), limit);
    }

    @Override
    public void forEach(Handler<? super T> handler) throws InterruptedException {
      consumer.forEach(message -> handler.handle(view.apply(message)));
    }

    @Override
    public boolean isDrained() {
      return consumer.isDrained();
    }
  }

  /**
   * The strict poll of a consumer that a queue of this kind has made.
   *
   * @param <T> the view of a record
   * @param consumer one of those
   * @return the record, or null
   * @throws InterruptedException if the thread is interrupted
   */
  public static <T> T strictPoll(Consumer<T> consumer) throws InterruptedException {
    MessageRecords<T>.Out out = (MessageRecords<T>.Out) consumer;
    return out.taken(out.consumer.strictPoll());
  }
}

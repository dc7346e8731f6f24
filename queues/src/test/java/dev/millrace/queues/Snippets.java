package dev.millrace.queues;

import dev.millrace.core.Producer;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageCursor;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;

/** The examples of the Javadoc, compiled. */
final class Snippets {
  // @start region="trade"
  interface Trade {
    long timestamp();

    Trade timestamp(long value);

    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);
  }

  // @end

  interface Task {
    long id();

    Task id(long value);

    long deadline();

    Task deadline(long value);
  }

  interface Feed {
    boolean hasNext();

    long time();

    double price();

    double volume();
  }

  double sum;

  private void add(double price, double volume) {
    sum += price * volume;
  }

  private void run(long id, long deadline) {
    sum += id + deadline;
  }

  void spsc(Feed feed) throws InterruptedException {
    // @start region="spsc"
    SpscQueue<Trade> queue = SpscQueue.of(Trade.class, 65_536);

    // the producer's thread
    try (SpscProducer<Trade> out = queue.producer()) { // completes the queue at the end
      while (feed.hasNext()) {
        out.claim().timestamp(feed.time()).price(feed.price()).volume(feed.volume());
        out.commit();
      }
    }

    // the consumer's thread; ends once all is consumed
    queue.consumer().forEach(trade -> add(trade.price(), trade.volume()));
    // @end
  }

  void mpsc(Feed feed) throws InterruptedException {
    // @start region="mpsc"
    MpscQueue<Trade> queue = MpscQueue.of(Trade.class, 65_536);

    // each producer's thread
    MpscProducer<Trade> out = queue.newProducer();
    while (feed.hasNext()) {
      out.claim().timestamp(feed.time()).price(feed.price()).volume(feed.volume());
      out.commit();
    }

    // the consumer's thread; ends once the queue is completed and all is consumed
    queue.consumer().forEach(trade -> add(trade.price(), trade.volume()));

    // whoever knows that all producers are done
    queue.complete();
    // @end
  }

  void mpmc(long id, long deadline) throws InterruptedException {
    // @start region="mpmc"
    MpmcQueue<Task> queue = MpmcQueue.of(Task.class, 65_536);

    // each producer's thread
    MpmcProducer<Task> out = queue.newProducer();
    out.claim().id(id).deadline(deadline);
    out.commit();

    // each consumer's thread; ends once the queue is completed and every record is taken
    queue.newConsumer().forEach(task -> run(task.id(), task.deadline()));

    // whoever knows that all producers are done
    queue.complete();
    // @end
  }

  void kFifo(long id, long deadline) throws InterruptedException {
    // @start region="k-fifo"
    KFifoQueue<Task> queue = KFifoQueue.of(Task.class, 8, 65_536);

    // each producer's thread
    Producer<Task> out = queue.newProducer();
    out.claim().id(id).deadline(deadline);
    out.commit();

    // each consumer's thread; ends once the queue is completed and drained
    queue.newConsumer().forEach(task -> run(task.id(), task.deadline()));

    // whoever knows that all producers are done
    queue.complete();
    // @end
  }

  void sharded(int symbolId, int index, long now, double p, double v) throws InterruptedException {
    // @start region="sharded"
    ShardedQueue<Trade> queue = ShardedQueue.of(Trade.class, 4, 16_384);

    // each producer's thread
    List<MpscProducer<Trade>> producers = queue.newProducers();
    MpscProducer<Trade> out = producers.get(queue.shardOf(symbolId));
    out.claim().timestamp(now).price(p).volume(v); // waits while that shard is full
    out.commit();

    // the consumer's thread of each shard; ends once the queue is completed and all is consumed
    queue.shard(index).consumer().forEach(trade -> add(trade.price(), trade.volume()));

    // whoever knows that all producers are done
    queue.complete();
    // @end
  }

  void history(long now, double p, double v) {
    // @start region="history"
    HistoryRing<Trade> history = HistoryRing.multi(Trade.class, 1_440);

    HistoryProducer<Trade> out = history.newProducer(); // one for each writing thread
    Trade trade = out.tryClaim();
    if (trade != null) {
      trade.timestamp(now).price(p).volume(v);
      out.commit();
    }

    try (HistoryReader<Trade> reader = history.newReader(1_440)) {
      int count = reader.latest(1_440); // or record by record: tryPoll()
      for (int i = 0; i < count; i++) {
        sum += reader.at(i).volume();
      }
    }
    // @end
  }

  void read(HistoryReader<Trade> reader, long from, long to) {
    // @start region="read"
    for (Trade trade; (trade = reader.tryPoll()) != null; ) { // in order, each once
      sum += trade.volume();
    }

    int count = reader.latest(100); // or tryPoll(100): a run in order
    for (int i = 0; i < count; i++) {
      sum += reader.at(i).volume();
    }

    reader.seek(from, Trade::timestamp); // between two times
    for (Trade trade; (trade = reader.tryPoll()) != null && trade.timestamp() < to; ) {
      sum += trade.volume();
    }
    // @end
  }

  void records(long timestamp, double price, double volume) throws InterruptedException {
    // @start region="records"
    record Order(long timestamp, double price, double volume) {}

    BlockingQueue<Order> queue = RecordQueue.of(Order.class, 10_000);
    queue.put(new Order(timestamp, price, volume));
    Order order = queue.take();
    // @end
    sum += order.price();
  }

  private static final int LOGIN = 1;
  private static final int LOGOUT = 2;

  void messages(MemorySegment packet) throws InterruptedException {
    // @start region="messages"
    MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 20)); // bytes

    // each producer's thread
    MessageProducer out = queue.newProducer();
    out.claim(LOGIN, (int) packet.byteSize()).putBytes(0, packet);
    out.commit();

    // the consumer's thread; ends once all is consumed
    queue.newConsumer().forEach(message -> handle(message.type(), message.getUtf8(0)));
    // @end
  }

  void message(MessageQueue queue, long id, String name) {
    MessageProducer out = queue.newProducer();
    // @start region="message"
    Message message = out.tryClaim(LOGIN, 8 + Message.utf8Length(name)); // null when full
    message.putLong(0, id).putUtf8(8, name);
    out.commit();
    // @end
  }

  void run(MessageQueue queue, long[] ids) {
    MessageProducer out = queue.newProducer();
    // @start region="message-run"
    int count = out.tryClaim(LOGIN, 8, ids.length); // 0 when full, or fewer than wanted
    for (int i = 0; i < count; i++) {
      out.at(i).putLong(0, ids[i]);
    }
    if (count > 0) {
      out.commit();
    }
    // @end
  }

  void next(MessageQueue queue, long before, long id, String name) throws InterruptedException {
    MessageProducer out = queue.newProducer();
    // @start region="message-next"
    int length = 8 + Message.utf8Length(name);
    out.claim(LOGOUT, MessageQueue.CELL_BYTES + length).putLong(0, before); // room for both
    out.next(8, LOGIN, length).putLong(0, id).putUtf8(8, name);
    out.commit(length);
    // @end
  }

  void cursor(MessageQueue queue, long id, String name, String address) {
    MessageProducer out = queue.newProducer();
    // @start region="message-cursor"
    Message message = out.tryClaim(LOGIN, 256); // more than it takes
    MessageCursor cursor = message.cursor().putLong(id).putUtf8(name).putUtf8(address);
    out.commit(cursor.position());
    // @end
  }

  void log(Path directory, MemorySegment packet) throws IOException, InterruptedException {
    // @start region="log"
    LogOptions options = LogOptions.ofSegmentBytes(1 << 26).withSync(Duration.ofMillis(10));

    // the process that writes
    try (MessageLog log = MessageLog.open(directory, options)) {
      LogProducer out = log.newProducer();
      long number = out.append(LOGIN, packet);
      log.awaitDurable(number, Duration.ofSeconds(1)); // if it must survive a crash
    }

    // any process
    try (LogReader reader = LogReader.open(directory)) {
      for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
        handle(message.type(), message.getUtf8(0));
      }
    }
    // @end
  }

  void logAppend(MessageLog log, long id, String name) {
    LogProducer out = log.newProducer();
    // @start region="log-append"
    Message message = out.claim(LOGIN, 8 + Message.utf8Length(name));
    message.putLong(0, id).putUtf8(8, name);
    out.commit();
    // @end
  }

  void logRead(Path directory, long since) throws IOException, InterruptedException {
    // @start region="log-read"
    try (LogReader reader = LogReader.open(directory)) {
      reader.seekTime(since); // or a number, the start, the end
      for (Message message; (message = reader.poll(Duration.ofSeconds(1))) != null; ) {
        handle(message.type(), message.getUtf8(0)); // reader.number(), message.time()
        reader.release();
      }
    }
    // @end
  }

  private void handle(int type, String text) {
    sum += type + text.length();
  }
}

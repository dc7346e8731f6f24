package dev.millrace.stress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import dev.millrace.cache.OffHeapCache;
import dev.millrace.core.Consumer;
import dev.millrace.core.Measured;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.micrometer.MeasuredMetrics;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscProducer;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.ShardedQueue;
import dev.millrace.queues.SpscQueue;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Uses each part of the library that needs no class made at run time, and prints what it read. It
 * uses no reflection, so that an image can be built of it as it is.
 */
final class CompiledParts {
  private static final int TYPE = 1; // of all messages
  private static final String NAME = "Ada";
  private static final int EVENTS = 100;
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final QueueOptions RECORDS = QueueOptions.ofCapacity(8);
  private static final QueueOptions BYTES = QueueOptions.ofCapacity(1 << 12);

  private CompiledParts() {}

  /** A view written by hand. */
  static final class Trade extends Flyweight {
    private static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("id"), MemoryLayout.sequenceLayout(8, JAVA_BYTE).withName("symbol"));
    private static final RecordLayout.Field ID = LAYOUT.field("id");
    private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");

    static final FlyweightType<Trade> TYPE = FlyweightType.of(Trade::new);

    Trade(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    void set(long id, String symbol) {
      putLong(ID, id);
      putUtf8(SYMBOL, symbol);
    }

    long id() {
      return getLong(ID);
    }

    String shown() {
      return id() + getUtf8(SYMBOL);
    }
  }

  /** An event of an {@link ObjectRing}. */
  private static final class Event {
    private long id;
  }

  /** A value in a cache. */
  record Point(long x, long y) {}

  /** A codec written by hand. */
  private static final class Points implements Codec<Point> {
    @Override
    public long size(Point value) {
      return 16;
    }

    @Override
    public long write(Point value, MemorySegment memory) {
      memory.set(JAVA_LONG, 0, value.x());
      memory.set(JAVA_LONG, 8, value.y());
      return 16;
    }

    @Override
    public Point read(MemorySegment memory) {
      return new Point(memory.get(JAVA_LONG, 0), memory.get(JAVA_LONG, 8));
    }
  }

  /**
   * Prints a line for each part.
   *
   * @param arguments an empty folder
   */
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    views();
    history(folder.resolve("history"));
    messages(folder.resolve("queue"));
    log(folder.resolve("log"));
    records();
    objects();
    sequencer();
    cache();
    telemetry(folder.resolve("telemetry"));
    System.out.println("end, native bytes in use: " + Measured.nativeBytesInUse());
  }

  private static void show(String part, Object read) {
    System.out.println(part + ": " + read);
  }

  private static void views() throws InterruptedException {
    try (SpscQueue<Trade> queue = SpscQueue.of(Trade.TYPE, RECORDS)) {
      show("SpscQueue", moved(queue.producer(), queue.consumer()));
    }
    try (MpscQueue<Trade> queue = MpscQueue.of(Trade.TYPE, RECORDS)) {
      show("MpscQueue", moved(queue.newProducer(), queue.consumer()));
    }
    try (MpmcQueue<Trade> queue = MpmcQueue.of(Trade.TYPE, RECORDS)) {
      show("MpmcQueue", moved(queue.newProducer(), queue.newConsumer()));
    }
    try (KFifoQueue<Trade> queue = KFifoQueue.of(Trade.TYPE, 2, RECORDS)) {
      show("KFifoQueue", moved(queue.newProducer(), queue.newConsumer()));
    }
    try (ShardedQueue<Trade> queue = ShardedQueue.of(Trade.TYPE, 2, RECORDS)) {
      int shard = queue.shardOf(7);
      MpscProducer<Trade> producer = queue.newProducers().get(shard);
      show("ShardedQueue", moved(producer, queue.shard(shard).consumer()));
    }
  }

  private static String moved(Producer<Trade> producer, Consumer<Trade> consumer)
      throws InterruptedException {
    producer.claim().set(7, "MILL");
    producer.commit();
    String read = consumer.poll().shown();
    consumer.release();
    return read;
  }

  private static void history(Path file) throws IOException {
    try (HistoryRing<Trade> ring = HistoryRing.multi(Trade.TYPE, 8)) {
      show("HistoryRing", latest(ring, ring.newProducer()));
    }
    try (HistoryRing<Trade> ring = HistoryRing.single(Trade.TYPE, 8, file);
        HistoryRing<Trade> observed = HistoryRing.observe(Trade.TYPE, file)) {
      show("HistoryRing in a file", latest(observed, ring.producer()));
    }
  }

  private static String latest(HistoryRing<Trade> ring, HistoryProducer<Trade> producer) {
    producer.tryClaim().set(7, "MILL");
    producer.commit();
    try (HistoryReader<Trade> reader = ring.newReader(8)) {
      return reader.latest(8) + " record, " + reader.at(0).shown();
    }
  }

  private static void messages(Path file) throws IOException, InterruptedException {
    try (MessageQueue queue = MessageQueue.spsc(BYTES)) {
      show("MessageQueue.spsc", moved(queue));
    }
    try (MessageQueue queue = MessageQueue.mpsc(BYTES)) {
      show("MessageQueue.mpsc", moved(queue));
    }
    try (MessageQueue queue = MessageQueue.mpmc(BYTES)) {
      show("MessageQueue.mpmc", moved(queue));
    }
    try (MessageQueue queue = MessageQueue.mpsc(BYTES, file);
        MessageObserver observer = MessageObserver.open(file)) {
      send(queue);
      String observed = shown(observer.tryPoll());
      show("MessageQueue in a file", observed + ", " + received(queue));
    }
    try (MessageQueue queue = MessageQueue.spsc(BYTES)) {
      show("channels", throughChannels(queue));
    }
  }

  private static String moved(MessageQueue queue) throws InterruptedException {
    send(queue);
    return received(queue);
  }

  /** Writes a view, and text behind it. */
  private static void send(MessageQueue queue) throws InterruptedException {
    MessageProducer producer = queue.newProducer();
    Message message = producer.claim(TYPE, 16 + Message.utf8Length(NAME));
    message.as(Trade.TYPE).set(7, "MILL");
    message.putUtf8(16, NAME);
    producer.commit();
  }

  private static String received(MessageQueue queue) throws InterruptedException {
    MessageConsumer consumer = queue.newConsumer();
    String shown = shown(consumer.poll());
    consumer.release();
    return shown;
  }

  private static String shown(Message message) {
    return message.as(Trade.TYPE).shown() + " " + message.getUtf8(16);
  }

  private static String throughChannels(MessageQueue queue)
      throws IOException, InterruptedException {
    Pipe in = Pipe.open();
    Pipe out = Pipe.open();
    try (Pipe.SinkChannel written = in.sink();
        Pipe.SourceChannel source = in.source();
        Pipe.SinkChannel target = out.sink();
        Pipe.SourceChannel _ = out.source()) {
      int sent = written.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      MessageProducer producer = queue.newProducer();
      int length = producer.claim(TYPE, 512).readFrom(source, 512);
      producer.commit(length);
      MessageConsumer consumer = queue.newConsumer();
      int received = consumer.poll().writeTo(target, 0);
      consumer.release();
      return sent + " bytes in, " + received + " out";
    }
  }

  private static void log(Path directory) throws IOException {
    LogOptions options = LogOptions.ofSegmentBytes(1 << 16);
    try (MessageLog log = MessageLog.open(directory, options);
        LogProducer producer = log.newProducer()) {
      for (long i = 0; i < 3; i++) {
        producer.claim(TYPE, 16).as(Trade.TYPE).set(i, "MILL");
        producer.commit();
      }
      producer.sync();
      try (LogReader reader = log.newReader("first")) {
        show("MessageLog", reader.tryPoll().as(Trade.TYPE).shown());
        reader.release();
      }
    }
    try (MessageLog log = MessageLog.open(directory, options);
        LogReader reader = log.newReader("first")) {
      String next = reader.tryPoll().as(Trade.TYPE).shown();
      reader.release();
      reader.seekToEnd();
      String last = reader.tryPollPrevious().as(Trade.TYPE).shown();
      show("MessageLog, reopened", "next " + next + ", last " + last);
    }
    show("MessageLog.verify", MessageLog.verify(directory).damages());
  }

  private static void records() throws InterruptedException {
    RecordRing<Trade> ring = RecordRing.of(Trade.TYPE, RingOptions.singleProducer(16));
    long[] sums = new long[2]; // each belongs to one stage
    try (Pipeline<Trade> pipeline =
        Pipeline.on(ring)
            .stage("each")
            .handledBy(Pipeline.each((trade, _, _) -> sums[0] += trade.id()))
            .stage("batch")
            .after("each")
            .handledBy(
                batch -> {
                  for (int i = 0; i < batch.size(); i++) {
                    sums[1] += batch.at(i).id();
                  }
                })
            .build()
            .start()) {
      RingProducer<Trade> producer = ring.producer();
      for (int i = 0; i < EVENTS; i++) {
        producer.claim().set(i, "MILL");
        producer.commit();
      }
      boolean drained = pipeline.drain(LIMIT);
      show("RecordRing", drained + ", " + sums[0] + " and " + sums[1]);
    }
  }

  private static void objects() throws InterruptedException {
    ObjectRing<Event> ring = ObjectRing.of(RingOptions.multiProducer(16), Event::new);
    long[] sums = new long[2]; // each belongs to one worker
    int[] workers = new int[1];
    try (Pipeline<Event> pipeline =
        Pipeline.on(ring)
            .latencies(1)
            .stage("shared")
            .sharedBy(
                2,
                () -> {
                  int worker = workers[0]++;
                  return Pipeline.each((event, _, _) -> sums[worker] += event.id);
                })
            .build()
            .start()) {
      for (long i = 0; i < EVENTS; i++) {
        ring.publish((event, id) -> event.id = id, i);
      }
      boolean drained = pipeline.drain(LIMIT);
      show("ObjectRing", drained + ", " + (sums[0] + sums[1]));
    }
  }

  private static void sequencer() throws InterruptedException {
    long[] slots = new long[8];
    try (Sequencer sequencer = Sequencer.of(RingOptions.multiProducer(8))) {
      SequenceConsumer consumer = sequencer.newConsumer(WaitStrategy.parking());
      long sequence = sequencer.claim();
      slots[(int) sequence] = 7;
      sequencer.commit(sequence);
      int count = consumer.poll(8);
      show("Sequencer", count + " event, " + slots[(int) consumer.sequence()]);
      consumer.release();
    }
  }

  private static void cache() throws InterruptedException {
    try (OffHeapCache<String, Point> cache =
        OffHeapCache.of(Codec.utf8(), new Points(), CacheOptions.ofBytes(1 << 20))) {
      Point loaded = cache.get("a", _ -> new Point(1, 2));
      show("OffHeapCache", loaded.equals(cache.get("a")) + ", " + cache.size() + " entry");
    }
    try (OffHeapCache<Long, byte[]> cache =
        OffHeapCache.of(Codec.longs(), Codec.bytes(), CacheOptions.ofBytes(1 << 20))) {
      boolean put = cache.put(7L, new byte[] {1, 2, 3});
      show("OffHeapCache, codecs of the library", put + ", " + cache.get(7L).length + " bytes");
    }
  }

  private static void telemetry(Path file) throws IOException {
    Telemetry.Options options = Telemetry.Options.defaults().withTrace(64, 64);
    try (Telemetry telemetry = Telemetry.create(file, options);
        MessageQueue queue = MessageQueue.mpsc(BYTES);
        TraceWriter<Trade> trace = telemetry.newTraceWriter("feed", "trade", Trade.TYPE)) {
      telemetry.counter("shared").add(1);
      telemetry.counter("striped", 2).add(2);
      telemetry.soleWriterCounter("sole").add(3);
      telemetry.gauge("gauge").set(4);
      telemetry.report("queue", queue);
      telemetry.sample();
      trace.tryClaim().set(7, "MILL");
      trace.text("seen");
      trace.commit();
      read(file);
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      try (MeasuredMetrics metrics = MeasuredMetrics.of("orders", queue)) {
        metrics.bindTo(registry);
        show("MeasuredMetrics", registry.find("millrace.queue.size").gauge().value());
      }
    }
  }

  private static void read(Path file) throws IOException {
    try (TelemetryReader reader = TelemetryReader.open(file);
        TraceReader trace = reader.newTraceReader()) {
      Map<String, Long> counters = new TreeMap<>(reader.counters());
      counters.keySet().removeIf(label -> label.contains("."));
      show("Telemetry", counters + ", gauge " + reader.gauges().get("gauge"));
      show("Telemetry of a queue", reader.gauges().get("queue.size"));
      Trade traced = trace.newView(Trade.TYPE);
      boolean found = trace.tryPoll();
      show("trace log", found + ", " + traced.shown() + " " + trace.text());
    }
  }
}

package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Consumer;
import dev.millrace.core.Idler;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingConsumer;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.SpscQueue;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.testkit.TestCall;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds an end whose waiting keeps a {@link ForkJoinPool} for ever from what would end the wait.
 * All workers of the pool wait, each at an end of its own, and what would end their waits is queued
 * behind them.
 */
class PoolWorkersTest {
  private static final FlyweightType<Value> VALUES =
      FlyweightType.of(Value.class, MethodHandles.lookup());
  private static final Duration LONG = Duration.ofDays(1);
  private static final int CAPACITY = 4;
  private static final int BYTES = 512; // of a queue of messages

  interface Value {
    long value();

    void value(long value);
  }

  record Item(long value) {}

  /** A call that waits, another that ends the wait, and what to close in the end. */
  private record Wait(TestCall.Body call, TestCall.Body end, AutoCloseable opened) {
    Wait(TestCall.Body call, TestCall.Body end) {
      this(call, end, () -> {});
    }
  }

  private interface Maker {
    Wait make(WaitStrategy strategy) throws Exception;
  }

  private static final Map<String, Maker> MAKERS = new LinkedHashMap<>();

  @TempDir private static Path folder;

  static {
    addQueues(
        "spsc",
        SpscQueue::of,
        SpscQueue::producer,
        SpscQueue::consumer,
        queue -> {
          queue.complete();
          return queue.awaitDrained(LONG);
        });
    addQueues(
        "mpsc",
        MpscQueue::of,
        MpscQueue::newProducer,
        MpscQueue::consumer,
        queue -> {
          queue.complete();
          return queue.awaitDrained(LONG);
        });
    addQueues(
        "mpmc",
        MpmcQueue::of,
        MpmcQueue::newProducer,
        MpmcQueue::newConsumer,
        queue -> {
          queue.complete();
          return queue.awaitDrained(LONG);
        });
    addQueues(
        "k-fifo",
        (type, options) -> KFifoQueue.of(type, 2, options),
        KFifoQueue::newProducer,
        KFifoQueue::newConsumer,
        queue -> {
          queue.complete();
          return queue.awaitDrained(LONG);
        });
    addMessages();
    addRecords();
    addRings();
    addPipeline();
    MAKERS.put("log, poll", PoolWorkersTest::log);
    MAKERS.put("log, awaitDurable", _ -> durable());
    MAKERS.put("idler", PoolWorkersTest::idler);
  }

  private interface Open<Q> {
    Q of(FlyweightType<Value> type, QueueOptions options);
  }

  private interface End<Q, E> {
    E of(Q queue);
  }

  private interface Claim<P> {
    Object by(P producer) throws InterruptedException;
  }

  private static QueueOptions options(WaitStrategy strategy) {
    return options(strategy, CAPACITY);
  }

  private static QueueOptions options(WaitStrategy strategy, long capacity) {
    return QueueOptions.ofCapacity(capacity)
        .withProducerWaits(strategy)
        .withConsumerWaits(strategy);
  }

  private static <Q extends AutoCloseable> void addQueues(
      String name,
      Open<Q> open,
      End<Q, ? extends Producer<Value>> newProducer,
      End<Q, ? extends Consumer<Value>> newConsumer,
      Claim<Q> drain) {
    Map<String, Claim<Producer<Value>>> claims =
        Map.of("", Producer::claim, " for a time", p -> p.claim(LONG), " a run", p -> p.claim(2));
    Map<String, Claim<Consumer<Value>>> polls =
        Map.of("", Consumer::poll, " for a time", c -> c.poll(LONG), " a run", c -> c.poll(2));
    claims.forEach(
        (how, claim) ->
            MAKERS.put(
                name + ", claim" + how,
                strategy -> {
                  Q queue = open.of(VALUES, options(strategy));
                  Producer<Value> producer = newProducer.of(queue);
                  Consumer<Value> consumer = newConsumer.of(queue);
                  int count = 0;
                  for (; producer.tryClaim() != null; count++) {
                    producer.commit();
                  }
                  int filled = count;
                  return new Wait(() -> claim.by(producer), () -> take(consumer, filled));
                }));
    polls.forEach(
        (how, poll) ->
            MAKERS.put(
                name + ", poll" + how,
                strategy -> {
                  Q queue = open.of(VALUES, options(strategy));
                  Producer<Value> producer = newProducer.of(queue);
                  Consumer<Value> consumer = newConsumer.of(queue);
                  return new Wait(() -> poll.by(consumer), () -> put(producer));
                }));
    MAKERS.put(
        name + ", awaitDrained",
        strategy -> {
          Q queue = open.of(VALUES, options(strategy));
          put(newProducer.of(queue));
          Consumer<Value> consumer = newConsumer.of(queue);
          return new Wait(() -> drain.by(queue), () -> take(consumer, 1));
        });
  }

  private static void put(Producer<Value> producer) throws InterruptedException {
    producer.claim().value(1);
    producer.commit();
  }

  private static void take(Consumer<?> consumer, int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      assertThat(consumer.poll()).isNotNull();
      consumer.release();
    }
  }

  private static void addMessages() {
    MAKERS.put(
        "messages, claim",
        strategy -> {
          MessageQueue queue = MessageQueue.mpmc(options(strategy, BYTES));
          MessageProducer producer = queue.newProducer();
          MessageConsumer consumer = queue.newConsumer();
          int count = 0;
          for (; producer.tryClaim(1, 8) != null; count++) {
            producer.commit();
          }
          int filled = count;
          return new Wait(() -> producer.claim(1, 8), () -> take(consumer, filled));
        });
    MAKERS.put(
        "messages, poll",
        strategy -> {
          MessageQueue queue = MessageQueue.spsc(options(strategy, BYTES));
          MessageProducer producer = queue.newProducer();
          MessageConsumer consumer = queue.newConsumer();
          return new Wait(
              consumer::poll,
              () -> {
                assertThat(producer.tryClaim(1, 8)).isNotNull();
                producer.commit();
              });
        });
  }

  private static void addRecords() {
    Map<String, Claim<BlockingQueue<Item>>> puts =
        Map.of(
            "put",
            queue -> {
              queue.put(new Item(1));
              return null;
            },
            "offer",
            queue -> queue.offer(new Item(1), 1, TimeUnit.DAYS));
    Map<String, Claim<BlockingQueue<Item>>> takes =
        Map.of("take", BlockingQueue::take, "poll", queue -> queue.poll(1, TimeUnit.DAYS));
    puts.forEach(
        (how, put) ->
            MAKERS.put(
                "records, " + how,
                strategy -> {
                  BlockingQueue<Item> queue = records(strategy);
                  while (queue.offer(new Item(0))) {
                    // until it is full
                  }
                  return new Wait(() -> put.by(queue), queue::take);
                }));
    takes.forEach(
        (how, take) ->
            MAKERS.put(
                "records, " + how,
                strategy -> {
                  BlockingQueue<Item> queue = records(strategy);
                  return new Wait(() -> take.by(queue), () -> queue.put(new Item(1)));
                }));
  }

  private static BlockingQueue<Item> records(WaitStrategy strategy) {
    return RecordQueue.of(Item.class, MethodHandles.lookup(), options(strategy));
  }

  private static void addRings() {
    Map<String, RingOptions> kinds =
        Map.of(
            "one producer", RingOptions.singleProducer(CAPACITY),
            "many producers", RingOptions.multiProducer(CAPACITY));
    kinds.forEach(
        (kind, options) -> {
          MAKERS.put(
              "sequencer of " + kind + ", claim",
              strategy -> {
                Sequencer sequencer = Sequencer.of(options.withProducerWaits(strategy));
                SequenceConsumer consumer = sequencer.newConsumer(strategy);
                sequencer.commit(sequencer.tryClaim(CAPACITY), CAPACITY);
                return new Wait(sequencer::claim, () -> take(consumer));
              });
          MAKERS.put(
              "sequencer of " + kind + ", poll",
              strategy -> {
                Sequencer sequencer = Sequencer.of(options);
                SequenceConsumer first = sequencer.newConsumer(strategy);
                SequenceConsumer behind = sequencer.newConsumer(strategy, first);
                sequencer.commit(sequencer.tryClaim());
                return new Wait(() -> take(behind), () -> take(first));
              });
          MAKERS.put(
              "ring of records of " + kind + ", claim",
              strategy -> {
                RecordRing<Value> ring = RecordRing.of(VALUES, options.withProducerWaits(strategy));
                RingConsumer<Value> consumer = ring.newConsumer(strategy);
                RingProducer<Value> producer =
                    options.manyProducers() ? ring.newProducer() : ring.producer();
                for (int i = 0; i < CAPACITY; i++) {
                  put(producer);
                }
                return new Wait(producer::claim, () -> take(consumer, 1));
              });
        });
  }

  private static void take(SequenceConsumer consumer) throws InterruptedException {
    assertThat(consumer.poll(1)).isOne();
    consumer.release();
  }

  /** Its handler waits for a task of the pool, and so does who waits for the pipeline. */
  private static void addPipeline() {
    Map<String, Claim<Pipeline<AtomicLong>>> calls =
        Map.of(
            "start",
            Pipeline::start,
            "warmUp",
            pipeline -> {
              pipeline.start().warmUp(1, AtomicLong::incrementAndGet);
              return null;
            },
            "close",
            pipeline -> {
              pipeline.start().close();
              return null;
            });
    calls.forEach(
        (name, call) ->
            MAKERS.put(
                "pipeline, " + name,
                strategy -> {
                  CountDownLatch ended = new CountDownLatch(1);
                  ObjectRing<AtomicLong> ring =
                      ObjectRing.of(RingOptions.multiProducer(CAPACITY), AtomicLong::new);
                  Pipeline<AtomicLong> pipeline =
                      Pipeline.on(ring).stage("held").handledBy(held(name, ended)).build();
                  // its thread would look for events as long as this JVM lives
                  return new Wait(() -> call.by(pipeline), ended::countDown, pipeline);
                }));
    MAKERS.put(
        "pipeline, publish and drain",
        strategy -> {
          CountDownLatch ended = new CountDownLatch(1);
          ObjectRing<AtomicLong> ring =
              ObjectRing.of(
                  RingOptions.multiProducer(CAPACITY).withProducerWaits(strategy), AtomicLong::new);
          Pipeline<AtomicLong> pipeline =
              Pipeline.on(ring).stage("held").handledBy(batch -> ended.await()).build().start();
          return new Wait(
              () -> {
                for (int i = 0; i <= CAPACITY; i++) {
                  ring.publish(AtomicLong::set, 1L);
                }
                assertThat(pipeline.drain(TestCall.LONG)).isTrue();
              },
              ended::countDown,
              pipeline);
        });
  }

  private static BatchHandler<AtomicLong> held(String name, CountDownLatch ended) {
    return new BatchHandler<>() {
      @Override
      public void onStart() throws InterruptedException {
        if (name.equals("start")) {
          ended.await();
        }
      }

      @Override
      public void onBatch(Batch<AtomicLong> batch) throws InterruptedException {
        ended.await();
      }

      @Override
      public void onEnd() throws InterruptedException {
        ended.await();
      }
    };
  }

  private static Wait log(WaitStrategy strategy) throws Exception {
    Path directory = Files.createTempDirectory(folder, "log").resolve("log");
    MessageLog log = MessageLog.open(directory, LogOptions.ofSegmentBytes(1 << 16));
    LogReader reader = LogReader.open(directory, strategy);
    return new Wait(
        () -> {
          try (reader) {
            assertThat(reader.poll()).isNotNull();
          }
        },
        () -> {
          try (log) {
            log.newProducer().append(1, MemorySegment.ofArray(new byte[8]));
          }
        });
  }

  private static Wait durable() throws Exception {
    Path directory = Files.createTempDirectory(folder, "log").resolve("log");
    MessageLog log = MessageLog.open(directory, LogOptions.ofSegmentBytes(1 << 16));
    log.newProducer().append(1, MemorySegment.ofArray(new byte[8]));
    return new Wait(
        () -> assertThat(log.awaitDurable(0, LONG)).isTrue(),
        () -> {
          try (log) {
            log.sync();
          }
        });
  }

  private static Wait idler(WaitStrategy strategy) {
    CountDownLatch ended = new CountDownLatch(1);
    Idler idler = strategy.newIdler();
    return new Wait(
        () -> {
          while (ended.getCount() > 0) {
            idler.idle(0);
          }
        },
        ended::countDown);
  }

  // ---- the pools ----

  static Stream<String> waits() {
    return MAKERS.keySet().stream();
  }

  private static final List<WaitStrategy> STRATEGIES =
      List.of(
          new WaitStrategy(0, 0, WaitStrategy.FOREVER),
          WaitStrategy.parking(),
          new WaitStrategy(0, 0, 10_000, WaitStrategy.FOREVER - 1), // sleeps before it would park
          WaitStrategy.sleeping(Duration.ofNanos(10_000)));

  private static Callable<Boolean> task(TestCall.Body body) {
    return () -> {
      body.run();
      return true;
    };
  }

  private static void get(List<Future<Boolean>> tasks) throws Exception {
    for (Future<Boolean> task : tasks) {
      assertThat(task.get(TestCall.LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  /** As many waits as there are workers, and then what ends them. */
  private static void runAllIn(ForkJoinPool pool, Maker maker) throws Exception {
    for (WaitStrategy strategy : STRATEGIES) {
      List<Wait> waits = new ArrayList<>();
      for (int i = 0; i < pool.getParallelism(); i++) {
        waits.add(maker.make(strategy));
      }
      List<Future<Boolean>> tasks = new ArrayList<>();
      waits.forEach(wait -> tasks.add(pool.submit(task(wait.call))));
      waits.forEach(wait -> tasks.add(pool.submit(task(wait.end))));
      get(tasks);
      for (Wait wait : waits) {
        wait.opened.close();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("waits")
  void tasks_thatWaitForOthersOfTheirPool_end(String name) throws Exception {
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      runAllIn(pool, MAKERS.get(name));
    } finally {
      pool.shutdownNow(); // of tasks that hang
    }
    runAllIn(ForkJoinPool.commonPool(), MAKERS.get(name));
  }

  @ParameterizedTest
  @MethodSource("waits")
  void wait_whenThePoolHasNoThreadToSpare_isEndedFromOutside(String name) throws Exception {
    ForkJoinPool pool = ofOneThread();
    try {
      for (WaitStrategy strategy : STRATEGIES) {
        Wait wait = MAKERS.get(name).make(strategy);
        Thread[] worker = new Thread[1];
        Future<Boolean> task =
            pool.submit(
                task(
                    () -> {
                      worker[0] = Thread.currentThread();
                      wait.call.run();
                    }));
        TestCall.await(() -> worker[0] != null && TestCall.isResting(worker[0]));
        wait.end.run();
        get(List.of(task));
        wait.opened.close();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static ForkJoinPool ofOneThread() {
    var factory = ForkJoinPool.defaultForkJoinWorkerThreadFactory;
    return new ForkJoinPool(1, factory, null, false, 1, 1, 1, null, 1, TimeUnit.MINUTES);
  }
}

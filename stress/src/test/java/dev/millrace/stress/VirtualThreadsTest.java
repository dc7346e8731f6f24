package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.stress.proof.Child;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds waiting virtual threads that keep their carrier busy, by yielding or by being woken all at
 * once, so that their consumer never gets its turn. Thousands wait on a full queue or ring, and the
 * consumer is a virtual thread too, on one carrier, as in a container of one processor.
 */
class VirtualThreadsTest {
  private static final int PRODUCERS = 10_000;
  private static final int EACH = 5;
  private static final int CAPACITY = 64;

  private static final long LIMIT_SECONDS = 30;

  enum Kind {
    MPSC_PUT,
    MPSC_OFFER,
    MPMC_PUT,
    MPMC_OFFER,
    PIPELINE
  }

  @ParameterizedTest
  @EnumSource
  void producers_onOneCarrier_letTheirConsumerRun(Kind kind, @TempDir Path folder)
      throws Exception {
    int exit =
        Child.run(
            folder,
            "log",
            List.of(
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"),
            List.of(Program.class.getName(), kind.name()));
    assertThat(exit).as(Files.readString(folder.resolve("log"))).isZero();
  }

  record Item(int producer, int number) {}

  /** Runs one kind, with the strategy that a user gets and with one that parks. */
  static final class Program {
    private final CountDownLatch left = new CountDownLatch(PRODUCERS * EACH);

    public static void main(String[] arguments) throws Exception {
      Kind kind = Kind.valueOf(arguments[0]);
      boolean timed = kind == Kind.MPSC_OFFER || kind == Kind.MPMC_OFFER;
      // With a limit on each wait the reaction of a consumer that sleeps is not the point.
      if (!timed) {
        new Program().run(kind, QueueOptions.ofCapacity(CAPACITY));
      }
      new Program()
          .run(
              kind,
              QueueOptions.ofCapacity(CAPACITY)
                  .withProducerWaits(WaitStrategy.parking())
                  .withConsumerWaits(WaitStrategy.parking()));
      System.exit(0); // whoever still waits
    }

    private void run(Kind kind, QueueOptions options) throws Exception {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      switch (kind) {
        case MPSC_PUT -> start(RecordQueue.mpsc(Item.class, lookup, options), false);
        case MPSC_OFFER -> start(RecordQueue.mpsc(Item.class, lookup, options), true);
        case MPMC_PUT -> start(RecordQueue.of(Item.class, lookup, options), false);
        case MPMC_OFFER -> start(RecordQueue.of(Item.class, lookup, options), true);
        case PIPELINE -> startPipeline(options);
      }
      if (!left.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        System.out.printf("%s: %,d records were not taken in time%n", options, left.getCount());
        System.exit(1);
      }
    }

    private void start(BlockingQueue<Item> queue, boolean timed) {
      start(
          () -> {
            while (true) {
              queue.take();
              left.countDown();
            }
          });
      startProducers(
          item -> {
            if (timed) {
              while (!queue.offer(item, 50, TimeUnit.MILLISECONDS)) {
                // again
              }
            } else {
              queue.put(item);
            }
          });
    }

    private static void start(Callable<?> job) {
      Thread.startVirtualThread(
          () -> {
            try {
              job.call();
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
    }

    @SuppressWarnings("MustBeClosedChecker") // the program ends before
    private void startPipeline(QueueOptions options) {
      ObjectRing<AtomicLong> ring =
          ObjectRing.of(
              RingOptions.multiProducer(CAPACITY).withProducerWaits(options.producerWaits()),
              AtomicLong::new);
      Pipeline.on(ring)
          .threads(Thread.ofVirtual().factory())
          .stage("take")
          .sharedBy(2, () -> Pipeline.each((event, sequence, end) -> left.countDown()))
          .waiting(options.consumerWaits())
          .build()
          .start();
      startProducers(item -> ring.publish((event, of) -> event.set(of.number), item));
    }

    private interface Put {
      void put(Item item) throws InterruptedException;
    }

    private static void startProducers(Put put) {
      for (int producer = 0; producer < PRODUCERS; producer++) {
        int id = producer;
        start(
            () -> {
              for (int number = 0; number < EACH; number++) {
                put.put(new Item(id, number));
              }
              return null;
            });
      }
    }
  }
}

package dev.millrace.bench;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscConsumer;
import dev.millrace.queues.SpscProducer;
import dev.millrace.queues.SpscQueue;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;

/**
 * Records from one thread to another through an {@link SpscQueue}, one at a time; each side pauses
 * once per attempt in vain, and these are counted. The figure to read is {@code taken}.
 *
 * <pre>java -jar bench/target/benchmarks.jar SpscThroughput -prof gc</pre>
 */
@State(Scope.Group)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class SpscThroughputBenchmark {
  @Param({"64", "65536"})
  private int capacity;

  private SpscQueue<Tick> queue;

  /** What the producer did. */
  @State(Scope.Thread)
  @AuxCounters
  public static class Producer {
    /** Records put. */
    public long put;

    /** Attempts that found the queue full. */
    public long full;

    private SpscProducer<Tick> end;

    /**
     * Takes the queue's end.
     *
     * @param benchmark whose queue it is
     */
    @Setup
    public void setUp(SpscThroughputBenchmark benchmark) {
      end = benchmark.queue.producer();
    }
  }

  /** What the consumer did. */
  @State(Scope.Thread)
  @AuxCounters
  public static class Consumer {
    /** Records taken. */
    public long taken;

    /** Attempts that found the queue empty. */
    public long empty;

    private SpscConsumer<Tick> end;

    /**
     * Takes the queue's end.
     *
     * @param benchmark whose queue it is
     */
    @Setup
    public void setUp(SpscThroughputBenchmark benchmark) {
      end = benchmark.queue.consumer();
    }
  }

  /**
   * Makes the queue; it is freed with its JVM, for both threads may still be at work at the end.
   */
  @Setup
  public void setUp() {
    queue = SpscQueue.of(FlyweightType.of(Tick::new), QueueOptions.ofCapacity(capacity));
  }

  /**
   * Puts a record, trying until there is room.
   *
   * @param producer its counts
   * @param control says when to give up
   */
  @Benchmark
  @Group("one")
  @GroupThreads(1)
  public void put(Producer producer, Control control) {
    Tick tick;
    while ((tick = producer.end.tryClaim()) == null) {
      producer.full++;
      Thread.onSpinWait();
      if (control.stopMeasurement) {
        return;
      }
    }
    tick.set(producer.put++);
    producer.end.commit();
  }

  /**
   * Takes a record, trying until there is one.
   *
   * @param consumer its counts
   * @param control says when to give up
   * @return something that depends on the record
   */
  @Benchmark
  @Group("one")
  @GroupThreads(1)
  public long take(Consumer consumer, Control control) {
    Tick tick;
    while ((tick = consumer.end.tryPoll()) == null) {
      consumer.empty++;
      Thread.onSpinWait();
      if (control.stopMeasurement) {
        return 0;
      }
    }
    long sum = tick.sum();
    consumer.end.release();
    consumer.taken++;
    return sum;
  }
}

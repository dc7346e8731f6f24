package dev.millrace.bench.compare;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Our rings, with a pipeline on them. */
final class MillraceStages<E extends Event> extends Stages<E> {
  private final Pipeline<E> pipeline;
  private final Supplier<Sender> senders;

  /** As the Disruptor's do: they sleep between tries, for as short as they can. */
  private static final WaitStrategy PRODUCER_WAITS = new WaitStrategy(0, 0, 1);

  /**
   * How handlers are called, and how they wait.
   *
   * @param each whether for each event, or for batches
   * @param waits how
   */
  record Handlers(boolean each, WaitStrategy waits) {
    static final Handlers OF_BATCHES = new Handlers(false, WaitStrategy.yielding());
    static final Handlers OF_EVENTS = new Handlers(true, WaitStrategy.yielding());
    static final Handlers OF_BATCHES_SPINNING = new Handlers(false, WaitStrategy.busySpin());
  }

  private MillraceStages(
      PipelineBuilder<E> builder, Supplier<Sender> senders, List<Task<E>> tasks, Handlers form) {
    super(tasks);
    this.senders = senders;
    builder.threads(this::newThread);
    for (Task<E> task : tasks) {
      builder
          .stage(task.toString())
          .after(task.after().stream().map(Task::toString).toArray(String[]::new))
          .waiting(form.waits())
          .handledBy(form.each() ? Pipeline.each(task) : task);
    }
    this.pipeline = builder.build();
  }

  static <F extends Flyweight & Event> Stages<F> records(
      Work work, Function<MemorySegment, F> flyweights, List<Task<F>> tasks, Handlers form) {
    RecordRing<F> ring = RecordRing.of(FlyweightType.of(flyweights), options(work));
    return new MillraceStages<>(
        Pipeline.on(ring), () -> new RecordSender<>(producer(ring, work)), tasks, form);
  }

  private static <F> RingProducer<F> producer(RecordRing<F> ring, Work work) {
    return work.producers() == 1 ? ring.producer() : ring.newProducer();
  }

  static <E extends Event> Stages<E> objects(
      Work work, Supplier<E> events, List<Task<E>> tasks, Handlers form) {
    ObjectRing<E> ring = ObjectRing.of(options(work), events);
    return new MillraceStages<>(Pipeline.on(ring), () -> new ObjectProducer<>(ring), tasks, form);
  }

  private static RingOptions options(Work work) {
    RingOptions options =
        work.producers() == 1
            ? RingOptions.singleProducer(work.capacity())
            : RingOptions.multiProducer(work.capacity());
    return options.withProducerWaits(PRODUCER_WAITS);
  }

  @Override
  void start() {
    pipeline.start();
  }

  @Override
  public Sender sender() {
    return senders.get();
  }

  @Override
  public void close() {
    pipeline.close();
  }

  private static final class RecordSender<F extends Flyweight & Event> extends Sender {
    private final RingProducer<F> producer;

    RecordSender(RingProducer<F> producer) {
      this.producer = producer;
    }

    @Override
    boolean send(long number) {
      try {
        producer.claim().set(number);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      producer.commit();
      return true;
    }

    @Override
    int send(long first, int count) {
      try {
        int claimed = producer.claim(count);
        for (int i = 0; i < claimed; i++) {
          producer.at(i).set(first + i);
        }
        producer.commit();
        return claimed;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static final class ObjectProducer<E extends Event> extends Sender {
    private final ObjectRing<E> ring;
    private final Sequencer sequencer;

    ObjectProducer(ObjectRing<E> ring) {
      this.ring = ring;
      this.sequencer = ring.sequencer();
    }

    @Override
    boolean send(long number) {
      return send(number, 1) == 1;
    }

    @Override
    int send(long first, int count) {
      long begin;
      try {
        begin = sequencer.claim(count);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      for (int i = 0; i < count; i++) {
        ring.get(begin + i).set(first + i);
      }
      sequencer.commit(begin, count);
      return count;
    }
  }
}

package dev.millrace.bench.compare;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.disruptor.Sequencer;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/** Our rings, with a pipeline on them. */
final class MillraceStages<E> extends Stages<E> {
  private final Pipeline<E> pipeline;
  private final Supplier<Ends> senders;

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
      PipelineBuilder<E> builder, Supplier<Ends> senders, Plan<E> plan, Handlers form) {
    super(plan);
    this.senders = senders;
    builder.threads(this::newThread);
    for (Task<E> task : plan.tasks()) {
      builder
          .stage(task.toString())
          .after(task.after().stream().map(Task::toString).toArray(String[]::new))
          .waiting(form.waits())
          .handledBy(form.each() ? Pipeline.each(task) : task);
    }
    this.pipeline = builder.build();
  }

  static <E> Stages<E> records(Work work, Plan<E> plan, Handlers form) {
    RecordRing<E> ring = RecordRing.of(plan.type(), options(work));
    return new MillraceStages<>(
        Pipeline.on(ring),
        () ->
            new RecordSender<>(
                work.producers() == 1 ? ring.producer() : ring.newProducer(), plan.set()),
        plan,
        form);
  }

  static <E> Stages<E> objects(Work work, Plan<E> plan, Handlers form) {
    ObjectRing<E> ring = ObjectRing.of(options(work), plan.onHeap());
    return new MillraceStages<>(
        Pipeline.on(ring), () -> new ObjectSender<>(ring, plan.set()), plan, form);
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
  Ends newSender() {
    return senders.get();
  }

  @Override
  public void close() {
    pipeline.close();
  }

  private static final class RecordSender<E> extends Ends {
    private final RingProducer<E> producer;
    private final ObjLongConsumer<E> set;

    RecordSender(RingProducer<E> producer, ObjLongConsumer<E> set) {
      this.producer = producer;
      this.set = set;
    }

    @Override
    boolean send(long number) {
      try {
        set.accept(producer.claim(), number);
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
          set.accept(producer.at(i), first + i);
        }
        producer.commit();
        return claimed;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static final class ObjectSender<E> extends Ends {
    private final ObjectRing<E> ring;
    private final Sequencer sequencer;
    private final ObjLongConsumer<E> set;

    ObjectSender(ObjectRing<E> ring, ObjLongConsumer<E> set) {
      this.ring = ring;
      this.set = set;
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
        set.accept(ring.get(begin + i), first + i);
      }
      sequencer.commit(begin, count);
      return count;
    }
  }
}

package dev.millrace.bench.compare;

import com.lmax.disruptor.EventHandlerIdentity;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import dev.millrace.bench.compare.Work.Shape;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingOptions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * One library's ring with handlers behind it, each in a thread of its own. A sender waits while the
 * ring is full, so its attempts never fail.
 */
final class Stages<E> implements Contender {
  /** As the Disruptor's do: they sleep between tries, for as short as they can. */
  private static final WaitStrategy PRODUCER_WAITS = new WaitStrategy(0, 0, 1);

  final List<Task<E>> tasks;

  /** The handlers' threads, from the start on. */
  final List<Thread> threads = new CopyOnWriteArrayList<>();

  private volatile Runnable first = () -> {};
  private Supplier<Ends> senders;
  private Runnable starting;
  private Runnable closing;

  /**
   * What passes through, and what is done with it.
   *
   * @param type of the events
   * @param onHeap makes one on the heap
   * @param set writes what a producer writes
   */
  record Plan<E>(Class<E> type, Supplier<E> onHeap, ObjLongConsumer<E> set, List<Task<E>> tasks) {
    static Plan<?> of(Shape shape) {
      return switch (shape) {
        case STEPS ->
            new Plan<>(StepsEvent.class, StepsEvent.OnHeap::new, StepsEvent::set, Fold.of(shape));
        case DIAMOND ->
            new Plan<>(
                DiamondEvent.class, DiamondEvent.OnHeap::new, DiamondEvent::set, Fold.of(shape));
        default ->
            new Plan<>(ValueEvent.class, ValueEvent.OnHeap::new, ValueEvent::value, Fold.of(shape));
      };
    }
  }

  /**
   * How handlers of ours are called, and how they wait.
   *
   * @param each whether for each event, or for batches
   * @param waits how
   */
  record Handlers(boolean each, WaitStrategy waits) {
    static final Handlers OF_BATCHES = new Handlers(false, WaitStrategy.yielding());
    static final Handlers OF_EVENTS = new Handlers(true, WaitStrategy.yielding());
    static final Handlers OF_BATCHES_SPINNING = new Handlers(false, WaitStrategy.busySpin());
  }

  private Stages(Plan<E> plan) {
    this.tasks = plan.tasks();
  }

  /** The Disruptor's preallocated events, with event processors as its DSL makes them. */
  static <E> Stages<E> disruptor(Work work, Plan<E> plan, com.lmax.disruptor.WaitStrategy waits) {
    Stages<E> stages = new Stages<>(plan);
    Disruptor<E> disruptor =
        new Disruptor<>(
            plan.onHeap()::get,
            work.capacity(),
            stages::newThread,
            work.producers() == 1 ? ProducerType.SINGLE : ProducerType.MULTI,
            waits);
    for (Task<E> task : plan.tasks()) {
      if (task.after.isEmpty()) {
        disruptor.handleEventsWith(task);
      } else {
        disruptor.after(task.after.toArray(EventHandlerIdentity[]::new)).handleEventsWith(task);
      }
    }
    stages.senders = () -> new StageSenders.OfDisruptor<>(disruptor.getRingBuffer(), plan.set());
    stages.starting = disruptor::start;
    stages.closing = disruptor::halt;
    return stages;
  }

  /** Ours with records. */
  static <E> Stages<E> records(Work work, Plan<E> plan, Handlers form) {
    RecordRing<E> ring =
        RecordRing.of(plan.type(), options(work).withProducerWaits(PRODUCER_WAITS));
    return new Stages<>(plan)
        .with(
            Pipeline.on(ring),
            form,
            () ->
                new StageSenders.OfRecords<>(
                    work.producers() == 1 ? ring.producer() : ring.newProducer(), plan.set()));
  }

  /** Ours with objects. */
  static <E> Stages<E> objects(Work work, Plan<E> plan, Handlers form) {
    ObjectRing<E> ring =
        ObjectRing.of(options(work).withProducerWaits(PRODUCER_WAITS), plan.onHeap());
    return new Stages<>(plan)
        .with(Pipeline.on(ring), form, () -> new StageSenders.OfObjects<>(ring, plan.set()));
  }

  /** For as many producers as a work has. */
  static RingOptions options(Work work) {
    return work.producers() == 1
        ? RingOptions.singleProducer(work.capacity())
        : RingOptions.multiProducer(work.capacity());
  }

  private Stages<E> with(PipelineBuilder<E> builder, Handlers form, Supplier<Ends> itsSenders) {
    builder.threads(this::newThread);
    for (Task<E> task : tasks) {
      builder
          .stage(task.toString())
          .after(task.after.stream().map(Task::toString).toArray(String[]::new))
          .waiting(form.waits())
          .handledBy(form.each() ? Pipeline.each(task) : task);
    }
    Pipeline<E> pipeline = builder.build();
    senders = itsSenders;
    starting = pipeline::start;
    closing = pipeline::close;
    return this;
  }

  private Thread newThread(Runnable job) {
    Runnable begun =
        () -> {
          first.run();
          job.run();
        };
    Thread thread = Thread.ofPlatform().daemon().unstarted(begun);
    threads.add(thread);
    return thread;
  }

  /** Says, before the start, what a handler's thread does before all else. */
  void first(Runnable job) {
    first = job;
  }

  /** Lets the handlers begin. */
  void start() {
    starting.run();
  }

  /** Says who gets each value at a ping-pong, before the start. */
  void relayTo(LongConsumer receiver) {
    ((Fold<E>) tasks.getFirst()).relayTo(receiver);
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    if (receives) {
      throw new UnsupportedOperationException("its handlers receive");
    }
    return senders.get();
  }

  @Override
  public void close() {
    closing.run();
  }
}

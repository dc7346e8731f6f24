package dev.millrace.bench.compare;

import com.lmax.disruptor.WaitStrategy;
import dev.millrace.bench.compare.MillraceStages.Handlers;
import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * One library's ring with handlers behind it, each in a thread of its own. A sender waits while the
 * ring is full, so its attempts never fail.
 */
abstract class Stages<E> implements Contender {
  private final List<Task<E>> tasks;
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private volatile Runnable first = () -> {};

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
            new Plan<>(StepsEvent.class, StepsEvent.OnHeap::new, StepsEvent::set, StepsTask.all());
        case DIAMOND ->
            new Plan<>(
                DiamondEvent.class, DiamondEvent.OnHeap::new, DiamondEvent::set, DiamondTask.all());
        default ->
            new Plan<>(
                ValueEvent.class, ValueEvent.OnHeap::new, ValueEvent::value, ValueTask.of(shape));
      };
    }
  }

  Stages(Plan<E> plan) {
    this.tasks = plan.tasks();
  }

  /** The Disruptor with handlers of events. */
  static Stages<?> disruptor(Work work, WaitStrategy waits) {
    return new DisruptorStages<>(work, Plan.of(work.shape()), waits);
  }

  /** Ours with records. */
  static Stages<?> records(Work work, Handlers form) {
    return MillraceStages.records(work, Plan.of(work.shape()), form);
  }

  /** Ours with objects. */
  static Stages<?> objects(Work work, Handlers form) {
    return MillraceStages.objects(work, Plan.of(work.shape()), form);
  }

  final List<Task<E>> tasks() {
    return tasks;
  }

  /** The handlers' threads, from the start on. */
  final List<Thread> threads() {
    return threads;
  }

  final Thread newThread(Runnable job) {
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
  final void first(Runnable job) {
    first = job;
  }

  /** Lets the handlers begin. */
  abstract void start();

  /** The handler at a ping-pong. */
  final Relay relay() {
    return (Relay) tasks.getFirst();
  }

  @Override
  public final Ends ends(boolean sends, boolean receives) {
    if (receives) {
      throw new UnsupportedOperationException("its handlers receive");
    }
    return newSender();
  }

  abstract Ends newSender();
}

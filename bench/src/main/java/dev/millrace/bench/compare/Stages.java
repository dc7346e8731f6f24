package dev.millrace.bench.compare;

import com.lmax.disruptor.WaitStrategy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * One library's ring with handlers behind it, each in a thread of its own. A sender waits while the
 * ring is full, so its attempts never fail.
 */
abstract class Stages<E extends Event> implements Contender {
  private final List<Task<E>> tasks;
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private volatile Runnable first = () -> {};

  Stages(List<Task<E>> tasks) {
    this.tasks = tasks;
  }

  /** The Disruptor with handlers of events. */
  static Stages<?> disruptor(Work work, Supplier<WaitStrategy> waits) {
    return switch (work.shape()) {
      case STEPS ->
          new DisruptorStages<>(work, StepsEvent.OnHeap::new, StepsTask.all(), waits.get());
      case DIAMOND ->
          new DisruptorStages<>(work, DiamondEvent.OnHeap::new, DiamondTask.all(), waits.get());
      default ->
          new DisruptorStages<>(
              work, ValueEvent.OnHeap::new, ValueTask.of(work.shape()), waits.get());
    };
  }

  /** Ours with records. */
  static Stages<?> records(Work work, MillraceStages.Handlers form) {
    return switch (work.shape()) {
      case STEPS -> MillraceStages.records(work, StepsEvent.InPlace::new, StepsTask.all(), form);
      case DIAMOND ->
          MillraceStages.records(work, DiamondEvent.InPlace::new, DiamondTask.all(), form);
      default ->
          MillraceStages.records(work, ValueEvent.InPlace::new, ValueTask.of(work.shape()), form);
    };
  }

  /** Ours with objects. */
  static Stages<?> objects(Work work, MillraceStages.Handlers form) {
    return switch (work.shape()) {
      case STEPS -> MillraceStages.objects(work, StepsEvent.OnHeap::new, StepsTask.all(), form);
      case DIAMOND ->
          MillraceStages.objects(work, DiamondEvent.OnHeap::new, DiamondTask.all(), form);
      default ->
          MillraceStages.objects(work, ValueEvent.OnHeap::new, ValueTask.of(work.shape()), form);
    };
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
  final Relay<?> relay() {
    return (Relay<?>) tasks.getFirst();
  }

  @Override
  public final Receiver receiver() {
    throw new UnsupportedOperationException("its handlers receive");
  }
}

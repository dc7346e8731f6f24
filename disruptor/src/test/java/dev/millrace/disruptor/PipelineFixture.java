package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import dev.millrace.testkit.TestCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A ring of each kind, and a pipeline on it that is closed at the end of the test. */
@ParameterizedClass
@EnumSource(Kind.class)
abstract class PipelineFixture {
  static final BatchHandler<Event> NOTHING = batch -> {};

  @Parameter Kind kind;
  final HeldHandler held = new HeldHandler();
  final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
  final List<String> told = Collections.synchronizedList(new ArrayList<>());
  TestRing ring;
  Pipeline<Event> pipeline;

  /** Opens a ring and describes a pipeline on it. */
  final PipelineBuilder<Event> on(RingOptions options) {
    ring = kind.of(options);
    return ring.pipeline();
  }

  final PipelineBuilder<Event> on(int capacity) {
    return on(kind.options(capacity));
  }

  final void start(PipelineBuilder<Event> described) {
    pipeline = described.build().start();
  }

  /** Starts a pipeline of one stage, on a ring of 16. */
  final void start(BatchHandler<Event> handler) {
    start(on(16).stage("a").handledBy(handler));
  }

  /** A handler that throws; what it throws need not be declared. */
  static <T> BatchHandler<T> failing(Throwable failure) {
    return batch -> PipelineFixture.<RuntimeException>throwAny(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // throws what is not declared
  static <T extends Throwable> void throwAny(Throwable failure) throws T {
    throw (T) failure;
  }

  /** A listener of failures. */
  final ObjLongConsumer<Throwable> tell(String stage) {
    return (failure, sequence) -> {
      told.add(stage + " " + sequence + " " + failure.getMessage());
      if (told.size() > 1_000) {
        throw new AssertionError("tried again without end");
      }
    };
  }

  /** A hook of the stages' threads. */
  final AutoCloseable noteThread(String stage, int worker) {
    threads.add(Thread.currentThread());
    return null;
  }

  /** Runs a pipeline on events that it finds together when it starts. */
  final void run(int events, PipelineBuilder<Event> described) throws InterruptedException {
    pipeline = described.build();
    ring.publishAll(0, events);
    pipeline.start();
    drain();
  }

  final Snapshot snapshot() {
    return Snapshot.of(pipeline);
  }

  final void drain() throws InterruptedException {
    assertThat(pipeline.drain(TestCall.LONG)).isTrue();
  }

  final Throwable awaitFailure() {
    TestCall.await(() -> pipeline.failure() != null);
    return pipeline.failure();
  }

  @AfterEach
  final void close() {
    held.letGo();
    if (pipeline != null) {
      pipeline.close();
    }
  }
}

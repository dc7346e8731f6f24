package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import dev.millrace.testkit.TestCall;
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

package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Failures that come without an event: of the start, of hooks and of listeners. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineStartTest {
  private final IOException failure = new IOException("bad record");

  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());

  private ObjLongConsumer<Throwable> tell(String stage) {
    return (failure, sequence) -> told.add(stage + " " + sequence + " " + failure.getMessage());
  }

  // ---- who is told, and what fails besides ----

  @ParameterizedTest
  @EnumSource
  void listener_whenItFails_stopsWithBothFailures(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    IllegalStateException ofListener = new IllegalStateException("no log");
    IOException ofHandler = new IOException("mine");
    Pipeline<Event> pipeline =
        ring.pipeline()
            .onFailure(
                stage ->
                    (failure, sequence) -> {
                      throw ofListener;
                    })
            .stage("a")
            .handledBy(
                batch -> {
                  throw ofHandler;
                })
            .skipFailures()
            .build()
            .start();
    ring.publish(0);
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG)).hasCause(ofListener);
    assertThat(ofListener).hasSuppressedException(ofHandler);
    pipeline.close();
  }

  @Test
  void listener_isToldOfFailuresWithoutAnEvent() {
    Pipeline<Event> pipeline =
        Kind.OBJECTS_OF_ONE
            .of(16)
            .pipeline()
            .onFailure(this::tell)
            .onThread(
                (stage, worker) ->
                    () -> {
                      throw failure;
                    })
            .stage("a")
            .handledBy(batch -> {})
            .build()
            .start();
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG)).hasCause(failure);
    pipeline.close();
    assertThat(told).containsExactly("a -1 bad record");
  }

  @Test
  void start_whenSomethingFails_throwsIt_andClosesWell() {
    BatchHandler<Event> handler =
        new BatchHandler<>() {
          @Override
          public void onStart() throws IOException {
            throw failure;
          }

          @Override
          public void onBatch(Batch<Event> batch) {}

          @Override
          public void onEnd() {
            calls.add("end");
          }
        };
    Stream<Consumer<PipelineBuilder<Event>>> failing =
        Stream.of(
            builder -> builder.stage("b").handledBy(handler),
            builder -> builder.onThread(this::failingHook),
            builder -> builder.threads(this::failingThread));
    failing.forEach(
        settings -> {
          told.clear();
          PipelineBuilder<Event> builder =
              Kind.OBJECTS_OF_ONE.of(16).pipeline().onFailure(this::tell);
          builder.stage("a").handledBy(batch -> {}, batch -> {});
          settings.accept(builder);
          Pipeline<Event> pipeline = builder.build();
          assertThatThrownBy(pipeline::start)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageStartingWith("pipeline, ")
              .hasRootCauseMessage("bad record");
          assertThatThrownBy(pipeline::start)
              .hasMessageStartingWith("pipeline must be started only once");
          pipeline.close();
          assertThat(told).hasSizeLessThanOrEqualTo(1);
        });
    assertThat(calls).isEmpty(); // what has not begun does not end
  }

  private AutoCloseable failingHook(String stage, int worker) {
    if (worker == 1) {
      throw new UncheckedIOException(failure);
    }
    return null;
  }

  private Thread failingThread(Runnable task) {
    if (calls.isEmpty()) {
      calls.add("made one");
      return new Thread(task);
    }
    calls.clear();
    throw new IllegalStateException(failure);
  }

  @Test
  void start_whenThereIsNoThread_saysSo() {
    Pipeline<Event> pipeline =
        Kind.OBJECTS_OF_ONE
            .of(16)
            .pipeline()
            .threads(task -> null)
            .stage("a")
            .handledBy(batch -> {})
            .build();
    assertThatThrownBy(pipeline::start)
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("thread factory must make a thread: stage=a");
    pipeline.close();
  }

  @Test
  void start_whenAThreadRunsAlready_stopsThoseThatHaveBegun() throws Exception {
    Thread running = Thread.ofPlatform().daemon().start(LockSupport::park);
    List<Thread> made = new ArrayList<>();
    Pipeline<Event> pipeline =
        Kind.OBJECTS_OF_ONE
            .of(16)
            .pipeline()
            .threads(
                task -> {
                  made.add(made.isEmpty() ? Thread.ofPlatform().unstarted(task) : running);
                  return made.getLast();
                })
            .stage("a")
            .handledBy(batch -> {}, batch -> {})
            .build();
    assertThatThrownBy(pipeline::start).hasCauseInstanceOf(IllegalThreadStateException.class);
    assertThat(made.getFirst().join(TestCall.LONG)).isTrue();
    pipeline.close();
  }
}

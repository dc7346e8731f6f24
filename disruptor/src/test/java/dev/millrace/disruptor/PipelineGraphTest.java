package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which stages come after which, what is refused, and how it is drawn. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineGraphTest {
  private static final int EVENTS = 2_000;
  private static final BatchHandler<Event> NOTHING = batch -> {};

  /** Stages that note each event, after a check that those before them have noted it. */
  private static final class Watched {
    private final TestRing ring;
    private final PipelineBuilder<Event> builder;
    private final Map<String, int[]> noted = new LinkedHashMap<>();

    Watched(Kind kind) {
      ring = kind.of(64);
      builder = ring.pipeline();
    }

    Watched stage(String name, String... after) {
      int[] own = new int[EVENTS];
      noted.put(name, own);
      builder
          .stage(name)
          .after(after)
          .handledBy(
              Pipeline.each(
                  (event, sequence, isLast) -> {
                    int value = (int) event.value();
                    for (String before : after) {
                      if (noted.get(before)[value] != 1) {
                        throw new AssertionError(name + " is ahead of " + before);
                      }
                    }
                    own[value]++;
                  }));
      return this;
    }

    void run() throws Exception {
      try (Pipeline<Event> pipeline = builder.build().start()) {
        ring.publishAll(0, EVENTS);
        assertThat(pipeline.drain(TestCall.LONG)).isTrue();
        noted.forEach(
            (name, times) -> assertThat(times).as(name).isEqualTo(CountingHandler.once(EVENTS)));
        assertThat(Snapshot.of(pipeline).stages())
            .allMatch(stage -> stage.processed() == EVENTS && stage.lag() == 0);
      }
    }
  }

  // ---- shapes ----

  @ParameterizedTest
  @EnumSource
  void stages_oneAfterTheOther_keepTheOrder(Kind kind) throws Exception {
    new Watched(kind).stage("a").stage("b", "a").stage("c", "b").run();
  }

  @ParameterizedTest
  @EnumSource
  void stages_sideBySide_seeAllEvents(Kind kind) throws Exception {
    new Watched(kind).stage("a").stage("b").stage("c").run();
  }

  @ParameterizedTest
  @EnumSource
  void stages_asDiamond_keepTheOrder(Kind kind) throws Exception {
    new Watched(kind).stage("a").stage("b", "a").stage("c", "a").stage("d", "b", "c").run();
  }

  @ParameterizedTest
  @EnumSource
  void stages_asWideGraph_keepTheOrder(Kind kind) throws Exception {
    Watched watched = new Watched(kind).stage("in").stage("beside");
    for (int i = 0; i < 8; i++) {
      watched.stage("wide" + i, "in");
    }
    watched
        .stage("left", "wide0", "wide1", "wide2", "wide3")
        .stage("right", "wide4", "wide5", "wide6", "wide7", "beside")
        .stage("out", "left", "right", "in")
        .run();
  }

  // ---- pictures ----

  @Test
  void toString_ofDiamond_drawsItInEachState() throws Exception {
    TestRing ring = Kind.RECORDS_OF_MANY.of(16);
    HeldHandler held = new HeldHandler();
    Pipeline<Event> pipeline =
        ring.pipeline()
            .named("orders")
            .stage("parse")
            .sharedBy(3, () -> NOTHING)
            .stage("log")
            .handledBy(NOTHING, NOTHING)
            .stage("journal")
            .after("parse")
            .handledBy(held)
            .stage("match")
            .after("parse")
            .sharedByKey(2, Event::value, () -> NOTHING)
            .stage("out")
            .after("journal", "match")
            .handledBy(NOTHING)
            .build();
    String template =
        """
        orders: %s
        ├─ parse x3 shared, lag 0, processed %s
        │  ├─ journal, lag %s, processed %s
        │  └─ match x2 shared by key, lag 0, processed %s
        │     └─ out (after journal, match), lag 0, processed %s
        └─ log x2, lag 0, processed %s\
        """;
    assertThat(pipeline)
        .hasToString(template.formatted("not started, claimed 0, free 16 of 16", 0, 0, 0, 0, 0, 0));

    pipeline.start();
    ring.publishAll(0, 5);
    held.awaitReached();
    TestCall.await(() -> processed(pipeline).values().stream().mapToLong(n -> n).sum() == 15);
    assertThat(pipeline)
        .hasToString(template.formatted("running, claimed 5, free 11 of 16", 5, 5, 0, 5, 0, 5));

    held.letGo();
    pipeline.drain(TestCall.LONG);
    assertThat(pipeline)
        .hasToString(template.formatted("ended, claimed 5, free 16 of 16", 5, 0, 5, 5, 5, 5));
    pipeline.close();
    assertThat(pipeline)
        .hasToString(template.formatted("ended, claimed 5, free 16 of 16", 5, 0, 5, 5, 5, 5));
  }

  private static Map<String, Long> processed(Pipeline<Event> pipeline) {
    Map<String, Long> processed = new LinkedHashMap<>();
    Snapshot.of(pipeline).stages().forEach(stage -> processed.put(stage.name(), stage.processed()));
    return processed;
  }

  @Test
  void toString_whenStageHasFailed_saysWhy() throws Exception {
    TestRing ring = Kind.OBJECTS_OF_ONE.of(16);
    Pipeline<Event> pipeline =
        ring.pipeline()
            .stage("check")
            .handledBy(
                batch -> {
                  throw new IllegalStateException("no such order");
                })
            .stage("count")
            .after("check")
            .handledBy(NOTHING)
            .build()
            .start();
    ring.publish(0);
    assertThatThrownBy(() -> pipeline.drain(TestCall.LONG)).hasRootCauseMessage("no such order");
    pipeline.close();
    assertThat(pipeline)
        .hasToString(
            """
            pipeline: failed (java.lang.IllegalStateException: no such order), claimed 1, free 15 of 16
            └─ check, lag 1, processed 0
               └─ count, lag 0, processed 0\
            """);
  }

  @Test
  void toString_whenClosedBeforeItStarted_saysSo() {
    Pipeline<Event> pipeline =
        Kind.OBJECTS_OF_ONE.of(16).pipeline().stage("a").handledBy(NOTHING).build();
    pipeline.close();
    assertThat(pipeline)
        .hasToString("pipeline: closed, claimed 0, free 16 of 16\n└─ a, lag 0, processed 0");
  }
}

package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.disruptor.TestRing.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is refused when a pipeline is described, and in which words. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipelineRefusalTest {
  private static final BatchHandler<Event> NOTHING = batch -> {};

  // ---- refused ----

  private static void assertRefused(String sentence, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(sentence);
  }

  private static PipelineBuilder<Event> builder() {
    return Kind.OBJECTS_OF_ONE.of(16).pipeline();
  }

  private static void build(UnaryOperator<PipelineBuilder<Event>> described) {
    described.apply(builder()).build().close();
  }

  @Test
  void after_whenStageDoesNotComeBefore_namesThoseThatDo() {
    String rule = "stage must come after stages begun before it: stage=b, after=";
    assertRefused(rule + "c, stages=[a, b]", () -> aThenB().after("a", "c"));
    assertRefused(rule + "c, stages=[a, b]", () -> aThenB().after("c").stage("c"));
    assertRefused(rule + "b, stages=[a, b]", () -> aThenB().after("b"));
  }

  private static PipelineBuilder<Event> aThenB() {
    return builder().stage("a").handledBy(NOTHING).stage("b").handledBy(NOTHING);
  }

  @Test
  void build_whenStageHasNoHandler_namesIt() {
    assertRefused("stage must have a handler: stage=a", () -> build(builder -> builder.stage("a")));
    assertRefused(
        "stage must have a handler: stage=a",
        () -> build(builder -> builder.stage("a").handledBy()));
  }

  @Test
  void build_whenThereIsNoStage_isRefused() {
    assertRefused(
        "pipeline must have a stage: pipeline=empty",
        () -> build(builder -> builder.named("empty")));
  }

  @Test
  void stage_whenNameIsTaken_namesIt() {
    assertRefused(
        "stages must have different names: name=a is there twice",
        () -> builder().stage("a").handledBy(NOTHING).stage("a"));
  }

  @Test
  void stage_whenNameIsBlankOrNull_isRefused() {
    assertRefused("stage name must not be blank: name=' '", () -> builder().stage(" "));
    assertRefused("pipeline name must not be blank: name=''", () -> builder().named(""));
    assertThatThrownBy(() -> builder().stage(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("stage name must not be null: stage name=null");
  }

  @Test
  void stage_whenHandlersAreGivenTwice_isRefused() {
    assertThatThrownBy(() -> builder().stage("a").handledBy(NOTHING).sharedBy(2, () -> NOTHING))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("handlers must be given only once: stage=a");
  }

  @Test
  void settingsOfAStage_whenNoneIsBegun_areRefused() {
    List<UnaryOperator<PipelineBuilder<Event>>> settings =
        List.of(
            builder -> builder.after("a"),
            builder -> builder.handledBy(NOTHING),
            builder -> builder.sharedBy(2, () -> NOTHING),
            builder -> builder.sharedByKey(2, Event::value, () -> NOTHING),
            builder -> builder.waiting(WaitStrategy.yielding()),
            builder -> builder.timeout(Duration.ofSeconds(1)),
            builder -> builder.maxBatch(1),
            builder -> builder.retries(1),
            builder -> builder.skipFailures());
    for (UnaryOperator<PipelineBuilder<Event>> setting : settings) {
      assertThatThrownBy(() -> setting.apply(builder().named("orders")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("stage must be begun, by stage(name), before its settings: pipeline=orders");
    }
  }

  @Test
  void stage_whenNumbersAreOutOfRange_isRefused() {
    assertRefused(
        "workers must be in 1..2147483647: workers=0",
        () -> builder().stage("a").sharedBy(0, () -> NOTHING));
    assertRefused(
        "workers must be in 1..2147483647: workers=-1",
        () -> builder().stage("a").sharedByKey(-1, Event::value, () -> NOTHING));
    assertRefused(
        "maxBatch must be in 1..2147483647: maxBatch=0", () -> builder().stage("a").maxBatch(0));
  }

  @Test
  void stage_whenSomethingIsNull_namesIt() {
    Map<String, ThrowingCallable> calls =
        Map.of(
            "handler", () -> builder().stage("a").handledBy(NOTHING, null),
            "eventKey", () -> builder().stage("a").sharedByKey(1, null, () -> NOTHING),
            "strategy", () -> builder().stage("a").waiting(null),
            "factory", () -> builder().threads(null),
            "hook", () -> builder().onThread(null),
            "listener", () -> builder().onFailure(null));
    calls.forEach(
        (name, call) ->
            assertThatThrownBy(call)
                .isInstanceOf(NullPointerException.class)
                .hasMessage(name + " must not be null: " + name + "=null"));
  }

  @ParameterizedTest
  @EnumSource
  void build_whenSomethingWasClaimed_isRefused(Kind kind) throws Exception {
    TestRing ring = kind.of(16);
    SequenceConsumer consumer = ring.sequencer().newConsumer(WaitStrategy.parking());
    ring.publish(1);
    assertThatThrownBy(() -> ring.pipeline().stage("a").handledBy(NOTHING).build())
        .isInstanceOf(IllegalStateException.class);
    assertThat(consumer.poll(1)).isOne();
    ring.ring().close();
  }

  @ParameterizedTest
  @EnumSource
  void build_whenSomebodyElseConsumes_isRefused(Kind kind) {
    TestRing ring = kind.of(16);
    ring.sequencer().newConsumer(WaitStrategy.parking());
    assertThatThrownBy(() -> ring.pipeline().stage("a").handledBy(NOTHING).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "ring must have no other consumers than the pipeline's: pipeline=pipeline, "
                + ring.ring());
    ring.ring().close();
  }

  @Test
  void build_whenBuiltBefore_isRefused() {
    PipelineBuilder<Event> builder = builder().stage("a").handledBy(NOTHING);
    Pipeline<Event> pipeline = builder.build();
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("ring must have no other consumers than the pipeline's: ");
    pipeline.close();
  }

  // ---- SKIP_OLDEST ----

  private static PipelineBuilder<Event> skipping() {
    RingOptions options = RingOptions.multiProducer(16).withOnFull(OnFull.DROP_OLDEST);
    return Kind.RECORDS_OF_MANY.of(options).pipeline();
  }

  @Test
  void build_whenOldestAreSkippedByTwo_isRefused() {
    String rule =
        "first stage must be one handler where onFull=DROP_OLDEST, or what one passes over"
            + " another may have in hand: first=";
    assertRefused(
        rule + "[a x1, b x1]",
        () -> skipping().stage("a").handledBy(NOTHING).stage("b").handledBy(NOTHING).build());
    assertRefused(rule + "[a x2]", () -> skipping().stage("a").handledBy(NOTHING, NOTHING).build());
    assertRefused(rule + "[a x3]", () -> skipping().stage("a").sharedBy(3, () -> NOTHING).build());
    skipping()
        .stage("a")
        .handledBy(NOTHING)
        .stage("b")
        .after("a")
        .sharedBy(3, () -> NOTHING)
        .build()
        .close();
  }

  @ParameterizedTest
  @EnumSource(names = ".*_OF_ONE", mode = EnumSource.Mode.MATCH_ALL)
  void of_whenOldestAreSkippedOfOneProducer_isRefused(Kind kind) {
    assertRefused(
        "onFull must not be DROP_OLDEST where one producer publishes, whose slots cannot"
            + " say that they hold nothing: onFull=DROP_OLDEST",
        () -> kind.of(kind.options(16).withOnFull(OnFull.DROP_OLDEST)));
  }
}

package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.TestRing.Event;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Finds a pipeline that cannot work and is built all the same, and a refusal that does not name the
 * stage.
 */
class PipelineRefusalTest extends PipelineFixture {
  private PipelineBuilder<Event> one() {
    return on(16).stage("a").handledBy(NOTHING);
  }

  private PipelineBuilder<Event> two() {
    return one().stage("b").handledBy(NOTHING);
  }

  @Test
  void description_ofWhatCannotBe_isRefused() {
    String after = "stage must come after stages begun before it: stage=b, after=";
    Throws.illegalArgument(
        after + "c, stages=[a, b]", () -> two().after("a", "c"), () -> two().after("c").stage("c"));
    Throws.illegalArgument(after + "b, stages=[a, b]", () -> two().after("b"));
    Throws.illegalArgument(
        "stage must have a handler: stage=a",
        () -> on(16).stage("a").build(),
        () -> on(16).stage("a").handledBy().build());
    Throws.illegalArgument(
        "pipeline must have a stage: pipeline=empty", () -> on(16).named("empty").build());
    Throws.illegalArgument("two stages cannot have the same name: name=a", () -> one().stage("a"));
    Throws.illegalArgument("stage name must not be blank: name=' '", () -> on(16).stage(" "));
    Throws.illegalArgument("pipeline name must not be blank: name=''", () -> on(16).named(""));
    Throws.illegalState(
        "a stage can be given handlers only once: stage=a", () -> one().sharedBy(2, () -> NOTHING));
    Throws.illegalArgument(
        "workers must be in 1..2147483647: workers=0",
        () -> on(16).stage("a").sharedBy(0, () -> NOTHING));
    Throws.illegalArgument(
        "workers must be in 1..2147483647: workers=-1",
        () -> on(16).stage("a").sharedByKey(-1, Event::value, () -> NOTHING));
    Throws.illegalArgument(
        "maxBatch must be in 1..2147483647: maxBatch=0", () -> one().maxBatch(0));
    Throws.illegalArgument("retries must be in 0..2147483647: retries=-1", () -> one().retries(-1));
  }

  @Test
  void settingsOfAStage_whenNoneIsBegun_areRefused() {
    PipelineBuilder<Event> orders = on(16).named("orders");
    Throws.illegalState(
        "settings must come after a stage is begun, by stage(name): pipeline=orders",
        () -> orders.after("a"),
        () -> orders.handledBy(NOTHING),
        () -> orders.sharedBy(2, () -> NOTHING),
        () -> orders.sharedByKey(2, Event::value, () -> NOTHING),
        () -> orders.waiting(WaitStrategy.yielding()),
        () -> orders.timeout(Duration.ofSeconds(1)),
        () -> orders.maxBatch(1),
        () -> orders.retries(1),
        orders::skipFailures);
  }

  @Test
  void names_thatAreLong_areShownShortly() throws Exception {
    String flood = Throws.FLOOD;
    Throws.readably(
        () -> on(16).named(flood).build(),
        () -> on(16).named(flood).after("a"),
        () -> on(16).stage(flood).build(),
        () -> on(16).stage(flood).handledBy(NOTHING).stage(flood),
        () -> on(16).stage(flood).handledBy(NOTHING).handledBy(NOTHING),
        () -> on(16).stage(flood).handledBy(NOTHING).after(flood + "b"),
        () -> one().named(flood).stage(flood).handledBy(NOTHING).after(flood),
        () -> one().stage(flood).threads(_ -> null).handledBy(NOTHING).build().start());
    start(one().named(flood).stage(flood).handledBy(batch -> batch.at(9)));
    ring.publish(0);
    TestCall.await(() -> pipeline.failure() != null);
    Throws.readably(() -> pipeline.drain(TestCall.LONG));
    assertThat(pipeline.toString()).doesNotContain("\u001B").hasSizeLessThan(1_000);
  }

  @Test
  void description_ofNull_namesIt() {
    PipelineBuilder<Event> stage = on(16).stage("a");
    Throws.nullArgument("stage name", () -> stage.stage(null));
    Throws.nullArgument("handler", () -> stage.handledBy(NOTHING, null));
    Throws.nullArgument("eventKey", () -> stage.sharedByKey(1, null, () -> NOTHING));
    Throws.nullArgument("strategy", () -> stage.waiting(null));
    Throws.nullArgument("factory", () -> stage.threads(null));
    Throws.nullArgument("hook", () -> stage.onThread(null));
    Throws.nullArgument("listener", () -> stage.onFailure(null));
  }

  // ---- the ring ----

  @Test
  void build_whenSomethingWasClaimed_isRefused() throws Exception {
    PipelineBuilder<Event> builder = one();
    SequenceConsumer consumer = ring.sequencer().newConsumer(WaitStrategy.parking());
    ring.publish(1);
    Throws.illegalState("...", builder::build);
    assertThat(consumer.poll(1)).isOne();
    ring.ring().close();
  }

  @Test
  void build_whenSomebodyElseConsumes_isRefused() {
    PipelineBuilder<Event> builder = one();
    ring.sequencer().newConsumer(WaitStrategy.parking());
    String rule = "ring must have no other consumers than the pipeline's: pipeline=pipeline, ";
    Throws.illegalState(rule + ring.ring(), builder::build);
    ring.ring().close();
    PipelineBuilder<Event> twice = one();
    pipeline = twice.build();
    Throws.illegalState(rule + "...", twice::build);
  }

  // ---- DROP_OLDEST ----

  private PipelineBuilder<Event> dropping() {
    return on(kind.options(16).withOnFull(OnFull.DROP_OLDEST)).stage("a");
  }

  @Test
  void build_whenOldestAreDroppedByTwo_isRefused() {
    assumeThat(kind.hasManyProducers()).isTrue();
    String rule =
        "first stage must be one handler where onFull=DROP_OLDEST, or what one passes over"
            + " another may have in hand: first=";
    Throws.illegalArgument(
        rule + "[a x1, b x1]",
        () -> dropping().handledBy(NOTHING).stage("b").handledBy(NOTHING).build());
    Throws.illegalArgument(rule + "[a x2]", () -> dropping().handledBy(NOTHING, NOTHING).build());
    Throws.illegalArgument(rule + "[a x3]", () -> dropping().sharedBy(3, () -> NOTHING).build());
    PipelineBuilder<Event> first = dropping().handledBy(NOTHING);
    pipeline = first.stage("b").after("a").sharedBy(3, () -> NOTHING).build();
  }
}

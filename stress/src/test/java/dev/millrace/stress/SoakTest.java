package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.RecordStore;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.PipelinePlan.Life;
import dev.millrace.stress.PipelinePlan.StagePlan;
import dev.millrace.stress.QueueRound.Wait;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.StalledRound.Phase;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.PipelineSpec.Kind;
import dev.millrace.stress.spec.PipelineSpec.Shape;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The soaks in short; the long ones are commands, see {@link Soak}. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD) // a hung test ignores interrupts
class SoakTest {
  private static final long MOST_NANOS = 60_000_000_000L;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spsc --seconds 0.6 --capacities 2,65536 | records, aborted",
        "spsc --seconds 0.3 --capacities 64 --wait parking | records, aborted",
        "mpsc --seconds 0.3 --capacities 2 | records, aborted",
        "mpsc --seconds 0.3 --capacities 64 --wait parking | records, aborted",
        "mpsc --seconds 0.3 --capacities 4096 --producers 8 | records, aborted",
        "mpmc --seconds 0.3 --capacities 2 | records, aborted",
        "mpmc --seconds 0.3 --capacities 64 --wait parking | records, aborted",
        "mpmc --seconds 0.3 --capacities 4096 --producers 8 --consumers 8 | records, aborted",
        "records --seconds 1.2 --capacities 1,64,1024 | records, spilled",
        "records --seconds 60 --records 20000 --capacities 3 --threads 4 | records, spilled",
        "messages --seconds 0.6 --capacities 1024,65536 --limits-millis 0 | records, aborted",
        "messages --seconds 0.3 --capacities 4096 --clocks 0 --wait parking | records, aborted",
        "messages --seconds 0.3 --capacities 1024 --kinds mpsc,mpmc --limits-millis 1 --stall-every"
            + " 300 --half | records, aborted, refused",
        "messages --seconds 60 --capacities 1024 --records 1000 --producers 8 --consumers 8"
            + " | records, aborted",
        "all --seconds 0.1 --threads 2 --producers 8 --limit-millis 2 | records, slots for good",
        "kfifo --seconds 0.5 --records 20000 --seed 3 | records, aborted, full, empty, most"
            + " overtakes",
        "kfifo --seconds 0.5 --records 20000 --seed 7 --producers 1 | records, aborted, full,"
            + " empty",
        "kfifo --seconds 0.5 --records 50000 --seed 6 --producers 2 --consumers 2 | full, most"
            + " overtakes",
        "pipeline --seconds 4 | records, drained, thrown",
        "pipeline --only 7 | records",
        "cache --seconds 1.8 | records, loaded, not loaded, too large, iterated, evicted, expired,"
            + " replaced, removed, moved",
        "cache --seconds 60 --operations 200000 --shapes tiny,told --threads 3 --bytes 300000"
            + " | told of failures, evicted",
        "history --seconds 0.5 | committed, read by 4, windows",
        "history --seconds 0.5 --capacity 3 --readers 2 | committed, lost by 2",
        "history --seconds 0.3 --capacity 1 --readers 1 | refused",
        "trace --seconds 0.5 | left out, read by 1, lost by 2",
        "trace --seconds 0.5 --records 2 --writers 4 | left out, read by 1, lost by 2"
      })
  void soak_ofACommand_seesAllThatItIsFor(String command, String positive) {
    List<String> names = List.of(positive.split(", ", -1));
    Soak soak = new Soak();
    long begin = System.nanoTime();
    do { // on a busy machine nothing may have stalled, or been overtaken, within its seconds
      assertThat(soak.execute(command.split(" "))).isZero();
    } while (!names.stream().allMatch(name -> soak.all().get(name) > 0)
        && System.nanoTime() - begin < MOST_NANOS);
    for (String name : names) {
      assertThat(soak.all().get(name)).as("%s in %s", name, soak.all()).isPositive();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SPSC MPSC MPMC K_FIFO, LOSE, records taken must be",
    "SPSC MPSC, REPEAT, number must be above",
    "MPMC, REPEAT, must be",
    "K_FIFO, REPEAT, records taken must be",
    "SPSC MPSC MPMC K_FIFO, TEAR, torn record",
    "SPSC MPSC MPMC K_FIFO, POISON, slot must hold a record",
    "MESSAGES_SPSC MESSAGES_MPSC MESSAGES_MPMC, LOSE, records taken must be",
    "MESSAGES_SPSC MESSAGES_MPSC, REPEAT, number must be above",
    "MESSAGES_MPMC, REPEAT, must be",
    "MESSAGES_SPSC MESSAGES_MPSC MESSAGES_MPMC, TEAR, torn message: byte",
    "MESSAGES_SPSC MESSAGES_MPSC MESSAGES_MPMC, POISON, torn message: byte",
    "MESSAGES_SPSC MESSAGES_MPSC MESSAGES_MPMC, SHORTEN, torn message: length",
    "MESSAGES_SPSC MESSAGES_MPSC MESSAGES_MPMC, MISTIME, torn message: time",
    "MESSAGES_SPSC MESSAGES_MPSC MESSAGES_MPMC, OVERDRAW, bytes left before a message must be",
    "MESSAGES_SPSC MESSAGES_MPSC, TAKE_KEPT, number must be above",
    "MESSAGES_SPSC MESSAGES_MPSC, DROP, number of the message that stayed must be"
  })
  void queue_whenAnEndDoesWrong_fails(String kinds, Fault fault, String message) {
    for (String name : kinds.split(" ", -1)) {
      QueueRound.Kind kind = QueueRound.Kind.valueOf(name);
      assertThatThrownBy(round(kind, fault)::call)
          .as(name)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(message);
    }
  }

  @ParameterizedTest
  @CsvSource({"REPEAT, must be", "TEAR, torn record"})
  void recordQueue_whenAProducerDoesWrong_fails(Fault fault, String message) {
    for (RecordStore.Kind kind : RecordStore.Kind.values()) {
      assertThatThrownBy(new RecordRound(kind, 4, 1, 1, 20_000, MOST_NANOS, 0, 1, fault)::call)
          .as("%s", kind)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(message);
    }
  }

  private static QueueRound round(QueueRound.Kind kind, Fault fault) {
    int producers = kind.hasManyProducers ? 2 : 1;
    int consumers = kind.hasManyConsumers ? 2 : 1;
    if (kind == QueueRound.Kind.K_FIFO) {
      return QueueRound.kFifo(producers, consumers, 20_000, 1, fault);
    }
    long nanos = 300_000_000;
    MessageShape shape = new MessageShape(producers, 300, 1, producers, true);
    return kind.isOfMessages()
        ? QueueRound.messages(
            kind,
            1024,
            producers,
            consumers,
            16,
            Wait.YIELDING,
            Long.MAX_VALUE,
            nanos,
            shape,
            0,
            0,
            fault)
        : QueueRound.ordered(kind, 64, producers, consumers, 16, Wait.YIELDING, nanos, fault);
  }

  @Test
  void message_withATimeThatItMustNotHave_isTorn() {
    try (MessageQueue queue = MessageQueue.spsc(QueueOptions.ofCapacity(1024))) {
      FifoSpec.Sent sent = new FifoSpec.Sent(0, 1, false);
      new MessageSender(queue, new MessageShape(1, 300, 1, 1, true), 0, sent).offer(0);
      Message message = queue.newConsumer().tryPoll();
      MessageShape withoutClock = new MessageShape(1, 300, 0, 1, true);
      assertThatThrownBy(() -> withoutClock.newReader().applyAsLong(message))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("torn message: time, which it must not have");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "MPSC, 64, 100, 5",
    "MPSC, 1024, 100, 100",
    "MPMC, 64, 100, 5",
    "MPMC, 1024, 100, 100",
    "MESSAGES_MPSC, 64, 100, 5",
    "MESSAGES_MPSC, 1024, 100, 100",
    "MESSAGES_MPMC, 64, 100, 5",
    "MESSAGES_MPMC, 1024, 100, 100"
  })
  void stalled_accountsForAllRecordsAndSlots(
      QueueRound.Kind kind, int capacity, int stops, int forGood) throws Exception {
    Counts counts = new StalledRound(kind, capacity, stops, forGood, 2_000_000, 300_000_000).call();
    assertThat(counts.get("late") > 0).as("some came back late").isEqualTo(forGood < stops);
    assertThat(counts.get("none left") > 0).as("no slot was left").isEqualTo(capacity == 64);
    if (kind.isOfMessages()) { // of which not all that are stopped for good hold slots
      assertThat(counts.get("slots for good")).isPositive();
      assertThat(counts.get("stopped unmarked")).isPositive();
      assertThat(counts.get("stopped committing")).isPositive();
    } else {
      assertThat(counts.get("slots for good")).isGreaterThanOrEqualTo(forGood);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Phase.class,
      names = {"UNMARKED", "WRAPPED", "MARKED"})
  void stalled_whenAClaimWasNotGivenUp_fails(Phase phase) {
    StalledRound round = new StalledRound(QueueRound.Kind.MESSAGES_MPSC, 64, 1, 0, 1L << 40, 1);
    SoakConsumer<?> consumer = round.newConsumer(1);
    StoppedClaim claim =
        Stream.generate(() -> consumer.tryTake() ? null : round.tryClaim(phase, 3))
            .limit(64) // as far as the end of the memory
            .filter(Objects::nonNull)
            .findFirst()
            .orElseThrow();
    assertThatThrownBy(() -> claim.goOn(true))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("claim must have been given up");
  }

  @ParameterizedTest
  @CsvSource({
    "TEAR, torn value",
    "MIX, value must be of its key",
    "STALE, version must be",
    "KEEP, version must be",
    "LEAK, native bytes in use must be"
  })
  void cache_whenAThreadDoesWrong_fails(CacheWorker.Fault fault, String message) {
    assertThatThrownBy(
            CacheRound.of(CacheShape.SHARDS, 1 << 20, 2, 1_000_000, MOST_NANOS, 1, fault)::call)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message);
  }

  // ---- pipelines ----

  @ParameterizedTest
  @EnumSource(Kind.class)
  void pipeline_withFailingHandlers_accountsForAllEvents(Kind kind) throws Exception {
    Counts counts = new PipelineRound(plan(kind), PipelineWorker.Fault.NONE).call();
    assertThat(counts.get("drained")).isEqualTo(1);
    assertThat(counts.get("records")).isPositive();
    assertThat(counts.get("failed")).as("events were passed over").isPositive();
    assertThat(counts.get("thrown")).as("and some tried again").isGreaterThan(counts.get("failed"));
  }

  @ParameterizedTest
  @CsvSource({
    "LOSE, must not be lost",
    "REPEAT, must come once",
    "REORDER, must come in order",
    "LAG, must be handled after those before",
    "MISCOUNT, must be"
  })
  void pipeline_whenAHandlerDoesWrong_fails(PipelineWorker.Fault fault, String message) {
    for (Kind kind : Kind.values()) {
      assertThatThrownBy(() -> new PipelineRound(plan(kind), fault).call())
          .as("%s", kind)
          .isInstanceOf(AssertionError.class)
          .hasStackTraceContaining(message);
    }
  }

  /**
   * Two stages with a failing handler here and there, at a rate at which every worker gets some.
   */
  private static PipelinePlan plan(Kind kind) {
    Shape first = new Shape("first", kind, 2, List.of(), 1, true);
    Shape second = new Shape("second", Kind.SHARED, 2, List.of(0), 0, true);
    WaitStrategy waits = WaitStrategy.parking();
    return new PipelinePlan(
        1,
        List.of(
            new StagePlan(first, true, 2, waits, null, 20, 50, -1),
            new StagePlan(second, false, 0, waits, null, 0, 0, -1)),
        RingOptions.multiProducer(16),
        0,
        false,
        2,
        4,
        5_000,
        0,
        10,
        false,
        Life.DRAIN,
        0);
  }
}

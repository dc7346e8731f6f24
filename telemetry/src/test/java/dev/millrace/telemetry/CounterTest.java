package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.internal.CounterTable;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds an addition that is lost between threads, or that lands in another counter: in the one that
 * has a closed one's slot, or in that of another telemetry.
 */
class CounterTest {
  private final Telemetry telemetry = Telemetry.inMemory(Options.defaults().withCapacity(8));

  @AfterEach
  void close() {
    telemetry.close();
  }

  private Map<String, Long> counters() {
    return telemetry.newReader().counters();
  }

  // ---- values ----

  @Test
  void values_ofEachKindAndOfSeveralTelemetries_areReadBack() {
    List<Telemetry> others =
        Stream.generate(() -> Telemetry.inMemory(Options.defaults())).limit(4).toList();
    for (Telemetry other : others) {
      long number = others.indexOf(other);
      for (Counter counter : List.of(other.counter("many"), other.soleWriterCounter("sole"))) {
        counter.increment();
        counter.add(10 * number);
        assertThat(counter.get()).as(counter.label()).isEqualTo(10 * number + 1);
      }
      Counter striped = other.counter("striped", 4);
      striped.increment();
      striped.add(100 * number);
      assertThat(striped.get()).isEqualTo(100 * number + 1);
      other.gauge("gauge").set(1_000 * number);
    }
    for (Telemetry other : others) {
      long number = others.indexOf(other);
      long each = 10 * number + 1;
      TelemetryReader reader = other.newReader();
      assertThat(reader.counters())
          .containsExactly(
              entry("many", each), entry("sole", each), entry("striped", 100 * number + 1));
      assertThat(reader.gauges()).containsExactly(entry("gauge", 1_000 * number));
      other.close();
    }
  }

  @Test
  void set_ofAGauge_replacesItsValue() {
    Gauge gauge = telemetry.gauge("depth");
    gauge.set(7);
    gauge.add(-2);
    assertThat(gauge.get()).isEqualTo(5);
    gauge.set(-1);
    assertThat(gauge.get()).isEqualTo(-1);
  }

  @Test
  void label_thatIsInUse_isRefusedUntilItIsFree() {
    Counter counter = telemetry.counter("orders");
    Throws.illegalArgument(
        "label must not be in use already: label=orders", () -> telemetry.gauge("orders"));
    Throws.illegalArgument(
        "label must not be in use already: label=x.sampleFailures",
        () -> telemetry.report("x", measured("sampleFailures")));
    assertThat(counters()).containsOnlyKeys("orders");
    telemetry.report("x", measured("a"));
    Throws.illegalArgument(
        "label must not be in use already: label=x.a",
        () -> telemetry.report("x", measured("b", "a")));
    assertThat(counters()).containsOnlyKeys("orders", "x.a", "x.sampleFailures");
    counter.close();
    Gauge gauge = telemetry.gauge("orders");
    assertThat(gauge).hasToString("Gauge[label=orders]");
    assertThat(gauge.label()).isEqualTo("orders");
  }

  private static Measured measured(String... names) {
    return new Measured() {
      @Override
      public List<String> counters() {
        return List.of(names);
      }

      @Override
      public List<String> gauges() {
        return List.of();
      }

      @Override
      public void readMetrics(long[] values) {}
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8})
  void add_byManyThreads_losesNothing(int stripes) throws Exception {
    Counter counter = telemetry.counter("hits", stripes);
    TestCall.Body counting =
        () -> {
          for (int j = 0; j < 100_000; j++) {
            counter.increment();
          }
        };
    List<TestCall<Boolean>> calls = TestCall.run(4, counting);
    long last = 0;
    while (last < 400_000 && !calls.stream().allMatch(TestCall::isOver)) {
      long sum = counter.get();
      assertThat(sum).isBetween(last, 400_000L);
      last = sum;
    }
    TestCall.results(calls);
    assertThat(counter.get()).isEqualTo(400_000);
  }

  // ---- life ----

  @Test
  void close_whenCounterWasOpen_freesItsSlots() {
    Counter striped = telemetry.counter("striped", 8);
    striped.close();
    assertThat(counters()).isEmpty();

    Counter again = telemetry.counter("again", 8);
    assertThat(again.get()).isZero();
    striped.close();
    assertThat(counters()).as("a second close frees nothing").containsExactly(entry("again", 0L));
    Throws.illegalArgument("...", () -> telemetry.counter("again"));
  }

  @Test
  void use_whenClosed_throws() {
    Counter counter = telemetry.counter("orders");
    Counter sole = telemetry.soleWriterCounter("sole");
    Gauge gauge = telemetry.gauge("depth");
    List.of(counter, sole).forEach(Counter::close);
    gauge.close();
    for (int i = 0; i < 8; i++) {
      telemetry.counter("later " + i);
    }

    Throws.illegalState("counter is closed: label=orders", counter::increment);
    Throws.illegalState(
        "...", counter::get, sole::increment, () -> gauge.set(1), () -> gauge.add(1));
    assertThat(counters()).hasSize(8).allSatisfy((_, value) -> assertThat(value).isZero());
    assertThat(counter.label()).isEqualTo("orders");
  }

  @Test
  void counter_whenTableIsFull_namesTheCapacity() {
    IntStream.range(0, 7).forEach(i -> telemetry.counter("c" + i));
    Throws.illegalState(
        "counters must fit the table: capacity=8, used=7, slots asked for in a row=2,"
            + " label=wide",
        () -> telemetry.counter("wide", 2));
    telemetry.counter("last");
    Throws.illegalState("...capacity=8, used=8...", () -> telemetry.gauge("one more"));
    assertThat(counters()).hasSize(8);
  }

  @Test
  void counter_whenSlotsAreFreedBetweenOthers_findsRoomForStripes() {
    List<Counter> all = IntStream.range(0, 8).mapToObj(i -> telemetry.counter("c" + i)).toList();
    all.get(2).close();
    all.get(5).close();
    Throws.illegalState("...used=6...", () -> telemetry.counter("wide", 2));
    all.get(4).close();
    Counter wide = telemetry.counter("wide", 2);
    wide.add(3);
    all.get(3).add(1);
    all.get(6).add(1);
    assertThat(wide.get()).isEqualTo(3);
    assertThat(counters().keySet()).containsExactly("c0", "c1", "c3", "wide", "c6", "c7");
  }

  @Test
  void generation_whenSlotIsUsedAgain_rises() {
    try (NativeMemory memory = NativeMemory.allocate(CounterTable.SLOT_BYTES)) {
      CounterTable table = CounterTable.ofCounters(memory.segment());
      long last = 0;
      for (int i = 0; i < 100; i++) {
        String label = "counter " + i;
        table.label(0, CounterTable.COUNTER, 1, label.getBytes(StandardCharsets.UTF_8));
        long word = table.publish(0);
        CounterTable.Copy copy = table.read(0);
        assertThat(copy.generation()).isGreaterThan(last);
        assertThat(copy.label()).isEqualTo(label);
        last = copy.generation();
        table.free(0, word);
      }
    }
  }

  // ---- arguments ----

  @Test
  void label_ofAnyTextThatFits_isReadBack() {
    List<String> texts = List.of("a", "größer", "注文数", "x".repeat(240), "é".repeat(120));
    texts.forEach(telemetry::counter);
    assertThat(counters().keySet()).containsExactlyElementsOf(texts);
  }

  @Test
  void label_withHalfASurrogatePair_isTheTextThatReadersSee() {
    assertThat(telemetry.counter("a\uD800").label()).isEqualTo("a?");
    Throws.illegalArgument(
        "label must not be in use already: label=a?", () -> telemetry.counter("a?"));
    assertThat(counters()).containsOnlyKeys("a?");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 241})
  void label_ofWrongLength_isRefused(int bytes) {
    assertThatThrownBy(() -> telemetry.counter("x".repeat(bytes)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "label must take 1..240 bytes in UTF-8: bytes=%d, label=%s",
            bytes, bytes == 0 ? "" : "x".repeat(64) + "... (" + bytes + " characters)");
    assertThat(counters()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 3, 128})
  void stripes_ofWrongNumber_areRefused(int stripes) {
    Throws.illegalArgument(
        "stripes must be a power of two in 1..64: stripes=" + stripes,
        () -> telemetry.counter("hits", stripes));
  }
}

package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.core.Measured;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.TelemetryReader.Reading;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters and their table, in memory. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CounterTest {
  private final Telemetry telemetry = Telemetry.inMemory(Options.defaults().withCapacity(8));

  @AfterEach
  void close() {
    telemetry.close();
  }

  private List<Reading> readings() {
    return telemetry.newReader().counters();
  }

  private List<String> labels() {
    return readings().stream().map(Reading::label).toList();
  }

  // ---- values ----

  @Test
  void add_ofEachKindOfCounter_isReadBack() {
    List<Counter> counters =
        List.of(
            telemetry.counter("many"),
            telemetry.soleWriterCounter("one"),
            telemetry.counter("striped", 4));
    for (Counter counter : counters) {
      counter.increment();
      counter.add(41);
      assertThat(counter.get()).as(counter.label()).isEqualTo(42);
    }

    telemetry.gauge("gauge").set(42);
    assertThat(readings())
        .extracting(Reading::label, Reading::isGauge, Reading::value)
        .containsExactly(
            tuple("many", false, 42L),
            tuple("one", false, 42L),
            tuple("striped", false, 42L),
            tuple("gauge", true, 42L));
  }

  @Test
  void values_ofSeveralTelemetries_areEachItsOwn() {
    List<Telemetry> others =
        Stream.generate(() -> Telemetry.inMemory(Options.defaults())).limit(4).toList();
    long number = 1;
    for (Telemetry other : others) {
      other.counter("many").add(number);
      other.soleWriterCounter("one").add(10 * number);
      other.gauge("gauge").set(100 * number);
      other.counter("striped", 2).add(1_000 * number);
      number++;
    }
    number = 1;
    for (Telemetry other : others) {
      assertThat(other.newReader().counters())
          .extracting(Reading::value)
          .containsExactly(number, 10 * number, 100 * number, 1_000 * number);
      other.close();
      number++;
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
    assertThatThrownBy(() -> telemetry.gauge("orders"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("label must not be in use already: label=orders");
    assertThatThrownBy(() -> telemetry.report("x", measured("sampleFailures")))
        .hasMessage("label must not be in use already: label=x.sampleFailures");
    assertThat(labels()).containsExactly("orders");
    telemetry.report("x", measured("a"));
    assertThatThrownBy(() -> telemetry.report("x", measured("b", "a")))
        .hasMessage("label must not be in use already: label=x.a");
    assertThat(labels()).containsExactly("orders", "x.a", "x.sampleFailures");
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
  void add_byManyThreads_losesNothing(int stripes) throws InterruptedException {
    Counter counter = telemetry.counter("hits", stripes);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int j = 0; j < 100_000; j++) {
                      counter.increment();
                    }
                  }));
    }
    long last = 0;
    while (last < 400_000 && threads.stream().anyMatch(Thread::isAlive)) {
      long sum = counter.get();
      assertThat(sum).isBetween(last, 400_000L);
      last = sum;
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(counter.get()).isEqualTo(400_000);
  }

  // ---- life ----

  @Test
  void close_whenCounterWasOpen_freesItsSlots() {
    Counter striped = telemetry.counter("striped", 8);
    striped.close();
    assertThat(readings()).isEmpty();

    Counter again = telemetry.counter("again", 8);
    assertThat(again.get()).isZero();
    assertThat(labels()).containsExactly("again");
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

    assertThatThrownBy(counter::increment)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("counter must be open: closed, label=orders");
    assertThatThrownBy(counter::get).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(counter::close).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(sole::increment).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> gauge.set(1)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> gauge.add(1)).isInstanceOf(IllegalStateException.class);
    assertThat(readings()).hasSize(8).allMatch(one -> one.value() == 0);
    assertThat(counter.label()).isEqualTo("orders");
  }

  @Test
  void counter_whenTableIsFull_namesTheCapacity() {
    IntStream.range(0, 7).forEach(i -> telemetry.counter("c" + i));
    assertThatThrownBy(() -> telemetry.counter("wide", 2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "counters must fit the table: capacity=8, used=7, slots asked for in a row=2,"
                + " label=wide");
    telemetry.counter("last");
    assertThatThrownBy(() -> telemetry.gauge("one more"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("capacity=8, used=8");
    assertThat(labels()).hasSize(8);
  }

  @Test
  void counter_whenSlotsAreFreedBetweenOthers_findsRoomForStripes() {
    List<Counter> all = IntStream.range(0, 8).mapToObj(i -> telemetry.counter("c" + i)).toList();
    all.get(2).close();
    all.get(5).close();
    assertThatThrownBy(() -> telemetry.counter("wide", 2)).hasMessageContaining("used=6");
    all.get(4).close();
    Counter wide = telemetry.counter("wide", 2);
    wide.add(3);
    all.get(3).add(1);
    all.get(6).add(1);
    assertThat(wide.get()).isEqualTo(3);
    assertThat(labels()).containsExactly("c0", "c1", "c3", "wide", "c6", "c7");
  }

  @Test
  void generation_whenSlotIsUsedAgain_rises() {
    Telemetry one = Telemetry.inMemory(Options.defaults().withCapacity(1));
    long last = 0;
    for (int i = 0; i < 100; i++) {
      Counter counter = one.counter("counter " + i);
      Reading reading = one.newReader().counters().getFirst();
      assertThat(reading.generation()).isGreaterThan(last);
      assertThat(reading.label()).isEqualTo("counter " + i);
      last = reading.generation();
      counter.close();
    }
    one.close();
  }

  @Test
  void readings_whileSlotsAreUsedAgain_matchTheirLabels() throws InterruptedException {
    Thread owner =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; i < 200_000; i++) {
                    Gauge counter = telemetry.gauge("counts to " + (i % 1_000));
                    counter.set(i % 1_000);
                    counter.close();
                  }
                });
    TelemetryReader reader = telemetry.newReader();
    while (owner.isAlive()) {
      for (Reading reading : reader.counters()) {
        assertThat(reading.label())
            .isIn("counts to " + reading.value(), reading.value() == 0 ? reading.label() : "");
      }
    }
    owner.join();
    assertThat(reader.unfinishedCount()).isZero();
  }

  // ---- arguments ----

  @Test
  void label_ofAnyTextThatFits_isReadBack() {
    List<String> texts = List.of("a", "größer", "注文数", "x".repeat(240), "é".repeat(120));
    texts.forEach(telemetry::counter);
    assertThat(labels()).isEqualTo(texts);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 241})
  void label_ofWrongLength_isRefused(int bytes) {
    assertThatThrownBy(() -> telemetry.counter("x".repeat(bytes)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "label must take 1..240 bytes in UTF-8: bytes="
                + bytes
                + ", label="
                + "x".repeat(bytes));
    assertThat(readings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 3, 128})
  void stripes_ofWrongNumber_areRefused(int stripes) {
    assertThatThrownBy(() -> telemetry.counter("hits", stripes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stripes must be a power of two in 1..64: stripes=" + stripes);
  }
}

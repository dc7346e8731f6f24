package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a source that holds up the others, hangs a close or writes into a counter that is no longer
 * its own, because it blocks, takes longer than the period, throws, or calls the telemetry that
 * asks it.
 */
class SlowSourceTest {
  private static final Options ON_DEMAND = Options.defaults().withSamplePeriod(Duration.ZERO);
  private static final Options EACH_MILLISECOND =
      Options.defaults().withSamplePeriod(Duration.ofMillis(1));

  @TempDir private Path folder;
  private final Blocking blocking = new Blocking();

  /** Answers 1; once it is armed, its calls block until it is let go, and answer 2. */
  private static final class Blocking implements LongSupplier {
    final AtomicBoolean isArmed = new AtomicBoolean();
    final AtomicInteger armedCalls = new AtomicInteger();
    final CountDownLatch isBlocked = new CountDownLatch(1);
    final CountDownLatch letGo = new CountDownLatch(1);

    /** Arms it, and waits until the sampler is in it. */
    void block() throws InterruptedException {
      isArmed.set(true);
      isBlocked.await();
    }

    @Override
    public long getAsLong() {
      if (!isArmed.get()) {
        return 1;
      }
      armedCalls.incrementAndGet();
      isBlocked.countDown();
      try {
        letGo.await();
      } catch (InterruptedException e) {
        throw new AssertionError("sources are not interrupted", e);
      }
      return 2;
    }
  }

  @AfterEach
  void letGo() {
    blocking.letGo.countDown();
  }

  private static String values(Telemetry telemetry) {
    return values(telemetry.newReader());
  }

  /** By label, so each source comes with its failures. */
  private static String values(TelemetryReader reader) {
    Map<String, Long> values = new TreeMap<>(reader.counters());
    values.putAll(reader.gauges());
    return values.entrySet().stream().map(Object::toString).collect(Collectors.joining(" "));
  }

  private static String values(Path file) throws IOException {
    try (TelemetryReader reader = TelemetryReader.open(file)) {
      return values(reader);
    }
  }

  private static void awaitEnd(String threadName) throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals(threadName)) {
        thread.join();
      }
    }
  }

  // ---- sources that block ----

  @Test
  void report_whileASourceBlocksTheSampler_returns() throws Exception {
    try (Telemetry telemetry = Telemetry.inMemory(EACH_MILLISECOND)) {
      telemetry.report("blocking", blocking);
      blocking.block();
      telemetry.report("other", () -> 7);
      assertThat(values(telemetry))
          .isEqualTo("blocking=1 blocking.sampleFailures=0 other=7 other.sampleFailures=0");
      telemetry.stopReporting("blocking");
      assertThat(values(telemetry)).isEqualTo("other=7 other.sampleFailures=0");
    }
  }

  @Test
  void close_whileASourceBlocks_returnsAndDropsItsValue() throws Exception {
    Path file = folder.resolve("blocked.telemetry");
    Telemetry telemetry = Telemetry.create(file, EACH_MILLISECOND);
    telemetry.report("blocking", blocking);
    blocking.block();
    telemetry.close();
    blocking.letGo.countDown();
    awaitEnd("millrace-telemetry-sampler");
    assertThat(values(file)).isEqualTo("blocking=1 blocking.sampleFailures=0");
  }

  @Test
  void close_whenTheLastSampleBlocks_returns() {
    Telemetry telemetry = Telemetry.inMemory(ON_DEMAND);
    telemetry.report("blocking", blocking);
    blocking.isArmed.set(true);
    telemetry.close();
    assertThat(blocking.armedCalls).hasValue(1);
    assertThat(blocking.letGo.getCount()).isOne();
  }

  @Test
  void stopReporting_whileItsSourceIsAsked_storesNothingInANewCounter() throws Exception {
    try (Telemetry telemetry = Telemetry.inMemory(EACH_MILLISECOND.withCapacity(4))) {
      AtomicLong rounds = new AtomicLong();
      telemetry.report("rounds", rounds::incrementAndGet);
      telemetry.report("blocking", blocking);
      blocking.block();
      telemetry.stopReporting("blocking");
      Gauge first = telemetry.gauge("first");
      Gauge second = telemetry.gauge("second");
      long before = rounds.get();
      blocking.letGo.countDown();
      TestCall.await(() -> rounds.get() > before);
      assertThat(List.of(first.get(), second.get())).containsExactly(0L, 0L);
    }
  }

  @Test
  void sample_whileAnotherThreadAsksASource_waitsForItsTurn() throws Exception {
    try (Telemetry telemetry = Telemetry.inMemory(ON_DEMAND)) {
      telemetry.report("blocking", blocking);
      blocking.isArmed.set(true);
      TestCall<Boolean> first = TestCall.run(telemetry::sample);
      blocking.isBlocked.await();
      TestCall<Boolean> second = TestCall.run(telemetry::sample);
      TestCall.await(() -> second.thread().getState() == Thread.State.BLOCKED);
      assertThat(blocking.armedCalls).as("asked by one thread at a time").hasValue(1);
      blocking.letGo.countDown();
      first.result();
      second.result();
      assertThat(blocking.armedCalls).as("asked again for the second").hasValue(2);
    }
  }

  // ---- sources that are slower than the period ----

  @Test
  void sampler_whenARoundOutlastsThePeriod_pausesForAPeriod() throws Exception {
    long periodNanos = EACH_MILLISECOND.samplePeriod().toNanos();
    CountDownLatch rounds = new CountDownLatch(5);
    AtomicLong ended = new AtomicLong();
    AtomicLong shortestPauseNanos = new AtomicLong(Long.MAX_VALUE);
    Thread reporter = Thread.currentThread();
    try (Telemetry telemetry = Telemetry.inMemory(EACH_MILLISECOND)) {
      telemetry.report(
          "slow",
          () -> {
            if (Thread.currentThread().equals(reporter)) {
              return 0;
            }
            long begun = System.nanoTime();
            if (ended.get() != 0 && rounds.getCount() > 0) {
              shortestPauseNanos.accumulateAndGet(begun - ended.get(), Math::min);
            }
            while (System.nanoTime() - begun < 2 * periodNanos) {
              Thread.onSpinWait();
            }
            ended.set(System.nanoTime());
            rounds.countDown();
            return 0;
          });
      rounds.await();
    }
    assertThat(shortestPauseNanos.get()).isGreaterThanOrEqualTo(periodNanos);
  }

  // ---- sources that call back, or throw ----

  @Test
  void close_byASourceThatTheSamplerAsks_closes() throws Exception {
    Path file = folder.resolve("closed.telemetry");
    Telemetry telemetry = Telemetry.create(file, EACH_MILLISECOND);
    AtomicLong number = new AtomicLong(1);
    AtomicBoolean closing = new AtomicBoolean();
    CountDownLatch closed = new CountDownLatch(1);
    telemetry.report(
        "closing",
        () -> {
          if (closing.get()) {
            number.set(2);
            telemetry.close();
            closed.countDown();
          }
          return 1;
        });
    telemetry.report("number", number::get);
    closing.set(true);
    closed.await();
    awaitEnd("millrace-telemetry-sampler");
    telemetry.close();
    Throws.illegalState("...closed...", telemetry::sample);
    assertThat(values(file))
        .as("the other source is sampled once more")
        .isEqualTo("closing=1 closing.sampleFailures=0 number=2 number.sampleFailures=0");
  }

  @Test
  void close_byASourceInTheLastSample_doesNothing() throws Exception {
    Path file = folder.resolve("last.telemetry");
    Telemetry telemetry = Telemetry.create(file, ON_DEMAND);
    AtomicBoolean closing = new AtomicBoolean();
    telemetry.report(
        "closing",
        () -> {
          if (closing.get()) {
            telemetry.close();
            return 2;
          }
          return 1;
        });
    closing.set(true);
    telemetry.close();
    assertThat(values(file)).isEqualTo("closing=2 closing.sampleFailures=0");
  }

  @Test
  void sample_byASource_isCountedAsItsFailure() {
    try (Telemetry telemetry = Telemetry.inMemory(ON_DEMAND)) {
      AtomicReference<String> message = new AtomicReference<>();
      telemetry.report(
          "recursive",
          () -> {
            try {
              telemetry.sample();
            } catch (IllegalStateException e) {
              message.set(e.getMessage());
              throw e;
            }
            return 1;
          });
      assertThat(values(telemetry)).isEqualTo("recursive=0 recursive.sampleFailures=1");
      assertThat(message).hasValue("sample() called by a source: label=recursive");
    }
  }

  @Test
  void report_byASource_isSampledToo() {
    try (Telemetry telemetry = Telemetry.inMemory(ON_DEMAND)) {
      AtomicInteger calls = new AtomicInteger();
      telemetry.report(
          "outer",
          () -> {
            if (calls.getAndIncrement() == 0) {
              telemetry.report("inner", () -> 5);
            } else {
              telemetry.stopReporting("inner");
            }
            return 1;
          });
      assertThat(values(telemetry))
          .isEqualTo("inner=5 inner.sampleFailures=0 outer=1 outer.sampleFailures=0");
      telemetry.sample();
      assertThat(values(telemetry)).isEqualTo("outer=1 outer.sampleFailures=0");
    }
  }

  @Test
  void close_byAnInterruptedThread_samplesOnceMore() throws Exception {
    Path file = folder.resolve("interrupted.telemetry");
    Telemetry telemetry = Telemetry.create(file, ON_DEMAND);
    AtomicLong number = new AtomicLong(1);
    telemetry.report("number", number::get);
    telemetry.report(
        "throwing",
        () -> {
          throw new AssertionError("on purpose");
        });
    number.set(2);
    Thread.currentThread().interrupt();
    telemetry.close();
    assertThat(Thread.interrupted()).isTrue();
    telemetry.stopReporting("number");
    assertThat(values(file))
        .isEqualTo("number=2 number.sampleFailures=0 throwing=0 throwing.sampleFailures=2");
  }
}

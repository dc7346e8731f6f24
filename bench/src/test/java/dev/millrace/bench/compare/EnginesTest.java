package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.millrace.bench.Words;
import dev.millrace.bench.compare.OneThread.Loop;
import dev.millrace.bench.compare.OneThread.Style;
import dev.millrace.bench.compare.OneThread.Subject;
import dev.millrace.bench.compare.OneThread.WarmUp;
import dev.millrace.bench.compare.Work.Shape;
import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every contender does every work, all that goes in comes out, and what does not is noticed. Finds
 * an engine that is fast because it loses records, and a check of the harness that cannot fail.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD) // a spinning one heeds no interrupt
class EnginesTest {
  private static final long MILLI = 1_000_000;
  private static final int CAPACITY = 16;
  private static final long STALL_MILLIS = 100;

  private final Work work = Work.way("test", "test", 1, 1);
  private final Work atRate = work.withShape(Shape.FIXED_RATE).withRate(10_000);
  private final Work burst = work.withShape(Shape.BURST).runs(10, 1);

  /**
   * Every contender at every kind of work that this JVM's records are for: of works that differ in
   * capacity or in how many threads beyond two there are, one.
   *
   * @param staged whether also those with events of their own
   */
  record Trials(boolean staged) implements Child.Job<Integer> {
    private static final long WARMUP_MILLIS = 5;
    private static final long MILLIS = 10; // all that is sent is counted, however short it is
    private static final int MOST_THREADS = 8; // more take long where there are two processors

    record Trial(Work work, Contenders contender) {
      /** Runs for a moment; all that is sent must come out. */
      void run() throws Exception {
        Measured measured = new Fork(work, contender, 1, 1, WARMUP_MILLIS, MILLIS, "").measure();
        assertThat(measured.times() != null).isEqualTo(work.shape().isTimed());
        if (work.shape().isTimed()) { // a million slots take longer to fill with objects than this
          assertThat(measured.isNothing()).isFalse();
        }
      }
    }

    /** What makes a contender do something else. */
    private record Kind(
        Contenders contender,
        Shape shape,
        boolean hasProducers,
        boolean hasConsumers,
        boolean sendsRuns,
        boolean receivesRuns,
        Lengths lengths) {
      static Kind of(Trial trial) {
        Work work = trial.work();
        return new Kind(
            trial.contender(),
            work.shape(),
            work.producers() > 1,
            work.consumers() > 1,
            work.sends() > 1,
            work.receives() > 1,
            work.lengths());
      }
    }

    List<Trial> all() {
      Map<Kind, Trial> kinds = new LinkedHashMap<>();
      Row.all().stream()
          .filter(row -> row.work().shape().isStaged() ? staged : row.work().words() == Words.COUNT)
          .filter(row -> row.work().threads() <= MOST_THREADS)
          .flatMap(row -> row.contenders().map(one -> new Trial(row.work(), one)))
          .filter(trial -> trial.contender() != Contenders.CPP)
          .forEach(trial -> kinds.putIfAbsent(Kind.of(trial), trial));
      return List.copyOf(kinds.values());
    }

    /** Runs them all and tells how many. */
    @Override
    public Integer run() throws Exception {
      List<Trial> trials = all();
      for (Trial trial : trials) {
        trial.run();
      }
      return trials.size();
    }
  }

  static List<Trials.Trial> trials() {
    return new Trials(true).all();
  }

  @ParameterizedTest
  @MethodSource("trials")
  void run_losesNothing(Trials.Trial trial) throws Exception {
    trial.run();
  }

  /** Records of one word and of the most, which takes JVMs of their own. */
  @Timeout(value = 6, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
  @Execution(CONCURRENT) // its JVMs run for fixed times
  @ParameterizedTest
  @ValueSource(ints = {1, 128})
  void run_whenRecordsAreOfAnotherSize_losesNothing(int words) throws Exception {
    List<String> flags = List.of("-D" + Words.PROPERTY + "=" + words);
    assertThat(Child.run(new Trials(false), flags, Child.MOST_SECONDS, Integer.class))
        .isGreaterThanOrEqualTo(16);
  }

  @Test
  @Timeout(value = 6, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
  void inJvm_hasItsWordsAndRound() throws Exception {
    Work wide = Row.of("sizes-spsc-64").work();
    Sample sample = new Fork(wide, Contenders.MILLRACE, 0, 1, 20, 100, "").inJvm(3);
    assertThat(sample.failure()).isNull();
    assertThat(sample.round()).isEqualTo(3);
    assertThat(sample.measured().perSecond()).isPositive();
  }

  static List<Subject> subjects() {
    return OneThread.SUBJECTS;
  }

  @ParameterizedTest
  @MethodSource("subjects")
  void oneThread_inEachStyle_losesNothing(Subject subject) throws Exception {
    check(subject, WarmUp.MIXED); // which does what the others do
  }

  private static void check(Subject subject, WarmUp warmUp) throws InterruptedException {
    try (Loop loop = new Loop(subject)) {
      loop.warmUp(warmUp, 1);
      for (Style style : subject.styles()) {
        loop.check(style);
      }
    }
  }

  /** All that one thread measures. */
  record Subjects(WarmUp warmUp) implements Child.Job<Integer> {
    @Override
    public Integer run() throws InterruptedException {
      for (Subject subject : subjects()) {
        check(subject, warmUp);
      }
      return subjects().size();
    }
  }

  /** As the command runs them: each contender has a copy of its class. */
  @Timeout(value = 6, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
  @Test
  void oneThread_whereClassesAreCopied_losesNothing() throws Exception {
    Subjects all = new Subjects(WarmUp.BOTH);
    List<String> flags = List.of("-D" + Ends.ISOLATED + "=true");
    assertThat(Child.run(all, flags, Child.MOST_SECONDS, Integer.class))
        .isEqualTo(subjects().size());
  }

  /** A contender whose ends do as they should; tests spoil one of them. */
  private static class ObjectQueue implements Contender {
    private final ArrayBlockingQueue<HeapTick> queue;

    ObjectQueue(int capacity) {
      this.queue = new ArrayBlockingQueue<>(capacity);
    }

    boolean send(long number) {
      return queue.offer(new HeapTick().set(number));
    }

    long receive() {
      HeapTick record = queue.poll();
      return record == null ? Ends.NONE : record.sum();
    }

    @Override
    public final Ends ends(boolean sends, boolean receives) {
      return new Ends() {
        @Override
        boolean send(long number) {
          return ObjectQueue.this.send(number);
        }

        @Override
        long receive() {
          return ObjectQueue.this.receive();
        }
      };
    }
  }

  // ---- traffic ----

  @Test
  void traffic_whenARecordIsLost_fails() {
    Contender losing =
        new ObjectQueue(CAPACITY) {
          @Override
          boolean send(long number) {
            return number == 0 || super.send(number);
          }
        };
    Traffic traffic = new Traffic(work, losing, 1, 100 * MILLI);
    assertThatThrownBy(() -> traffic.run(MILLI, 100 * MILLI))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("records received must be");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stages_whenAHandlerMissesOrLeavesOff_fail(boolean leavesOff) {
    assertThatThrownBy(() -> runStages(new Wrong(leavesOff)))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith(
            leavesOff ? "events that wrong has handled must be" : "result of wrong must be");
  }

  private static void runStages(Task<ValueEvent> task) throws Exception {
    Work staged = Row.of("stages-1-1").work();
    try (Stages<?> stages =
        Stages.objects(
            staged,
            new Stages.Plan<>(
                ValueEvent.class, ValueEvent.OnHeap::new, ValueEvent::value, List.of(task)),
            Stages.Handlers.OF_BATCHES)) {
      new StagesTraffic(staged, stages, 200 * MILLI).run(MILLI, 20 * MILLI);
    }
  }

  /** Adds one number too little, or leaves off in the middle. */
  private static final class Wrong extends Task<ValueEvent> {
    // producers are counted by the thousand: this far, not yet by this many
    private static final long LEAVES_OFF = 10_000;

    private final boolean leavesOff;

    private long handled;

    Wrong(boolean leavesOff) {
      super("wrong", List.of());
      this.leavesOff = leavesOff;
    }

    @Override
    long next(ValueEvent event, long before) {
      if (leavesOff && handled++ == LEAVES_OFF) {
        throw new IllegalStateException("planted");
      }
      return event.value() == 7 ? before : before + event.value();
    }

    @Override
    long expected(long count, long sum) {
      return sum;
    }
  }

  // ---- times ----

  /** Room for the burst, so only a thread that waits for its receipt can see the delay. */
  @Test
  void burst_whenRecordsAreReceivedSlowly_timesTheirReceipt() throws Exception {
    Histogram times = new Burst(burst, slow(64, MILLI / 10), 1).run(MILLI, MILLI);
    assertThat(times.getMinValue()).isGreaterThan(10 * MILLI / 10 * 99 / 100);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, Work.USUAL_CAPACITY + 1})
  void burst_whenItDoesNotFit_isRefused(int size) {
    Contender queue = new ObjectQueue(CAPACITY);
    assertThatThrownBy(() -> new Burst(burst.runs(size, 1), queue, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("burst must be in 1..4096: burst=" + size);
  }

  /**
   * Of 4,000 records 1,000 are due during the stall, but only 16 find room. Counted from when they
   * were sent, no more than these would be late; counted from when they were due, all that waited
   * outside are: the first by the whole stall, the last hardly, half of them by more than half.
   */
  @Test
  void atRate_whenTheConsumerStalls_countsFromWhenRecordsWereDue() throws Exception {
    Contender stalling =
        new ObjectQueue(CAPACITY) {
          private long received;

          @Override
          long receive() {
            long got = super.receive();
            if (got != Ends.NONE && received++ == 0) { // not in the warm-up, which has no records
              LockSupport.parkNanos(STALL_MILLIS * MILLI);
            }
            return got;
          }
        };
    Histogram times = timesOf(new FixedRate(atRate, stalling, 1).run(0, 400 * MILLI));
    assertThat(times.getTotalCount()).isEqualTo(4_000);
    assertThat(times.getCountBetweenValues(STALL_MILLIS / 2 * MILLI, Long.MAX_VALUE))
        .isGreaterThan(300);
  }

  @Test
  void atRate_whenItIsBeyondReach_tellsTheRateReached() throws Exception {
    Measured seen = new FixedRate(atRate, slow(CAPACITY, MILLI), 1).run(0, 20 * MILLI);
    assertThat(timesOf(seen).getTotalCount()).isEqualTo(200);
    assertThat(seen.perSecond()).isLessThan(2_000);
  }

  @Test
  void atRate_whenItIsKept_tellsIt() throws Exception {
    Contender queue = new ObjectQueue(Work.USUAL_CAPACITY);
    Measured seen = new FixedRate(atRate, queue, 1).run(20 * MILLI, 100 * MILLI);
    assertThat(timesOf(seen).getTotalCount()).isEqualTo(1_000);
    assertThat(seen.perSecond()).isCloseTo(10_000, within(2_000.0));
  }

  @Test
  void atRate_whenARecordIsChanged_fails() {
    Contender changing =
        new ObjectQueue(CAPACITY) {
          @Override
          boolean send(long number) {
            return super.send(Math.max(0, number - 1));
          }
        };
    FixedRate run = new FixedRate(atRate, changing, 1);
    assertThatThrownBy(() -> run.run(0, 10 * MILLI))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("sum of their fields must be");
  }

  /** A queue whose consumer rests with each record in hand. */
  private static Contender slow(int capacity, long nanos) {
    return new ObjectQueue(capacity) {
      @Override
      long receive() {
        long got = super.receive();
        if (got != Ends.NONE) {
          LockSupport.parkNanos(nanos);
        }
        return got;
      }
    };
  }

  private static Histogram timesOf(Measured measured) {
    return Latencies.decode(measured.times());
  }

  @Test
  void pace_ofTwoProducers_isTheirsInTurn() {
    Pace first = Pace.of(1_000_000, 2, 0);
    Pace second = Pace.of(1_000_000, 2, 1);
    assertThat(first.dueNanos(0)).isZero();
    assertThat(second.dueNanos(0)).isEqualTo(1_000);
    assertThat(first.dueNanos(1)).isEqualTo(2_000);
    assertThat(second.dueNanos(1)).isEqualTo(3_000);
    assertThat(first.recordsWithin(MILLI) + second.recordsWithin(MILLI)).isEqualTo(1_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 3, 2_000_000_000})
  void pace_ofARateWithoutWholeNanoseconds_isRefused(long rate) {
    assertThatThrownBy(() -> Pace.of(rate, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rate must divide 1000000000 a second: rate=" + rate);
  }

  @Test
  void latencies_asText_keepAll() {
    Histogram histogram = Latencies.newHistogram();
    for (long nanos : new long[] {0, 1, 100, 101, 12_345_678, 3_000_000_000_000L}) {
      histogram.recordValue(nanos);
    }
    assertThat(Latencies.decode(Latencies.encode(histogram))).isEqualTo(histogram);
    assertThat(Latencies.encode(histogram).length()).isLessThan(500);
  }

  @Test
  void latencies_ofOtherText_areRefused() {
    assertThatThrownBy(() -> Latencies.decode("AAAA"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("histogram=AAAA");
  }
}

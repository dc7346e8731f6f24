package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.bench.Words;
import dev.millrace.bench.compare.Work.Shape;
import dev.millrace.bench.harness.Jvm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Finds a row of the comparison that two tables have or that is measured against the wrong peers,
 * and a work that loses one setting when another is varied.
 */
class RowsTest {
  @Test
  void all_haveNamesOfTheirOwn() {
    assertThat(Row.all()).extracting(row -> row.work().id()).doesNotHaveDuplicates();
  }

  @Test
  void all_standInTheTableOfTheirSuite() {
    assertThat(Suite.TARGETS.rows()).hasSize(14).allMatch(row -> row.suite() == Suite.TARGETS);
    assertThat(Row.all()).allMatch(row -> row.suite().rows().contains(row));
  }

  @Test
  void all_areOfUsualRecordsBesideTheRingInCpp() {
    Work wide = Work.way("wide", "wide", 1, 1).withWords(8);
    Row row = Row.of(Suite.SIZES, wide);
    assertThatThrownBy(() -> row.plus(Contenders.CPP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("words must be 3 beside the ring in C++: words=8");
  }

  @Test
  void work_whenVaried_keepsTheRest() {
    Work work =
        Work.way("id", "title", 2, 3)
            .runs(4, 5)
            .withCapacity(64)
            .withWords(7)
            .withRate(8)
            .withIdle(9)
            .in(Jvm.ZGC)
            .withShape(Shape.ROUND_TRIP);
    assertThat(work)
        .isEqualTo(
            new Work("id", "title", Shape.ROUND_TRIP, 2, 3, 4, 5, 64, 7, null, 8, 9, Jvm.ZGC));
    assertThat(Work.way("id", "%1$,d and %1$,d", 1, 1).numbered(1_024).between(6, 7))
        .isEqualTo(Work.way("id-1024", "1,024 and 1,024", 6, 7));
  }

  @Test
  void work_whenWordsAreNotPossible_refusesThem() {
    Work work = Work.way("id", "title", 1, 1);
    assertThatThrownBy(() -> work.withWords(0)).hasMessage("words must be in 1..8192: words=0");
  }

  @Test
  void work_whenItsRecordsAreNotThoseOfTheJvm_isRefused() {
    Work work = Work.way("id", "title", 1, 1).withWords(8);
    assertThatThrownBy(work::checked).hasMessage("words must be those of this JVM, 3: words=8");
  }

  @Test
  void flags_sayWhatTheWorkVaries() {
    Work work = Work.way("id", "title", 1, 1).withWords(8).in(Jvm.ZGC);
    assertThat(work.flags()).containsExactly("-XX:+UseZGC", "-Dmillrace.words=8");
  }

  @Test
  void scaling_goesToEightThreadsASideOrAsFarAsTheMachine() {
    assertThat(largestSide(2)).isEqualTo(8);
    assertThat(largestSide(64)).isEqualTo(64);
    assertThat(Row.of("scaling-mpmc-2").work().isOversubscribed(3)).isTrue();
    assertThat(Row.of("scaling-mpmc-2").work().isOversubscribed(4)).isFalse();
  }

  private static int largestSide(int processors) {
    return Suite.SCALING.rows().stream()
        .filter(row -> row.isFor(processors))
        .mapToInt(row -> row.work().producers())
        .max()
        .orElseThrow();
  }

  @Test
  void forms_areTwoAndOneForEachSuiteWithRows() {
    List<String> names = Form.all().stream().map(Form::name).toList();
    assertThat(names)
        .startsWith(
            "quick", "full", "targets", "scaling", "sizes", "capacities", "batches", "suites")
        .doesNotHaveDuplicates();
    assertThat(Compare.command().getSubcommands().keySet()).containsAll(names).contains("report");
  }

  @Test
  void quick_leavesOutRowsWithoutPeersThere() {
    Form quick = Form.all().getFirst();
    assertThat(quick.rows())
        .contains(Row.of("drop-in-spsc"), Row.of("mpmc-single-stall-proof"))
        .doesNotContain(Row.of("drop-in-default"), Row.of("drop-in-mpsc"), Row.of("drop-in-mpmc"));
    assertThat(quick.peers(Row.of("drop-in-spsc"))).hasSize(3);
  }

  @Test
  void dropIn_hasItsTargetAgainstEachQueueOfTheJdk() {
    assertThat(Suite.TARGETS.rows())
        .filteredOn(row -> row.work().id().startsWith("drop-in"))
        .hasSize(5)
        .allSatisfy(
            row -> {
              assertThat(row.ours().isOurs()).isTrue();
              assertThat(row.peers())
                  .extracting(Contenders::title)
                  .containsExactly(
                      "ArrayBlockingQueue", "ConcurrentLinkedQueue", "LinkedTransferQueue");
              assertThat(row.peers()).allMatch(peer -> row.targetAgainst(peer) == 3);
            });
  }

  @Test
  void kFifo_goesToEightThreadsAsideBesideStrictQueuesOfMany() {
    assertThat(Suite.KFIFO.rows())
        .extracting(row -> row.work().producers() + " and " + row.work().consumers())
        .containsExactly("1 and 1", "2 and 2", "4 and 4", "8 and 8");
    assertThat(Suite.KFIFO.rows())
        .allMatch(row -> row.isFor(2))
        .allMatch(row -> row.peers().contains(Contenders.MILLRACE_MPMC));
  }

  @Test
  void sweeps_haveThePointsOfTheirSuites() {
    assertThat(Sweep.KFIFO.rows()).isEqualTo(Suite.KFIFO.rows());
    assertThat(Sweep.SCALING_SPMC.rows())
        .hasSize(11)
        .startsWith(Row.of("scaling-spsc"), Row.of("scaling-spmc-2"));
    assertThat(Sweep.SIZES_MPSC.rows()).hasSize(8);
  }

  @Test
  void messages_areOfEachLengthInAsManyBytes() {
    assertThat(Suite.MESSAGES.rows())
        .hasSize(11 * Lengths.values().length)
        .allMatch(row -> row.work().capacity() == 1 << 20)
        .allMatch(row -> row.ours().isOurs() && row.peers().size() == 2);
    assertThat(Sweep.MESSAGES_MPSC_2_1_BATCH_64.rows())
        .extracting(row -> row.work().recordBytes())
        .containsExactly(16, 64, 256, 4_096);
    assertThat(Row.of("messages-mix-mpmc-2-2-single").work().details())
        .isEqualTo(
            "Producers: 2, consumers: 2, messages of 16 to 4,096 bytes, mostly short, rings of"
                + " 1,048,576 bytes, 4,096 slots for references, sent by 1, received by up to 1.");
  }

  @Test
  void forms_idleAsTheyAreTold_onlyWhereThereAreTargets() {
    Form full = Form.all().get(1);
    assertThat(full.idles(Row.of("spsc-single"))).containsExactly(1, 4, 16);
    assertThat(full.idles(Row.of("sizes-spsc-8"))).containsExactly(1);
    assertThat(full.idles(Row.of("jctools-backoff-none"))).containsExactly(0);
    assertThat(full.rows()).containsAll(Suite.TARGETS.rows()).containsAll(Suite.SUITES.rows());
  }

  @Test
  void command_whenNoWorkBeginsSo_saysSo() {
    StringWriter err = new StringWriter();
    CommandLine command = Compare.command().setErr(new PrintWriter(err));
    assertThat(command.execute("sizes", "--work", "spsc")).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("work must be the beginning of one of this form: work=spsc");
  }

  @Test
  void stages_spinOnlyWhereThereAreProcessorsEnough() {
    assertThat(spinningOn(2))
        .containsExactly(
            "stages-1-1-spin",
            "stages-1-1-batch-10-spin",
            "stages-1-1-batch-100-spin",
            "stages-ping-pong-spin");
    assertThat(spinningOn(4)).hasSize(9);
  }

  private static Stream<String> spinningOn(int processors) {
    return Suite.PIPELINES.rows().stream()
        .filter(row -> row.isFor(processors))
        .map(row -> row.work().id())
        .filter(id -> id.endsWith("-spin"));
  }

  @Test
  void stages_haveTheirTargetsAgainstTheDisruptorAlone() {
    Row steps = Row.of("stages-steps");
    assertThat(steps.targetAgainst(Contenders.DISRUPTOR_STAGES)).isEqualTo(1.8);
    assertThat(steps.targetAgainst(Contenders.MILLRACE_STAGES_OBJECTS)).isZero();
    assertThat(Row.of("stages-steps-spin").targetAgainst(Contenders.DISRUPTOR_STAGES_SPINNING))
        .isEqualTo(1.8);
  }

  @Test
  void words_sum_isThatOfTheFields() {
    assertThat(Words.sum(10)).isEqualTo(10 + 11 + 12);
    assertThat(Words.sum(10, 2)).isEqualTo(10 + 11 + 12 + 11 + 12 + 13);
  }
}

package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.*;
import static dev.millrace.bench.compare.Work.trip;
import static dev.millrace.bench.compare.Work.way;
import static dev.millrace.bench.harness.Table.format;

import dev.millrace.bench.compare.Work.Shape;
import dev.millrace.bench.harness.Jvm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * The rows of all suites. They do not depend on the machine, so that results from others can be
 * read; how far they are run does: see {@link Row#isFor}.
 */
final class Rows {
  private static final int DISRUPTOR_CAPACITY = 65_536;

  private Rows() {}

  /** The works that have targets, and those that stand beside them. */
  static List<Row> targets() {
    return List.of(
        target(way("spsc-single", "SPSC, one record at a time", 1, 1))
            .quickly(AGRONA, JCTOOLS, DISRUPTOR)
            .target(1.5)
            .target(AGRONA, 4)
            .target(JCTOOLS, 3),
        targetBatch(64),
        targetBatch(256),
        target(trip("round-trip", "SPSC there and back, one record at a time"))
            .quickly(AGRONA, JCTOOLS, DISRUPTOR)
            .target(1.4)
            .target(AGRONA, 1.33),
        target(way("mpsc-single", "MPSC, one record at a time, 2 producers", 2, 1))
            .quickly(AGRONA, JCTOOLS)
            .target(1.4),
        target(
                way("mpsc-batch", "MPSC, claims of 16, drains of 256, 2 producers", 2, 1)
                    .runs(16, 256))
            .quickly(JCTOOLS)
            .target(JCTOOLS, 2.5),
        target(way("mpmc-single", "MPMC, one record at a time, 2 and 2", 2, 2))
            .quickly(AGRONA, JCTOOLS_NEW)
            .target(AGRONA, 2)
            .target(JCTOOLS_NEW, 2)
            .target(JCTOOLS_VARHANDLE, 2),
        target(way("mpsc-single-stall-proof", "MPSC as above, stall-proof", 2, 1))
            .ours(MILLRACE_STALL_PROOF)
            .beside(AGRONA, JCTOOLS)
            .quickly(JCTOOLS),
        target(way("mpmc-single-stall-proof", "MPMC as above, stall-proof", 2, 2))
            .ours(MILLRACE_STALL_PROOF)
            .beside(AGRONA, JCTOOLS_NEW)
            .quickly(JCTOOLS_NEW),
        dropIn(way("drop-in-spsc", "Drop-in Queue, four types of records in turn, 1 and 1", 1, 1)),
        dropIn(way("drop-in-default", "Drop-in Queue as above, ours for any threads", 1, 1))
            .ours(MILLRACE_RECORDS_MPMC)
            .quickly(),
        dropIn(
                way("drop-in-wide", "Drop-in Queue, a record of eight fields with texts", 1, 1)
                    .withWords(8))
            .quickly(),
        dropIn(way("drop-in-mpsc", "Drop-in Queue as above, 2 and 1", 2, 1)).quickly(),
        dropIn(way("drop-in-mpmc", "Drop-in Queue as above, 2 and 2", 2, 2)).quickly());
  }

  private static Row target(Work work) {
    return Row.of(Suite.TARGETS, work);
  }

  private static Row targetBatch(int length) {
    return target(
            way("spsc-batch-" + length, "SPSC, batches of " + length, 1, 1).runs(length, length))
        .plus(CPP)
        .quickly(JCTOOLS, DISRUPTOR, CPP)
        .target(1.6)
        .target(CPP, 0.8);
  }

  private static Row dropIn(Work work) {
    return target(work)
        .ours(MILLRACE_RECORDS)
        .beside(
            ARRAY_BLOCKING_QUEUE_RECORDS,
            CONCURRENT_LINKED_QUEUE_RECORDS,
            LINKED_TRANSFER_QUEUE_RECORDS)
        .target(3);
  }

  /** Rows of works that differ in a number: see {@link Work#numbered}. */
  private static Stream<Row> each(
      Suite suite, Work work, BiFunction<Work, Integer, Work> vary, Stream<Integer> numbers) {
    return numbers.map(number -> Row.of(suite, vary.apply(work.numbered(number), number)));
  }

  /** From one thread a side on by powers of two. */
  static List<Row> scaling() {
    return Stream.of(
            Stream.of(
                Row.of(Suite.SCALING, way("scaling-spsc", "1 producer, 1 consumer", 1, 1))
                    .plus(MILLRACE_MPSC, MILLRACE_MPMC)), // what generality costs
            scaling("mpsc", "%d producers, 1 consumer", (work, n) -> work.between(n, 1)),
            scaling("spmc", "1 producer, %d consumers", (work, n) -> work.between(1, n)),
            scaling("mpmc", "%1$d producers, %1$d consumers", (work, n) -> work.between(n, n))
                .map(row -> row.plus(MILLRACE_SHARDED)))
        .flatMap(rows -> rows)
        .toList();
  }

  private static Stream<Row> scaling(
      String kind, String title, BiFunction<Work, Integer, Work> vary) {
    Stream<Integer> powers = Stream.iterate(2, n -> n <= 1_024, n -> 2 * n);
    return each(Suite.SCALING, way("scaling-" + kind, title, 1, 1), vary, powers);
  }

  /** Records whose fields are all written and read. */
  static List<Row> sizes() {
    return Stream.of(
            way("sizes-spsc", "SPSC, records of %d bytes", 1, 1),
            way("sizes-mpsc", "MPSC, 2 producers, records of %d bytes", 2, 1))
        .flatMap(
            work ->
                each(
                    Suite.SIZES,
                    work,
                    (one, bytes) -> one.withWords(bytes / Long.BYTES),
                    Stream.of(8, 16, 24, 64, 128, 256, 512, 1_024)))
        .toList();
  }

  /** Queues from a page's worth of records to more than a cache holds. */
  static List<Row> capacities() {
    Work single = way("capacities-single", "SPSC, one record at a time, %,d slots", 1, 1);
    Work batch = way("capacities-batch", "SPSC, batches of 64, %,d slots", 1, 1).runs(64, 64);
    return Stream.concat(capacities(single), capacities(batch).map(row -> row.plus(CPP))).toList();
  }

  private static Stream<Row> capacities(Work work) {
    Stream<Integer> slots = Stream.of(64, 1_024, 4_096, 65_536, 1_048_576);
    return each(Suite.CAPACITIES, work, Work::withCapacity, slots);
  }

  /** Claims and drains from one record to a quarter of the queue. */
  static List<Row> batches() {
    return Stream.of(
            way("batches-spsc", "SPSC, batches of %,d", 1, 1),
            way("batches-mpsc", "MPSC, batches of %,d", 2, 1))
        .flatMap(
            work ->
                each(
                    Suite.BATCHES,
                    work,
                    (one, length) -> one.runs(length, length),
                    Stream.of(1, 4, 16, 64, 256, 1_024)))
        .toList();
  }

  /**
   * What JCTools and the Disruptor measure themselves with, by the parameters of their suites, in
   * this harness: the time, the checks and the contenders are ours. Their records are one number or
   * one object; here a record is one long.
   *
   * <p>Where they differ still: JCTools's fills and drains are as long as the queue, ours of 256,
   * for a claim is all or nothing. The Disruptor's consumers wait in its event processor, here they
   * poll; its ping-pong pauses for a microsecond between trips, ours does not.
   */
  static List<Row> suites() {
    int jctools = 262_144; // what JCTools makes of 132,000
    int batch = DISRUPTOR_CAPACITY; // as many as there are
    return List.of(
        jctools(
            way("jctools-backoff-none", "JCTools: QueueThroughputBackoffNone", 1, 1)
                .withCapacity(jctools)),
        jctools(
            way("jctools-drain-fill", "JCTools: MpqDrainFillThroughputBackoffNone", 1, 1)
                .runs(256, 256)
                .withCapacity(jctools)),
        jctools(
            trip("jctools-ring", "JCTools: RingBurstRoundTripWithGroups, a burst of 1")
                .withCapacity(32_768)),
        disruptor(way("disruptor-1-1", test("OneToOneSequencedThroughput"), 1, 1).runs(1, batch)),
        disruptor(
            way("disruptor-1-1-batch", test("OneToOneSequencedBatchThroughput"), 1, 1)
                .runs(10, batch)),
        disruptor(way("disruptor-3-1", test("ThreeToOneSequencedThroughput"), 3, 1).runs(1, batch)),
        disruptor(
            way("disruptor-3-1-batch", test("ThreeToOneSequencedBatchThroughput"), 3, 1)
                .runs(10, batch)),
        disruptor(trip("disruptor-ping-pong", test("PingPongSequencedLatency"))));
  }

  private static String test(String name) {
    return "Disruptor: " + name + "Test";
  }

  private static Row jctools(Work work) {
    return Row.of(Suite.SUITES, work.withWords(1).withIdle(0))
        .beside(JCTOOLS, JCTOOLS_VARHANDLE, AGRONA, DISRUPTOR);
  }

  private static Row disruptor(Work work) {
    int capacity = work.shape() == Shape.ROUND_TRIP ? 1_024 : DISRUPTOR_CAPACITY;
    return Row.of(Suite.SUITES, work.withWords(1).withCapacity(capacity))
        .beside(DISRUPTOR, JCTOOLS, AGRONA);
  }

  /**
   * The works that the Disruptor measures itself with, of one stage and of several: threads,
   * capacity, batch, events and what is done with them are theirs. The batch of 100 is ours.
   * Handlers yield while they wait; where there are processors enough, there are rows in which they
   * spin. Producers sleep for as short as they can while the ring is full, as the Disruptor's
   * always do.
   */
  static List<Row> pipelines() {
    return Stream.of(
            stages("1-1", "OneToOneSequencedThroughputTest", Shape.STAGE, 1, 1, 1, 2.5),
            stages(
                "1-1-batch-10", "OneToOneSequencedBatchThroughputTest", Shape.STAGE, 1, 10, 1, 0),
            stages("1-1-batch-100", "the same by batches of 100", Shape.STAGE, 1, 100, 1, 1.5),
            stages("3-1", "ThreeToOneSequencedThroughputTest", Shape.STAGE, 3, 1, 1, 3),
            stages(
                "3-1-batch-10",
                "ThreeToOneSequencedBatchThroughputTest",
                Shape.STAGE,
                3,
                10,
                1,
                1.5),
            stages("multicast", "OneToThreeSequencedThroughputTest", Shape.MULTICAST, 1, 1, 1, 2.3),
            stages("steps", "OneToThreePipelineSequencedThroughputTest", Shape.STEPS, 1, 1, 4, 1.8),
            stages(
                "diamond", "OneToThreeDiamondSequencedThroughputTest", Shape.DIAMOND, 1, 1, 2, 1.5),
            stages("ping-pong", "PingPongSequencedLatencyTest", Shape.PING_PONG, 1, 1, 1, 0))
        .flatMap(row -> Stream.of(row, spinning(row)))
        .toList();
  }

  private static Row stages(
      String id, String test, Shape shape, int producers, int sends, int words, double target) {
    boolean isOfThree = shape != Shape.STAGE && shape != Shape.PING_PONG;
    Work work =
        way("stages-" + id, "Disruptor's stages: " + test, producers, isOfThree ? 3 : 1)
            .withShape(shape)
            .runs(sends, 1)
            .withWords(words)
            .withCapacity(isOfThree ? 8_192 : shape == Shape.PING_PONG ? 1_024 : 65_536);
    return Row.of(Suite.PIPELINES, work)
        .ours(MILLRACE_STAGES)
        .beside(DISRUPTOR_STAGES, MILLRACE_STAGES_EACH, MILLRACE_STAGES_OBJECTS)
        .target(DISRUPTOR_STAGES, target);
  }

  private static Row spinning(Row row) {
    return Row.of(Suite.PIPELINES, row.work().named("-spin", ", spinning"))
        .ours(MILLRACE_STAGES_SPINNING)
        .beside(DISRUPTOR_STAGES_SPINNING)
        .target(row.targetAgainst(DISRUPTOR_STAGES));
  }

  /** The drop-in by put and take, on idle processors and on busy ones. */
  static List<Row> blocking() {
    List<Row> rows = new ArrayList<>();
    for (Shape shape : List.of(Shape.PUT_TAKE, Shape.PUT_TAKE_BUSY)) {
      rows.add(blocking(shape, 1, 1_024, ""));
      rows.add(blocking(shape, 1, 16, "-small"));
      rows.add(blocking(shape, 2, 1_024, ""));
    }
    return rows;
  }

  private static Row blocking(Shape shape, int threads, int capacity, String size) {
    boolean isBusy = shape == Shape.PUT_TAKE_BUSY;
    String id = "put-take-%d-%d%s%s".formatted(threads, threads, size, isBusy ? "-busy" : "");
    String title =
        format(
            "put and take, %d and %d, %,d slots%s",
            threads, threads, capacity, isBusy ? ", processors busy" : "");
    return Row.of(
            Suite.BLOCKING,
            way(id, title, threads, threads).withShape(shape).withCapacity(capacity))
        .ours(MILLRACE_BLOCKING)
        .beside(
            MILLRACE_PARKING,
            ARRAY_BLOCKING_QUEUE_BLOCKING,
            LINKED_BLOCKING_QUEUE_BLOCKING,
            CONVERSANT)
        .target(1);
  }

  /**
   * What relaxed order is good for, or what it costs: the same queues from one thread a side on,
   * also where others would take a simpler one.
   */
  static List<Row> kFifo() {
    Work work = way("kfifo", "k-FIFO, one record at a time, %1$d and %1$d", 1, 1);
    return each(Suite.KFIFO, work, (one, n) -> one.between(n, n), Stream.of(1, 2, 4, 8))
        .map(row -> row.ours(MILLRACE_KFIFO_16))
        .map(
            row ->
                row.beside(
                    MILLRACE_MPMC,
                    JCTOOLS_MPMC,
                    AGRONA_MANY_TO_MANY,
                    MILLRACE_KFIFO_1,
                    MILLRACE_KFIFO_4,
                    MILLRACE_KFIFO_64))
        .toList();
  }

  /** Times at a fixed rate, under each collector. */
  static List<Row> latency() {
    List<Row> rows = new ArrayList<>();
    for (Jvm jvm : List.of(Jvm.DEFAULT, Jvm.ZGC)) {
      rows.add(atRate(1, 100_000, "100k", jvm));
      rows.add(atRate(1, 1_000_000, "1m", jvm));
      rows.add(atRate(1, 5_000_000, "5m", jvm));
      rows.add(atRate(2, 100_000, "100k", jvm));
      rows.add(atRate(2, 1_000_000, "1m", jvm));
    }
    return rows;
  }

  private static Row atRate(int producers, long perSecond, String rate, Jvm jvm) {
    String collector = jvm == Jvm.ZGC ? "zgc" : "g1";
    String id = "latency-%s-%s-%s".formatted(producers == 1 ? "spsc" : "mpsc", rate, collector);
    String queue = producers == 1 ? "SPSC" : "MPSC, 2 producers";
    String title = format("%s at %,d records a second, %S", queue, perSecond, collector);
    return Row.of(
            Suite.LATENCY,
            way(id, title, producers, 1).withShape(Shape.FIXED_RATE).withRate(perSecond).in(jvm))
        .beside(
            AGRONA,
            JCTOOLS,
            JCTOOLS_NEW,
            DISRUPTOR,
            ARRAY_BLOCKING_QUEUE,
            ARRAY_BLOCKING_QUEUE_NEW);
  }

  /** How fast a consumer reacts by each wait strategy, and what that costs. */
  static List<Row> waits() {
    Work work =
        way("waits", "a waiting consumer, %,d records a second", 1, 1).withShape(Shape.WAITING);
    return each(Suite.WAITS, work, Work::withRate, Stream.of(1_000, 20_000, 200_000))
        .map(row -> row.ours(MILLRACE_WAITS))
        .map(
            row ->
                row.beside(
                    MILLRACE_WAITS_SPINNING,
                    MILLRACE_WAITS_YIELDING,
                    MILLRACE_WAITS_SLEEPING,
                    MILLRACE_WAITS_PARKING))
        .toList();
  }

  static List<Row> bursts() {
    Work one = way("burst-1", "Bursts of one record", 1, 1).withShape(Shape.BURST);
    Work more = way("burst", "Bursts of %d records", 1, 1).withShape(Shape.BURST);
    return Stream.concat(
            Stream.of(Row.of(Suite.BURST, one)),
            each(Suite.BURST, more, (work, n) -> work.runs(n, 1), Stream.of(10, 100, 1_000)))
        .toList();
  }

  /**
   * Messages of each length and of mixed ones, by the kind of queue. Producers commit one by one.
   */
  static List<Row> messages() {
    Contenders[] spsc = {MILLRACE_MESSAGES_SPSC, AGRONA_MESSAGES_SPSC, JCTOOLS_ARRAYS_SPSC};
    Contenders[] mpsc = {MILLRACE_MESSAGES_MPSC, AGRONA_MESSAGES_MPSC, JCTOOLS_ARRAYS_MPSC};
    Contenders[] mpmc = {MILLRACE_MESSAGES_MPMC, JCTOOLS_ARRAYS_MPMC, LINKED_TRANSFER_QUEUE_ARRAYS};
    Work bursts =
        way("spsc-1-1-burst", "SPSC, bursts of 100", 1, 1).withShape(Shape.BURST).runs(100, 1);
    return Stream.of(
            messages("spsc", 1, 1, spsc),
            messages(bursts, spsc),
            messages("mpsc", 1, 1, mpsc),
            messages("mpsc", 2, 1, mpsc),
            messages("mpmc", 1, 1, mpmc),
            messages("mpmc", 2, 2, mpmc))
        .flatMap(rows -> rows)
        .toList();
  }

  private static Stream<Row> messages(
      String kind, int producers, int consumers, Contenders... contenders) {
    String id = "%s-%d-%d".formatted(kind, producers, consumers);
    String title = "%S, %d and %d".formatted(kind, producers, consumers);
    Work single = way(id + "-single", title + ", one at a time", producers, consumers);
    Work batches =
        way(id + "-batch-64", title + ", batches of 64", producers, consumers).runs(64, 64);
    return Stream.of(single, batches).flatMap(work -> messages(work, contenders));
  }

  private static Stream<Row> messages(Work work, Contenders... contenders) {
    Contenders[] peers = Arrays.copyOfRange(contenders, 1, contenders.length);
    return Arrays.stream(Lengths.values())
        .map(work::messages)
        .map(one -> Row.of(Suite.MESSAGES, one).ours(contenders[0]).beside(peers));
  }

  /** Ours in a polluted JVM beside ours in a clean one. */
  static List<Row> polluted() {
    return Stream.of(
            way("polluted-spsc-single", "SPSC, one record at a time, polluted", 1, 1),
            way("polluted-spsc-batch-64", "SPSC, batches of 64, polluted", 1, 1).runs(64, 64),
            way("polluted-mpsc-single", "MPSC, 2 producers, polluted", 2, 1))
        .map(work -> Row.of(Suite.POLLUTED, work).ours(MILLRACE_POLLUTED).beside(MILLRACE))
        .toList();
  }
}

package dev.millrace.bench.compare;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;

/** Works that differ in one number: a chart with that number along the bottom. */
enum Sweep {
  /** One consumer. */
  SCALING_MPSC("Producers to one consumer, one record at a time", "producers", Work::producers),
  /** One producer. */
  SCALING_SPMC("One producer to consumers, one record at a time", "consumers", Work::consumers),
  /** As many of both. */
  SCALING_MPMC(
      "As many producers as consumers, one record at a time", "threads a side", Work::producers),
  /** As many of both, relaxed order beside strict. */
  KFIFO("Relaxed order beside strict, one record at a time", "threads a side", Work::producers),
  /** Sizes, one producer. */
  SIZES_SPSC("SPSC, one record at a time, by size", "bytes a record", Work::recordBytes),
  /** Sizes, two producers. */
  SIZES_MPSC(
      "MPSC, one record at a time, 2 producers, by size", "bytes a record", Work::recordBytes),
  /** Capacities, singles. */
  CAPACITIES_SINGLE("SPSC, one record at a time, by capacity", "slots", Work::capacity),
  /** Capacities, batches. */
  CAPACITIES_BATCH("SPSC, batches of 64, by capacity", "slots", Work::capacity),
  /** Lengths of batches, one producer. */
  BATCHES_SPSC("SPSC, by length of batches", "records a batch", Work::sends),
  /** Lengths of batches, two producers. */
  BATCHES_MPSC("MPSC, 2 producers, by length of batches", "records a batch", Work::sends),
  /** Lengths of messages, one producer, one at a time. */
  MESSAGES_SPSC_1_1_SINGLE("SPSC, one message at a time", "bytes a message", Work::recordBytes),
  /** The same by batches. */
  MESSAGES_SPSC_1_1_BATCH_64("SPSC, batches of 64 messages", "bytes a message", Work::recordBytes),
  /** Two producers. */
  MESSAGES_MPSC_2_1_SINGLE(
      "MPSC, 2 producers, one message at a time", "bytes a message", Work::recordBytes),
  /** The same by batches. */
  MESSAGES_MPSC_2_1_BATCH_64(
      "MPSC, 2 producers, batches of 64 messages", "bytes a message", Work::recordBytes),
  /** Two of both. */
  MESSAGES_MPMC_2_2_SINGLE(
      "MPMC, 2 and 2, one message at a time", "bytes a message", Work::recordBytes),
  /** The same by batches. */
  MESSAGES_MPMC_2_2_BATCH_64(
      "MPMC, 2 and 2, batches of 64 messages", "bytes a message", Work::recordBytes);

  /** What a reader is told. */
  final String title;

  /** What its works differ in. */
  final String axis;

  @SuppressWarnings("ImmutableEnumChecker") // a method reference without state
  private final ToIntFunction<Work> number;

  Sweep(String title, String axis, ToIntFunction<Work> number) {
    this.title = title;
    this.axis = axis;
    this.number = number;
  }

  /** Its name in results. */
  String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Its points: works that its name begins; of any scaling the one with a thread a side too. */
  List<Row> rows() {
    return Row.all().stream()
        .filter(row -> row.work().id().startsWith(id() + "-") || isBegunBy(row.work()))
        .sorted(Comparator.comparingInt(row -> place(row.work())))
        .toList();
  }

  private boolean isBegunBy(Work work) {
    return work.id().equals("scaling-spsc") && id().startsWith("scaling");
  }

  /** Where a work stands. */
  int place(Work work) {
    return number.applyAsInt(work);
  }
}

package dev.millrace.bench.compare;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** What rows belong together; each is a command of its own. */
enum Suite {
  /** The works that have targets: what the quick form runs. */
  TARGETS("Targets", 15, Rows::targets),
  /** From one thread a side to as many as the machine has, and some more. */
  SCALING("Scaling with threads", 5, Rows::scaling),
  /** Records from 8 to 1,024 bytes. */
  SIZES("Sizes of records", 5, Rows::sizes),
  /** Queues from 64 to a million slots. */
  CAPACITIES("Capacities of queues", 5, Rows::capacities),
  /** Claims and drains of 1 to 1,024 records. */
  BATCHES("Lengths of batches", 5, Rows::batches),
  /** The workloads that peers measure themselves with. */
  SUITES("The peers' own workloads", 7, Rows::suites),
  /** Rings with handlers behind them. */
  PIPELINES("Stages", 15, Rows::pipelines),
  /** The drop-in as it is mostly used: by put and take. */
  BLOCKING("Put and take", 7, Rows::blocking),
  /** Queues of relaxed order beside those of strict order. */
  KFIFO("Relaxed order", 7, Rows::kFifo),
  /** Times at a fixed rate. */
  LATENCY("Latency at a fixed rate", 7, Rows::latency),
  /** Times and processor time of a consumer that waits. */
  WAITS("Wait strategies", 5, Rows::waits),
  /** Times of bursts. */
  BURST("Bursts", 7, Rows::bursts),
  /** Messages of several lengths. */
  MESSAGES("Messages of several lengths", 5, Rows::messages),
  /** In a JVM whose profiles were polluted. */
  POLLUTED("Polluted profiles", 7, Rows::polluted);

  /** What a reader is told. */
  final String title;

  /** How many rounds are worth while. */
  final int rounds;

  /** Makes its table. */
  @SuppressWarnings("ImmutableEnumChecker") // a method reference without state
  private final Supplier<List<Row>> newRows;

  Suite(String title, int rounds, Supplier<List<Row>> newRows) {
    this.title = title;
    this.rounds = rounds;
    this.newRows = newRows;
  }

  /** Its name on the command line. */
  String command() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its table. */
  List<Row> rows() {
    return newRows.get();
  }
}

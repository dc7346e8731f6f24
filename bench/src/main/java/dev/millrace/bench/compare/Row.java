package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.AGRONA;
import static dev.millrace.bench.compare.Contenders.ARRAY_BLOCKING_QUEUE;
import static dev.millrace.bench.compare.Contenders.CPP;
import static dev.millrace.bench.compare.Contenders.DISRUPTOR;
import static dev.millrace.bench.compare.Contenders.JCTOOLS;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_NEW;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_VARHANDLE;
import static dev.millrace.bench.compare.Contenders.LINKED_BLOCKING_QUEUE;
import static dev.millrace.bench.compare.Contenders.MILLRACE;
import static dev.millrace.bench.compare.Contenders.MILLRACE_STALL_PROOF;

import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A work, who does it, and how much faster ours shall be at least.
 *
 * @param work what is done
 * @param ours the one of ours that is compared
 * @param peers with whom
 * @param quickPeers those of them that the quick form runs: the best, and who has a target
 * @param target the ratio to reach where the peer has none of its own; 0 for none
 * @param targets the ratios to reach, by peer
 */
record Row(
    Work work,
    Contenders ours,
    List<Contenders> peers,
    List<Contenders> quickPeers,
    double target,
    Map<Contenders, Double> targets) {
  private static final int CAPACITY = 4_096;
  private static final List<Contenders> ALL =
      List.of(
          AGRONA,
          JCTOOLS,
          JCTOOLS_NEW,
          JCTOOLS_VARHANDLE,
          DISRUPTOR,
          ARRAY_BLOCKING_QUEUE,
          LINKED_BLOCKING_QUEUE);
  private static final List<Contenders> WITH_CPP =
      Stream.concat(ALL.stream(), Stream.of(CPP)).toList();
  private static final List<Contenders> MANY_CONSUMERS =
      List.of(AGRONA, JCTOOLS_NEW, JCTOOLS_VARHANDLE, ARRAY_BLOCKING_QUEUE, LINKED_BLOCKING_QUEUE);

  /** All rows, as the report shows them. */
  static final List<Row> ALL_ROWS =
      List.of(
          new Row(
              way("spsc-single", "SPSC, one record at a time", 1, 1, 1, 1),
              MILLRACE,
              ALL,
              List.of(AGRONA, JCTOOLS, DISRUPTOR),
              1.5,
              Map.of(AGRONA, 4.0, JCTOOLS, 3.0)),
          new Row(
              way("spsc-batch-64", "SPSC, batches of 64", 1, 1, 64, 64),
              MILLRACE,
              WITH_CPP,
              List.of(JCTOOLS, DISRUPTOR, CPP),
              1.6,
              Map.of(CPP, 0.8)),
          new Row(
              way("spsc-batch-256", "SPSC, batches of 256", 1, 1, 256, 256),
              MILLRACE,
              WITH_CPP,
              List.of(JCTOOLS, DISRUPTOR, CPP),
              1.6,
              Map.of(CPP, 0.8)),
          new Row(
              new Work(
                  "round-trip",
                  "SPSC there and back, one record at a time",
                  Shape.ROUND_TRIP,
                  1,
                  1,
                  1,
                  1,
                  CAPACITY),
              MILLRACE,
              ALL,
              List.of(AGRONA, JCTOOLS, DISRUPTOR),
              1.4,
              Map.of(AGRONA, 1.33)),
          new Row(
              way("mpsc-single", "MPSC, one record at a time, 2 producers", 2, 1, 1, 1),
              MILLRACE,
              ALL,
              List.of(AGRONA, JCTOOLS),
              1.4,
              Map.of()),
          new Row(
              way("mpsc-batch", "MPSC, claims of 16, drains of 256, 2 producers", 2, 1, 16, 256),
              MILLRACE,
              ALL,
              List.of(JCTOOLS),
              0,
              Map.of(JCTOOLS, 2.5)),
          new Row(
              way("mpmc-single", "MPMC, one record at a time, 2 and 2", 2, 2, 1, 1),
              MILLRACE,
              MANY_CONSUMERS,
              List.of(AGRONA, JCTOOLS_NEW),
              0,
              Map.of(AGRONA, 2.0, JCTOOLS_NEW, 2.0, JCTOOLS_VARHANDLE, 2.0)),
          new Row(
              way("mpsc-single-stall-proof", "MPSC as above, stall-proof", 2, 1, 1, 1),
              MILLRACE_STALL_PROOF,
              List.of(AGRONA, JCTOOLS),
              List.of(JCTOOLS),
              0,
              Map.of()),
          new Row(
              way("mpmc-single-stall-proof", "MPMC as above, stall-proof", 2, 2, 1, 1),
              MILLRACE_STALL_PROOF,
              List.of(AGRONA, JCTOOLS_NEW),
              List.of(JCTOOLS_NEW),
              0,
              Map.of()));

  private static Work way(
      String id, String title, int producers, int consumers, int sends, int receives) {
    return new Work(id, title, Shape.THROUGHPUT, producers, consumers, sends, receives, CAPACITY);
  }

  /** Ours and the peers. */
  Stream<Contenders> contenders() {
    return Stream.concat(Stream.of(ours), peers.stream());
  }

  /** The ratio to reach against a peer; 0 for none. */
  double targetAgainst(Contenders peer) {
    return targets.getOrDefault(peer, target);
  }

  static Row of(String id) {
    return ALL_ROWS.stream()
        .filter(row -> row.work.id().equals(id))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("work must be one of those known: work=" + id));
  }
}

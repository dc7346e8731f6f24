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

import dev.millrace.bench.Words;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A work, who does it, and how much faster ours shall be at least.
 *
 * @param suite what it belongs to
 * @param work what is done
 * @param ours the one of ours that is compared
 * @param peers with whom
 * @param quickPeers those of them that the quick form runs: the best, and those with a target; if
 *     none, it leaves out the row
 * @param target the ratio to reach where the peer has none of its own; 0 for none
 * @param targets the ratios to reach, by peer
 */
record Row(
    Suite suite,
    Work work,
    Contenders ours,
    List<Contenders> peers,
    List<Contenders> quickPeers,
    double target,
    Map<Contenders, Double> targets) {
  /** So many threads a side are run on every machine. */
  private static final int LEAST_SIDE = 8;

  /** Who can do everything that has one consumer. */
  static final List<Contenders> ONE_CONSUMER =
      List.of(
          AGRONA,
          JCTOOLS,
          JCTOOLS_NEW,
          JCTOOLS_VARHANDLE,
          DISRUPTOR,
          ARRAY_BLOCKING_QUEUE,
          LINKED_BLOCKING_QUEUE);

  /** Who can do what has many. */
  static final List<Contenders> MANY_CONSUMERS =
      List.of(AGRONA, JCTOOLS_NEW, JCTOOLS_VARHANDLE, ARRAY_BLOCKING_QUEUE, LINKED_BLOCKING_QUEUE);

  Row {
    if (peers.contains(CPP) && work.words() != Words.USUAL) {
      throw new IllegalArgumentException(
          "words must be " + Words.USUAL + " beside the ring in C++: words=" + work.words());
    }
  }

  /** Ours beside all who can do the work, without a target. */
  static Row of(Suite suite, Work work) {
    List<Contenders> all = work.consumers() > 1 ? MANY_CONSUMERS : ONE_CONSUMER;
    return new Row(suite, work, MILLRACE, all, all, 0, Map.of());
  }

  Row ours(Contenders one) {
    return new Row(suite, work, one, peers, quickPeers, target, targets);
  }

  /** The same beside others, all of them also in the quick form. */
  Row beside(Contenders... others) {
    List<Contenders> list = List.of(others);
    return new Row(suite, work, ours, list, list, target, targets);
  }

  /** The same beside others also. */
  Row plus(Contenders... others) {
    List<Contenders> list = Stream.concat(peers.stream(), Arrays.stream(others)).toList();
    return new Row(suite, work, ours, list, quickPeers, target, targets);
  }

  /** The same with fewer peers in the quick form. */
  Row quickly(Contenders... few) {
    return new Row(suite, work, ours, peers, List.of(few), target, targets);
  }

  /** The same with a ratio to reach against every peer that has none of its own. */
  Row target(double ratio) {
    return new Row(suite, work, ours, peers, quickPeers, ratio, targets);
  }

  /** The same with a ratio to reach against a peer. */
  Row target(Contenders peer, double ratio) {
    Map<Contenders, Double> all = new HashMap<>(targets);
    all.put(peer, ratio);
    return new Row(suite, work, ours, peers, quickPeers, target, Map.copyOf(all));
  }

  /**
   * Whether a run on a machine includes it: not if threads would stand in line by the dozen, or
   * spin while others need their processors.
   */
  boolean isFor(int processors) {
    if (ours == Contenders.MILLRACE_STAGES_SPINNING) {
      return !work.isOversubscribed(processors);
    }
    int side = Math.max(work.producers(), work.consumers());
    return suite != Suite.SCALING || side <= Math.max(LEAST_SIDE, processors);
  }

  /** Ours and the peers. */
  Stream<Contenders> contenders() {
    return Stream.concat(Stream.of(ours), peers.stream());
  }

  /** The ratio to reach against a peer; 0 for none. */
  double targetAgainst(Contenders peer) {
    return targets.getOrDefault(peer, target);
  }

  /** All rows, as the report shows them. */
  static List<Row> all() {
    return Arrays.stream(Suite.values()).flatMap(suite -> suite.rows().stream()).toList();
  }

  static Row of(String id) {
    return all().stream()
        .filter(row -> row.work.id().equals(id))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("work must be one of those known: work=" + id));
  }
}

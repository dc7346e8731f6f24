package dev.millrace.stress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What producers published to a {@link dev.millrace.disruptor.Pipeline}, what each stage was given
 * of it, and whether the pipeline keeps its word: each event once, in order where order is
 * promised, behind the stages before, all of them if it was drained and the first of them if it was
 * stopped.
 *
 * <p>An event's number tells its producer and its place among that producer's events. A number is
 * given to one claim only; those that were aborted or refused leave gaps.
 */
final class PipelineLedger {
  /** How the workers of a stage divide the events. */
  enum Kind {
    /** Each handler sees all. */
    ALL,
    /** Each event goes to whoever is free. */
    SHARED,
    /** Each key has its worker. */
    BY_KEY
  }

  /**
   * A stage, as far as the ledger must know it.
   *
   * @param name its name
   * @param workers how many
   * @param after the stages before it, by their places in the ledger
   * @param retries how often an event is tried again
   * @param skips whether it is passed over then
   */
  record Shape(
      String name, Kind kind, int workers, List<Integer> after, int retries, boolean skips) {}

  /**
   * What was seen.
   *
   * @param events that were accepted
   * @param refused events whose publish was refused
   * @param dropped events that a full ring did not take
   * @param skipped events that the first stage passed over since it lagged
   * @param thrown failures of handlers
   * @param failed events that a stage passed over since its handler failed
   */
  record Totals(long events, long refused, long dropped, long skipped, long thrown, long failed) {
    static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0);

    Totals and(Totals other) {
      return new Totals(
          events + other.events,
          refused + other.refused,
          dropped + other.dropped,
          skipped + other.skipped,
          thrown + other.thrown,
          failed + other.failed);
    }
  }

  private final List<Shape> shapes;
  private final List<List<PipelineLog>> logs = new ArrayList<>();
  private final List<PipelinePut> puts = new ArrayList<>();
  private final boolean firstSkips;
  private final BitSet accepted = new BitSet();
  private long[] sequences = {}; // by number, -1 where unknown
  private final List<BitSet> seen = new ArrayList<>(); // by stage: what all of it were given

  /**
   * Opens a ledger.
   *
   * @param shapes the stages, each behind those that it comes after
   * @param firstSkips whether the first stage may pass over events
   */
  PipelineLedger(List<Shape> shapes, int producers, boolean firstSkips) {
    this.shapes = List.copyOf(shapes);
    this.firstSkips = firstSkips;
    for (Shape shape : shapes) {
      logs.add(Stream.generate(PipelineLog::new).limit(shape.workers).toList());
    }
    for (int i = 0; i < producers; i++) {
      puts.add(new PipelinePut(i, producers));
    }
  }

  PipelineLog log(int stage, int worker) {
    return logs.get(stage).get(worker);
  }

  List<PipelinePut> puts() {
    return puts;
  }

  Stream<PipelineLog> allLogs() {
    return logs.stream().flatMap(List::stream);
  }

  // ---- the balance ----

  /**
   * Closes the ledger, after all threads have ended; throws if the pipeline did not keep its word.
   *
   * @param isDrained whether all events had to be handled, or it was stopped amid them
   */
  Totals balance(boolean isDrained) {
    puts.forEach(put -> accepted.or(put.accepted()));
    sequences = new long[accepted.length()];
    Arrays.fill(sequences, -1);
    for (int stage = 0; stage < shapes.size(); stage++) {
      checkStage(stage, isDrained);
    }
    checkSequences();
    return new Totals(
        accepted.cardinality(),
        puts.stream().mapToLong(put -> put.refused).sum(),
        puts.stream().mapToLong(put -> put.dropped + put.signalled).sum(),
        isDrained ? skipped(0) : 0,
        allLogs().mapToLong(PipelineLog::thrown).sum(),
        stages().mapToLong(this::failed).sum());
  }

  private Stream<Integer> stages() {
    return Stream.iterate(0, stage -> stage + 1).limit(shapes.size());
  }

  private void checkStage(int stage, boolean isDrained) {
    Shape shape = shapes.get(stage);
    BitSet together = new BitSet();
    BitSet common = null;
    int[] workerOfKey = new int[PipelineEvent.KEYS];
    Arrays.fill(workerOfKey, -1);
    for (int worker = 0; worker < shape.workers; worker++) {
      BitSet own = given(stage, worker, isDrained);
      if (shape.kind == Kind.BY_KEY) {
        checkKeys(shape, worker, own, workerOfKey);
      }
      if (shape.kind == Kind.ALL) {
        checkComplete(stage, own, isDrained);
      } else {
        checkApart(shape, together, own);
      }
      together.or(own);
      common = common == null ? own : and(common, own);
    }
    seen.add(shape.kind == Kind.ALL ? common : together);
    if (shape.kind != Kind.ALL) {
      checkComplete(stage, together, isDrained);
    }
  }

  /** What a worker was given, each event once, in order, behind the stages before. */
  private BitSet given(int stage, int worker, boolean isDrained) {
    Shape shape = shapes.get(stage);
    PipelineLog log = log(stage, worker);
    BitSet own = new BitSet();
    long last = -1;
    for (int i = 0; i < log.size(); i++) {
      int number = log.number(i);
      long sequence = log.sequence(i);
      if (own.get(number)) {
        throw failure("event must come once", shape, worker, number);
      }
      if (sequence <= last) {
        throw failure("event must come in order, after " + last, shape, worker, number);
      }
      last = sequence;
      if (!accepted.get(number)) {
        throw failure("event must be published to be handled", shape, worker, number);
      }
      if (sequences[number] >= 0 && sequences[number] != sequence) {
        throw failure("event must have one sequence, " + sequences[number], shape, worker, number);
      }
      sequences[number] = sequence;
      for (int before : shape.after) {
        if (!seen.get(before).get(number)) {
          throw failure(
              "event must come after stage " + shapes.get(before).name, shape, worker, number);
        }
      }
      checkTries(shape, worker, log, i, isDrained || i < log.size() - 1);
      own.set(number);
    }
    return own;
  }

  /** Handled, or given up after as many failures as allowed. */
  private static void checkTries(
      Shape shape, int worker, PipelineLog log, int index, boolean isOver) {
    int least = log.isDone(index) || !isOver ? 0 : shape.retries + 1;
    int most = log.isDone(index) ? shape.retries : shape.retries + 1;
    int thrown = log.thrown(index);
    boolean isGivenUp = isOver && !log.isDone(index);
    if (thrown < least || thrown > most || (isGivenUp && !shape.skips)) {
      throw failure(
          "event must be tried as often as the policy says, failures=" + thrown,
          shape,
          worker,
          log.number(index));
    }
  }

  private static void checkKeys(Shape shape, int worker, BitSet own, int[] workerOfKey) {
    own.stream()
        .forEach(
            number -> {
              int key = PipelineEvent.keyOf(number);
              if (workerOfKey[key] >= 0 && workerOfKey[key] != worker) {
                throw failure("key must have one worker, key=" + key, shape, worker, number);
              }
              workerOfKey[key] = worker;
            });
  }

  private static void checkApart(Shape shape, BitSet others, BitSet own) {
    if (others.intersects(own)) {
      int number = and(others, own).nextSetBit(0);
      throw failure("event must come to one worker", shape, -1, number);
    }
  }

  /** Whether a stage was given all events, or if it was stopped the first ones. */
  private void checkComplete(int stage, BitSet its, boolean isDrained) {
    Shape shape = shapes.get(stage);
    boolean maySkip = firstSkips && stage == 0;
    if (maySkip || (!isDrained && shape.kind == Kind.SHARED)) {
      return;
    }
    BitSet all = firstSkips ? seen.getFirst() : accepted;
    int keys = shape.kind == Kind.BY_KEY ? PipelineEvent.KEYS : 1;
    BitSet ended = new BitSet();
    for (int number = all.nextSetBit(0); number >= 0; number = all.nextSetBit(number + 1)) {
      int row = number % puts.size() * keys + PipelineEvent.keyOf(number) % keys;
      if (!its.get(number)) {
        if (isDrained) {
          throw failure("event must not be lost", shape, -1, number);
        }
        ended.set(row);
      } else if (ended.get(row)) {
        throw failure("events before one that comes must not be lost", shape, -1, number);
      }
    }
  }

  /** No two events may have the same sequence, and those of a producer theirs in its order. */
  private void checkSequences() {
    long[] known = Arrays.stream(sequences).filter(sequence -> sequence >= 0).sorted().toArray();
    for (int i = 1; i < known.length; i++) {
      if (known[i] == known[i - 1]) {
        throw new AssertionError("events must have different sequences: sequence=" + known[i]);
      }
    }
    long[] last = new long[puts.size()];
    Arrays.fill(last, -1);
    for (int number = 0; number < sequences.length; number++) {
      int producer = number % puts.size();
      if (sequences[number] >= 0) {
        if (sequences[number] <= last[producer]) {
          throw new AssertionError("events of a producer must keep its order: number=" + number);
        }
        last[producer] = sequences[number];
      }
    }
  }

  private static BitSet and(BitSet one, BitSet other) {
    BitSet both = (BitSet) one.clone();
    both.and(other);
    return both;
  }

  private static AssertionError failure(String what, Shape shape, int worker, int number) {
    return new AssertionError(
        what + ": number=" + number + ", worker=" + worker + ", stage=" + shape);
  }

  // ---- what the pipeline says ----

  private long skipped(int stage) {
    return firstSkips && stage == 0 ? accepted.cardinality() - seen.getFirst().cardinality() : 0;
  }

  private long failed(int stage) {
    long failed = 0;
    for (PipelineLog log : logs.get(stage)) {
      for (int i = 0; i < log.size(); i++) {
        failed += log.isDone(i) || log.thrown(i) <= shapes.get(stage).retries ? 0 : 1;
      }
    }
    return failed;
  }

  /**
   * Throws if what a drained pipeline says of itself is not what was seen; after the balance.
   *
   * @param metrics what it says
   * @param isExact whether no claim can have been given up
   */
  void check(Map<String, Long> metrics, int capacity, boolean isExact, boolean manyProducers) {
    for (int stage = 0; stage < shapes.size(); stage++) {
      long thrown = logs.get(stage).stream().mapToLong(PipelineLog::thrown).sum();
      String of = shapes.get(stage).name() + ".";
      check(metrics, of + "processed", seen.get(stage).cardinality());
      check(metrics, of + "failed", failed(stage));
      check(metrics, of + "retries", thrown - failed(stage));
      check(metrics, of + "skipped", skipped(stage));
      check(metrics, of + "lag", 0);
    }
    long published = accepted.cardinality();
    long aborted = puts.stream().mapToLong(put -> put.aborted).sum();
    long refused = puts.stream().mapToLong(put -> put.refused).sum();
    long claimed = published + refused + (manyProducers ? aborted : 0);
    check(metrics, "freeSlots", capacity);
    check(metrics, "dropped", puts.stream().mapToLong(p -> p.dropped).sum());
    check(metrics, "signalled", puts.stream().mapToLong(p -> p.signalled).sum());
    // claims that were aborted may have been given up before
    long unknown = isExact ? 0 : Long.MAX_VALUE / 4;
    checkWithin(metrics, "published", claimed, claimed + unknown);
    checkWithin(metrics, "claimed", claimed, claimed + unknown);
    checkWithin(metrics, "refused", refused, refused + (isExact ? 0 : aborted));
    checkWithin(metrics, "stalled", refused, refused + unknown);
    if (isExact) {
      check(metrics, "aborted", manyProducers ? aborted : 0);
    }
  }

  private static void check(Map<String, Long> metrics, String name, long expected) {
    Ledger.check(name, metrics.get(name), expected);
  }

  private static void checkWithin(Map<String, Long> metrics, String name, long least, long most) {
    Ledger.checkWithin(name, metrics.get(name), least, most);
  }
}

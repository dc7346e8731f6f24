package dev.millrace.stress.spec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a {@link dev.millrace.disruptor.Pipeline} promises: each event once, in order where order is
 * promised, after the stages before, all of them if it was drained and the first of them if it was
 * stopped.
 */
public final class PipelineSpec {
  /** How many keys there are. */
  public static final int KEYS = 16;

  /** How the workers of a stage divide the events. */
  public enum Kind {
    /** Each handler sees all. */
    ALL,
    /** Each event goes to a worker that is free. */
    SHARED,
    /** Each key has its worker. */
    BY_KEY
  }

  /**
   * A stage.
   *
   * @param name its name
   * @param kind how its workers divide the events
   * @param workers how many
   * @param after the stages before it, by their places in the list of stages
   * @param retries how often an event is tried again
   * @param skips whether it is passed over then
   */
  public record Shape(
      String name, Kind kind, int workers, List<Integer> after, int retries, boolean skips) {}

  /** An event that a worker was given. */
  static final class Given {
    private final long sequence;
    private final int number;
    private int thrown;
    private boolean isHandled;

    Given(long sequence, int number, int thrown) {
      this.sequence = sequence;
      this.number = number;
      this.thrown = thrown;
    }
  }

  /** What one worker was given, in order. */
  public static final class Log {
    private final List<Given> givens = new ArrayList<>();
    private int early; // how often it threw before it looked at the next event
    private int starts;
    private int ends;

    private Log() {}

    /**
     * The worker is given an event, for the first time or again.
     *
     * @param sequence the event's
     * @param number the event's
     */
    public void given(long sequence, int number) {
      if (givens.isEmpty() || inHand().sequence != sequence || inHand().isHandled) {
        givens.add(new Given(sequence, number, early));
        early = 0;
      }
    }

    private Given inHand() {
      return givens.getLast();
    }

    /** The worker throws, with the event in hand. */
    public void threw() {
      inHand().thrown++;
    }

    /** The worker throws before it has looked at its next event. */
    public void threwEarly() {
      early++;
    }

    /** The event in hand is handled. */
    public void handled() {
      inHand().isHandled = true;
    }

    /** The worker is told that it begins. */
    public void started() {
      starts++;
    }

    /** The worker is told that it ends. */
    public void ended() {
      ends++;
    }

    /**
     * Counts its events.
     *
     * @return how many it was given
     */
    public int size() {
      return givens.size();
    }

    /**
     * Counts the failures of the event in hand.
     *
     * @return how often the worker threw on it
     */
    public int thrownInHand() {
      return inHand().thrown;
    }

    /**
     * Tells whether the next event will be a new one.
     *
     * @param mostThrown after how many failures an event is given up
     * @return whether none is in hand
     */
    public boolean isBetween(int mostThrown) {
      return early == 0
          && (givens.isEmpty() || inHand().isHandled || inHand().thrown >= mostThrown);
    }

    /** Forgets the last event, as if it had not come: a fault to be noticed. */
    public void forget() {
      givens.removeLast();
    }

    /** Swaps the last two events, if there are two: a fault to be noticed. */
    public void swap() {
      if (givens.size() > 1) {
        givens.add(givens.size() - 2, givens.removeLast());
      }
    }

    private long thrown() {
      return early + givens.stream().mapToLong(given -> given.thrown).sum();
    }
  }

  private final List<Shape> shapes;
  private final List<List<Log>> logs;
  private final List<FifoSpec.Sent> sents;
  private final boolean firstSkips;
  private final BitSet accepted = new BitSet();
  private long[] sequences = {}; // by number, -1 where unknown
  private final List<BitSet> seen = new ArrayList<>(); // by stage: what all of it were given

  /**
   * Specifies a pipeline.
   *
   * @param shapes the stages, each behind those that it comes after
   * @param producers how many producers there are
   * @param firstSkips whether the first stage may pass over events
   */
  public PipelineSpec(List<Shape> shapes, int producers, boolean firstSkips) {
    this.shapes = List.copyOf(shapes);
    this.firstSkips = firstSkips;
    this.logs =
        shapes.stream()
            .map(shape -> Stream.generate(Log::new).limit(shape.workers).toList())
            .toList();
    this.sents =
        IntStream.range(0, producers)
            .mapToObj(producer -> new FifoSpec.Sent(producer, producers, true))
            .toList();
  }

  /**
   * Finds a worker's log.
   *
   * @param stage the worker's stage
   * @param worker its place there
   * @return the log
   */
  public Log log(int stage, int worker) {
    return logs.get(stage).get(worker);
  }

  /**
   * Lists what producers publish.
   *
   * @return each producer's part
   */
  public List<FifoSpec.Sent> sents() {
    return sents;
  }

  /**
   * Maps an event to its key.
   *
   * @param number the event's
   * @return the key
   */
  public static int keyOf(long number) {
    return (int) (FifoSpec.mix(number) >>> 40) & (KEYS - 1);
  }

  // ---- the balance ----

  /**
   * Judges the logs, after all threads have ended.
   *
   * @param isDrained whether all events had to be handled, or it was stopped halfway
   * @return what was sent, and skipped by the first stage, thrown by handlers, failed for good
   * @throws AssertionError if the pipeline broke a promise
   */
  public Counts balance(boolean isDrained) {
    sents.forEach(sent -> accepted.or(sent.accepted()));
    sequences = new long[accepted.length()];
    Arrays.fill(sequences, -1);
    for (int stage = 0; stage < shapes.size(); stage++) {
      checkStage(stage, isDrained);
    }
    checkSequences();
    return FifoSpec.total(sents)
        .add("skipped", isDrained ? skipped(0) : 0)
        .add("thrown", stages().mapToLong(this::thrown).sum())
        .add("failed", stages().mapToLong(this::failed).sum());
  }

  /**
   * Checks that each handler was told once that it begins, and once that it ends.
   *
   * @throws AssertionError if not
   */
  public void checkLives() {
    for (Log log : logs.stream().flatMap(List::stream).toList()) {
      Counts.check("calls of onStart of a worker", log.starts, 1);
      Counts.check("calls of onEnd of a worker", log.ends, 1);
    }
  }

  private IntStream stages() {
    return IntStream.range(0, shapes.size());
  }

  private void checkStage(int stage, boolean isDrained) {
    Shape shape = shapes.get(stage);
    BitSet all = new BitSet();
    BitSet common = (BitSet) accepted.clone();
    int[] workerOfKey = new int[KEYS];
    Arrays.fill(workerOfKey, -1);
    for (int worker = 0; worker < shape.workers; worker++) {
      BitSet own = given(stage, worker, isDrained);
      if (shape.kind == Kind.ALL) {
        checkComplete(stage, own, isDrained);
      } else {
        BitSet twice = and(all, own);
        check(twice.isEmpty(), shape, -1, twice.nextSetBit(0), "event must come to one worker");
      }
      for (int number : shape.kind == Kind.BY_KEY ? own.stream().toArray() : new int[0]) {
        int its = workerOfKey[keyOf(number)];
        check(its < 0 || its == worker, shape, worker, number, "key must have one worker");
        workerOfKey[keyOf(number)] = worker;
      }
      all.or(own);
      common.and(own);
    }
    seen.add(shape.kind == Kind.ALL ? common : all);
    if (shape.kind != Kind.ALL) {
      checkComplete(stage, all, isDrained);
    }
  }

  /** What a worker was given, each event once, in order, behind the stages before. */
  private BitSet given(int stage, int worker, boolean isDrained) {
    Shape shape = shapes.get(stage);
    BitSet own = new BitSet();
    long last = -1;
    List<Given> givens = log(stage, worker).givens;
    for (Given given : givens) {
      int number = given.number;
      check(!own.get(number), shape, worker, number, "event must come once");
      check(given.sequence > last, shape, worker, number, "event must come in order, after", last);
      last = given.sequence;
      check(accepted.get(number), shape, worker, number, "event must be published to be handled");
      long known = sequences[number];
      boolean hasOther = known >= 0 && known != given.sequence;
      check(!hasOther, shape, worker, number, "event must have one sequence,", known);
      sequences[number] = given.sequence;
      for (int before : shape.after) {
        boolean isAfter = seen.get(before).get(number);
        String name = shapes.get(before).name;
        check(isAfter, shape, worker, number, "event must come after stage", name);
      }
      checkTries(shape, worker, given, isDrained || !given.equals(givens.getLast()));
      own.set(number);
    }
    return own;
  }

  /** Handled, or given up after as many failures as allowed. */
  private static void checkTries(Shape shape, int worker, Given given, boolean isOver) {
    boolean isGivenUp = isOver && !given.isHandled;
    int least = isGivenUp ? shape.retries + 1 : 0;
    int most = shape.retries + (given.isHandled ? 0 : 1);
    check(
        given.thrown >= least && given.thrown <= most && (!isGivenUp || shape.skips),
        shape,
        worker,
        given.number,
        "event must be tried as often as the policy says, failures",
        given.thrown);
  }

  /** Whether a stage was given all events, or if it was stopped the first ones. */
  private void checkComplete(int stage, BitSet its, boolean isDrained) {
    Shape shape = shapes.get(stage);
    if ((firstSkips && stage == 0) || (!isDrained && shape.kind == Kind.SHARED)) {
      return;
    }
    BitSet all = firstSkips ? seen.getFirst() : accepted;
    int keys = shape.kind == Kind.BY_KEY ? KEYS : 1;
    BitSet ended = new BitSet(); // the rows of events that keep their order
    for (int number : all.stream().toArray()) {
      int row = number % sents.size() * keys + keyOf(number) % keys;
      check(its.get(number) || !isDrained, shape, -1, number, "event must not be lost");
      boolean isGap = its.get(number) && ended.get(row);
      check(!isGap, shape, -1, number, "events before one that comes must not be lost");
      ended.set(row, !its.get(number));
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
    long[] last = new long[sents.size()];
    Arrays.fill(last, -1);
    for (int number = 0; number < sequences.length; number++) {
      int producer = number % sents.size();
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

  private static void check(
      boolean holds, Shape shape, int worker, int number, String rule, Object... detail) {
    if (!holds) {
      String all =
          Stream.concat(Stream.of(rule), Stream.of(detail))
              .map(String::valueOf)
              .collect(Collectors.joining(" "));
      throw new AssertionError(
          all + ": number=" + number + ", worker=" + worker + ", stage=" + shape);
    }
  }

  // ---- metrics ----

  private long skipped(int stage) {
    return firstSkips && stage == 0 ? accepted.cardinality() - seen.getFirst().cardinality() : 0;
  }

  private long thrown(int stage) {
    return logs.get(stage).stream().mapToLong(Log::thrown).sum();
  }

  private long failed(int stage) {
    return logs.get(stage).stream()
        .flatMap(log -> log.givens.stream())
        .filter(given -> !given.isHandled && given.thrown > shapes.get(stage).retries)
        .count();
  }

  /**
   * Compares a drained pipeline's metrics to what was seen; after the balance.
   *
   * @param metrics the pipeline's
   * @param capacity the ring's
   * @param isExact whether no claim can have been given up
   * @param manyProducers whether the ring is made for many
   * @throws AssertionError if they differ
   */
  public void check(
      Map<String, Long> metrics, int capacity, boolean isExact, boolean manyProducers) {
    stages()
        .forEach(
            stage -> {
              String of = shapes.get(stage).name() + ".";
              check(metrics, of + "processed", seen.get(stage).cardinality(), 0);
              check(metrics, of + "failed", failed(stage), 0);
              check(metrics, of + "retries", thrown(stage) - failed(stage), 0);
              check(metrics, of + "skipped", skipped(stage), 0);
              check(metrics, of + "lag", 0, 0);
            });
    Counts sent = FifoSpec.total(sents);
    long refused = sent.get("refused");
    long aborted = manyProducers ? sent.get("aborted") : 0;
    long claimed = sent.get("records") + refused + aborted;
    // claims that were aborted may have been given up before
    long unknown = isExact ? 0 : Long.MAX_VALUE / 4;
    check(metrics, "freeSlots", capacity, 0);
    check(metrics, "dropped", sent.get("dropped"), 0);
    check(metrics, "signalled", sent.get("signalled"), 0);
    check(metrics, "published", claimed, unknown);
    check(metrics, "claimed", claimed, unknown);
    check(metrics, "refused", refused, isExact ? 0 : aborted);
    check(metrics, "stalled", refused, unknown);
    if (isExact) {
      check(metrics, "aborted", aborted, 0);
    }
  }

  private static void check(Map<String, Long> metrics, String name, long least, long more) {
    Counts.checkWithin(name, metrics.get(name), least, least + more);
  }
}

package dev.millrace.stress.spec;

import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * What a {@link dev.millrace.disruptor.Pipeline} promises: each event once, in order where order is
 * promised, tried as often as the stage says, all of them if it was drained and the first of them
 * if it was stopped. That an event comes after the stages before is seen in the event itself.
 *
 * <p>Each worker is judged as its events come; only sums are compared in the end.
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
   * @param retries how often an event is tried again
   * @param skips whether it is passed over then
   * @param logs what each worker was given
   * @param workers by key: the one worker, from 1 on
   */
  public record Stage(
      String name, Kind kind, int retries, boolean skips, List<Log> logs, AtomicLongArray workers) {
    private long sum(ToLongFunction<Log> count) {
      return logs.stream().mapToLong(count).sum();
    }

    private List<Received> receiveds() {
      return logs.stream().map(log -> log.received).toList();
    }
  }

  private final List<Sent> sents;
  private final boolean firstSkips;
  private final AtomicLongArray sequences; // by number, plus one
  private final List<Stage> stages = new ArrayList<>();

  /**
   * Specifies a pipeline without stages.
   *
   * @param producers how many producers there are
   * @param numbers how many numbers they may give out
   * @param firstSkips whether the first stage may pass over events
   */
  public PipelineSpec(int producers, int numbers, boolean firstSkips) {
    IntStream indexes = IntStream.range(0, producers);
    this.sents = indexes.mapToObj(index -> new Sent(index, producers, true)).toList();
    this.sequences = new AtomicLongArray(numbers);
    this.firstSkips = firstSkips;
  }

  /**
   * Lists what producers publish.
   *
   * @return each producer's part
   */
  public List<Sent> sents() {
    return sents;
  }

  /**
   * Adds a stage.
   *
   * @param name its name
   * @param kind how its workers divide the events
   * @param retries how often an event is tried again
   * @param skips whether it is passed over then
   * @return the stage, without workers
   */
  public Stage addStage(String name, Kind kind, int retries, boolean skips) {
    AtomicLongArray workers = new AtomicLongArray(KEYS);
    stages.add(new Stage(name, kind, retries, skips, new ArrayList<>(), workers));
    return stages.getLast();
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

  /** What one worker was given. */
  public final class Log {
    private final Stage stage;
    private final int worker;
    private final Received received = new Received(sents.size(), true);
    private long sequence = -1; // of the event in hand
    private long number;
    private int thrown; // on the event in hand
    private boolean isHandled = true;
    private long thrownSum;
    private long failed;

    /**
     * Adds a worker to a stage.
     *
     * @param stage the stage
     */
    public Log(Stage stage) {
      this.stage = stage;
      stage.logs.add(this);
      this.worker = stage.logs.size();
    }

    /**
     * The worker is given an event, for the first time or again.
     *
     * @param itsSequence the event's
     * @param itsNumber the event's
     * @return how often it threw on the event
     * @throws AssertionError if the event must not come now
     */
    public int given(long itsSequence, long itsNumber) {
      if (itsSequence != sequence || itsNumber != number || isHandled) {
        endEvent();
        check(itsSequence > sequence, "event must come in order, not sequence " + itsSequence);
        sequence = itsSequence;
        number = itsNumber;
        thrown = 0;
        isHandled = false;
        received.take(number);
        check(isOwn(sequences, (int) number, sequence + 1), "event must have one sequence");
        boolean hasKey = stage.kind == Kind.BY_KEY;
        check(!hasKey || isOwn(stage.workers, keyOf(number), worker), "key must have one worker");
      }
      check(thrown <= stage.retries, "event must be tried as often as the policy says");
      return thrown;
    }

    /** Whether a place has a value, which it gets if it has none. */
    private static boolean isOwn(AtomicLongArray values, int place, long value) {
      return values.compareAndSet(place, 0, value) || values.get(place) == value;
    }

    /** The event in hand is over: handled, or passed over after as many failures as allowed. */
    private void endEvent() {
      boolean isPassedOver = !isHandled && stage.skips && thrown == stage.retries + 1;
      check(isPassedOver || isHandled, "event must be tried as often as the policy says");
      failed += isPassedOver ? 1 : 0;
    }

    private void check(boolean holds, String rule) {
      if (!holds) {
        throw new AssertionError(
            "%s: sequence=%d, number=%d, failures=%d, worker %d of %s, %s, retries=%d"
                .formatted(
                    rule, sequence, number, thrown, worker, stage.name, stage.kind, stage.retries));
      }
    }

    /** The worker throws, with the event in hand. */
    public void threw() {
      thrown++;
      thrownSum++;
    }

    /** The event in hand is handled. */
    public void handled() {
      isHandled = true;
    }
  }

  // ---- the balance ----

  /**
   * Compares what producers sent and workers were given, after all threads have ended.
   *
   * @param isDrained whether all events had to be handled, or it was stopped halfway
   * @return what was sent, and skipped by the first stage, thrown by handlers, failed for good
   * @throws AssertionError if the pipeline broke a promise
   */
  public Counts balance(boolean isDrained) {
    Counts sent = FifoSpec.sent(sents);
    Counts seen = firstSkips ? FifoSpec.received(stages.getFirst().receiveds()) : sent;
    for (Stage stage : stages) {
      boolean seesAll = stage.kind == Kind.ALL;
      List<Received> all = stage.receiveds();
      for (List<Received> part : seesAll ? all.stream().map(List::of).toList() : List.of(all)) {
        if (isDrained) {
          FifoSpec.balance(seen, part);
        } else if (seesAll && !firstSkips) {
          part.getFirst().checkNoGaps(sents);
        }
      }
      if (isDrained) {
        stage.logs.forEach(Log::endEvent);
      }
    }
    IntStream numbers = IntStream.range(0, sequences.length());
    long[] known = numbers.mapToLong(sequences::get).filter(its -> its > 0).toArray();
    long different = Arrays.stream(known).distinct().count();
    Counts.check("different sequences", different, known.length);
    return sent.add("skipped", isDrained ? sent.get("records") - seen.get("records") : 0)
        .add("thrown", stages.stream().mapToLong(stage -> stage.sum(log -> log.thrownSum)).sum())
        .add("failed", stages.stream().mapToLong(stage -> stage.sum(log -> log.failed)).sum());
  }

  /**
   * Compares the metrics of a drained pipeline with its balance.
   *
   * @param balance what was seen
   * @param metrics the pipeline's
   * @param isExact whether no claim can have been given up, because there is no stall limit
   * @param manyProducers whether the ring is made for many
   * @throws AssertionError if they differ
   */
  public void check(
      Counts balance, Map<String, Long> metrics, boolean isExact, boolean manyProducers) {
    Map<String, Long> exact = new HashMap<>();
    for (Stage stage : stages) {
      long failed = stage.sum(log -> log.failed);
      exact.put(stage.name + ".processed", balance.get("records") - balance.get("skipped"));
      exact.put(stage.name + ".failed", failed);
      exact.put(stage.name + ".retries", stage.sum(log -> log.thrownSum) - failed);
      exact.put(stage.name + ".lag", 0L);
    }
    exact.put(stages.getFirst().name + ".skipped", balance.get("skipped"));
    exact.put("dropped", balance.get("dropped"));
    exact.put("signalled", balance.get("signalled"));
    long refused = balance.get("refused");
    long aborted = manyProducers ? balance.get("aborted") : 0;
    if (isExact) {
      exact.put("aborted", aborted);
      exact.put("claimed", balance.get("records") + aborted);
      exact.put("published", balance.get("records") + aborted);
    }
    exact.forEach((name, count) -> Counts.check(name, metrics.get(name), count));
    // claims that were aborted may have been given up before
    long most = isExact ? refused : refused + aborted;
    Counts.checkWithin("refused", metrics.get("refused"), refused, most);
  }
}

package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Events that producers send through a ring, and what each stage of consumers has made of them:
 * every event once, whole, in order, and after the stages before. What is in a slot are plain
 * variables, so that each missing edge between two threads that use it shows as a race.
 */
final class RingTraffic extends Steps {
  private static final int SEQUENCES = 128;
  private static final int MOST_STAGES = 3;

  final Sequencer sequencer;
  private final Simulation run;
  private final Event[] ring;
  private final List<Stage> stages = new ArrayList<>();

  // in arrays of numbers and in sets, which are not shared memory to the simulator: for checks only
  private final long[] sentAt = new long[SEQUENCES];
  private final long[] lastValue = new long[1];
  private final int[] aborted = new int[1];
  private final int[] refused = new int[1];

  RingTraffic(Simulation run, RingOptions options) {
    this.run = run;
    this.sequencer = Sequencer.of(options);
    this.ring = new Event[options.capacity()];
    for (int slot = 0; slot < ring.length; slot++) {
      ring[slot] = new Event();
    }
    run.atEnd(this::checkAll);
  }

  /** A plain variable. */
  private static final class Cell {
    private long value;
  }

  /** What is in a slot: the producer's, and what each stage writes beside it. */
  private static final class Event {
    private final Cell sent = new Cell();
    private final Cell[] marks = new Cell[MOST_STAGES];

    Event() {
      for (int stage = 0; stage < MOST_STAGES; stage++) {
        marks[stage] = new Cell();
      }
    }
  }

  private Event at(long sequence) {
    return ring[(int) sequence & (ring.length - 1)];
  }

  // ---- producers ----

  /** Publishes a run, if there is room. */
  boolean offer(int count) {
    long first = sequencer.tryClaim(count);
    return first >= 0 && send(first, count);
  }

  /** Publishes a run, and waits for room. */
  void put(int count) throws InterruptedException {
    long first = sequencer.claim(count);
    run.check(first >= 0, "a wait without a time limit gave up: " + first);
    send(first, count);
  }

  /** Claims a run and gives it back; false if there is no room. */
  boolean abort(int count) {
    long first = sequencer.tryClaim(count);
    if (first < 0) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      at(first + i).sent.value = -7;
    }
    sequencer.abort(first, count);
    aborted[0] += count;
    return true;
  }

  /** Writes a claimed run and publishes it; false if it was given up. */
  boolean send(long first, int count) {
    for (int i = 0; i < count; i++) {
      long value = ++lastValue[0];
      at(first + i).sent.value = value;
      run.check(sentAt[(int) first + i] == 0, "claimed twice: " + (first + i));
      sentAt[(int) first + i] = value;
    }
    boolean published = isCommitted(sequencer, first, count);
    for (int i = 0; i < count && !published; i++) {
      sentAt[(int) first + i] = 0;
    }
    return published;
  }

  /** Publishes what was claimed, or counts it as refused because the ring is full. */
  void sendOrCount(long first, int count) {
    if (first >= 0) {
      send(first, count);
    } else {
      run.check(first == Sequencer.FULL, "closed though open");
      refused[0] += count;
    }
  }

  int refusedCount() {
    return refused[0];
  }

  /** Commits; false if the claim was given up. */
  static boolean isCommitted(Sequencer sequencer, long first, int count) {
    try {
      sequencer.commit(first, count);
      return true;
    } catch (IllegalStateException e) {
      if (e.getMessage().startsWith("claim was given up")) {
        return false;
      }
      throw e;
    }
  }

  Body offers(int count) {
    return () -> offer(count);
  }

  Body puts(int count) {
    return () -> put(count);
  }

  Body aborts(int count) {
    return () -> abort(count);
  }

  /** Adds a thread that offers single events, so many times. */
  void addProducer(String name, int tries) {
    run.thread(name, times(tries, offers(1)));
  }

  /** Adds a thread that puts events one by one, and then completes. */
  void addLastProducer(int count) {
    run.thread("producer", times(count, puts(1)), sequencer::complete);
  }

  int abortedCount() {
    return aborted[0];
  }

  int sentCount() {
    return (int) LongStream.of(sentAt).filter(value -> value != 0).count();
  }

  // ---- consumers ----

  Stage stage(WaitStrategy strategy, Stage... before) {
    return new Stage(List.of(sequencer.newConsumer(strategy, barriers(before))), before);
  }

  Stage stage(Stage... before) {
    return stage(WaitStrategy.busySpin(), before);
  }

  Stage shared(int workers, WaitStrategy strategy, Stage... before) {
    return new Stage(sequencer.newSharedConsumers(workers, strategy, barriers(before)), before);
  }

  Stage shared(int workers, Stage... before) {
    return shared(workers, WaitStrategy.busySpin(), before);
  }

  private static SequenceConsumer[] barriers(Stage... stages) {
    return Stream.of(stages)
        .map(stage -> stage.workers[0].barrier)
        .toArray(SequenceConsumer[]::new);
  }

  /** Consumers that see every event, together or alone, and write beside it that they did. */
  final class Stage {
    final Worker[] workers;
    private final Stage[] before;
    private final int number = stages.size();
    private final BitSet seen = new BitSet();

    private Stage(List<SequenceConsumer> barriers, Stage... before) {
      this.before = before;
      this.workers =
          barriers.stream().map(barrier -> new Worker(this, barrier)).toArray(Worker[]::new);
      stages.add(this);
    }

    Worker worker() {
      return workers[0];
    }

    /** Adds a thread for each worker, which polls so often, up to so many events. */
    Stage polls(int tries, int limit) {
      return plays(worker -> times(tries, () -> worker.poll(limit)).run());
    }

    /** Adds a thread for each worker, which waits for all events up to the end. */
    Stage takesAll(int limit) {
      return plays(worker -> worker.takeAll(limit));
    }

    Stage plays(Part... parts) {
      for (int i = 0; i < workers.length; i++) {
        Worker worker = workers[i];
        run.thread(
            "stage " + number + ", worker " + i,
            () -> {
              for (Part part : parts) {
                part.play(worker);
              }
            });
      }
      return this;
    }

    int seenCount() {
      return seen.cardinality();
    }

    private void handle(long sequence) {
      Event event = at(sequence);
      long value = event.sent.value;
      run.check(
          value != 0 && value == sentAt[(int) sequence],
          sequence + " is " + sentAt[(int) sequence] + ", but shows " + value);
      for (Stage one : before) {
        long mark = event.marks[one.number].value;
        run.check(mark == value, sequence + " shows the mark " + mark + " of " + one.number);
      }
      event.marks[number].value = value;
      run.check(!seen.get((int) sequence), sequence + " came twice");
      seen.set((int) sequence);
    }
  }

  /** What a consumer's thread does. */
  interface Part {
    void play(Worker worker) throws Exception;
  }

  /** One consumer. */
  final class Worker {
    final SequenceConsumer barrier;
    private final Stage stage;
    private long last = -1;

    private Worker(Stage stage, SequenceConsumer barrier) {
      this.stage = stage;
      this.barrier = barrier;
    }

    /** Handles what is there, up to a limit; returns what {@code tryPoll} has. */
    int poll(int limit) {
      int count = barrier.tryPoll(limit);
      if (count > 0) {
        handle(count, limit);
        barrier.release();
      }
      return count;
    }

    /** Handles what is there; {@link Sequencer#CLOSED} at the end. */
    int pollOrEnd(int limit) {
      int count = poll(limit);
      return count == 0 && barrier.isDrained() ? Sequencer.CLOSED : count;
    }

    /** The same, waiting as the strategy says. */
    int take(int limit) throws InterruptedException {
      int count = barrier.poll(limit);
      if (count > 0) {
        handle(count, limit);
        barrier.release();
      }
      return count;
    }

    /** Waits for all events up to the end. */
    void takeAll(int limit) throws InterruptedException {
      while (take(limit) > 0) {
        // until the end
      }
    }

    /** Handles what was polled, in order. */
    void handle(int count, int limit) {
      run.check(count <= limit, "more events than the limit: " + count);
      long first = barrier.sequence();
      run.check(first > last, first + " came after " + last);
      last = first + count - 1;
      for (int i = 0; i < count; i++) {
        stage.handle(first + i);
      }
    }
  }

  List<Stage> stages() {
    return stages;
  }

  // ---- the end ----

  /** Lets the consumers take what is left, and checks that nothing was lost. */
  void checkAll() {
    for (Stage stage : stages) {
      for (Worker worker : stage.workers) {
        while (worker.poll(2) > 0) {
          // until there is none
        }
      }
      for (int sequence = 0; sequence < SEQUENCES; sequence++) {
        run.check(
            stage.seen.get(sequence) == (sentAt[sequence] != 0),
            sequence + " of value " + sentAt[sequence] + " was lost for stage " + stage.number);
      }
    }
    run.check(
        sequencer.publishedEnd() == sequencer.claimedEnd()
            && sequencer.remainingCapacity() == sequencer.capacity(),
        "not empty: " + sequencer + ", published to " + sequencer.publishedEnd());
  }
}

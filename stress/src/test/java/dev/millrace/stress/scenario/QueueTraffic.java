package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.trial.AnyQueue;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What producers have sent through a queue with ends and what has come to its consumers: each
 * record once, and to each consumer those of a producer in order. A record's value is its
 * producer's letter and its number.
 */
final class QueueTraffic {
  private static final int NUMBERS = 64;
  private static final int LETTERS = 3;

  final AnyQueue<Duo> queue;
  final Taker taker;

  private final Simulation run;
  private boolean isOrdered = true;
  private boolean isDropped = false;
  private boolean isCounted = false;

  // in arrays of numbers, which are not shared memory to the simulator: for checks only
  private final int[] sent = new int[LETTERS];
  private final Spans committed = new Spans();
  private final Spans came = new Spans();
  private final long[] clock = new long[1];
  private final int[] fewerThan = {Integer.MAX_VALUE}; // overtake a record
  private final int[] cameCount = new int[1];
  private final int[] refused = new int[1];

  QueueTraffic(Simulation run, AnyQueue<Duo> queue) {
    this.run = run;
    this.queue = queue;
    this.taker = new Taker();
    run.atEnd(this::checkAll);
  }

  /** A step of one who sends or takes. */
  interface Part<T> {
    void play(T end) throws Exception;
  }

  /** From when to when something was done to each record; not at all if it never ended. */
  private static final class Spans {
    private final long[] begins = new long[LETTERS * NUMBERS];
    private final long[] ends = new long[LETTERS * NUMBERS];

    void put(int value, Span span) {
      begins[value] = span.begin;
      ends[value] = span.end;
    }

    boolean has(int value) {
      return ends[value] > 0;
    }

    boolean isBefore(int one, int other) {
      return has(one) && has(other) && ends[one] < begins[other];
    }
  }

  /** From when to when something was done. */
  private record Span(long begin, long end) {
    static final Span UNKNOWN = new Span(0, Long.MAX_VALUE);
  }

  /** Records may come in another order than they were sent in, if fewer than k overtake each. */
  QueueTraffic overtakenByFewerThan(int k) {
    isOrdered = k == 1;
    fewerThan[0] = k;
    return this;
  }

  /** Old records may be lost, as many as the queue says that it has dropped. */
  QueueTraffic dropsOldest() {
    isDropped = true;
    return counted();
  }

  /** What the queue has counted must be what has happened, once nobody uses it. */
  QueueTraffic counted() {
    isCounted = true;
    return this;
  }

  /** Reads a metric; -1 if the queue has none of the name. */
  long metric(String name) {
    return metrics().getOrDefault(name, -1L);
  }

  /** All numbers about it, read at once. */
  Map<String, Long> metrics() {
    return queue.metrics();
  }

  /** Takes a picture: what it shows are whole records, those of a producer in order. */
  void look() {
    long[] last = {-1, -1, -1};
    int[] seen = new int[1];
    int shown =
        queue.snapshot(
            duo -> {
              long value = whole(duo);
              int letter = (int) (value / NUMBERS);
              run.check(!isOrdered || value > last[letter], value + " after " + last[letter]);
              last[letter] = value;
              seen[0]++;
            });
    run.check(shown == seen[0], "shown in all: " + shown);
  }

  /** The value of a record that somebody has sent. */
  private long whole(Duo duo) {
    long value = duo.first();
    run.check(duo.second() == -value, "torn record: " + value + ", " + duo.second());
    run.check(value >= 0 && value < LETTERS * NUMBERS, "a record that nobody sent: " + value);
    return value;
  }

  int size() {
    return queue.sizeEstimate();
  }

  Sender sender(int letter) {
    return new Sender(letter);
  }

  Taker newTaker() {
    return new Taker();
  }

  /** Adds a producer's thread. */
  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  final void addProducer(int letter, Part<Sender>... parts) {
    addThread("producer " + letter, sender(letter), parts);
  }

  /** Adds threads of producers that all do the same. */
  @SafeVarargs
  final void addProducers(int count, Part<Sender>... parts) {
    for (int letter = 0; letter < count; letter++) {
      addProducer(letter, parts);
    }
  }

  /** Adds a thread that offers single records, so many times. */
  void addProducer(int letter, int tries) {
    addProducer(letter, times(tries, Sender::offer));
  }

  /** Adds threads of consumers that all do the same. */
  @SafeVarargs
  @SuppressWarnings("varargs") // they are only read
  final void addConsumers(int count, Part<Taker>... parts) {
    for (int i = 0; i < count; i++) {
      addThread("consumer " + i, i == 0 ? taker : newTaker(), parts);
    }
  }

  /** Adds threads that poll single records, so many times each. */
  void addConsumers(int count, int tries) {
    addConsumers(count, times(tries, Taker::poll));
  }

  private <T> void addThread(String name, T end, Part<T>[] parts) {
    run.thread(
        name,
        () -> {
          for (Part<T> part : parts) {
            part.play(end);
          }
        });
  }

  static <T> Part<T> times(int count, Part<T> part) {
    return end -> {
      for (int i = 0; i < count; i++) {
        part.play(end);
      }
    };
  }

  /** One producer's records. */
  final class Sender {
    final Producer<Duo> producer = queue.newProducer();
    private final int letter;

    private Sender(int letter) {
      this.letter = letter;
    }

    private void write(Duo duo, int ahead) {
      int number = sent[letter] + ahead;
      run.check(number < NUMBERS, "more records than have numbers");
      long value = (long) letter * NUMBERS + number;
      duo.first(value).second(-value);
    }

    /** Writes a claimed run. */
    void write(int count) {
      for (int i = 0; i < count; i++) {
        write(producer.at(i), i);
      }
    }

    /** Notes that the next records were committed. */
    void sent(int count) {
      sent[letter] += count;
    }

    /** Commits a claimed run, if there is one. */
    private int send(int count) {
      if (count > 0) {
        write(count);
        commitWritten(count);
      }
      return count;
    }

    private void commitWritten(int count) {
      long begin = ++clock[0];
      producer.commit();
      Span span = new Span(begin, ++clock[0]);
      int first = letter * NUMBERS + sent[letter];
      for (int value = first; value < first + count; value++) {
        committed.put(value, span);
      }
      sent(count);
    }

    boolean offer() {
      return commit(producer.tryClaim());
    }

    void put() throws InterruptedException {
      commit(producer.claim());
    }

    /** Writes and commits what was claimed; false if it was nothing. */
    boolean commit(Duo duo) {
      if (duo != null) {
        write(duo, 0);
        commitWritten(1);
      }
      return duo != null;
    }

    int offerRun(int limit) {
      int count = send(producer.tryClaim(limit));
      run.check(count <= limit, "a longer run than wanted: " + count);
      return count;
    }

    /** A run of one record, waiting for a slot. */
    void putRun() throws InterruptedException {
      run.check(send(producer.claim(1)) == 1, "no run of one");
    }

    /** Puts a record where a full queue drops what is new. */
    void claimOrDrop() throws InterruptedException {
      if (send(producer.claim(1)) == 0) {
        refused[0]++;
      }
    }

    void claimAndAbort(int limit) {
      int count = producer.tryClaim(limit);
      if (count > 0) {
        producer.at(count - 1).first(-7);
        producer.abort();
      }
    }
  }

  /** One consumer's records. */
  final class Taker {
    final Consumer<Duo> consumer = queue.newConsumer();
    private final long[] last = {-1, -1, -1};

    private Taker() {}

    void expect(Duo duo) {
      expect(duo, Span.UNKNOWN);
    }

    private void expect(Duo duo, Span span) {
      long value = whole(duo);
      int letter = (int) (value / NUMBERS);
      run.check(!isOrdered || value > last[letter], value + " came after " + last[letter]);
      last[letter] = value;
      run.check(!came.has((int) value), value + " came twice");
      came.put((int) value, span);
      cameCount[0]++;
    }

    /** Checks and releases what a poll returned; false if it was nothing. */
    boolean taken(Duo duo) {
      return taken(duo, Span.UNKNOWN);
    }

    private boolean taken(Duo duo, Span span) {
      if (duo != null) {
        expect(duo, span);
        consumer.release();
      }
      return duo != null;
    }

    boolean poll() {
      long begin = ++clock[0];
      return taken(consumer.tryPoll(), new Span(begin, ++clock[0]));
    }

    int pollRun(int limit) {
      int count = takenRun(consumer.tryPoll(limit));
      run.check(count <= limit, "a longer run than wanted: " + count);
      return count;
    }

    /** The same of a run; returns its length. */
    int takenRun(int count) {
      for (int i = 0; i < count; i++) {
        expect(consumer.at(i));
      }
      if (count > 0) {
        consumer.release();
      }
      return count;
    }

    int drain(int limit) {
      return consumer.drain(this::expect, limit);
    }

    /** Takes all there is, and ends when the queue does. */
    void takeAll() throws InterruptedException {
      consumer.forEach(this::expect);
      run.check(consumer.isDrained(), "ended before the end");
    }

    /** Takes the given number of records, waiting for each. */
    void take(int count) throws InterruptedException {
      for (int i = 0; i < count; i++) {
        run.check(taken(consumer.poll()), "the end came early");
      }
    }
  }

  int cameCount() {
    return cameCount[0];
  }

  /** Takes what is left, and checks that nothing was lost; for those with checks of their own. */
  void checkAll() {
    if (!queue.isDrained()) {
      while (taker.poll()) {
        // until empty
      }
      run.check(queue.sizeEstimate() == 0, "empty, but of size " + queue.sizeEstimate());
    }
    for (int value = 0; value < LETTERS * NUMBERS; value++) {
      boolean isSent = value % NUMBERS < sent[value / NUMBERS];
      run.check(isSent || !came.has(value), "came though not sent: " + value);
      checkOvertakes(value);
    }
    int all = IntStream.of(sent).sum();
    long dropped = isDropped ? metric("dropped") : 0;
    run.check(cameCount[0] + dropped == all, all + " sent, " + cameCount[0] + " came");
    if (isCounted) {
      checkMetric("dropped", dropped + refused[0]);
      checkMetric("consumed", cameCount[0]);
      checkMetric("committed", cameCount[0]);
      checkMetric("claimed", cameCount[0] + dropped + Math.max(0, metric("aborted")));
      checkMetric("size", 0);
    }
  }

  /** What was committed later and taken before has overtaken a record. */
  private void checkOvertakes(int value) {
    int overtakes = 0;
    for (int later = 0; committed.has(value) && later < LETTERS * NUMBERS; later++) {
      boolean isLater = committed.isBefore(value, later);
      overtakes += isLater && came.isBefore(later, value) ? 1 : 0;
    }
    run.check(overtakes < fewerThan[0], overtakes + " have overtaken " + value);
  }

  private void checkMetric(String name, long expected) {
    long value = metric(name);
    run.check(value == expected || value == -1, name + " " + value + ", not " + expected);
  }

  /** A queue's options: both sides park. */
  static QueueOptions parking(int capacity) {
    return QueueOptions.ofCapacity(capacity)
        .withProducerWaits(Steps.PARK)
        .withConsumerWaits(Steps.PARK);
  }
}

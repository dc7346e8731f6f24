package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.queues.ends.OffHeapQueue;
import dev.millrace.simulator.Simulation;
import java.util.function.Supplier;

/**
 * What several producers have sent through a queue with ends and what has come to its consumer:
 * each record once, and those of a producer in order. A record's value is its producer's letter and
 * its number.
 */
final class EndTraffic {
  private static final int NUMBERS = 16;
  private static final int LETTERS = 3;

  private final Simulation run;
  private final OffHeapQueue<Duo> queue;
  private final Supplier<? extends Producer<Duo>> producers;
  private final Consumer<Duo> consumer;

  // in arrays, which are not shared memory to the simulator: for checks only
  private final long[] sent = new long[1];
  private final long[] came = new long[1];
  private final int[] sentOf = new int[LETTERS];
  private final int[] cameOf = new int[LETTERS];

  EndTraffic(
      Simulation run,
      OffHeapQueue<Duo> queue,
      Supplier<? extends Producer<Duo>> producers,
      Consumer<Duo> consumer) {
    this.run = run;
    this.queue = queue;
    this.producers = producers;
    this.consumer = consumer;
    run.atEnd(this::checkAll);
  }

  /** What a thread does as a producer. */
  interface Part {
    void play(Sender sender) throws Exception;
  }

  Consumer<Duo> consumer() {
    return consumer;
  }

  int size() {
    return queue.sizeEstimate();
  }

  Sender sender(int letter) {
    return new Sender(letter);
  }

  /** Adds a producer's thread. */
  void addProducer(int letter, Part part) {
    Sender sender = sender(letter);
    run.thread("producer " + letter, () -> part.play(sender));
  }

  /** Adds a thread that offers single records, so many times. */
  void addProducer(int letter, int tries) {
    addProducer(
        letter,
        sender -> {
          for (int i = 0; i < tries; i++) {
            sender.offer();
          }
        });
  }

  /** Adds a thread that polls single records, so many times. */
  void addConsumer(int tries) {
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < tries; i++) {
            poll();
          }
        });
  }

  /** One producer's records. */
  final class Sender {
    final Producer<Duo> producer = producers.get();
    private final int letter;

    private Sender(int letter) {
      this.letter = letter;
    }

    private void write(Duo duo, int ahead) {
      long value = (long) letter * NUMBERS + sentOf[letter] + ahead;
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
      for (int i = 0; i < count; i++) {
        sent[0] |= 1L << (letter * NUMBERS + sentOf[letter]);
        sentOf[letter]++;
      }
    }

    boolean offer() {
      Duo duo = producer.tryClaim();
      if (duo != null) {
        write(duo, 0);
        producer.commit();
        sent(1);
      }
      return duo != null;
    }

    int offerRun(int limit) {
      int count = producer.tryClaim(limit);
      run.check(count <= limit, "a longer run than wanted: " + count);
      if (count > 0) {
        write(count);
        producer.commit();
        sent(count);
      }
      return count;
    }

    void put() throws InterruptedException {
      write(producer.claim(), 0);
      producer.commit();
      sent(1);
    }

    /** A run of one record, waiting for a slot. */
    void putRun() throws InterruptedException {
      run.check(producer.claim(1) == 1, "no run of one");
      write(1);
      producer.commit();
      sent(1);
    }

    /** Puts a record where a full queue drops what is new. */
    void claimOrDrop() throws InterruptedException {
      int count = producer.claim(1);
      if (count > 0) {
        write(count);
        producer.commit();
        sent(count);
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

  // ---- consumer ----

  void expect(Duo duo) {
    long value = duo.first();
    run.check(duo.second() == -value, "torn record: " + value + ", " + duo.second());
    int letter = (int) (value / NUMBERS);
    run.check(value >= 0 && letter < LETTERS, "a record that nobody sent: " + value);
    long next = (long) letter * NUMBERS + cameOf[letter]++;
    run.check(value == next, value + " came instead of " + next);
    came[0] |= 1L << value;
  }

  boolean poll() {
    Duo duo = consumer.tryPoll();
    if (duo != null) {
      expect(duo);
      consumer.release();
    }
    return duo != null;
  }

  int pollRun(int limit) {
    int count = consumer.tryPoll(limit);
    run.check(count <= limit, "a longer run than wanted: " + count);
    for (int i = 0; i < count; i++) {
      expect(consumer.at(i));
    }
    if (count > 0) {
      consumer.release();
    }
    return count;
  }

  /** Takes all there is, and ends when the queue does. */
  void takeAll() throws InterruptedException {
    consumer.forEach(this::expect);
    run.check(queue.isDrained(), "ended though not drained");
  }

  /** Takes so many records, and waits for each. */
  void take(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      expect(consumer.poll());
      consumer.release();
    }
  }

  long cameCount() {
    return Long.bitCount(came[0]);
  }

  /** Takes what is left, and checks that nothing was lost; for those with checks of their own. */
  void checkAll() {
    if (!queue.isDrained()) {
      while (poll()) {
        // until empty
      }
      run.check(queue.sizeEstimate() == 0, "empty, but of size " + queue.sizeEstimate());
    }
    run.check(
        came[0] == sent[0],
        "of " + Long.toBinaryString(sent[0]) + " came " + Long.toBinaryString(came[0]));
  }
}

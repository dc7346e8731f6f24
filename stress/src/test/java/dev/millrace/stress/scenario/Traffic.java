package dev.millrace.stress.scenario;

import dev.millrace.queues.OffHeapQueue;
import dev.millrace.simulator.Simulation;

/**
 * What several producers have sent through a queue and what has come to its consumers: each record
 * once, and to each consumer those of a producer in order. A record's value is its producer's
 * letter and its number.
 */
final class Traffic {
  private static final int NUMBERS = 16;

  private final Simulation run;
  private final OffHeapQueue<Pair> queue;
  private final Producer[] producers = {new Producer(0), new Producer(1), new Producer(2)};

  // in arrays, which are not shared memory to the simulator: for checks only
  private final long[] sent = new long[1];
  private final long[] came = new long[1];

  Traffic(Simulation run, OffHeapQueue<Pair> queue) {
    this.run = run;
    this.queue = queue;
    run.atEnd(this::checkAll);
  }

  Producer producer(int letter) {
    return producers[letter];
  }

  Taker consumer() {
    return new Taker();
  }

  /** What a thread does, as a producer or as a consumer, with a flyweight of its own. */
  interface Part<R> {
    void play(R role, Pair pair) throws Exception;
  }

  /** Adds a producer's thread. */
  void addProducer(int letter, Part<Producer> part) {
    run.thread("producer " + letter, () -> part.play(producer(letter), queue.newFlyweight()));
  }

  /** Adds a thread that offers single records, so many times. */
  void addProducer(int letter, int tries) {
    addProducer(
        letter,
        (producer, pair) -> {
          for (int i = 0; i < tries; i++) {
            producer.offer(pair);
          }
        });
  }

  /** Adds a thread that offers a record, a run of two, and a record. */
  void addProducerOfBoth(int letter) {
    addProducer(
        letter,
        (producer, pair) -> {
          producer.offer(pair);
          producer.offerRun(pair, 2);
          producer.offer(pair);
        });
  }

  /** Adds two threads that put two records each, and wait for slots. */
  void addWaitingProducers() {
    for (int i = 0; i < 2; i++) {
      addProducer(
          i,
          (producer, pair) -> {
            producer.put(pair);
            producer.put(pair);
          });
    }
  }

  /** Adds a thread that offers a record and a run, and may find the queue closed. */
  void addProducerUntilClosed(int letter) {
    Pair pair = queue.newFlyweight();
    run.thread(
        "producer " + letter,
        () -> {
          boolean refused =
              Records.refuses(
                  () -> {
                    producer(letter).offer(pair);
                    producer(letter).offerRun(pair, 2);
                  });
          run.check(!refused || queue.isClosed(), "refused though open");
        });
  }

  /** Adds a consumer's thread. */
  void addConsumer(String name, Part<Taker> part) {
    run.thread(name, () -> part.play(consumer(), queue.newFlyweight()));
  }

  /** Adds a thread that polls single records, so many times. */
  void addConsumer(String name, int tries) {
    addConsumer(
        name,
        (taker, pair) -> {
          for (int i = 0; i < tries; i++) {
            taker.poll(pair);
          }
        });
  }

  /** Adds a thread that takes so many records, and waits for each. */
  void addWaitingConsumer(String name, int count) {
    addConsumer(
        name,
        (taker, pair) -> {
          for (int i = 0; i < count; i++) {
            run.check(taker.take(pair), "the end before the last record");
          }
        });
  }

  /** Notes a record that somebody else than the consumers took out, as a producer that drops. */
  void lose(long bits) {
    came[0] |= bits;
  }

  long sentCount() {
    return Long.bitCount(sent[0]);
  }

  long cameCount() {
    return Long.bitCount(came[0]);
  }

  /** Takes what is left, and checks that nothing was lost; for those with checks of their own. */
  void checkAll() throws Exception {
    if (!queue.isDrained()) {
      Pair pair = queue.newFlyweight();
      Taker taker = consumer();
      while (taker.poll(pair)) {
        // until empty
      }
      run.check(queue.sizeEstimate() == 0, "empty, but of size " + queue.sizeEstimate());
    }
    run.check(came[0] == sent[0], "of " + bits(sent[0]) + " came " + bits(came[0]));
  }

  private static String bits(long values) {
    return Long.toBinaryString(values);
  }

  /** One producer's records. */
  final class Producer {
    private final int letter;
    private int count;

    private Producer(int letter) {
      this.letter = letter;
    }

    long next() {
      return (long) letter * NUMBERS + count;
    }

    /** Notes that the next records were committed. */
    void sent(int records) {
      for (int i = 0; i < records; i++) {
        sent[0] |= 1L << next();
        count++;
      }
    }

    boolean offer(Pair pair) {
      boolean offered = Records.offer(queue, pair, next());
      if (offered) {
        sent(1);
      }
      return offered;
    }

    boolean offerRun(Pair pair, int length) {
      boolean offered = Records.offerRun(queue, pair, next(), length);
      if (offered) {
        sent(length);
      }
      return offered;
    }

    /** Offers by offsets. */
    void offerAt(Pair pair) {
      long offset = queue.tryClaim();
      if (offset >= 0) {
        pair.moveTo(offset);
        pair.set(next());
        run.check(queue.commit(offset), "refused without a stall limit");
        sent(1);
      }
    }

    /** Offers, waiting for a slot as the queue's strategy says. */
    void put(Pair pair) throws InterruptedException {
      run.check(queue.claim(pair), "a wait without a time limit gave up");
      pair.set(next());
      queue.commit(pair);
      sent(1);
    }
  }

  /** What one consumer has had. */
  final class Taker {
    private final long[] last = {-1, -1, -1};

    void expect(long value) {
      int letter = (int) (value / NUMBERS);
      run.check(value >= 0 && letter < last.length, "a record that nobody sent: " + value);
      run.check(value > last[letter], value + " came after " + last[letter]);
      run.check((came[0] & 1L << value) == 0, value + " came twice");
      last[letter] = value;
      came[0] |= 1L << value;
    }

    boolean poll(Pair pair) {
      long value = Records.poll(queue, pair);
      if (value != Records.NONE) {
        expect(value);
      }
      return value != Records.NONE;
    }

    /** Polls by offsets; returns what {@code tryPoll} has. */
    long pollAt(Pair pair) {
      long offset = queue.tryPoll();
      if (offset >= 0) {
        pair.moveTo(offset);
        expect(pair.whole());
        queue.release(offset);
      }
      return offset;
    }

    int pollRun(Pair pair, int limit) {
      int count = queue.tryPoll(pair, limit);
      takeRun(pair, count, limit);
      return count;
    }

    private void takeRun(Pair pair, int count, int limit) {
      if (count > 0) {
        run.check(count <= limit, "more records than the limit: " + count);
        for (int i = 0; i < count; i++) {
          expect(pair.whole());
          pair.next();
        }
        queue.release(pair);
      }
    }

    int drain(Pair pair, int limit) {
      int count = queue.drain(pair, record -> expect(record.whole()), limit);
      run.check(count <= limit, "more records than the limit: " + count);
      return count;
    }

    /** Polls, waiting as the queue's strategy says; false at the end. */
    boolean take(Pair pair) throws InterruptedException {
      if (!queue.poll(pair)) {
        run.check(queue.isClosed(), "a wait without a time limit gave up");
        return false;
      }
      expect(pair.whole());
      queue.release(pair);
      return true;
    }

    /** Takes all there is, and ends when the queue does. */
    void takeAll(Pair pair) {
      long code;
      while ((code = pollAt(pair)) != OffHeapQueue.CLOSED) {
        if (code == OffHeapQueue.EMPTY) {
          Thread.onSpinWait();
        }
      }
    }
  }
}

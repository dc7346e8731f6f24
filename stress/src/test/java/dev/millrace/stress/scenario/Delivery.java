package dev.millrace.stress.scenario;

import dev.millrace.queues.OffHeapQueue;
import dev.millrace.simulator.Simulation;

/** What was sent through a queue and what has come: ascending numbers from 1, each once. */
final class Delivery {
  private final Simulation run;
  private final OffHeapQueue<Pair> queue;
  private long sent;
  private long came;

  Delivery(Simulation run, OffHeapQueue<Pair> queue) {
    this.run = run;
    this.queue = queue;
    run.atEnd(this::checkAll);
  }

  /** Adds a thread that offers single records, so many times. */
  void addProducer(int tries) {
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          for (int i = 0; i < tries; i++) {
            offer(pair);
          }
        });
  }

  /** Adds a thread that polls single records, so many times. */
  void addConsumer(int tries) {
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          for (int i = 0; i < tries; i++) {
            poll(pair);
          }
        });
  }

  // ---- producer ----

  void offer(Pair pair) {
    if (Records.offer(queue, pair, sent + 1)) {
      sent++;
    }
  }

  void offerRun(Pair pair, int count) {
    if (Records.offerRun(queue, pair, sent + 1, count)) {
      sent += count;
    }
  }

  /** Offers, waiting for a slot as the queue's strategy says. */
  void put(Pair pair) throws InterruptedException {
    run.check(queue.claim(pair), "a wait without a time limit gave up");
    pair.set(sent + 1);
    queue.commit(pair);
    sent++;
  }

  long sent() {
    return sent;
  }

  // ---- consumer ----

  void expect(long value) {
    run.check(value == came + 1, "record " + value + " came after record " + came);
    came++;
  }

  void poll(Pair pair) {
    long value = Records.poll(queue, pair);
    if (value != Records.NONE) {
      expect(value);
    }
  }

  void pollRun(Pair pair, int limit) {
    int count = queue.tryPoll(pair, limit);
    if (count > 0) {
      run.check(count <= limit, "more records than the limit: " + count);
      for (int i = 0; i < count; i++) {
        expect(pair.whole());
        pair.next();
      }
      queue.release(pair);
    }
  }

  void drain(Pair pair, int limit) {
    int count = queue.drain(pair, record -> expect(record.whole()), limit);
    run.check(count <= limit, "more records than the limit: " + count);
  }

  /** Polls, waiting as the queue's strategy says; false at the end. */
  boolean take(Pair pair) throws InterruptedException {
    if (!queue.poll(pair)) {
      run.check(queue.isDrained(), "a wait without a time limit gave up");
      return false;
    }
    expect(pair.whole());
    queue.release(pair);
    return true;
  }

  long came() {
    return came;
  }

  private void checkAll() {
    if (!queue.isDrained()) {
      Pair pair = queue.newFlyweight();
      while (came < sent) {
        expect(Records.poll(queue, pair));
      }
      run.check(Records.poll(queue, pair) == Records.NONE, "a record that nobody sent");
    }
    run.check(came == sent, "sent " + sent + " records, of which " + came + " came");
  }
}

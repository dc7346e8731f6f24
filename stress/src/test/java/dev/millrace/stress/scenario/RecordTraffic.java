package dev.millrace.stress.scenario;

import dev.millrace.queues.RecordQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.scenario.RecordQueueScenarios.Both;

/**
 * What producers have put into a {@link RecordQueue} and what came out: each record once, and to
 * each consumer those of a producer in order. A value is its producer's letter and its number.
 */
final class RecordTraffic extends Steps {
  private static final int NUMBERS = 16;

  final RecordQueue<Both> queue;
  private final Simulation run;

  // in arrays of numbers, which are not shared memory to the simulator: for checks only
  private final long[] sent = new long[1];
  private final long[] came = new long[1];
  private final boolean[] isEndTold = new boolean[1];

  RecordTraffic(Simulation run, RecordQueue<Both> queue) {
    this.run = run;
    this.queue = queue;
    run.atEnd(this::checkAll);
  }

  /** What came last of each producer, at first. */
  static long[] none() {
    return new long[] {-1, -1, -1};
  }

  /** Adds a thread that offers so many. */
  void addProducer(int letter, int tries) {
    int[] number = new int[1];
    Simulation.Body step = () -> number[0] = offer(letter, number[0]) ? number[0] + 1 : number[0];
    run.thread("producer " + letter, times(tries, step));
  }

  /** Adds a thread that puts so many. */
  void addPutter(int letter, int count) {
    run.thread("producer " + letter, rounds(count, number -> put(letter, number)));
  }

  /** Adds a thread that polls so many times. */
  void addConsumer(String name, int tries) {
    long[] last = none();
    run.thread(name, times(tries, () -> poll(last)));
  }

  /** Adds a thread that takes so many. */
  void addTaker(String name, int count) {
    long[] last = none();
    run.thread(name, times(count, () -> came(queue.take(), last)));
  }

  Both next(int letter, int number) {
    return Both.of((long) letter * NUMBERS + number);
  }

  boolean offer(int letter, int number) {
    return sent(queue.offer(next(letter, number)), letter, number);
  }

  void put(int letter, int number) throws InterruptedException {
    queue.put(next(letter, number));
    sent(true, letter, number);
  }

  /** Notes a record if it was sent; returns whether it was. */
  boolean sent(boolean isSent, int letter, int number) {
    sent[0] |= isSent ? 1L << (letter * NUMBERS + number) : 0;
    return isSent;
  }

  /** Takes one; the array holds what came last of each producer. */
  boolean poll(long[] last) {
    return came(queue.poll(), last);
  }

  /** Notes what came; false if it is nothing. */
  boolean came(Both record, long[] last) {
    if (record == null) {
      return false;
    }
    int letter = (int) record.value() / NUMBERS;
    long number = record.value() % NUMBERS;
    run.check((came[0] & 1L << record.value()) == 0, "a record that came twice: " + record);
    run.check(number == 0 || number > last[letter], "out of order: " + record);
    came[0] |= 1L << record.value();
    last[letter] = number;
    return true;
  }

  /** Says that a consumer was told of the end: nothing may come afterwards. */
  void endIsTold() {
    isEndTold[0] = true;
  }

  void checkAll() {
    long[] last = none();
    run.check(!isEndTold[0] || queue.poll() == null, "a record behind the end");
    while (poll(last)) {
      // what is left
    }
    run.check(came[0] == sent[0], "lost or made up: " + Long.toBinaryString(came[0] ^ sent[0]));
  }
}

package dev.millrace.bench.compare;

import static dev.millrace.bench.harness.Table.format;

import dev.millrace.bench.Words;
import dev.millrace.bench.harness.Jvm;
import java.util.List;
import java.util.stream.Stream;

/**
 * A work that contenders do side by side.
 *
 * @param id its name in results
 * @param title what a reader is told
 * @param shape what is measured
 * @param producers how many threads send
 * @param consumers how many threads receive
 * @param sends how many records a producer sends at once; how many a burst has
 * @param receives how many records a consumer receives at once, at the most
 * @param capacity the queue's: records, or the bytes of messages
 * @param words how many 64-bit fields a record has
 * @param lengths how long messages are; null if what is sent are records
 * @param perSecond how many records are sent in a second; 0 for as fast as it goes
 * @param idle how often a side pauses after an attempt in vain, unless the run says otherwise
 * @param jvm the kind of JVM
 */
record Work(
    String id,
    String title,
    Shape shape,
    int producers,
    int consumers,
    int sends,
    int receives,
    int capacity,
    int words,
    Lengths lengths,
    long perSecond,
    int idle,
    Jvm jvm) {
  static final int USUAL_CAPACITY = 4_096;
  static final int USUAL_IDLE = 1;

  /** The capacity of queues of messages: runs of 64 of the longest fit. */
  private static final int MESSAGES_BYTES = 1 << 20;

  /** What is measured. */
  enum Shape {
    /** Records per second, all one way. */
    THROUGHPUT,
    /** The time that a record takes there and back. */
    ROUND_TRIP,
    /** The time from when a record is due until it is received: see {@link FixedRate}. */
    FIXED_RATE,
    /** The same where the consumer waits by itself, and its processor time. */
    WAITING,
    /** The time until a burst is received: see {@link Burst}. */
    BURST,
    /** Records per second where both sides wait by themselves, and processor time. */
    PUT_TAKE,
    /** The same while as many threads as there are processors are busy with something else. */
    PUT_TAKE_BUSY,
    /** Events per second past a handler: see {@link StagesTraffic}. */
    STAGE,
    /** Past three that stand side by side. */
    MULTICAST,
    /** Past three, one after the other. */
    STEPS,
    /** Past two that stand side by side, and one behind both. */
    DIAMOND,
    /** The time from handler to handler and back: see {@link PingPong}. */
    PING_PONG;

    /** What is compared. */
    List<Measure> measures() {
      return switch (this) {
        case THROUGHPUT, STAGE, MULTICAST, STEPS, DIAMOND -> List.of(Measure.THROUGHPUT);
        case PUT_TAKE, PUT_TAKE_BUSY -> List.of(Measure.THROUGHPUT, Measure.CPU);
        case ROUND_TRIP, PING_PONG -> List.of(Measure.P50, Measure.P99);
        case FIXED_RATE -> List.of(Measure.P50, Measure.P99, Measure.P999);
        case WAITING -> List.of(Measure.P50, Measure.P99, Measure.CPU);
        case BURST -> List.of(Measure.MEAN, Measure.P50, Measure.P99);
      };
    }

    /** Whether its figures are percentiles of times. */
    boolean isTimed() {
      return measures().getFirst() != Measure.THROUGHPUT;
    }

    /** Whether the contender calls handlers in threads of its own. */
    boolean isStaged() {
      return compareTo(STAGE) >= 0;
    }
  }

  Work {
    Words.checked(words);
  }

  /** Records one way, one at a time; otherwise as usual. */
  static Work way(String id, String title, int producers, int consumers) {
    return new Work(
        id,
        title,
        Shape.THROUGHPUT,
        producers,
        consumers,
        1,
        1,
        USUAL_CAPACITY,
        Words.USUAL,
        null,
        0,
        USUAL_IDLE,
        Jvm.DEFAULT);
  }

  /** One record at a time there and back; otherwise as usual. */
  static Work trip(String id, String title) {
    return way(id, title, 1, 1).withShape(Shape.ROUND_TRIP);
  }

  /** The same by another name. */
  Work named(String suffix, String more) {
    String its = id + suffix;
    String told = title + more;
    return new Work(
        its, told, shape, producers, consumers, sends, receives, capacity, words, lengths,
        perSecond, idle, jvm);
  }

  /** One of works that differ in a number, which ends its id and stands in its title. */
  Work numbered(int number) {
    String its = id + "-" + number;
    String told = format(title, number);
    return new Work(
        its, told, shape, producers, consumers, sends, receives, capacity, words, lengths,
        perSecond, idle, jvm);
  }

  Work withShape(Shape its) {
    return new Work(
        id, title, its, producers, consumers, sends, receives, capacity, words, lengths, perSecond,
        idle, jvm);
  }

  /** The same with other numbers of threads. */
  Work between(int senders, int takers) {
    return new Work(
        id, title, shape, senders, takers, sends, receives, capacity, words, lengths, perSecond,
        idle, jvm);
  }

  /** The same with runs of records: how many are sent at once, and received at the most. */
  Work runs(int sent, int received) {
    return new Work(
        id, title, shape, producers, consumers, sent, received, capacity, words, lengths, perSecond,
        idle, jvm);
  }

  Work withCapacity(int its) {
    return new Work(
        id, title, shape, producers, consumers, sends, receives, its, words, lengths, perSecond,
        idle, jvm);
  }

  Work withWords(int its) {
    return new Work(
        id, title, shape, producers, consumers, sends, receives, capacity, its, lengths, perSecond,
        idle, jvm);
  }

  /** The same with messages instead of records, by a name of its own. */
  Work messages(Lengths its) {
    String ofThese =
        its == Lengths.MIXED ? "messages-mix-" + id : "messages-" + id + "-" + its.id();
    String told = format("%s, messages of %s", title, its.title());
    return new Work(
        ofThese,
        told,
        shape,
        producers,
        consumers,
        sends,
        receives,
        MESSAGES_BYTES,
        words,
        its,
        perSecond,
        idle,
        jvm);
  }

  Work withRate(long its) {
    return new Work(
        id, title, shape, producers, consumers, sends, receives, capacity, words, lengths, its,
        idle, jvm);
  }

  Work withIdle(int its) {
    return new Work(
        id, title, shape, producers, consumers, sends, receives, capacity, words, lengths,
        perSecond, its, jvm);
  }

  Work in(Jvm its) {
    return new Work(
        id, title, shape, producers, consumers, sends, receives, capacity, words, lengths,
        perSecond, idle, its);
  }

  /** The options of its JVMs beside those of all. */
  List<String> flags() {
    return Stream.concat(jvm.flags().stream(), Stream.of("-D" + Words.PROPERTY + "=" + words))
        .toList();
  }

  int threads() {
    return producers + consumers;
  }

  /** Of messages of several lengths the mean. */
  int recordBytes() {
    return lengths == null ? words * Long.BYTES : lengths.meanBytes();
  }

  /**
   * How many records fit. Of messages, how many a queue of references has room for: as many as fit
   * in the bytes of a ring, but a power of two.
   */
  int slots() {
    return lengths == null ? capacity : Integer.highestOneBit(capacity / lengths.meanBytes());
  }

  /** What it does, for a reader who knows only its title. */
  String details() {
    return format(
        "Producers: %d, consumers: %d, %s, sent by %,d%s%s%s.",
        producers,
        consumers,
        lengths == null
            ? format("records of %,d bytes, %,d slots", recordBytes(), capacity)
            : format(
                "messages of %s, rings of %,d bytes, %,d slots for references",
                lengths.title(), capacity, slots()),
        sends,
        shape.isStaged() ? "" : format(", received by up to %,d", receives),
        perSecond == 0 ? "" : format(", %,d a second", perSecond),
        jvm == Jvm.DEFAULT ? "" : ", JVM " + jvm);
  }

  /** Whether threads must share processors. */
  boolean isOversubscribed(int processors) {
    return threads() > processors;
  }

  /** This work, if the records of this JVM are its own. */
  Work checked() {
    if (words != Words.COUNT) {
      throw new IllegalArgumentException(
          "words must be those of this JVM, " + Words.COUNT + ": words=" + words);
    }
    return this;
  }
}

package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.AGRONA;
import static dev.millrace.bench.compare.Contenders.AGRONA_MESSAGES_MPSC;
import static dev.millrace.bench.compare.Contenders.AGRONA_MESSAGES_SPSC;
import static dev.millrace.bench.compare.Contenders.ARRAY_BLOCKING_QUEUE_BLOCKING;
import static dev.millrace.bench.compare.Contenders.BARE;
import static dev.millrace.bench.compare.Contenders.BARE_CLAIM;
import static dev.millrace.bench.compare.Contenders.DISRUPTOR;
import static dev.millrace.bench.compare.Contenders.JCTOOLS;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_ARRAYS_MPMC;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_ARRAYS_MPSC;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_ARRAYS_SPSC;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_MPMC_IN_TURN;
import static dev.millrace.bench.compare.Contenders.LINKED_BLOCKING_QUEUE_BLOCKING;
import static dev.millrace.bench.compare.Contenders.LINKED_TRANSFER_QUEUE_ARRAYS;
import static dev.millrace.bench.compare.Contenders.MILLRACE;
import static dev.millrace.bench.compare.Contenders.MILLRACE_BLOCKING_KINDS;
import static dev.millrace.bench.compare.Contenders.MILLRACE_EVENTS;
import static dev.millrace.bench.compare.Contenders.MILLRACE_KFIFO_4;
import static dev.millrace.bench.compare.Contenders.MILLRACE_MESSAGES_MPMC;
import static dev.millrace.bench.compare.Contenders.MILLRACE_MESSAGES_MPSC;
import static dev.millrace.bench.compare.Contenders.MILLRACE_MESSAGES_SPSC;
import static dev.millrace.bench.compare.OneThread.Style.HANDLED;
import static dev.millrace.bench.compare.OneThread.Style.RUNS;
import static dev.millrace.bench.compare.OneThread.Style.SINGLES;
import static dev.millrace.bench.compare.OneThread.Style.STREAMED;
import static dev.millrace.bench.compare.OneThread.Style.WAITING;

import dev.millrace.bench.Words;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What is measured in one thread: records into a queue and out of it again, the instructions alone,
 * without any traffic between cores.
 */
final class OneThread {
  private static final int RUN = 64;
  private static final int CHECKED = 100 * RUN;
  static final long WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How many records one invocation moves. */
  static final int RECORDS = 1 << 14;

  private static final List<Subject> OF_RECORDS =
      List.of(
          new Subject("queue/spsc", MILLRACE, 1, 1, SINGLES, WAITING, RUNS, HANDLED),
          new Subject("queue/spsc", JCTOOLS, 1, 1, SINGLES, HANDLED),
          new Subject("queue/spsc", AGRONA, 1, 1, SINGLES, HANDLED),
          new Subject("queue/spsc", BARE_CLAIM, 1, 1, SINGLES),
          new Subject("queue/spsc", BARE, 1, 1, RUNS),
          new Subject("queue/mpsc", MILLRACE, 2, 1, SINGLES, WAITING, RUNS, HANDLED),
          new Subject("queue/mpsc", JCTOOLS, 2, 1, SINGLES, HANDLED),
          new Subject("queue/mpsc", AGRONA, 2, 1, SINGLES, HANDLED),
          new Subject("queue/mpmc", MILLRACE, 2, 2, SINGLES, WAITING, RUNS, HANDLED),
          new Subject("queue/mpmc", MILLRACE_KFIFO_4, 2, 2, SINGLES),
          new Subject("queue/mpmc", JCTOOLS_MPMC_IN_TURN, 2, 2, SINGLES, HANDLED),
          new Subject("records/spsc", MILLRACE_BLOCKING_KINDS, 1, 1, SINGLES, WAITING),
          new Subject("records/mpsc", MILLRACE_BLOCKING_KINDS, 2, 1, SINGLES, WAITING),
          new Subject("records/any", MILLRACE_BLOCKING_KINDS, 2, 2, SINGLES, WAITING),
          new Subject("records/any", ARRAY_BLOCKING_QUEUE_BLOCKING, 2, 2, SINGLES, WAITING),
          new Subject("records/any", LINKED_BLOCKING_QUEUE_BLOCKING, 2, 2, SINGLES, WAITING),
          new Subject("events/single", MILLRACE_EVENTS, 1, 1, WAITING, STREAMED),
          new Subject("events/single", DISRUPTOR, 1, 1, WAITING, STREAMED),
          new Subject("events/multi", MILLRACE_EVENTS, 2, 1, WAITING, STREAMED),
          new Subject("events/multi", DISRUPTOR, 2, 1, WAITING, STREAMED));

  /** All that can be measured: records, and messages of each length. */
  static final List<Subject> SUBJECTS =
      Stream.concat(
              OF_RECORDS.stream(), Arrays.stream(Lengths.values()).flatMap(OneThread::messages))
          .toList();

  private OneThread() {}

  private static Stream<Subject> messages(Lengths lengths) {
    return Stream.of(
        Subject.of("spsc", MILLRACE_MESSAGES_SPSC, lengths),
        Subject.of("spsc", AGRONA_MESSAGES_SPSC, lengths),
        Subject.of("spsc", JCTOOLS_ARRAYS_SPSC, lengths),
        Subject.of("mpsc", MILLRACE_MESSAGES_MPSC, lengths),
        Subject.of("mpsc", AGRONA_MESSAGES_MPSC, lengths),
        Subject.of("mpsc", JCTOOLS_ARRAYS_MPSC, lengths),
        Subject.of("mpmc", MILLRACE_MESSAGES_MPMC, lengths),
        Subject.of("mpmc", JCTOOLS_ARRAYS_MPMC, lengths),
        Subject.of("mpmc", LINKED_TRANSFER_QUEUE_ARRAYS, lengths));
  }

  /** How records are moved. */
  enum Style {
    /** One in, one out. */
    SINGLES("one by one"),
    /** The same by the forms that would wait, which they never need to. */
    WAITING("one by one, waiting forms"),
    /** A run in, then out again by the user's own loop. */
    RUNS("runs of " + RUN + ", own loop"),
    /** A run in, then out again as the queue does it best, by a handler. */
    HANDLED("runs of " + RUN + ", handler"),
    /** One by one in, by the form that would wait, then out again in a run. */
    STREAMED("one by one in, out in runs of " + RUN);

    /** What a reader is told. */
    final String title;

    Style(String title) {
      this.title = title;
    }
  }

  /**
   * What the JVM has seen of a contender before it is measured: code that was compiled for one use
   * may stay slow in another.
   */
  enum WarmUp {
    /** Only what moves records one by one. */
    SINGLES,
    /** Only runs. */
    RUNS,
    /** Both, in turn. */
    BOTH,
    /** Both, with other queues of its library, and several handlers. */
    MIXED;

    private boolean uses(Style style) {
      boolean isSingle = style == Style.SINGLES || style == Style.WAITING;
      return this != (isSingle ? RUNS : SINGLES);
    }
  }

  /**
   * A contender, and what it is compared in.
   *
   * @param work among whom: a kind, a slash, and which of it
   * @param lengths of its messages; null if it moves records
   */
  record Subject(
      String work,
      Contenders contender,
      int producers,
      int consumers,
      Lengths lengths,
      List<Style> styles) {
    Subject(String work, Contenders contender, int producers, int consumers, Style... styles) {
      this(work, contender, producers, consumers, null, List.of(styles));
    }

    private static Subject of(String kind, Contenders contender, Lengths lengths) {
      String work = "messages-" + lengths.id() + "/" + kind;
      return new Subject(work, contender, 1, 1, lengths, List.of(SINGLES, HANDLED));
    }

    String id() {
      return work + "/" + contender.id();
    }

    static Subject of(String id) {
      return SUBJECTS.stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow();
    }

    Contender newContender() {
      Work runs = Work.way(work, work, producers, consumers).runs(RUN, RUN);
      return contender.make(lengths == null ? runs : runs.messages(lengths));
    }

    /** The others of its library, and once more itself: another class of handler. */
    private List<Subject> others() {
      return Stream.concat(
              SUBJECTS.stream().filter(one -> one.library().equals(library())),
              Stream.of(this, this))
          .toList();
    }

    /** Whose code it is: the library and the kind of work, which the ids begin with. */
    private String library() {
      String id = contender.id();
      int dash = id.indexOf('-');
      String kind = work.substring(0, work.indexOf('/'));
      return kind + (dash < 0 ? id : id.substring(0, dash));
    }
  }

  /** A subject in use. */
  static final class Loop implements AutoCloseable {
    private final Subject subject;
    private final Contender contender;
    private final Mover mover;

    Loop(Subject subject) {
      this.subject = subject;
      this.contender = subject.newContender();
      this.mover = Ends.of(Moves.class, contender.ends(true, true));
    }

    /** Uses it as a warm-up says, and in the mixed form others of its library. */
    void warmUp(WarmUp how, long nanos) throws InterruptedException {
      List<Loop> all = new ArrayList<>(List.of(this));
      if (how == WarmUp.MIXED) {
        subject.others().forEach(other -> all.add(new Loop(other)));
      }
      long begin = System.nanoTime();
      do {
        for (Loop loop : all) {
          for (Style style : loop.subject.styles()) {
            if (how.uses(style)) {
              loop.move(style, RECORDS);
            }
          }
        }
      } while (System.nanoTime() - begin < nanos);
      all.subList(1, all.size()).forEach(Loop::close);
    }

    /** Moves records; returns the sum of all fields. */
    long move(Style style, int records) throws InterruptedException {
      return mover.move(style, records);
    }

    /** Whether all that goes in comes out, whole. */
    void check(Style style) throws InterruptedException {
      long first = mover.number;
      long is = move(style, CHECKED);
      if (mover.number != first + CHECKED || is != Words.sum(first, CHECKED)) {
        throw new AssertionError(
            "sum of fields must be %d: is %d, of %s %s"
                .formatted(Words.sum(first, CHECKED), is, subject.id(), style));
      }
    }

    @Override
    public void close() {
      contender.close();
    }
  }

  /** Moves records by ends. */
  abstract static class Mover {
    /** How many have been sent. */
    long number;

    abstract long move(Style style, int records) throws InterruptedException;
  }

  /** A loop for each style. */
  static final class Moves extends Mover {
    private final Ends ends;

    Moves(Ends ends) {
      this.ends = ends;
    }

    @Override
    long move(Style style, int records) throws InterruptedException {
      return switch (style) {
        case SINGLES -> singles(records);
        case WAITING -> waiting(records);
        case RUNS -> runs(records);
        case HANDLED -> handled(records);
        case STREAMED -> streamed(records);
      };
    }

    private long singles(int records) {
      long sum = 0;
      long next = number;
      for (int i = 0; i < records; i++) {
        if (ends.send(next)) {
          next++;
        }
        long got = ends.receive();
        if (got == Ends.NONE) {
          got = ends.receive(); // an attempt may have done nothing but step over padding
        }
        if (got != Ends.NONE) {
          sum += got;
        }
      }
      number = next;
      return sum;
    }

    private long waiting(int records) throws InterruptedException {
      long sum = 0;
      long next = number;
      for (int i = 0; i < records; i++) {
        ends.put(next++);
        sum += ends.take();
      }
      number = next;
      return sum;
    }

    private long runs(int records) {
      ends.runSum = 0;
      for (int i = 0; i < records; i += RUN) {
        number += ends.send(number, RUN);
        ends.receiveRun(RUN);
      }
      return ends.runSum;
    }

    private long handled(int records) {
      ends.runSum = 0;
      for (int i = 0; i < records; i += RUN) {
        number += ends.send(number, RUN);
        int got = ends.receive(RUN);
        if (got < RUN) {
          ends.receive(RUN - got); // a run ends at the end of a ring of messages
        }
      }
      return ends.runSum;
    }

    private long streamed(int records) throws InterruptedException {
      ends.runSum = 0;
      for (int i = 0; i < records; i += RUN) {
        for (int j = 0; j < RUN; j++) {
          ends.put(number++);
        }
        ends.receive(RUN);
      }
      return ends.runSum;
    }
  }
}

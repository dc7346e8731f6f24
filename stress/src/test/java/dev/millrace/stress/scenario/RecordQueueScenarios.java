package dev.millrace.stress.scenario;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.internal.RecordStore;
import dev.millrace.queues.internal.Spills;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;

/** Queues of the JDK's interface, used as those of the JDK are, by as many as their kind admits. */
public abstract class RecordQueueScenarios extends Steps {
  /** Makes a queue of the kind. */
  abstract <T extends Record> RecordQueue<T> queue(Class<T> type, QueueOptions options);

  /** How many producers a scenario has, which is 1 or 2. */
  abstract int producers();

  /** How many consumers a scenario has, which is 1 or 2. */
  abstract int consumers();

  RecordQueue<Both> queue(int capacity) {
    return queue(Both.class, QueueOptions.ofCapacity(capacity));
  }

  RecordTraffic traffic(Simulation run, QueueOptions options) {
    return new RecordTraffic(run, queue(Both.class, options));
  }

  RecordTraffic traffic(Simulation run, int capacity) {
    return traffic(run, QueueOptions.ofCapacity(capacity));
  }

  /**
   * A record that cannot be made torn.
   *
   * @param value a number
   * @param negated the same below zero
   */
  public record Both(long value, double negated) {
    /** Refuses a torn one. */
    public Both {
      if (negated != -value) {
        throw new AssertionError("torn record: " + value + ", " + negated);
      }
    }

    static Both of(long value) {
      return new Both(value, -value);
    }
  }

  /**
   * A record that does not fit into a slot of one byte of text, if its value is odd.
   *
   * @param value a number
   * @param text what its value says
   */
  public record Line(long value, String text) {
    /** Refuses another one's text. */
    public Line {
      if (!text.equals(textOf(value))) {
        throw new AssertionError("torn record: " + value + ", " + text);
      }
    }

    private static String textOf(long value) {
      return value % 2 == 0 ? "" : "text";
    }

    static Line of(long value) {
      return new Line(value, textOf(value));
    }
  }

  private RecordQueue<Line> lines(int capacity) {
    return queue(Line.class, QueueOptions.ofCapacity(capacity).withTextBytes(1));
  }

  /** Checks that a queue of which all was taken holds no record. */
  static void checkHoldsNone(Simulation run, RecordQueue<?> queue, int puts) {
    Spills spills = RecordStore.SECRET.get().apply(queue).spills;
    for (int sequence = 0; sequence < 2 * puts; sequence++) {
      run.check(spills.find(sequence) == null, "held though taken: " + sequence);
    }
  }

  @About("records that do not fit, between others that do: each comes once, whole, in order")
  public void spilled(Simulation run) {
    RecordQueue<Line> queue = lines(2);
    int each = 3;
    for (int letter = 0; letter < producers(); letter++) {
      int mine = letter;
      run.thread(
          "producer " + letter, rounds(each, number -> queue.put(Line.of(mine * each + number))));
    }
    int all = each * producers();
    long[] came = new long[1];
    Numbered take =
        _ -> {
          long[] last = {-1, -1};
          for (int i = 0; i < all / consumers(); i++) {
            long value = queue.take().value();
            int letter = (int) value / each;
            run.check(value > last[letter], "out of order: " + value);
            last[letter] = value;
            came[0] += 1L << (4 * value);
          }
        };
    threads(run, consumers(), "consumer", take);
    run.atEnd(
        () -> {
          for (int value = 0; value < all; value++) {
            run.check((came[0] >> (4 * value) & 15) == 1, "lost or twice: " + value);
          }
          run.check(queue.metrics().get("spilled") == all / 2, "spilled: " + queue.metrics());
          checkHoldsNone(run, queue, all);
        });
  }

  @About("peek shows the oldest record whole, in its slot or beside it, while others put and take")
  public void spilledAreSeen(Simulation run) {
    RecordQueue<Line> queue = lines(2);
    run.thread("producer", rounds(3, number -> queue.put(Line.of(number + 1))));
    run.thread("consumer", times(3, () -> queue.take()));
    long[] seen = {1}; // an unused slot's zeros are a record of 0
    run.thread(
        "peeker",
        times(
            2,
            () -> {
              Line line = queue.peek();
              run.check(line == null || line.value() >= seen[0], "an older one: " + line);
              seen[0] = line == null ? seen[0] : line.value();
            }));
    Spills spills = RecordStore.SECRET.get().apply(queue).spills;
    long[] counted = new long[1];
    run.thread(
        "sampler",
        times(
            3,
            () -> {
              long count = spills.count();
              run.check(count >= counted[0], "spilled fell from " + counted[0] + " to " + count);
              counted[0] = count;
            }));
  }

  @About("what is left beside its slot can be taken after the close")
  public void spilledAreLeft(Simulation run) {
    RecordQueue<Line> queue = lines(2);
    queue.add(Line.of(1));
    run.thread("closer", queue::close);
    run.thread(
        "consumer",
        () -> run.check(queue.take().value() == 1, "another"),
        () -> run.check(queue.poll() == null, "one more"));
  }

  /**
   * A record that fails while it is written, if it is below zero.
   *
   * @param value a number
   */
  public record Failing(long value) {
    /** Fails. */
    @Override
    public long value() {
      if (value < 0) {
        throw new IllegalStateException("must not be below zero: value=" + value);
      }
      return value;
    }
  }

  @About("offers and polls: each record goes to one consumer, whole and in order")
  public void offersAndPolls(Simulation run) {
    RecordTraffic traffic = traffic(run, 2);
    for (int letter = 0; letter < producers(); letter++) {
      traffic.addProducer(letter, 5 / producers());
    }
    for (int i = 0; i < consumers(); i++) {
      traffic.addConsumer("consumer " + i, 5 / consumers());
    }
  }

  @About("peek of a queue that is never empty shows a record, and never an older one than before")
  public void peekMeetsPoll(Simulation run) {
    RecordTraffic traffic = traffic(run, 2);
    traffic.offer(0, 0);
    Flag offered = new Flag();
    Numbered put =
        i -> {
          run.check(traffic.offer(0, i + 1) || i > 0, "full");
          offered.raise();
        };
    run.thread("producer", rounds(3, put));
    // once there are two, one is left
    run.thread("consumer", offered::await, () -> traffic.poll(RecordTraffic.none()));
    long[] last = new long[1];
    Body peek =
        () -> {
          Both seen = traffic.queue.peek();
          run.check(seen != null, "null, though it is never empty");
          run.check(seen.value() >= last[0], "an older one: " + seen + " after " + last[0]);
          last[0] = seen.value();
        };
    run.thread("peeker", times(2, peek));
  }

  @About("a record whose accessor fails leaves no trace but its exception")
  public void failingRecord(Simulation run) {
    RecordQueue<Failing> queue = queue(Failing.class, QueueOptions.ofCapacity(4));
    run.check(refuses(() -> queue.offer(new Failing(-1))), "offered");
    run.check(queue.peek() == null && queue.poll() == null, "there is one");
    queue.add(new Failing(1));
    run.check(refuses(() -> queue.offer(new Failing(-2))), "offered");
    queue.add(new Failing(2));
    for (int i = 1; i <= 2; i++) {
      Failing seen = queue.peek();
      run.check(seen != null && seen.value() == i, "peek: " + seen);
      run.check(seen.equals(queue.poll()), "another");
    }
    run.check(queue.peek() == null && queue.poll() == null, "there is one more");
  }

  @About("what is iterated over beside a consumer was offered, whole and in order")
  public void iteration(Simulation run) {
    RecordTraffic traffic = traffic(run, 2);
    traffic.addProducer(0, 4);
    traffic.addConsumer("consumer", 3);
    run.thread(
        "viewer",
        () -> {
          long last = -1;
          for (Both seen : traffic.queue) {
            run.check(seen.value() > last, "out of order: " + seen + " after " + last);
            last = seen.value();
          }
          checkWithin(run, 0, traffic.queue.size(), 2, "size");
        });
  }

  @About("put and take of threads that park: each is woken")
  public void allPark(Simulation run) {
    park(run, 2, 4);
  }

  @About("the same at a queue for one")
  public void allParkAtOne(Simulation run) {
    park(run, 1, 4);
  }

  /** So many records go through a queue all of whose threads park. */
  void park(Simulation run, int capacity, int count) {
    RecordTraffic traffic = traffic(run, QueueTraffic.parking(capacity));
    for (int letter = 0; letter < producers(); letter++) {
      traffic.addPutter(letter, count / producers());
    }
    for (int i = 0; i < consumers(); i++) {
      traffic.addTaker("consumer " + i, count / consumers());
    }
  }

  @About("what offers have put beside a close is taken, and whoever waits is told of the end")
  public void closeInUse(Simulation run) {
    RecordTraffic traffic = traffic(run, QueueTraffic.parking(2));
    threads(
        run,
        producers(),
        "producer",
        letter -> untilClosed(run, number -> traffic.offer(letter, number)));
    long[] last = RecordTraffic.none();
    run.thread(
        "consumer",
        () -> {
          if (untilClosed(run, number -> traffic.came(traffic.queue.take(), last))) {
            run.check(traffic.queue.poll() == null, "told of the end, though a record was there");
            traffic.endIsTold();
          }
        });
    run.thread("owner", traffic.queue::close);
  }

  /** Takes a step four times, or until the queue is closed; returns whether it was. */
  static boolean untilClosed(Simulation run, Numbered step) throws Exception {
    try {
      rounds(4, step).run();
      return false;
    } catch (IllegalStateException e) {
      run.check(e.getMessage().startsWith("queue is closed"), "it says: " + e.getMessage());
      return true;
    }
  }

  @About("a queue that never holds more than one says so, and one that is never empty")
  public void sizeIsTrue(Simulation run) {
    RecordQueue<Both> queue = queue(4);
    queue.add(Both.of(0));
    Flag empties = new Flag();
    run.thread(
        "user",
        rounds(
            3,
            i -> {
              queue.add(Both.of(i + 1));
              queue.remove();
            }),
        empties::raise,
        queue::remove,
        () -> queue.add(Both.of(4)));
    run.thread(
        "observer",
        times(
            2,
            () -> {
              int size = queue.size();
              run.check(size <= 2, "of size " + size);
              run.check(size > 0 || empties.isRaised(), "of no size, though it is not empty yet");
              boolean empty = queue.isEmpty();
              run.check(!empty || empties.isRaised(), "empty, though it is not yet");
            }));
    run.atEnd(() -> run.check(queue.size() == 1 && !queue.isEmpty(), "of size " + queue.size()));
  }

  @About("a queue for one of two slots: it never holds two, and its room is found")
  public void oneFits(Simulation run) {
    RecordTraffic traffic = traffic(run, 1);
    traffic.offer(0, 0);
    Flag taken = new Flag();
    int[] offered = new int[2];
    Numbered put =
        letter -> {
          boolean isRoom = taken.isRaised();
          boolean isIn = traffic.offer(letter, 1);
          run.check(isIn || !isRoom || producers() > 1, "full, though one was taken before");
          boolean isNextIn = traffic.offer(letter, 2);
          offered[letter] = (isIn ? 1 : 0) + (isNextIn ? 1 : 0);
        };
    threads(run, producers(), "producer", put);
    run.thread(
        "consumer",
        () -> run.check(traffic.poll(RecordTraffic.none()), "null, though one was there"),
        taken::raise);
    run.atEnd(() -> run.check(offered[0] + offered[1] <= 1, "two were inside"));
  }

  @About("counts: a consumer finds what it took put and taken, an observer never more than that")
  public void counts(Simulation run) {
    RecordTraffic traffic = traffic(run, 2);
    RecordQueue<Both> queue = traffic.queue;
    traffic.addProducer(0, 3);
    run.thread(
        "consumer",
        () -> {
          long[] last = RecordTraffic.none();
          for (int i = 0, count = 0; i < 4; i++) {
            count += traffic.poll(last) ? 1 : 0;
            long taken = queue.metrics().get("taken");
            run.check(taken == count, "taken: " + taken + ", not " + count);
            long put = queue.metrics().get("put");
            run.check(put >= count, "put: " + put + ", though taken: " + count);
          }
        });
    run.thread("observer", () -> checkWithin(run, 0, queue.metrics().get("taken"), 3, "taken"));
  }
}

package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.HalfPut;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Queues of the JDK's interface, used as those of the JDK are. */
@ScenariosOf("RecordQueue")
public final class RecordQueueScenarios extends Steps {
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

  @About("many producers and consumers: each record goes to one of them, whole and in order")
  public void offersAndPolls(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.of(Both.class, 2));
    traffic.addProducer(0, 2);
    traffic.addProducer(1, 2);
    traffic.addConsumer("consumer", 2);
    traffic.addConsumer("another consumer", 2);
  }

  @About("many producers and one consumer: all arrives, whole and in order")
  public void manyToOne(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.mpsc(Both.class, 2));
    traffic.addProducer(0, 2);
    traffic.addProducer(1, 2);
    traffic.addConsumer("consumer", 4);
  }

  @About("one producer and one consumer: all arrives, whole and in order")
  public void oneToOne(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.spsc(Both.class, 2));
    traffic.addProducer(0, 5);
    traffic.addConsumer("consumer", 5);
  }

  @About("poll finds what was offered before, though an older offer of another is under way")
  public void emptyIsTrue(Simulation run) {
    emptyIsTrue(run, RecordQueue.of(Both.class, 4));
  }

  @About("the same with one consumer")
  public void emptyIsTrueForOne(Simulation run) {
    emptyIsTrue(run, RecordQueue.mpsc(Both.class, 4));
  }

  private static void emptyIsTrue(Simulation run, RecordQueue<Both> queue) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
    Flag offered = new Flag();
    traffic.addProducer(0, 1);
    run.thread("producer", () -> traffic.offer(1, 0), offered::raise);
    run.thread(
        "consumer",
        () -> {
          boolean there = offered.isRaised();
          boolean found = traffic.poll(new long[2]);
          run.check(found || !there, "null, though one was offered before");
        });
  }

  @About("offer finds the slot of what was polled before, though an older poll is under way")
  public void fullIsTrue(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.of(Both.class, 2));
    traffic.offer(0, 0);
    traffic.offer(0, 1);
    Flag taken = new Flag();
    traffic.addConsumer("slow consumer", 1);
    run.thread(
        "consumer",
        () -> run.check(traffic.poll(new long[2]), "null, though two were there"),
        taken::raise);
    run.thread(
        "producer",
        () -> {
          boolean there = taken.isRaised();
          run.check(traffic.offer(1, 0) || !there, "full, though one was taken before");
        });
  }

  @About("peek of a queue that is never empty shows a record, and never an older one than before")
  public void peekMeetsPoll(Simulation run) {
    peek(run, RecordQueue.of(Both.class, 2));
  }

  @About("the same with one consumer")
  public void peekMeetsTheConsumer(Simulation run) {
    peek(run, RecordQueue.mpsc(Both.class, 2));
  }

  @About("the same with one of each")
  public void peekMeetsBoth(Simulation run) {
    peek(run, RecordQueue.spsc(Both.class, 2));
  }

  private static void peek(Simulation run, RecordQueue<Both> queue) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
    traffic.offer(0, 0);
    Flag offered = new Flag();
    run.thread(
        "producer",
        () -> {
          for (int i = 1; i < 4; i++) {
            run.check(traffic.offer(0, i) || i > 1, "full");
            offered.raise();
          }
        });
    run.thread(
        "consumer",
        () -> {
          offered.await(); // there are two, so one is left
          traffic.poll(new long[2]);
        });
    run.thread(
        "peeker",
        () -> {
          long last = 0;
          for (int i = 0; i < 2; i++) {
            Both seen = queue.peek();
            run.check(seen != null, "null, though it is never empty");
            run.check(seen.value() >= last, "an older one: " + seen + " after " + last);
            last = seen.value();
          }
        });
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

  @About("a record whose accessor fails leaves no trace but its exception")
  public void failingRecord(Simulation run) {
    failing(run, RecordQueue.of(Failing.class, 4));
    failing(run, RecordQueue.mpsc(Failing.class, 4));
    failing(run, RecordQueue.spsc(Failing.class, 4));
  }

  private static void failing(Simulation run, RecordQueue<Failing> queue) {
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

  @About("while nobody takes, peek shows the same record again, though an older offer ends later")
  public void peekAgain(Simulation run) {
    peekAgain(run, RecordQueue.of(Both.class, 4));
  }

  @About("the same with one consumer")
  public void peekAgainBesideTheConsumer(Simulation run) {
    peekAgain(run, RecordQueue.mpsc(Both.class, 4));
  }

  private static void peekAgain(Simulation run, RecordQueue<Both> queue) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
    traffic.addProducer(0, 1);
    traffic.addProducer(1, 1);
    run.thread(
        "peeker",
        () -> {
          Both first = queue.peek();
          run.check(first == null || first.equals(queue.peek()), "not " + first + " again");
        });
  }

  @About("what is iterated over was offered, whole and in order")
  public void iteration(Simulation run) {
    RecordQueue<Both> queue = RecordQueue.of(Both.class, 2);
    RecordTraffic traffic = new RecordTraffic(run, queue);
    traffic.addProducer(0, 3);
    traffic.addConsumer("consumer", 2);
    run.thread(
        "viewer",
        () -> {
          long last = -1;
          for (Both seen : queue) {
            run.check(seen.value() > last, "out of order: " + seen + " after " + last);
            last = seen.value();
          }
          int size = queue.size();
          run.check(size >= 0 && size <= 2, "size: " + size);
        });
  }

  @About("put and take of many that park: each is woken")
  public void allPark(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.of(Both.class, parking(2)));
    for (int letter = 0; letter < 2; letter++) {
      traffic.addPutter(letter, 2);
      traffic.addTaker("consumer " + letter, 2);
    }
  }

  @About("the same with one consumer")
  public void manyParkForOne(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.mpsc(Both.class, parking(2)));
    traffic.addPutter(0, 2);
    traffic.addPutter(1, 2);
    traffic.addTaker("consumer", 4);
  }

  @About("the same with one of each")
  public void bothPark(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.spsc(Both.class, parking(2)));
    traffic.addPutter(0, 4);
    traffic.addTaker("consumer", 4);
  }

  @About("who waits for a record or a slot when the queue is closed is told so")
  public void closeWakes(Simulation run) {
    RecordQueue<Both> full = RecordQueue.of(Both.class, parking(2));
    full.add(Both.of(1));
    full.add(Both.of(2));
    RecordQueue<Both> empty = RecordQueue.of(Both.class, parking(2));
    run.thread("producer", () -> run.check(refuses(() -> put(full)), "put though closed"));
    run.thread("consumer", () -> run.check(refuses(() -> take(empty)), "take though closed"));
    run.thread("owner", full::close, empty::close);
  }

  private static void put(RecordQueue<Both> queue) {
    try {
      queue.put(Both.of(3));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void take(RecordQueue<Both> queue) {
    try {
      queue.take();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @About("who waits no longer than so is told that the time has passed, or gets it")
  public void timedForms(Simulation run) {
    RecordQueue<Both> queue = RecordQueue.of(Both.class, parking(2));
    RecordTraffic traffic = new RecordTraffic(run, queue);
    traffic.offer(0, 0);
    traffic.offer(0, 1);
    run.thread(
        "producer",
        () -> {
          if (queue.offer(traffic.next(0, 2), 1, TimeUnit.MICROSECONDS)) {
            traffic.sent(0, 2);
          }
        });
    run.thread(
        "consumer",
        () -> {
          long[] last = new long[2];
          for (int i = 0; i < 3; i++) {
            Both record = queue.poll(1, TimeUnit.MICROSECONDS);
            run.check(record != null || i > 1, "null, though two are there");
            if (record != null) {
              traffic.came(record, last);
            }
          }
        });
  }

  @About("what offers have put beside a close is taken, and whoever waits is told of the end")
  public void closeBesideMany(Simulation run) {
    close(run, RecordQueue.of(Both.class, parking(2)), 2);
  }

  @About("the same with one consumer")
  public void closeBesideManyAndOne(Simulation run) {
    close(run, RecordQueue.mpsc(Both.class, parking(2)), 2);
  }

  @About("the same with one of each")
  public void closeBesideOneAndOne(Simulation run) {
    close(run, RecordQueue.spsc(Both.class, parking(2)), 1);
  }

  private static void close(Simulation run, RecordQueue<Both> queue, int producers) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
    for (int letter = 0; letter < producers; letter++) {
      int mine = letter;
      run.thread(
          "producer " + letter,
          () ->
              untilClosed(
                  run,
                  number -> {
                    if (queue.offer(traffic.next(mine, number))) {
                      traffic.sent(mine, number);
                    }
                  }));
    }
    run.thread(
        "consumer",
        () -> {
          long[] last = RecordTraffic.none();
          if (untilClosed(run, number -> traffic.came(queue.take(), last))) {
            run.check(queue.poll() == null, "told of the end, though a record was there");
            traffic.endIsTold();
          }
        });
    run.thread("owner", queue::close);
  }

  /** What is done again and again. */
  private interface Step {
    void run(int number) throws Exception;
  }

  /** Does it four times, or until the queue is closed; returns whether it was. */
  private static boolean untilClosed(Simulation run, Step step) throws Exception {
    try {
      for (int number = 0; number < 4; number++) {
        step.run(number);
      }
      return false;
    } catch (IllegalStateException e) {
      run.check(e.getMessage().startsWith("queue is closed"), "it says: " + e.getMessage());
      return true;
    }
  }

  @About("a close frees nothing that is still to be taken, though the queue seemed empty")
  public void closeOfOne(Simulation run) {
    RecordQueue<Both> queue = RecordQueue.spsc(Both.class, 2);
    RecordTraffic traffic = new RecordTraffic(run, queue);
    run.thread("producer", () -> untilClosed(run, number -> traffic.offer(0, number)));
    run.thread("owner", queue::close);
    run.thread("another owner", queue::close);
    traffic.addConsumer("consumer", 2);
  }

  @About("a queue that never holds more than one says so, and one that is never empty")
  public void sizeIsTrue(Simulation run) {
    size(run, RecordQueue.of(Both.class, 4));
  }

  @About("the same with one consumer")
  public void sizeIsTrueForOne(Simulation run) {
    size(run, RecordQueue.mpsc(Both.class, 4));
  }

  @About("the same with one of each")
  public void sizeIsTrueForBoth(Simulation run) {
    size(run, RecordQueue.spsc(Both.class, 4));
  }

  private static void size(Simulation run, RecordQueue<Both> queue) {
    queue.add(Both.of(0));
    Flag empties = new Flag();
    run.thread(
        "user",
        () -> {
          for (int i = 1; i < 4; i++) {
            queue.add(Both.of(i));
            queue.remove();
          }
          empties.raise();
          queue.remove();
          queue.add(Both.of(4));
        });
    run.thread(
        "observer",
        () -> {
          for (int i = 0; i < 2; i++) {
            int size = queue.size();
            run.check(size <= 2, "of size " + size);
            run.check(size > 0 || empties.isRaised(), "of no size, though it is not empty yet");
            boolean empty = queue.isEmpty();
            run.check(!empty || empties.isRaised(), "empty, though it is not yet");
          }
        });
    run.atEnd(() -> run.check(queue.size() == 1 && !queue.isEmpty(), "of size " + queue.size()));
  }

  @About("who has put a record finds it, though an older offer of another is under way")
  public void containsFinds(Simulation run) {
    contains(run, RecordQueue.of(Both.class, 4));
  }

  @About("the same with one consumer")
  public void containsFindsBesideTheConsumer(Simulation run) {
    contains(run, RecordQueue.mpsc(Both.class, 4));
  }

  private static void contains(Simulation run, RecordQueue<Both> queue) {
    for (int letter = 0; letter < 2; letter++) {
      int mine = letter;
      run.thread(
          "producer " + letter,
          () -> {
            for (int i = 0; i < 2; i++) {
              Both record = Both.of(2 * mine + i);
              queue.add(record);
              run.check(queue.contains(record), "not found: " + record);
            }
          });
    }
    run.atEnd(() -> run.check(queue.toArray().length == 4, "not all: " + queue));
  }

  @About("who looks at records beside their consumer sees each whole and in order")
  public void looksMeetTheConsumer(Simulation run) {
    looks(run, RecordQueue.mpsc(Both.class, 2));
  }

  @About("the same with one producer")
  public void looksMeetBoth(Simulation run) {
    looks(run, RecordQueue.spsc(Both.class, 2));
  }

  private static void looks(Simulation run, RecordQueue<Both> queue) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
    traffic.addProducer(0, 4);
    traffic.addConsumer("consumer", 3);
    run.thread(
        "viewer",
        () -> {
          long last = -1;
          for (Both seen : queue) {
            run.check(seen.value() > last, "out of order: " + seen + " after " + last);
            last = seen.value();
          }
        });
  }

  @About("who gets what drainTo could not hand over sees what was done before it was put")
  public void drainToHandsOn(Simulation run) {
    RecordQueue<Both> queue = RecordQueue.of(Both.class, 2);
    Flag.Plain before = new Flag.Plain();
    run.thread("producer", before::set, () -> queue.add(Both.of(1)));
    run.thread("drainer", () -> drainInVain(run, queue));
    for (int i = 0; i < 2; i++) {
      run.thread(
          "consumer " + i,
          () -> {
            if (queue.poll() != null) {
              run.check(before.isSet(), "not what was done before it was put");
            }
          });
    }
  }

  private static void drainInVain(Simulation run, RecordQueue<Both> queue) {
    try {
      run.check(queue.drainTo(List.of()) == 0, "an immutable list took one");
    } catch (UnsupportedOperationException e) {
      // as expected
    }
  }

  @About("what drainTo cannot hand over another consumer gets")
  public void drainToThrows(Simulation run) {
    RecordQueue<Both> queue = RecordQueue.of(Both.class, parking(2));
    RecordTraffic traffic = new RecordTraffic(run, queue);
    Flag.Plain before = new Flag.Plain();
    run.thread("producer", before::set, () -> traffic.offer(0, 0), () -> traffic.offer(0, 1));
    for (int i = 0; i < 2; i++) {
      run.thread("drainer " + i, () -> drainInVain(run, queue));
    }
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < 2; i++) {
            traffic.came(queue.take(), RecordTraffic.none());
            run.check(before.isSet(), "not what was done before it was put");
          }
        });
    run.thread(
        "viewer",
        () -> {
          for (Both _ : queue) {
            run.check(before.isSet(), "not what was done before it was put");
          }
        });
  }

  @About("a queue for three: all arrives, whole and in order, and there are never more inside")
  public void threeFit(Simulation run) {
    threeFit(run, RecordQueue.of(Both.class, 3));
  }

  @About("the same with one consumer")
  public void threeFitForOne(Simulation run) {
    threeFit(run, RecordQueue.mpsc(Both.class, 3));
  }

  /** Two are inside, so of two offers, with nobody who takes, one succeeds, whichever. */
  private static void threeFit(Simulation run, RecordQueue<Both> queue) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
    traffic.offer(0, 0);
    traffic.offer(0, 1);
    int[] offered = new int[2];
    for (int letter = 0; letter < 2; letter++) {
      int mine = letter;
      run.thread("producer " + letter, () -> offered[mine] = traffic.offer(mine, 2) ? 1 : 0);
    }
    run.atEnd(
        () -> run.check(offered[0] + offered[1] == 1, "inside: " + (2 + offered[0] + offered[1])));
  }

  @About("a queue for one of two slots: it never holds two, and its room is found")
  public void oneFits(Simulation run) {
    oneFits(run, RecordQueue.of(Both.class, 1), 2);
  }

  @About("the same with one consumer")
  public void oneFitsForOne(Simulation run) {
    oneFits(run, RecordQueue.mpsc(Both.class, 1), 2);
  }

  @About("the same with one of each")
  public void oneFitsForBoth(Simulation run) {
    oneFits(run, RecordQueue.spsc(Both.class, 1), 1);
  }

  private static void oneFits(Simulation run, RecordQueue<Both> queue, int producers) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
    traffic.offer(0, 0);
    Flag taken = new Flag();
    int[] offered = new int[2];
    for (int letter = 0; letter < producers; letter++) {
      int mine = letter;
      run.thread(
          "producer " + letter,
          () -> {
            boolean isRoom = taken.isRaised();
            offered[mine] += traffic.offer(mine, 1) ? 1 : 0;
            run.check(
                offered[mine] == 1 || !isRoom || producers > 1,
                "full, though one was taken before");
            offered[mine] += traffic.offer(mine, 2) ? 1 : 0;
          });
    }
    run.thread(
        "consumer",
        () -> run.check(traffic.poll(RecordTraffic.none()), "null, though one was there"),
        taken::raise);
    run.atEnd(() -> run.check(offered[0] + offered[1] <= 1, "two were inside"));
  }

  @About("put and take of many that park at a queue for one: each is woken")
  public void allParkAtOne(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.of(Both.class, parking(1)));
    for (int letter = 0; letter < 2; letter++) {
      traffic.addPutter(letter, 2);
      traffic.addTaker("consumer " + letter, 2);
    }
  }

  @About("the same with one consumer and three that fit")
  public void manyParkAtThree(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.mpsc(Both.class, parking(3)));
    traffic.addPutter(0, 3);
    traffic.addPutter(1, 3);
    traffic.addTaker("consumer", 6);
  }

  @About("the same with one of each and one that fits")
  public void bothParkAtOne(Simulation run) {
    RecordTraffic traffic = new RecordTraffic(run, RecordQueue.spsc(Both.class, parking(1)));
    traffic.addPutter(0, 4);
    traffic.addTaker("consumer", 4);
  }

  @About("a put that stalls is given up or not: its record comes once, and in either case")
  public void stalledPuts(Simulation run) {
    stalledPuts(run, RecordQueue.of(Both.class, stalling(2)), 1, 2);
  }

  @About("the same with one consumer")
  public void stalledPutsForOne(Simulation run) {
    stalledPuts(run, RecordQueue.mpsc(Both.class, stalling(2)), 1, 1);
  }

  @About("the same where three fit into four slots")
  public void stalledPutsAtThree(Simulation run) {
    stalledPuts(run, RecordQueue.of(Both.class, stalling(3)), 1, 2);
  }

  @About("the same with one consumer where three fit into four slots")
  public void stalledPutsForOneAtThree(Simulation run) {
    stalledPuts(run, RecordQueue.mpsc(Both.class, stalling(3)), 1, 1);
  }

  @About("puts that stall where one fits, in two slots: others are told that there is no room")
  public void stalledPutsAtOne(Simulation run) {
    stalledPuts(run, RecordQueue.of(Both.class, stalling(1)), 2, 1);
  }

  @About("the same with one consumer")
  public void stalledPutsForOneAtOne(Simulation run) {
    stalledPuts(run, RecordQueue.mpsc(Both.class, stalling(1)), 2, 1);
  }

  @About("the same where consumers spin, so that both give up the same put")
  public void stalledPutsMeetSpinners(Simulation run) {
    QueueOptions options = stalling(2).withConsumerWaits(WaitStrategy.busySpin());
    stalledPuts(run, RecordQueue.of(Both.class, options), 1, 2);
  }

  @About("a late commit meets a consumer that gives the put up: the record comes, or is refused")
  public void latePut(Simulation run) {
    latePut(run, RecordQueue.of(Both.class, stalling(2)));
  }

  @About("the same with one consumer")
  public void latePutForOne(Simulation run) {
    latePut(run, RecordQueue.mpsc(Both.class, stalling(2)));
  }

  private static void latePut(Simulation run, RecordQueue<Both> queue) {
    HalfPut late = new HalfPut(queue);
    for (int i = 0; i < StampedScenarios.ALMOST; i++) {
      run.check(!late.look(), "a record though none is committed");
    }
    RecordTraffic traffic = new RecordTraffic(run, queue);
    run.thread(
        "late producer",
        () -> {
          if (late.commit()) {
            traffic.sent(0, 0); // zeros are its first record
          }
        });
    traffic.addProducer(1, 1);
    run.thread(
        "consumer",
        () -> {
          long[] last = RecordTraffic.none();
          for (int i = 0; i < 4; i++) {
            traffic.poll(last);
          }
        });
  }

  private static QueueOptions stalling(int capacity) {
    return parking(capacity).withStallLimit(Duration.ofNanos(1_000));
  }

  private static void stalledPuts(
      Simulation run, RecordQueue<Both> queue, int slow, int consumers) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
    int[] putting = {slow + 1};
    for (int letter = 0; letter < slow; letter++) {
      int mine = letter;
      run.slowThread("slow producer " + mine, () -> putMany(run, queue, traffic, mine, putting));
    }
    run.thread("producer", () -> putMany(run, queue, traffic, slow, putting));
    for (int i = 0; i < consumers; i++) {
      run.thread(
          "consumer " + i,
          () -> {
            long[] last = RecordTraffic.none();
            while (putting[0] > 0) {
              traffic.poll(last);
            }
          });
    }
    int capacity = queue.remainingCapacity();
    run.atEnd(
        traffic::checkAll,
        () -> run.outcome("stalled: " + queue.metrics().get("stalled")),
        () -> checkAllSlotsAreLeft(run, queue, capacity));
  }

  private static void putMany(
      Simulation run, RecordQueue<Both> queue, RecordTraffic traffic, int letter, int[] putting)
      throws InterruptedException {
    for (int number = 0; number < 4; number++) {
      try {
        queue.put(traffic.next(letter, number));
        traffic.sent(letter, number);
      } catch (IllegalStateException e) {
        run.check(e.getMessage().startsWith("queue must have room"), e.getMessage());
        run.check(queue.metrics().get("stalled") > 0, "no producer has stalled");
      }
    }
    putting[0]--;
  }

  /** Consumers make slots that were let go usable again as they pass them. */
  private static void checkAllSlotsAreLeft(Simulation run, RecordQueue<Both> queue, int capacity) {
    for (int i = 0; i < 2 * capacity + 2; i++) {
      int number = i;
      refuses(() -> queue.offer(Both.of(number)));
      queue.poll();
    }
    run.check(queue.isEmpty(), "not empty: " + queue);
    for (int i = 0; i < capacity; i++) {
      run.check(queue.offer(Both.of(i)), "full, though there is room for " + (capacity - i));
    }
    run.check(!queue.offer(Both.of(-1)), "more fit than the capacity");
    for (int i = 0; i < capacity; i++) {
      run.check(Both.of(i).equals(queue.poll()), "not in order");
    }
  }

  @About("counts: a consumer finds what it took put and taken, an observer never more than that")
  public void counts(Simulation run) {
    counts(run, RecordQueue.of(Both.class, 2));
  }

  @About("the same with one consumer")
  public void countsForOne(Simulation run) {
    counts(run, RecordQueue.mpsc(Both.class, 2));
  }

  @About("the same with one of each")
  public void countsForBoth(Simulation run) {
    counts(run, RecordQueue.spsc(Both.class, 2));
  }

  private static void counts(Simulation run, RecordQueue<Both> queue) {
    RecordTraffic traffic = new RecordTraffic(run, queue);
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
    run.thread(
        "observer",
        () -> {
          long taken = queue.metrics().get("taken");
          run.check(taken >= 0 && taken <= 3, "taken: " + taken);
        });
  }

  /** A timeout that does not pass, whatever the simulated clock does. */
  private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

  @About("drainTo with a timeout has as many as it asked for once they are put, or all at the end")
  public void drainToWaits(Simulation run) {
    RecordQueue<Both> queue = RecordQueue.of(Both.class, parking(3));
    RecordTraffic traffic = new RecordTraffic(run, queue);
    Flag sent = new Flag();
    run.thread(
        "producer",
        () -> {
          for (int number = 0; number < 4; number++) {
            queue.put(traffic.next(0, number));
            traffic.sent(0, number);
          }
          sent.raise();
        });
    run.thread(
        "drainer",
        () -> {
          List<Both> target = new ArrayList<>();
          int count = queue.drainTo(target, 4, FOR_EVER);
          run.check(count == 4 && target.size() == 4, "drained " + count);
          long[] last = RecordTraffic.none();
          target.forEach(record -> traffic.came(record, last));
          run.check(queue.drainTo(target, 1, FOR_EVER) == 0, "more than were put");
        });
    run.thread("owner", sent::await, queue::close);
  }
}

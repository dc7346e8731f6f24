package dev.millrace.stress.scenario;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import java.time.Duration;

/** What queues of the JDK's interface with many producers have in common. */
public abstract class ManyPutScenarios extends RecordQueueScenarios {
  @Override
  int producers() {
    return 2;
  }

  @About("poll finds what was offered before, though an older offer of another is under way")
  public void emptyIsTrue(Simulation run) {
    RecordTraffic traffic = traffic(run, 4);
    Flag offered = new Flag();
    traffic.addProducer(0, 1);
    run.thread("producer", () -> traffic.offer(1, 0), offered::raise);
    run.thread(
        "consumer",
        () -> {
          boolean there = offered.isRaised();
          boolean found = traffic.poll(RecordTraffic.none());
          run.check(found || !there, "null, though one was offered before");
        });
  }

  @About("while nobody takes, peek shows the same record again, though an older offer ends later")
  public void peekAgain(Simulation run) {
    RecordTraffic traffic = traffic(run, 4);
    traffic.addProducer(0, 1);
    traffic.addProducer(1, 1);
    run.thread(
        "peeker",
        () -> {
          Both first = traffic.queue.peek();
          run.check(first == null || first.equals(traffic.queue.peek()), "not " + first + " again");
        });
  }

  @About("a thread that has put a record finds it, though an older offer of another is under way")
  public void containsFinds(Simulation run) {
    RecordQueue<Both> queue = queue(4);
    Numbered put =
        letter -> {
          for (int i = 0; i < 2; i++) {
            Both record = Both.of(2 * letter + i);
            queue.add(record);
            run.check(queue.contains(record), "not found: " + record);
          }
        };
    threads(run, 2, "producer", put);
    run.atEnd(() -> run.check(queue.toArray().length == 4, "not all: " + queue));
  }

  /** Two are inside, so of two offers, without a taker, either one succeeds. */
  @About("a queue for three: all arrives, whole and in order, and there are never more inside")
  public void threeFit(Simulation run) {
    RecordTraffic traffic = traffic(run, 3);
    traffic.offer(0, 0);
    traffic.offer(0, 1);
    int[] offered = new int[2];
    threads(run, 2, "producer", letter -> offered[letter] = traffic.offer(letter, 2) ? 1 : 0);
    run.atEnd(
        () -> run.check(offered[0] + offered[1] == 1, "inside: " + (2 + offered[0] + offered[1])));
  }

  @About("a put that stalls is given up or not: its record comes once, and in either case")
  public void stalledPuts(Simulation run) {
    stalledPuts(run, stalling(2), 1, consumers());
  }

  @About("the same where three fit into four slots")
  public void stalledPutsAtThree(Simulation run) {
    stalledPuts(run, stalling(3), 1, consumers());
  }

  @About("puts that stall where one fits, in two slots: others are told that there is no room")
  public void stalledPutsAtOne(Simulation run) {
    stalledPuts(run, stalling(1), 2, 1);
  }

  @About("a put that stalls with a record that does not fit: it comes once, and is not held")
  public void spilledPutStalls(Simulation run) {
    RecordQueue<Line> queue = queue(Line.class, stalling(2).withTextBytes(1));
    int[] putting = {2};
    long[] came = new long[1];
    Runnable note =
        () -> {
          Line line = queue.poll();
          came[0] += line == null ? 0 : 1L << (4 * line.value());
        };
    run.slowThread(
        "slow producer",
        () -> {
          queue.put(Line.of(1));
          putting[0]--;
        });
    run.thread(
        "producer",
        () -> {
          queue.put(Line.of(3));
          queue.put(Line.of(4));
          putting[0]--;
        });
    threads(
        run,
        consumers(),
        "consumer",
        _ -> {
          while (putting[0] > 0) {
            note.run();
          }
        });
    run.atEnd(
        () -> {
          while (!queue.isEmpty()) {
            note.run();
          }
          run.check(came[0] == 0x11010, "lost or twice: " + Long.toHexString(came[0]));
          checkHoldsNone(run, queue, 4);
        });
  }

  static QueueOptions stalling(int capacity) {
    return QueueTraffic.parking(capacity).withStallLimit(Duration.ofNanos(1_000));
  }

  void stalledPuts(Simulation run, QueueOptions options, int slow, int consumers) {
    RecordTraffic traffic = traffic(run, options);
    RecordQueue<Both> queue = traffic.queue;
    int[] putting = {slow + 1};
    for (int letter = 0; letter < slow; letter++) {
      int mine = letter;
      run.slowThread("slow producer " + mine, () -> putMany(run, traffic, mine, putting));
    }
    run.thread("producer", () -> putMany(run, traffic, slow, putting));
    Numbered take =
        _ -> {
          long[] last = RecordTraffic.none();
          while (putting[0] > 0) {
            traffic.poll(last);
          }
        };
    threads(run, consumers, "consumer", take);
    int capacity = queue.remainingCapacity();
    run.atEnd(
        traffic::checkAll,
        () -> run.outcome("stalled: " + queue.metrics().get("stalled")),
        () -> checkAllSlotsAreLeft(run, queue, capacity));
  }

  private static void putMany(Simulation run, RecordTraffic traffic, int letter, int[] putting)
      throws InterruptedException {
    for (int number = 0; number < 4; number++) {
      try {
        traffic.put(letter, number);
      } catch (IllegalStateException e) {
        run.check(e.getMessage().startsWith("no room left"), e.getMessage());
        run.check(traffic.queue.metrics().get("stalled") > 0, "no producer has stalled");
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

  @About("a late commit meets a consumer that gives the put up: the record comes, or is refused")
  public void latePut(Simulation run) {
    RecordQueue<Both> queue = queue(Both.class, stalling(2));
    HalfPut late = new HalfPut(queue);
    for (int i = 0; i < StampedScenarios.ALMOST; i++) {
      run.check(!late.look(), "a record though none is committed");
    }
    RecordTraffic traffic = new RecordTraffic(run, queue);
    run.thread("late producer", () -> traffic.sent(late.commit(), 0, 0)); // zeros: its first record
    traffic.addProducer(1, 1);
    traffic.addConsumer("consumer", 4);
  }
}

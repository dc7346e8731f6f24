package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** Many producers and many consumers, whose records may leave a little out of order. */
@ScenariosOf("KFifoQueue")
public final class KFifoQueueScenarios {
  private static final long SLOT_BYTES = 24; // of a pair and the word before it

  private KFifoQueueScenarios() {}

  @About("of one place a segment: each record goes to one consumer, whole and in order")
  public static void strictlyInOrder(Simulation run) {
    twoAndTwo(run, 1, 2);
  }

  @About("of two places a segment: each record goes to one consumer, one overtakes it at most")
  public static void twoPlaces(Simulation run) {
    twoAndTwo(run, 2, 2);
  }

  @About("the same with more cells, so that more segments are in use")
  public static void moreCells(Simulation run) {
    twoAndTwo(run, 2, 4);
  }

  private static void twoAndTwo(Simulation run, int k, int capacity) {
    KFifoQueue<Pair> queue = KFifoQueue.of(k, capacity, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    traffic.addProducer(1, 3);
    traffic.addProducer(4, 3);
    traffic.addConsumer("consumer", 3);
    traffic.addConsumer("another consumer", 3);
  }

  @About("a record that is put while consumers pass its segment is not lost")
  public static void putMeetsThePassing(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, 2, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    traffic.addProducer(1, 1);
    traffic.addProducer(2, 1);
    traffic.addConsumer("consumer", 2);
    traffic.addConsumer("another consumer", 2);
  }

  @About("who is told that there is none, though a record was committed before, is told wrong")
  public static void emptyIsTrue(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(2, 4, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    Flag committed = new Flag();
    run.thread(
        "producer",
        () -> {
          traffic.put(queue.newFlyweight(), 1);
          committed.raise();
        });
    traffic.addProducer(2, 1);
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          boolean there = committed.isRaised();
          boolean found = traffic.take(pair);
          run.check(found || !there, "none, though one was committed");
        });
  }

  @About("who is told that it is full, though a cell was given back before, is told wrong")
  public static void fullIsTrue(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, 2, Pair::new);
    Pair first = queue.newFlyweight();
    Pair second = queue.newFlyweight();
    run.check(queue.tryClaim(first) && queue.tryClaim(second), "full though new");
    Flag left = new Flag();
    run.thread(
        "aborter",
        () -> {
          queue.abort(first);
          left.raise();
        });
    run.thread("another aborter", () -> queue.abort(second));
    run.thread(
        "claimer",
        () -> {
          Pair pair = queue.newFlyweight();
          boolean there = left.isRaised();
          run.check(queue.tryClaim(pair) || !there, "full, though a cell was left");
        });
  }

  @About("where a cell is free all the time, though not the same, it is never said to be full")
  public static void neverFull(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, 2, Pair::new);
    Pair one = queue.newFlyweight();
    Pair other = queue.newFlyweight();
    run.check(queue.tryClaim(one) && queue.tryClaim(other), "full though new");
    Pair first = one.offset() < other.offset() ? one : other;
    Pair second = first == one ? other : one;
    queue.abort(second);
    Flag moved = new Flag();
    // where each begins to look is such that it takes the other cell than it gave back
    run.thread(
        "mover",
        () -> {
          queue.abort(first);
          run.check(queue.tryClaim(second), "full, though one is free");
          moved.raise();
        });
    run.thread(
        "another mover",
        () -> {
          moved.await();
          queue.abort(second);
          run.check(queue.tryClaim(first), "full, though one is free");
        });
    run.thread(
        "claimer",
        () -> run.check(queue.tryClaim(queue.newFlyweight()), "full, though one is free"));
  }

  @About("of cells that come and go all are there in the end, of each stripe's list")
  public static void manyCells(Simulation run) {
    int capacity = 16;
    KFifoQueue<Pair> queue = KFifoQueue.of(1, capacity, Pair::new);
    for (int i = 0; i < 2; i++) {
      run.thread(
          "thread " + i,
          () -> {
            Pair first = queue.newFlyweight();
            Pair second = queue.newFlyweight();
            run.check(queue.tryClaim(first) && queue.tryClaim(second), "full");
            queue.abort(first);
            run.check(queue.tryClaim(first), "full");
            queue.abort(second);
            queue.abort(first);
          });
    }
    run.atEnd(
        () -> {
          boolean[] taken = new boolean[capacity];
          Pair[] pairs = new Pair[capacity];
          for (int i = 0; i < capacity; i++) {
            pairs[i] = queue.newFlyweight();
            run.check(queue.tryClaim(pairs[i]), "lost: " + i);
            int cell = (int) (pairs[i].offset() / SLOT_BYTES);
            run.check(!taken[cell], "twice: " + cell);
            taken[cell] = true;
          }
          run.check(!queue.tryClaim(queue.newFlyweight()), "more than there are");
        });
  }

  @About("the end comes when all cells are back, those of lists of some length too")
  public static void manyCellsCompleted(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, 16, Pair::new);
    Pair[] pairs = new Pair[16];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = queue.newFlyweight();
      queue.tryClaim(pairs[i]);
    }
    for (int i = 0; i < 2; i++) {
      int half = 8 * i;
      run.thread(
          "thread " + i,
          () -> {
            for (int j = half; j < half + 8; j++) {
              queue.abort(pairs[j]);
            }
          });
    }
    run.thread("closer", queue::complete);
    run.thread(
        "watcher",
        () -> {
          while (!queue.isClosed()) {
            Thread.onSpinWait();
          }
        });
    run.atEnd(
        () -> {
          run.check(!queue.tryPoll(queue.newFlyweight()), "a record");
          run.check(queue.isDrained(), "not drained");
        });
  }

  @About("who sees the end sees what others did with their records")
  public static void endIsBehindAll(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(2, 2, Pair::new);
    Pair claimed = queue.newFlyweight();
    Pair taken = queue.newFlyweight();
    Pair looking = queue.newFlyweight();
    run.check(queue.tryClaim(claimed) && queue.tryClaim(taken), "full");
    Flag.Plain aborted = new Flag.Plain();
    Flag.Plain released = new Flag.Plain();
    taken.set(1);
    queue.commit(taken);
    run.check(queue.tryPoll(taken), "none");
    run.thread(
        "producer",
        () -> {
          aborted.set();
          queue.abort(claimed);
        });
    run.thread(
        "consumer",
        () -> {
          released.set();
          queue.release(taken);
        });
    run.thread("closer", queue::complete);
    run.thread(
        "another consumer",
        () -> {
          while (!queue.isDrained()) {
            run.check(!queue.tryPoll(looking), "a record");
            Thread.onSpinWait();
          }
          run.check(aborted.isSet() && released.isSet(), "the end before all was done");
        });
  }

  @About(
      "a record that is put ahead of the head is found by a thread that looks for the first time")
  public static void passing(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, 4, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    traffic.put(queue.newFlyweight(), 1);
    traffic.addProducer(2, 1);
    traffic.addProducer(3, 1);
    traffic.addConsumer("consumer", 2);
    traffic.addConsumer("newcomer", 1);
  }

  @About("who sees the head where another left it sees the tail no further back")
  public static void headAtTail(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, 2, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    traffic.put(queue.newFlyweight(), 1);
    traffic.addProducer(2, 1);
    traffic.addConsumer("consumer", 2);
    traffic.addConsumer("newcomer", 1);
  }

  @About("a place is emptied only once the tail has moved, though its move may fail for no reason")
  public static void placesAreUsedOnce(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(2, 4, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    run.thread(
        "thread",
        () -> {
          Pair pair = queue.newFlyweight();
          traffic.put(pair, 1);
          traffic.put(pair, 2);
          for (int value = 3; value < 9; value++) {
            traffic.take(pair);
            traffic.put(pair, value);
          }
        });
  }

  @About("a cell in a consumer's hands stays as it is until it is released")
  public static void releaseOutOfOrder(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(2, 2, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    traffic.addProducer(1, 3);
    run.thread(
        "consumer",
        () -> {
          Pair first = queue.newFlyweight();
          Pair second = queue.newFlyweight();
          boolean isFirst = queue.tryPoll(first);
          boolean isSecond = queue.tryPoll(second);
          if (isSecond) {
            traffic.came(second.whole());
            queue.release(second);
          }
          if (isFirst) {
            traffic.came(first.whole());
            queue.release(first);
          }
        });
  }

  @About("an aborted cell is free again, and nothing is seen of it")
  public static void abort(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, 2, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          for (int i = 0; i < 3; i++) {
            if (queue.tryClaim(pair)) {
              pair.set(-7);
              queue.abort(pair);
            }
          }
          traffic.put(pair, 1);
        });
    traffic.addProducer(2, 2);
    traffic.addConsumer("consumer", 3);
  }

  @About("whoever completes, consumers get each record whose claim came first, then the end")
  public static void completeByThird(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(2, 4, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    Flag.Plain before = new Flag.Plain();
    Pair written = queue.newFlyweight();
    run.thread(
        "producer",
        () -> {
          try {
            traffic.put(written, 1);
            traffic.put(written, 2);
          } catch (IllegalStateException e) {
            run.check(e.getMessage().startsWith("queue must be open"), e.toString());
            run.check(queue.isClosed(), "refused though open");
          }
        });
    run.thread(
        "closer",
        () -> {
          before.set();
          queue.complete();
          run.check(queue.isClosed(), "not closed");
        });
    for (int i = 0; i < 2; i++) {
      Pair pair = queue.newFlyweight();
      run.thread(
          "consumer " + i,
          () -> {
            while (!queue.isDrained()) {
              if (!traffic.take(pair)) {
                Thread.onSpinWait();
              }
            }
            run.check(before.isSet(), "complete was not seen");
            run.check(!queue.tryPoll(pair), "a record behind the end");
          });
    }
    run.atEnd(
        () -> {
          run.check(queue.isDrained(), "not drained");
          traffic.checkAllCame();
        });
  }

  @About("a consumer that finds the end and an owner that closes: one of them frees")
  public static void finishMeetsClose(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(2, 2, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    traffic.put(queue.newFlyweight(), 1);
    Pair pair = queue.newFlyweight();
    run.thread("owner", queue::close);
    run.thread(
        "consumer",
        () -> {
          while (!queue.isDrained()) {
            if (!traffic.take(pair)) {
              Thread.onSpinWait();
            }
          }
        });
    run.atEnd(
        () -> {
          traffic.checkAllCame();
          run.check(
              refuses(() -> queue.memory().get(java.lang.foreign.ValueLayout.JAVA_LONG, 0)),
              "not freed");
        });
  }

  @About("producers and consumers that park are woken by each other")
  public static void allPark(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(2, Waits.parking(2), Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    for (int i = 0; i < 2; i++) {
      int letter = 1 + 2 * i;
      run.thread(
          "producer " + i,
          () -> {
            Pair pair = queue.newFlyweight();
            for (int value = letter; value < letter + 2; value++) {
              run.check(queue.claim(pair), "no claim");
              traffic.commit(pair, value);
            }
          });
      run.thread(
          "consumer " + i,
          () -> {
            Pair pair = queue.newFlyweight();
            for (int count = 0; count < 2; count++) {
              run.check(queue.poll(pair), "no record");
              traffic.came(pair.whole());
              queue.release(pair);
            }
          });
    }
    run.atEnd(traffic::checkAllCame);
  }

  @About("a completion, and the last release, wake consumers that park; each is told of the end")
  public static void completionWakes(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, Waits.parking(2), Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    for (int i = 0; i < 2; i++) {
      Pair pair = queue.newFlyweight();
      run.thread(
          "consumer " + i,
          () -> {
            while (queue.poll(pair)) {
              traffic.came(pair.whole());
              queue.release(pair);
            }
          });
    }
    run.thread(
        "producer",
        () -> {
          traffic.put(queue.newFlyweight(), 1);
          queue.complete();
        });
    run.atEnd(traffic::checkAllCame);
  }

  @About("an estimate of the size is within bounds, whatever goes on")
  public static void sizeInUse(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(2, 2, Pair::new);
    KFifoTraffic traffic = new KFifoTraffic(run, queue);
    traffic.addProducer(1, 2);
    traffic.addConsumer("consumer", 2);
    run.thread(
        "sampler",
        () -> {
          int size = queue.sizeEstimate();
          run.check(size >= 0 && size <= 2, "size: " + size);
        });
  }

  @About("misuse is refused, and changes nothing")
  public static void misuseIsRefused(Simulation run) {
    KFifoQueue<Pair> queue = KFifoQueue.of(1, QueueOptions.ofCapacity(2), Pair::new);
    Pair pair = queue.newFlyweight();
    run.check(refuses(() -> queue.commit(pair)), "commit of nothing");
    run.check(refuses(() -> queue.abort(pair)), "abort of nothing");
    run.check(refuses(() -> queue.release(pair)), "release of nothing");
    run.check(queue.sizeEstimate() == 0, "not empty");
    for (int value = 1; value <= 2; value++) {
      run.check(queue.tryClaim(pair), "full");
      run.check(refuses(() -> queue.tryClaim(pair)), "claim beside an open one");
      run.check(refuses(() -> queue.release(pair)), "release of a claim");
      pair.set(value);
      queue.commit(pair);
      run.check(refuses(() -> queue.commit(pair)), "commit again");
    }
    run.check(!queue.tryClaim(pair), "claim of more than there are");
    run.check(queue.sizeEstimate() == 2, "another size");
    run.check(queue.tryPoll(pair) && pair.whole() == 1, "another record");
    run.check(refuses(() -> queue.tryPoll(pair)), "poll beside an open one");
    run.check(refuses(() -> queue.abort(pair)), "abort of a poll");
    queue.release(pair);
    run.check(refuses(() -> queue.release(pair)), "release again");
    run.check(queue.drain(pair, p -> run.check(p.whole() == 2, "another record"), 2) == 1, "one");
    run.check(!queue.tryPoll(pair), "a record though empty");
    queue.abandon();
    run.check(queue.sizeEstimate() == 0 && !queue.tryPoll(pair), "a record though freed");
  }
}

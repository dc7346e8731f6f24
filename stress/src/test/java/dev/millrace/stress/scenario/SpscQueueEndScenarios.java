package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.queues.SpscQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** The end of a queue: completed, drained, closed by its owner. */
@ScenariosOf("SpscQueue")
public final class SpscQueueEndScenarios {
  private static final int TRIES = 5;

  private SpscQueueEndScenarios() {}

  @About("the consumer gets all that was committed before the producer completes, then the end")
  public static void complete(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.offer(pair);
          delivery.offerRun(pair, 2);
          delivery.offer(pair);
          queue.complete();
        });
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          long offset;
          while ((offset = queue.tryPoll()) != SpscQueue.CLOSED) {
            if (offset == SpscQueue.EMPTY) {
              Thread.onSpinWait();
            } else {
              pair.moveTo(offset);
              delivery.expect(pair.whole());
              queue.release(offset);
            }
          }
          run.check(queue.isDrained(), "told of the end before it");
          run.check(queue.tryPoll() == SpscQueue.CLOSED, "the end does not last");
          run.check(queue.tryPoll(pair, 2) == SpscQueue.CLOSED, "the end does not last for runs");
          checkFreed(run, pair);
        });
  }

  @About("a completion by a third thread after the producer's last call loses nothing")
  public static void completeByThird(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Delivery delivery = new Delivery(run, queue);
    Flag stopped = new Flag();
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          delivery.offer(pair);
          delivery.offer(pair);
          stopped.raise();
        });
    run.thread(
        "closer",
        () -> {
          stopped.await();
          queue.complete();
        });
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          int count;
          while ((count = queue.drain(pair, p -> delivery.expect(p.whole()), 2))
              != SpscQueue.CLOSED) {
            if (count == 0) {
              Thread.onSpinWait();
            }
          }
        });
  }

  @About("who sees the queue drained or closed, sees what was done before")
  public static void endIsPublished(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Flag.Plain beforeComplete = new Flag.Plain();
    Flag.Plain beforeEnd = new Flag.Plain();
    run.thread(
        "producer",
        () -> {
          Records.offer(queue, queue.newFlyweight(), 1);
          beforeComplete.set();
          queue.complete();
        });
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          while (queue.tryPoll(pair, 2) != SpscQueue.CLOSED) {
            if (pair.offset() >= 0) {
              beforeEnd.set();
              queue.release(pair);
            }
            Thread.onSpinWait();
          }
          run.check(beforeComplete.isSet(), "complete was not seen");
        });
    run.thread(
        "observer",
        () -> {
          if (queue.isClosed()) {
            run.check(beforeComplete.isSet(), "complete was not seen");
          }
          if (queue.isDrained()) {
            run.check(beforeEnd.isSet(), "the end was not seen");
          }
        });
  }

  @About("claims of a completed queue are refused, whoever completes it; estimates stay in bounds")
  public static void refusesClaimsOnceCompleted(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Pair written = queue.newFlyweight();
    Pair read = queue.newFlyweight();
    run.thread(
        "producer",
        () -> {
          boolean refused = false;
          for (int i = 0; i < TRIES && !refused; i++) {
            boolean wasClosed = queue.isClosed();
            long offset = queue.tryClaim();
            run.check(!wasClosed || offset < 0, "a claim after complete");
            refused = offset == SpscQueue.CLOSED;
            if (offset >= 0) {
              try {
                written.moveTo(offset);
                written.set(i);
                queue.commit(offset);
              } catch (IllegalStateException e) {
                run.check(queue.isClosed(), "refused though open");
              }
            }
          }
          run.check(!refused || queue.tryClaim() == SpscQueue.CLOSED, "closed does not last");
        });
    run.thread(
        "closer",
        () -> {
          int size = queue.sizeEstimate();
          run.check(size >= 0 && size <= 2, "size " + size);
          queue.complete();
        });
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < TRIES; i++) {
            Records.poll(queue, read);
          }
        });
  }

  @About("a close by the owner frees what is consumed; what is left the consumer still gets")
  public static void ownerCloses(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Pair written = queue.newFlyweight();
    Pair read = queue.newFlyweight();
    long[] came = new long[1];
    Flag stopped = new Flag();
    run.thread(
        "producer",
        () -> {
          Records.offer(queue, written, 1);
          Records.offer(queue, written, 2);
          stopped.raise();
        });
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < 2; i++) {
            long value = Records.poll(queue, read);
            if (value != Records.NONE) {
              run.check(value == came[0] + 1, value + " came after " + came[0]);
              came[0]++;
            }
          }
        });
    run.thread(
        "owner",
        () -> {
          stopped.await();
          queue.close();
        });
    run.atEnd(
        () -> {
          while (Records.poll(queue, read) != Records.NONE) {
            came[0]++;
          }
          run.check(came[0] == 2, "of two records came " + came[0]);
          run.check(queue.isDrained(), "not freed");
          run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate());
          run.check(refuses(() -> queue.close()), "closed twice");
          checkFreed(run, read);
        });
  }

  @About("an owner that closes once both sides have stopped frees the memory, and one owner only")
  public static void ownersCloseOnce(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Pair pair = queue.newFlyweight();
    Records.offer(queue, pair, 1);
    Records.poll(queue, pair);
    int[] closed = new int[1];
    for (int i = 0; i < 2; i++) {
      run.thread(
          "owner " + i,
          () -> {
            if (!refuses(() -> queue.close())) {
              closed[0]++;
            }
          });
    }
    run.atEnd(
        () -> {
          run.check(closed[0] == 1, closed[0] + " owners closed it");
          run.check(queue.isDrained(), "not freed");
          checkFreed(run, pair);
        });
  }

  @About("a close while both sides are at work ends them by exceptions or values, never worse")
  public static void ownerClosesEarly(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(2, Pair::new);
    Pair written = queue.newFlyweight();
    Pair read = queue.newFlyweight();
    run.thread(
        "producer",
        () -> {
          for (int i = 1; i < TRIES; i++) {
            int value = i;
            refuses(() -> Records.offer(queue, written, value));
          }
        });
    run.thread(
        "consumer",
        () -> {
          for (int i = 1; i < TRIES; i++) {
            refuses(() -> Records.poll(queue, read));
          }
        });
    run.thread("owner", queue::close);
  }

  private static void checkFreed(Simulation run, Pair pair) {
    pair.moveTo(8);
    run.check(refuses(() -> pair.set(1)), "memory can still be written");
  }
}

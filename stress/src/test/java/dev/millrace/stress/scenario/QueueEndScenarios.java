package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.OffHeapQueue;
import dev.millrace.queues.SpscQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** The end of the queues, above all of those whose memory stays until their owner closes them. */
@ScenariosOf("OffHeapQueue")
public final class QueueEndScenarios {
  private QueueEndScenarios() {}

  @About("a consumer that finds the end and an owner that closes: one of them frees")
  public static void finishMeetsCloseSpsc(Simulation run) {
    finishMeetsClose(run, SpscQueue.of(2, Pair::new));
  }

  @About("the same, of many producers")
  public static void finishMeetsCloseMpsc(Simulation run) {
    finishMeetsClose(run, MpscQueue.of(2, Pair::new));
  }

  @About("the same, of many on both sides")
  public static void finishMeetsCloseMpmc(Simulation run) {
    finishMeetsClose(run, MpmcQueue.of(2, Pair::new));
  }

  @About(
      "the same, if the queue was completed before, so that neither knows of the other, of one"
          + " consumer")
  public static void finishMeetsCloseOnceCompletedMpsc(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    finishMeetsClose(run, queue);
    queue.complete();
  }

  @About("the same, if the queue was completed before, so that neither knows of the other, of many")
  public static void finishMeetsCloseOnceCompletedMpmc(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    finishMeetsClose(run, queue);
    queue.complete();
  }

  @About("who sees a queue drained sees what its owner did before it closed or abandoned it")
  public static void ownersEndIsPublished(Simulation run) {
    MpscQueue<Pair> closed = MpscQueue.of(2, Pair::new);
    MpscQueue<Pair> abandoned = MpscQueue.of(2, Pair::new);
    Flag.Plain beforeClose = new Flag.Plain();
    Flag.Plain beforeAbandon = new Flag.Plain();
    run.thread(
        "owner",
        () -> {
          beforeAbandon.set();
          abandoned.abandon();
          beforeClose.set();
          closed.close();
        });
    run.thread(
        "observer",
        () -> {
          if (abandoned.isDrained()) {
            run.check(beforeAbandon.isSet(), "abandon was not seen");
          }
          if (closed.isDrained()) {
            run.check(beforeClose.isSet(), "close was not seen");
          }
        });
  }

  @About("who sees a queue drained by its owner's close sees what the consumer did before")
  public static void consumedIsPublishedSpsc(Simulation run) {
    consumedIsPublished(run, SpscQueue.of(2, Pair::new));
  }

  @About("the same, of many producers")
  public static void consumedIsPublishedMpsc(Simulation run) {
    consumedIsPublished(run, MpscQueue.of(2, Pair::new));
  }

  @About("the same, of many on both sides")
  public static void consumedIsPublishedMpmc(Simulation run) {
    consumedIsPublished(run, MpmcQueue.of(2, Pair::new));
  }

  private static void consumedIsPublished(Simulation run, OffHeapQueue<Pair> queue) {
    Flag.Plain consumed = new Flag.Plain();
    Records.offer(queue, queue.newFlyweight(), 1);
    run.thread(
        "consumer",
        () -> {
          long offset = queue.tryPoll();
          consumed.set();
          queue.release(offset);
        });
    run.thread("owner", queue::close);
    run.thread(
        "observer",
        () -> {
          if (queue.isDrained()) {
            run.check(consumed.isSet(), "the end was not seen");
          }
        });
    run.atEnd(
        () -> {
          run.check(queue.tryPoll() == OffHeapQueue.CLOSED, "no end");
          run.check(queue.isDrained(), "not drained");
        });
  }

  private static void finishMeetsClose(Simulation run, OffHeapQueue<Pair> queue) {
    Pair pair = queue.newFlyweight();
    Records.offer(queue, pair, 1);
    run.thread(
        "consumer",
        () -> {
          int came = 0;
          long offset;
          while ((offset = queue.tryPoll()) != OffHeapQueue.CLOSED) {
            if (offset == OffHeapQueue.EMPTY) {
              Thread.onSpinWait();
            } else {
              came++;
              pair.moveTo(offset);
              run.check(pair.whole() == 1, "another record");
              queue.release(offset);
            }
          }
          run.check(came == 1, "records: " + came);
        });
    run.thread(
        "owner",
        () -> {
          queue.close();
          run.check(!Thread.interrupted(), "memory was freed under the owner's look");
        });
    run.atEnd(
        () -> {
          run.check(queue.isDrained(), "not drained");
          checkFreed(run, pair);
          run.check(refuses(queue::close), "closed twice");
        });
  }

  @About("a completed queue that is drained keeps its memory until the owner closes it")
  public static void memoryStaysUntilClose(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Pair pair = queue.newFlyweight();
    Pair other = queue.newFlyweight();
    Records.offer(queue, pair, 1);
    for (int i = 0; i < 2; i++) {
      Pair mine = i == 0 ? pair : other;
      run.thread(
          "consumer " + i,
          () -> {
            while (!queue.isDrained()) {
              Records.poll(queue, mine);
              Thread.onSpinWait();
            }
            mine.moveTo(8);
            mine.whole();
          });
    }
    run.thread("closer", queue::complete);
    run.atEnd(
        () -> {
          queue.close();
          checkFreed(run, pair);
        });
  }

  @About(
      "memory is not freed under a record in hand: the consumer that finds the end behind it frees")
  public static void recordInHand(Simulation run) {
    MpmcQueue<Pair> queue = MpmcQueue.of(2, Pair::new);
    Pair held = queue.newFlyweight();
    Pair pair = queue.newFlyweight();
    Records.offer(queue, pair, 1);
    run.check(queue.tryPoll(held), "none");
    boolean[] seen = new boolean[1];
    run.thread(
        "consumer with a record",
        () -> {
          run.check(!queue.isDrained(), "drained with a record in hand");
          run.check(held.whole() == 1, "another record");
          queue.release(held);
        });
    run.thread("owner", queue::close);
    run.thread(
        "consumer",
        () -> {
          seen[0] = queue.tryPoll() == OffHeapQueue.CLOSED;
          run.check(!seen[0] || queue.isClosed(), "the end of an open queue");
        });
    run.atEnd(
        () -> {
          run.check(queue.tryPoll() == OffHeapQueue.CLOSED, "no end");
          run.check(queue.isDrained(), "not drained");
          checkFreed(run, pair);
        });
  }

  @About("an abandoned queue is freed at once, whatever is in it, and both sides are told")
  public static void abandon(Simulation run) {
    abandon(run, MpscQueue.of(Waits.parking(2), Pair::new));
  }

  @About("the same with many consumers")
  public static void abandonMpmc(Simulation run) {
    abandon(run, MpmcQueue.of(Waits.parking(2), Pair::new));
  }

  private static void abandon(Simulation run, OffHeapQueue<Pair> queue) {
    Pair written = queue.newFlyweight();
    Pair read = queue.newFlyweight();
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "producer",
        () -> {
          try {
            for (int i = 0; i < 4; i++) {
              queue.claim(written);
              written.set(i);
              queue.commit(written);
            }
          } catch (IllegalStateException e) {
            run.check(queue.isClosed(), "refused though open");
          }
        });
    run.thread(
        "consumer",
        () -> {
          try {
            while (queue.poll(read)) {
              read.whole();
              queue.release(read);
            }
          } catch (IllegalStateException e) {
            run.check(queue.isClosed(), "failed though open");
          }
          run.check(queue.isDrained(), "the end before it");
          run.check(before.isSet(), "abandon was not seen");
        });
    run.thread(
        "owner",
        () -> {
          before.set();
          queue.abandon();
          queue.abandon();
          run.check(queue.isDrained(), "not drained");
          checkFreed(run, new Pair(queue.memory()));
          run.check(refuses(queue::newFlyweight), "a flyweight on freed memory");
        });
    run.atEnd(() -> run.check(queue.sizeEstimate() == 0, "not empty"));
  }

  @About("samplers of a queue that ends meanwhile find what is there, or nothing")
  public static void samplersMeetClose(Simulation run) {
    MpscQueue<Pair> queue = MpscQueue.of(2, Pair::new);
    Records.offer(queue, queue.newFlyweight(), 1);
    run.thread("owner", queue::abandon);
    run.thread("sampler", () -> Samples.look(run, queue));
    run.thread("another sampler", () -> Samples.count(run, queue, 1));
  }

  @About("the highest of several samplers' sizes stays")
  public static void highWater(Simulation run) {
    SpscQueue<Pair> queue = SpscQueue.of(4, Pair::new);
    Pair pair = queue.newFlyweight();
    Records.offerRun(queue, pair, 1, 2);
    for (int i = 0; i < 2; i++) {
      run.thread(
          "sampler " + i,
          () -> {
            int high = queue.counters().highWater();
            run.check(high == 2 || high == 3, "high water " + high);
            run.check(queue.counters().highWater() >= high, "fell from " + high);
          });
    }
    run.thread("producer", () -> Records.offer(queue, pair, 3));
    run.atEnd(
        () -> {
          run.check(queue.counters().highWater() == 3, "high water " + queue.counters());
          queue.drain(pair, Pair::whole, 3);
          run.check(queue.counters().highWater() == 3, "high water " + queue.counters());
        });
  }

  private static void checkFreed(Simulation run, Pair pair) {
    pair.moveTo(8);
    run.check(refuses(() -> pair.set(1)), "memory can still be written");
  }
}

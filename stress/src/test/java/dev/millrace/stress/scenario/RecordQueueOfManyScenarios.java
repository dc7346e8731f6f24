package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Queues of the JDK's interface for many producers and many consumers. */
@ScenariosOf("RecordQueue")
public final class RecordQueueOfManyScenarios extends ManyPutScenarios {
  /** A timeout that does not pass, whatever the simulated clock does. */
  private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

  @Override
  <T extends Record> RecordQueue<T> queue(Class<T> type, QueueOptions options) {
    return RecordQueue.of(type, options);
  }

  @Override
  int consumers() {
    return 2;
  }

  @About("offer finds the slot of what was polled before, though an older poll is under way")
  public void fullIsTrue(Simulation run) {
    RecordTraffic traffic = traffic(run, 2);
    traffic.offer(0, 0);
    traffic.offer(0, 1);
    Flag taken = new Flag();
    traffic.addConsumer("slow consumer", 1);
    run.thread(
        "consumer",
        () -> run.check(traffic.poll(RecordTraffic.none()), "null, though two were there"),
        taken::raise);
    run.thread(
        "producer",
        () -> {
          boolean there = taken.isRaised();
          run.check(traffic.offer(1, 0) || !there, "full, though one was taken before");
        });
  }

  @About("a thread that waits for a record or a slot when the queue is closed is told so")
  public void closeWakes(Simulation run) {
    RecordQueue<Both> full = queue(Both.class, QueueTraffic.parking(2));
    full.add(Both.of(1));
    full.add(Both.of(2));
    RecordQueue<Both> empty = queue(Both.class, QueueTraffic.parking(2));
    run.thread(
        "producer", () -> run.check(refuses(() -> full.put(Both.of(3))), "put though closed"));
    run.thread("consumer", () -> run.check(refuses(() -> empty.take()), "take though closed"));
    run.thread("owner", full::close, empty::close);
  }

  @About("a wait with a timeout ends with the record, or when the time has passed")
  public void timedForms(Simulation run) {
    RecordTraffic traffic = traffic(run, QueueTraffic.parking(2));
    RecordQueue<Both> queue = traffic.queue;
    traffic.offer(0, 0);
    traffic.offer(0, 1);
    run.thread(
        "producer",
        () -> traffic.sent(queue.offer(traffic.next(0, 2), 1, TimeUnit.MICROSECONDS), 0, 2));
    long[] last = RecordTraffic.none();
    Numbered take =
        i -> {
          boolean came = traffic.came(queue.poll(1, TimeUnit.MICROSECONDS), last);
          run.check(came || i > 1, "null, though two are there");
        };
    run.thread("consumer", rounds(3, take));
  }

  @About("who gets what drainTo could not hand over sees what was done before it was put")
  public void drainToHandsOn(Simulation run) {
    RecordQueue<Both> queue = queue(2);
    Flag.Plain before = new Flag.Plain();
    run.thread("producer", before::set, () -> queue.add(Both.of(1)));
    run.thread("drainer", () -> drainInVain(run, queue));
    threads(run, 2, "consumer", _ -> run.check(queue.poll() == null || before.isSet(), "too soon"));
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
    RecordTraffic traffic = traffic(run, QueueTraffic.parking(2));
    RecordQueue<Both> queue = traffic.queue;
    Flag.Plain before = new Flag.Plain();
    run.thread("producer", before::set, () -> traffic.offer(0, 0), () -> traffic.offer(0, 1));
    threads(run, 2, "drainer", _ -> drainInVain(run, queue));
    Body take =
        () -> {
          traffic.came(queue.take(), RecordTraffic.none());
          run.check(before.isSet(), "not what was done before it was put");
        };
    run.thread("consumer", times(2, take));
    run.thread(
        "viewer",
        () -> {
          for (Both _ : queue) {
            run.check(before.isSet(), "not what was done before it was put");
          }
        });
  }

  @About("puts that stall where consumers spin, so that both give up the same put")
  public void stalledPutsMeetSpinners(Simulation run) {
    stalledPuts(run, stalling(2).withConsumerWaits(WaitStrategy.busySpin()), 1, 2);
  }

  @About("drainTo with a timeout has as many as it asked for once they are put, or all at the end")
  public void drainToWaits(Simulation run) {
    RecordTraffic traffic = traffic(run, QueueTraffic.parking(3));
    RecordQueue<Both> queue = traffic.queue;
    Flag sent = new Flag();
    run.thread("producer", rounds(4, number -> traffic.put(0, number)), sent::raise);
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

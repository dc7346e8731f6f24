package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Both sides of a queue wait, in each way there is; a wake-up that is lost is a deadlock here. */
@ScenariosOf("SpscQueue")
public final class WaitingScenarios {
  private static final WaitStrategy PARK =
      new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER);
  private static final int RECORDS = 4;

  private WaitingScenarios() {}

  @About("a parked consumer and a parked producer are woken by each other")
  public static void bothPark(Simulation run) {
    transfer(run, PARK, PARK);
  }

  @About("a parked consumer is woken by a producer that spins")
  public static void consumerParks(Simulation run) {
    transfer(run, WaitStrategy.busySpin(), PARK);
  }

  @About("a parked producer is woken by a consumer that yields")
  public static void producerParks(Simulation run) {
    transfer(run, PARK, WaitStrategy.yielding());
  }

  @About("a producer that sleeps and a consumer that spins, yields, then parks")
  public static void phases(Simulation run) {
    transfer(
        run,
        WaitStrategy.sleeping(Duration.ofNanos(1_000)),
        new WaitStrategy(1, 1, WaitStrategy.FOREVER, WaitStrategy.FOREVER));
  }

  private static void transfer(Simulation run, WaitStrategy producer, WaitStrategy consumer) {
    SpscQueue<Pair> queue =
        SpscQueue.of(
            QueueOptions.ofCapacity(2).withProducerWaits(producer).withConsumerWaits(consumer),
            Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          for (int i = 0; i < RECORDS; i++) {
            delivery.put(pair);
          }
          queue.complete();
        });
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          while (delivery.take(pair)) {
            // until the end
          }
        });
  }

  @About("a completion from elsewhere wakes both sides, parked or asleep")
  public static void completionWakes(Simulation run) {
    SpscQueue<Pair> queue =
        SpscQueue.of(
            QueueOptions.ofCapacity(2).withProducerWaits(PARK).withConsumerWaits(PARK), Pair::new);
    Records.offerRun(queue, queue.newFlyweight(), 1, 2);
    Flag refused = new Flag();
    run.thread(
        "producer",
        () -> {
          Pair pair = queue.newFlyweight();
          try {
            queue.claim(pair);
            run.check(false, "claimed though full");
          } catch (IllegalStateException e) {
            refused.raise();
          }
        });
    run.thread("closer", queue::complete);
    run.thread(
        "consumer",
        () -> {
          refused.await();
          Pair pair = queue.newFlyweight();
          run.check(queue.poll(pair, 2) == 2, "the records before the end");
          queue.release(pair);
          run.check(!queue.poll(pair), "a record behind the end");
          run.check(queue.poll(pair, 1) == SpscQueue.CLOSED, "no end");
        });
  }

  @About("an abandoned queue wakes a parked consumer, which finds the end")
  public static void abandonWakes(Simulation run) {
    SpscQueue<Pair> queue =
        SpscQueue.of(QueueOptions.ofCapacity(2).withConsumerWaits(PARK), Pair::new);
    Pair pair = queue.newFlyweight();
    run.thread(
        "consumer",
        () -> {
          run.check(!queue.poll(pair), "a record that nobody wrote");
          run.check(queue.isDrained(), "gave up though not at the end");
        });
    run.thread("owner", queue::abandon);
  }

  @About("an interrupt ends a wait, whatever its phase, and leaves the side usable")
  public static void interruptEnds(Simulation run) {
    SpscQueue<Pair> queue =
        SpscQueue.of(QueueOptions.ofCapacity(2).withConsumerWaits(PARK), Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          try {
            delivery.take(pair);
          } catch (InterruptedException e) {
            delivery.take(pair);
          }
        });
    run.thread("interrupter", () -> run.interrupt("consumer"));
    run.thread("producer", () -> delivery.offer(queue.newFlyweight()));
  }

  @About("a wait with a time limit ends at it, and a record that comes in time is taken")
  public static void timeLimit(Simulation run) {
    SpscQueue<Pair> queue =
        SpscQueue.of(QueueOptions.ofCapacity(2).withConsumerWaits(PARK), Pair::new);
    Delivery delivery = new Delivery(run, queue);
    run.thread("producer", () -> delivery.offer(queue.newFlyweight()));
    run.thread(
        "consumer",
        () -> {
          Pair pair = queue.newFlyweight();
          if (queue.poll(pair, 5, TimeUnit.MICROSECONDS)) {
            delivery.expect(pair.whole());
            queue.release(pair);
          } else {
            run.check(!queue.isDrained(), "a time-out that was the end");
          }
        });
  }
}

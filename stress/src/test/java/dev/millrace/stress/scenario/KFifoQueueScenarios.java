package dev.millrace.stress.scenario;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.trial.AnyQueue;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Many producers and many consumers, whose records may leave a little out of order. */
@ScenariosOf("KFifoQueue")
public final class KFifoQueueScenarios extends ManyProducerScenarios {
  private static final long SLOT_BYTES = 24; // of a record and the word before it

  private static KFifoQueue<Duo> queue(int k, int capacity) {
    return KFifoQueue.of(Duo.class, k, capacity);
  }

  private static QueueTraffic traffic(Simulation run, int k, QueueOptions options) {
    KFifoQueue<Duo> queue = KFifoQueue.of(FlyweightType.of(Duo.class), k, options);
    return new QueueTraffic(run, new AnyQueue<>(queue)).overtakenByFewerThan(k);
  }

  private static QueueTraffic traffic(Simulation run, int k, int capacity) {
    return traffic(run, k, QueueOptions.ofCapacity(capacity));
  }

  @Override
  QueueTraffic traffic(Simulation run, QueueOptions options) {
    return traffic(run, 1, options);
  }

  @Override
  QueueTraffic relaxed(Simulation run, QueueOptions options) {
    return traffic(run, 2, options);
  }

  @Override
  int consumers() {
    return 2;
  }

  @Override
  int sampledCapacity() {
    return 2;
  }

  @Override
  void fill(Sender sender) {
    sender.offer();
    sender.offer();
  }

  /** Producers that have claimed a record each. */
  private static List<Producer<Duo>> claimed(Simulation run, KFifoQueue<Duo> queue, int count) {
    List<Producer<Duo>> producers =
        Stream.<Producer<Duo>>generate(queue::newProducer).limit(count).toList();
    for (Producer<Duo> producer : producers) {
      run.check(producer.tryClaim() != null, "full though new");
    }
    return producers;
  }

  @About("of one place a segment: each record goes to one consumer, whole and in order")
  public void strictlyInOrder(Simulation run) {
    twoAndTwo(run, 1, 2);
  }

  @About("of two places a segment: each record goes to one consumer, one overtakes it at most")
  public void twoPlaces(Simulation run) {
    twoAndTwo(run, 2, 2);
  }

  @About("the same with more cells, so that more segments are in use")
  public void moreCells(Simulation run) {
    twoAndTwo(run, 2, 4);
  }

  @About("segments are filled before the next is begun, so that there is a place for each cell")
  public void allPlaces(Simulation run) {
    QueueTraffic traffic = traffic(run, 4, 8);
    traffic.addProducer(0, 8);
    traffic.addConsumers(1, 2);
  }

  private static void twoAndTwo(Simulation run, int k, int capacity) {
    QueueTraffic traffic = traffic(run, k, capacity);
    traffic.addProducer(0, 3);
    traffic.addProducer(1, 3);
    traffic.addConsumers(2, 3);
  }

  @About("a record that is put while consumers pass its segment is not lost")
  public void putMeetsThePassing(Simulation run) {
    QueueTraffic traffic = traffic(run, 1, 2);
    traffic.addProducers(2, Sender::offer);
    traffic.addConsumers(2, 2);
  }

  @About("who is told that there is none, though a record was committed before, is told wrong")
  public void emptyIsTrue(Simulation run) {
    QueueTraffic traffic = traffic(run, 2, 4);
    Flag committed = new Flag();
    traffic.addProducer(0, Sender::offer, _ -> committed.raise());
    traffic.addProducer(1, 1);
    traffic.addConsumers(
        1,
        taker -> {
          boolean there = committed.isRaised();
          boolean found = taker.poll();
          run.check(found || !there, "none, though one was committed");
        });
  }

  @About("who is told that it is full, though a cell was given back before, is told wrong")
  public void fullIsTrue(Simulation run) {
    KFifoQueue<Duo> queue = queue(1, 2);
    List<Producer<Duo>> producers = claimed(run, queue, 2);
    Producer<Duo> claimer = queue.newProducer();
    Flag left = new Flag();
    run.thread("aborter", () -> producers.get(0).abort(), left::raise);
    run.thread("another aborter", producers.get(1)::abort);
    run.thread(
        "claimer",
        () -> {
          boolean there = left.isRaised();
          run.check(claimer.tryClaim() != null || !there, "full, though a cell was left");
        });
  }

  @About("where a cell is free all the time, though not the same, it is never said to be full")
  public void neverFull(Simulation run) {
    // no thread waits, and without signals rare orders are found sooner
    WaitStrategy spins = WaitStrategy.busySpin();
    QueueOptions options =
        QueueOptions.ofCapacity(2).withProducerWaits(spins).withConsumerWaits(spins);
    KFifoQueue<Duo> queue = KFifoQueue.of(FlyweightType.of(Duo.class), 1, options);
    Producer<Duo> one = queue.newProducer();
    Producer<Duo> other = queue.newProducer();
    boolean isOneFirst = offset(run, one.tryClaim()) < offset(run, other.tryClaim());
    Producer<Duo> first = isOneFirst ? one : other;
    Producer<Duo> second = isOneFirst ? other : one;
    Producer<Duo> claimer = queue.newProducer();
    second.abort();
    Flag moved = new Flag();
    // where each begins to look is such that it takes the other cell than it gave back
    run.thread(
        "mover",
        first::abort,
        () -> run.check(second.tryClaim() != null, "full, though one is free"),
        moved::raise);
    run.thread(
        "another mover",
        moved::await,
        second::abort,
        () -> run.check(first.tryClaim() != null, "full, though one is free"));
    run.thread("claimer", () -> run.check(claimer.tryClaim() != null, "full, though one is free"));
  }

  private static long offset(Simulation run, Duo claimed) {
    run.check(claimed != null, "full, though one is free");
    return ((Flyweight) claimed).offset();
  }

  @About("of cells that come and go all are there in the end, of each stripe's list")
  public void manyCells(Simulation run) {
    int capacity = 16;
    KFifoQueue<Duo> queue = queue(1, capacity);
    for (int i = 0; i < 2; i++) {
      Producer<Duo> first = queue.newProducer();
      Producer<Duo> second = queue.newProducer();
      run.thread(
          "thread " + i,
          () -> run.check(first.tryClaim() != null && second.tryClaim() != null, "full"),
          first::abort,
          () -> run.check(first.tryClaim() != null, "full"),
          second::abort,
          first::abort);
    }
    run.atEnd(
        () -> {
          boolean[] taken = new boolean[capacity];
          for (Producer<Duo> producer : claimed(run, queue, capacity)) {
            int cell = (int) (offset(run, producer.at(0)) / SLOT_BYTES);
            run.check(!taken[cell], "twice: " + cell);
            taken[cell] = true;
          }
          run.check(queue.newProducer().tryClaim() == null, "more than there are");
        });
  }

  @About("the end comes when all cells are back, those of lists of some length too")
  public void manyCellsCompleted(Simulation run) {
    KFifoQueue<Duo> queue = queue(1, 16);
    List<Producer<Duo>> producers = claimed(run, queue, 16);
    for (int i = 0; i < 2; i++) {
      int first = i;
      run.thread(
          "thread " + i,
          // cells of one list come one after the other: each thread gives back half of it
          rounds(8, cell -> producers.get(first + 2 * cell).abort()));
    }
    run.thread("closer", queue::complete);
    run.thread("watcher", () -> awaitCompleted(new AnyQueue<>(queue)));
    run.atEnd(
        () -> run.check(queue.newConsumer().tryPoll() == null, "a record"),
        () -> run.check(queue.isDrained(), "not drained"));
  }

  @About("who sees the end sees what others did with their records")
  public void endIsBehindAll(Simulation run) {
    KFifoQueue<Duo> queue = queue(2, 2);
    List<Producer<Duo>> producers = claimed(run, queue, 2);
    Consumer<Duo> consumer = queue.newConsumer();
    Consumer<Duo> looking = queue.newConsumer();
    Flag.Plain aborted = new Flag.Plain();
    Flag.Plain released = new Flag.Plain();
    producers.get(1).commit();
    run.check(consumer.tryPoll() != null, "none");
    run.thread("producer", aborted::set, () -> producers.get(0).abort());
    run.thread("consumer", released::set, consumer::release);
    run.thread("closer", queue::complete);
    run.thread(
        "another consumer",
        () -> {
          while (!queue.isDrained()) {
            run.check(looking.tryPoll() == null, "a record");
            Thread.onSpinWait();
          }
          run.check(aborted.isSet() && released.isSet(), "the end before all was done");
        });
  }

  @About(
      "a record that is put ahead of the head is found by a thread that looks for the first time")
  public void passing(Simulation run) {
    QueueTraffic traffic = traffic(run, 1, 4);
    traffic.sender(0).offer();
    traffic.addProducer(1, 1);
    traffic.addProducer(2, 1);
    traffic.addConsumers(1, 2);
    run.thread("newcomer", traffic.newTaker()::poll);
  }

  @About("who sees the head where another left it sees the tail no further back")
  public void headAtTail(Simulation run) {
    QueueTraffic traffic = traffic(run, 1, 2);
    traffic.sender(0).offer();
    traffic.addProducer(1, 1);
    traffic.addConsumers(1, 2);
    run.thread("newcomer", traffic.newTaker()::poll);
  }

  @About("the same for two newcomers, behind one who took the last record and does nothing more")
  public void headAtTailOfEmpty(Simulation run) {
    QueueTraffic traffic = traffic(run, 1, 2);
    Flag taken = new Flag();
    traffic.sender(0).offer();
    traffic.addConsumers(1, taker -> run.check(taker.poll(), "none"), _ -> taken.hint());
    for (int i = 0; i < 2; i++) {
      Taker newcomer = traffic.newTaker();
      run.thread(
          "newcomer " + i,
          taken::awaitHint, // or they would nearly always be the first
          () -> run.check(!newcomer.poll(), "a record though empty"));
    }
  }

  @About("a place is emptied only once the tail has moved, though its move may fail for no reason")
  public void placesAreUsedOnce(Simulation run) {
    QueueTraffic traffic = traffic(run, 2, 4);
    Sender sender = traffic.sender(0);
    Taker taker = traffic.taker;
    run.thread(
        "thread",
        sender::offer,
        sender::offer,
        times(
            6,
            () -> {
              taker.poll();
              sender.offer();
            }));
  }

  @About("a cell in a consumer's hands stays as it is until it is released")
  public void releaseOutOfOrder(Simulation run) {
    QueueTraffic traffic = traffic(run, 2, 2);
    Taker other = traffic.newTaker();
    traffic.addProducer(0, 3);
    traffic.addConsumers(
        1,
        one -> {
          Duo first = one.consumer.tryPoll();
          other.taken(other.consumer.tryPoll());
          one.taken(first);
        });
  }

  @About("an aborted cell is free again, and nothing is seen of it")
  public void abort(Simulation run) {
    QueueTraffic traffic = traffic(run, 1, 2);
    traffic.addProducer(0, QueueTraffic.times(3, claimAndAbort(1)), Sender::offer);
    traffic.addProducer(1, 2);
    traffic.addConsumers(1, 3);
  }

  @About("an estimate of the size is within bounds, whatever goes on")
  public void sizeInUse(Simulation run) {
    QueueTraffic traffic = traffic(run, 2, 2);
    traffic.addProducer(0, 2);
    traffic.addConsumers(1, 2);
    run.thread("sampler", () -> checkWithin(run, 0, traffic.size(), 2, "size"));
  }

  // ---- the end ----

  @About("an owner that awaits the end frees the memory, while consumers find the end")
  public void finishMeetsClose(Simulation run) {
    QueueTraffic traffic = relaxed(run, QueueOptions.ofCapacity(2));
    Producer<Duo> aborts = traffic.sender(1).producer;
    Flyweight view = (Flyweight) aborts.tryClaim();
    aborts.abort();
    traffic.sender(0).offer();
    run.thread(
        "owner",
        traffic.queue::complete,
        () -> run.check(traffic.queue.awaitDrained(Duration.ofDays(1)), "gave up"),
        traffic.queue::close);
    traffic.addConsumers(2, Taker::takeAll);
    run.atEnd(
        traffic::checkAll,
        () -> run.check(refuses(() -> view.memory().get(JAVA_LONG, 0)), "not freed"));
  }

  // ---- waiting ----

  @About("an abort wakes a parked producer")
  public void abortWakes(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    traffic.sender(1).offer();
    Producer<Duo> aborts = traffic.sender(1).producer;
    run.check(aborts.tryClaim() != null, "full of one");
    run.thread("producer that aborts", aborts::abort);
    traffic.addProducer(0, Sender::put);
  }

  @About("a completion, and the last release, wake consumers that park; each is told of the end")
  public void endWakes(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    traffic.addConsumers(2, Taker::takeAll);
    traffic.addProducer(0, Sender::offer, sender -> traffic.queue.complete());
  }

  // ---- misuse ----

  @Override
  @About("misuse is refused, and changes nothing; a queue that is closed is empty")
  public void misuseIsRefused(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    run.check(traffic.size() == 0, "not empty");
    misuse(run, traffic);
    Sender sender = traffic.sender(1);
    run.check(sender.offer(), "full though empty");
    traffic.taker.expect(traffic.taker.consumer.tryPoll());
    traffic.queue.close();
    traffic.taker.consumer.release();
    run.check(traffic.size() == 0 && !traffic.taker.poll(), "a record though freed");
    run.check(refuses(sender.producer::tryClaim), "claimed though freed");
  }

  @About("a record whose handler throws is consumed, the others stay, also for other consumers")
  public void handlerThrows(Simulation run) {
    QueueTraffic traffic = traffic(run, 4);
    Taker other = traffic.newTaker();
    traffic.addProducer(0, 3);
    handlerThrows(run, traffic);
    run.thread("another consumer", other::poll);
  }
}

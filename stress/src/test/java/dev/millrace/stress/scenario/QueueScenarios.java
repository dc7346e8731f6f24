package dev.millrace.stress.scenario;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.queues.QueueOptions;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.scenario.QueueTraffic.Part;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.trial.AnyQueue;
import java.util.List;
import java.util.stream.IntStream;

/** What queues with ends have in common, whoever may be at their sides. */
public abstract class QueueScenarios extends Steps {
  /** Makes a queue of the kind, and traffic through it. */
  abstract QueueTraffic traffic(Simulation run, QueueOptions options);

  QueueTraffic traffic(Simulation run, int capacity) {
    return traffic(run, QueueOptions.ofCapacity(capacity));
  }

  /** Makes a queue that may let records overtake each other if the kind does. */
  QueueTraffic relaxed(Simulation run, QueueOptions options) {
    return traffic(run, options);
  }

  /** How many producers a scenario has. */
  abstract int producers();

  static Part<Sender> offerRun(int limit) {
    return sender -> sender.offerRun(limit);
  }

  static Part<Sender> claimAndAbort(int limit) {
    return sender -> sender.claimAndAbort(limit);
  }

  static Part<Taker> pollRun(int limit) {
    return taker -> taker.pollRun(limit);
  }

  static Part<Taker> drain(int limit) {
    return taker -> taker.drain(limit);
  }

  // ---- misuse ----

  @About("misuse is refused, and changes nothing; views throw while nothing is in hand")
  public void misuseIsRefused(Simulation run) {
    misuse(run, traffic(run, 2));
  }

  /** In an empty queue of two slots. */
  static void misuse(Simulation run, QueueTraffic traffic) {
    Producer<Duo> producer = traffic.sender(1).producer;
    Sender sender = traffic.sender(0);
    Consumer<Duo> consumer = traffic.taker.consumer;
    run.check(refuses(producer::commit), "commit of nothing");
    run.check(refuses(producer::abort), "abort of nothing");
    run.check(refuses(consumer::release), "release of nothing");
    run.check(refuses(() -> producer.tryClaim(0)), "claim of none");
    run.check(refuses(() -> consumer.tryPoll(0)), "poll of none");
    Duo in = producer.tryClaim();
    run.check(refuses(producer::tryClaim), "claim beside an open one");
    run.check(refuses(() -> producer.tryClaim(1)), "claim of a run beside an open claim");
    run.check(isOff(() -> producer.at(1)), "a record that was not claimed");
    producer.abort();
    run.check(isOff(() -> in.first(1)), "written after abort");
    run.check(isOff(() -> producer.at(0)), "a record though none is claimed");
    run.check(refuses(producer::commit), "commit after abort");
    run.check(consumer.tryPoll() == null, "a record though it was aborted");
    run.check(sender.offer(), "full though empty");
    run.check(isOff(() -> in.first(1)), "written after commit");
    run.check(sender.offer(), "full of one");
    run.check(traffic.size() == 2, "of size " + traffic.size());
    run.check(producer.tryClaim() == null, "claimed though full");
    run.check(producer.tryClaim(1) == 0, "claimed a run though full");
    run.check(refuses(producer::abort), "abort though nothing was claimed");
    Duo out = consumer.tryPoll();
    run.check(refuses(consumer::tryPoll), "poll beside an open one");
    run.check(refuses(() -> consumer.tryPoll(1)), "poll of a run beside an open one");
    run.check(refuses(() -> consumer.drain(duo -> {}, 1)), "drain beside an open poll");
    traffic.taker.expect(consumer.at(0));
    consumer.release();
    run.check(isOff(out::first), "read after release");
    int drained =
        consumer.drain(
            duo -> {
              traffic.taker.expect(duo);
              run.check(refuses(consumer::tryPoll), "poll in a handler");
              run.check(refuses(consumer::release), "release in a handler");
              run.check(isOff(() -> consumer.at(0)), "another record in a handler");
            },
            2);
    run.check(drained == 1, "drained another number");
    run.check(isOff(out::first), "read after drain");
    run.check(consumer.tryPoll() == null, "a record though empty");
    run.check(consumer.tryPoll(2) == 0, "a run though empty");
  }

  private static boolean isOff(Runnable access) {
    try {
      access.run();
      return false;
    } catch (IndexOutOfBoundsException e) {
      return true;
    }
  }

  /** Adds a consumer whose handler throws at each record. */
  static void handlerThrows(Simulation run, QueueTraffic traffic) {
    boolean[] came = new boolean[1];
    Handler<Duo> throwing =
        duo -> {
          traffic.taker.expect(duo);
          came[0] = true;
          throw new IllegalStateException("the handler's");
        };
    Body take =
        () -> {
          came[0] = false;
          boolean threw = refuses(() -> traffic.taker.consumer.drain(throwing, 4));
          run.check(threw == came[0], "another exception");
        };
    run.thread("consumer", times(3, take));
  }

  // ---- the end ----

  @About("a completion wakes both sides: producers of a full queue, and its consumer")
  public void completionWakes(Simulation run) {
    QueueTraffic traffic = relaxed(run, QueueTraffic.parking(2));
    AnyQueue<Duo> queue = traffic.queue;
    fill(traffic.sender(2));
    traffic.addProducers(
        producers(),
        sender -> run.check(refuses(() -> sender.producer.claim(2)), "claimed though full"));
    run.thread("closer", queue::complete);
    run.thread("consumer", () -> awaitCompleted(queue), traffic.taker::takeAll);
  }

  /** Fills a queue of two slots. */
  void fill(Sender sender) {
    sender.offerRun(2);
  }

  static void awaitCompleted(AnyQueue<Duo> queue) {
    while (!queue.isCompleted()) {
      Thread.onSpinWait();
    }
  }

  @About("a close wakes both sides, parked or not; each is told")
  public void closeWakes(Simulation run) {
    QueueTraffic traffic = traffic(run, QueueTraffic.parking(2));
    AnyQueue<Duo> queue = traffic.queue;
    Producer<Duo> producer = traffic.sender(0).producer;
    Consumer<Duo> consumer = traffic.taker.consumer;
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "producer",
        () -> {
          boolean refused =
              refuses(
                  times(
                      4,
                      () -> {
                        producer.claim().first(1).second(-1);
                        producer.commit();
                      }));
          run.check(!refused || queue.isCompleted(), "refused though open");
        });
    run.thread(
        "consumer",
        () -> {
          try {
            for (Duo duo = consumer.poll(); duo != null; duo = consumer.poll()) {
              run.check(duo.first() == -duo.second(), "torn");
              consumer.release();
            }
            run.check(consumer.isDrained(), "the end before it");
            run.check(before.isSet(), "close was not seen");
          } catch (IllegalStateException e) {
            run.check(queue.isCompleted(), "failed though open");
          }
        });
    run.thread("owner", before::set, queue::close);
    run.atEnd(() -> run.check(queue.isDrained(), "not drained"));
  }

  @About("a close while all are at work ends them by exceptions or values, never worse")
  public void ownerClosesEarly(Simulation run) {
    QueueTraffic traffic = relaxed(run, QueueOptions.ofCapacity(2));
    AnyQueue<Duo> queue = traffic.queue;
    Consumer<Duo> consumer = traffic.taker.consumer;
    List<Producer<Duo>> producers =
        IntStream.range(0, producers()).mapToObj(i -> traffic.sender(i).producer).toList();
    threads(
        run,
        producers(),
        "producer",
        i -> rounds(3, value -> putUnlessClosed(producers.get(i), 1 + value)).run());
    run.thread(
        "consumer", rounds(3, round -> refuses(() -> takeRun(run, consumer, 1 + round % 2))));
    run.thread("owner", queue::close);
    run.thread(
        "another owner",
        () -> run.check(!queue.isDrained() || queue.isCompleted(), "drained though open"),
        queue::close);
    run.atEnd(
        () -> run.check(queue.isDrained(), "not drained"),
        () ->
            run.check(
                refuses(producers.get(0)::tryClaim) || refuses(producers.get(0)::commit),
                "claimed"));
  }

  private static void putUnlessClosed(Producer<Duo> producer, long value) {
    refuses(
        () -> {
          Duo duo = producer.tryClaim();
          if (duo != null) {
            duo.first(value).second(-value);
            producer.commit();
          }
        });
  }

  private static void takeRun(Simulation run, Consumer<Duo> consumer, int limit) {
    int count = consumer.tryPoll(limit);
    for (int i = 0; i < count; i++) {
      Duo duo = consumer.at(i);
      run.check(duo.first() == -duo.second(), "torn");
    }
    if (count > 0) {
      consumer.release();
    }
  }

  // ---- seen from outside ----

  /** The capacity of a queue whose samplers see it at work. */
  int sampledCapacity() {
    return 4;
  }

  @About("samplers see whole records in order, and counts within bounds, whatever goes on")
  public void samplers(Simulation run) {
    QueueTraffic traffic = traffic(run, sampledCapacity()).counted();
    traffic.addProducer(0, Sender::offer, offerRun(2), claimAndAbort(1), Sender::offer);
    traffic.addConsumers(1, Taker::poll, pollRun(2), pollRun(2)); // past what was aborted
    run.thread("sampler", traffic::look);
    run.thread("another sampler", times(2, () -> checkMetrics(run, traffic, 6)));
  }

  @About("a picture never shows a record in another's place, though its slot is used again")
  public void samplerMeetsReuse(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    Sender sender = traffic.sender(0);
    sender.offer();
    sender.offer();
    run.check(traffic.size() == 2, "of size " + traffic.size());
    run.check(traffic.queue.snapshot(duo -> {}) == 2, "not both are shown");
    run.thread("producer", sender::put);
    traffic.addConsumers(1, 1);
    run.thread("sampler", traffic::look);
  }

  @About("samplers of a queue that is closed meanwhile find what is there, or nothing")
  public void samplersMeetClose(Simulation run) {
    QueueTraffic traffic = traffic(run, 2);
    Sender sender = traffic.sender(0);
    run.check(sender.producer.tryClaim() != null, "full though empty");
    sender.write(1);
    sender.producer.commit(); // it is not noted, for it may be lost
    run.thread("owner", traffic.queue::close);
    run.thread("sampler", traffic::look);
    run.thread("another sampler", times(2, () -> checkMetrics(run, traffic, 2)));
  }

  private static void checkMetrics(Simulation run, QueueTraffic traffic, int most) {
    traffic
        .queue
        .metrics()
        .forEach((name, value) -> run.check(value >= 0 && value <= most, name + " " + value));
  }
}

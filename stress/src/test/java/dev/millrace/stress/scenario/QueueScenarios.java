package dev.millrace.stress.scenario;


import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Producer;
import dev.millrace.queues.AnyQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.scenario.QueueTraffic.Sender;

/** What scenarios of queues with ends have in common. */
final class QueueScenarios extends Steps {
  private QueueScenarios() {}

  /** Misuse is refused, and changes nothing, in an empty queue of two slots. */
  static void misuse(Simulation run, QueueTraffic traffic, Producer<Duo> producer) {
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
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < 3; i++) {
            came[0] = false;
            boolean threw = refuses(() -> traffic.taker.consumer.drain(throwing, 4));
            run.check(threw == came[0], "another exception");
          }
        });
  }

  /** Adds producers that wait for a slot of a full queue, one who completes it, and a consumer. */
  static void completionWakes(Simulation run, QueueTraffic traffic, int producers) {
    AnyQueue<Duo> queue = traffic.queue;
    for (int letter = 0; letter < producers; letter++) {
      traffic.addProducer(
          letter,
          sender -> {
            try {
              sender.producer.claim(2);
              run.check(false, "claimed though full");
            } catch (IllegalStateException e) {
              // as it should be
            }
          });
    }
    run.thread("closer", queue::complete);
    run.thread(
        "consumer",
        () -> {
          while (!queue.isCompleted()) {
            Thread.onSpinWait();
          }
          traffic.taker.takeAll();
        });
  }

  /** Adds a producer and a consumer that wait, and one who closes the queue meanwhile. */
  static void closeWakes(Simulation run, QueueTraffic traffic) {
    AnyQueue<Duo> queue = traffic.queue;
    Producer<Duo> producer = traffic.sender(0).producer;
    Consumer<Duo> consumer = traffic.taker.consumer;
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "producer",
        () -> {
          try {
            for (int i = 0; i < 4; i++) {
              producer.claim().first(1).second(-1);
              producer.commit();
            }
          } catch (IllegalStateException e) {
            run.check(queue.isCompleted(), "refused though open");
          }
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

  /** Adds two who close a queue while its ends are at work. */
  @SafeVarargs
  static void closesEarly(
      Simulation run, AnyQueue<Duo> queue, Consumer<Duo> consumer, Producer<Duo>... producers) {
    for (int i = 0; i < producers.length; i++) {
      Producer<Duo> producer = producers[i];
      run.thread(
          "producer " + i,
          () -> {
            for (int value = 1; value < 4; value++) {
              putUnlessClosed(producer, value);
            }
          });
    }
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < 3; i++) {
            int limit = 1 + i % 2;
            refuses(() -> takeRun(run, consumer, limit));
          }
        });
    run.thread("owner", queue::close);
    run.thread(
        "another owner",
        () -> run.check(!queue.isDrained() || queue.isCompleted(), "drained though open"),
        queue::close);
    run.atEnd(
        () -> run.check(queue.isDrained(), "not drained"),
        () ->
            run.check(refuses(producers[0]::tryClaim) || refuses(producers[0]::commit), "claimed"));
  }

  // ---- seen from outside ----

  /** Adds a producer of runs and records, a consumer of both, and two who look. */
  static void samplers(Simulation run, QueueTraffic traffic) {
    traffic.counted();
    traffic.addProducer(
        0,
        Sender::offer,
        sender -> sender.offerRun(2),
        sender -> sender.claimAndAbort(1),
        Sender::offer);
    traffic.addConsumers(
        1,
        taker -> {
          taker.poll();
          taker.pollRun(2);
          taker.pollRun(2); // past what was aborted
        });
    run.thread("sampler", traffic::look);
    run.thread("another sampler", () -> checkMetrics(run, traffic, 6));
  }

  /** Looks at a full queue of two while its first slot is used again. */
  static void samplerMeetsReuse(Simulation run, QueueTraffic traffic) {
    Sender sender = traffic.sender(0);
    sender.offer();
    sender.offer();
    run.check(traffic.size() == 2, "of size " + traffic.size());
    run.check(traffic.queue.snapshot(duo -> {}) == 2, "not both are shown");
    run.thread("producer", sender::put);
    traffic.addConsumers(1, 1);
    run.thread("sampler", traffic::look);
  }

  /** Looks at a queue that is closed meanwhile. */
  static void samplersMeetClose(Simulation run, QueueTraffic traffic) {
    Sender sender = traffic.sender(0);
    run.check(sender.producer.tryClaim() != null, "full though empty");
    sender.write(1);
    sender.producer.commit(); // it is not noted, for it may be lost
    run.thread("owner", traffic.queue::close);
    run.thread("sampler", traffic::look);
    run.thread("another sampler", () -> checkMetrics(run, traffic, 2));
  }

  /** The largest size that one of two samplers has seen stays. */
  static void highWater(Simulation run, QueueTraffic traffic) {
    Sender sender = traffic.sender(0);
    sender.offer();
    for (int i = 0; i < 2; i++) {
      run.thread(
          "sampler " + i,
          () -> {
            long high = traffic.metric("highWater");
            run.check(high >= 0 && high <= 2, "high water " + high);
            run.check(traffic.metric("highWater") >= high, "fell from " + high);
          });
    }
    run.thread("producer", sender::offer);
    traffic.addConsumers(1, 1);
  }

  private static void checkMetrics(Simulation run, QueueTraffic traffic, int most) {
    for (int i = 0; i < 2; i++) {
      traffic
          .queue
          .metrics()
          .forEach((name, value) -> run.check(value >= 0 && value <= most, name + " " + value));
    }
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
}

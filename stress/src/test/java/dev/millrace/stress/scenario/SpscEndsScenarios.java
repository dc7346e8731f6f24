package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.Records.refuses;

import dev.millrace.core.Handler;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.ends.SpscConsumer;
import dev.millrace.queues.ends.SpscProducer;
import dev.millrace.queues.ends.SpscQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.time.Duration;

/** One producer and one consumer, through their ends and views of an interface. */
@ScenariosOf("ends.SpscQueue")
public final class SpscEndsScenarios {
  private static final int TRIES = 5;
  private static final int RECORDS = 4;

  private SpscEndsScenarios() {}

  private static SpscQueue<Duo> queue(int capacity) {
    return SpscQueue.of(Duo.class, capacity);
  }

  private static SpscQueue<Duo> queue(WaitStrategy producer, WaitStrategy consumer) {
    QueueOptions options = QueueOptions.ofCapacity(2);
    return SpscQueue.of(
        FlyweightType.of(Duo.class),
        options.withProducerWaits(producer).withConsumerWaits(consumer));
  }

  /** What was sent and what has come: ascending numbers from 1, each once. */
  private static final class Numbers {
    private final Simulation run;
    private final SpscQueue<Duo> queue;
    private final SpscProducer<Duo> producer;
    private final SpscConsumer<Duo> consumer;

    // in arrays, which are not shared memory to the simulator: for checks only
    private final long[] sent = new long[1];
    private final long[] came = new long[1];

    Numbers(Simulation run, SpscQueue<Duo> queue) {
      this.run = run;
      this.queue = queue;
      this.producer = queue.producer();
      this.consumer = queue.consumer();
      run.atEnd(this::checkAll);
    }

    private static void write(Duo duo, long value) {
      duo.first(value).second(-value);
    }

    private void expect(Duo duo) {
      long value = duo.first();
      run.check(duo.second() == -value, "torn record: " + value + ", " + duo.second());
      run.check(value == came[0] + 1, "record " + value + " came after record " + came[0]);
      came[0]++;
    }

    boolean offer() {
      Duo duo = producer.tryClaim();
      if (duo != null) {
        write(duo, sent[0] + 1);
        producer.commit();
        sent[0]++;
      }
      return duo != null;
    }

    void put() throws InterruptedException {
      write(producer.claim(), sent[0] + 1);
      producer.commit();
      sent[0]++;
    }

    /** A run of one record, waiting for a slot. */
    void putRun() throws InterruptedException {
      run.check(producer.claim(1) == 1, "no run of one");
      commitRun(1);
    }

    void offerRun(int limit) {
      int count = producer.tryClaim(limit);
      run.check(count <= limit, "a longer run than wanted: " + count);
      commitRun(count);
    }

    private void commitRun(int count) {
      for (int i = 0; i < count; i++) {
        write(producer.at(i), sent[0] + 1 + i);
      }
      if (count > 0) {
        producer.commit();
        sent[0] += count;
      }
    }

    void claimAndAbort() {
      if (producer.tryClaim(1) > 0) {
        producer.abort();
      }
    }

    boolean poll() {
      Duo duo = consumer.tryPoll();
      if (duo != null) {
        expect(duo);
        consumer.release();
      }
      return duo != null;
    }

    void pollRun(int limit) {
      int count = consumer.tryPoll(limit);
      run.check(count <= limit, "a longer run than wanted: " + count);
      for (int i = 0; i < count; i++) {
        expect(consumer.at(i));
      }
      if (count > 0) {
        consumer.release();
      }
    }

    void takeAll() throws InterruptedException {
      consumer.forEach(this::expect);
      run.check(queue.isDrained(), "ended though not drained");
    }

    void addProducer(int tries) {
      run.thread(
          "producer",
          () -> {
            for (int i = 0; i < tries; i++) {
              offer();
            }
          });
    }

    void addConsumer(int tries) {
      run.thread(
          "consumer",
          () -> {
            for (int i = 0; i < tries; i++) {
              poll();
            }
          });
    }

    private void checkAll() {
      if (!queue.isDrained()) {
        while (poll()) {
          // what is left
        }
        run.check(queue.sizeEstimate() == 0, "empty, but of size " + queue.sizeEstimate());
      }
      run.check(came[0] == sent[0], "sent " + sent[0] + ", of which came " + came[0]);
    }
  }

  @About("single records through two slots: each once, in order, whole; a slot is reused when free")
  public static void singles(Simulation run) {
    Numbers numbers = new Numbers(run, queue(2));
    numbers.addProducer(TRIES);
    numbers.addConsumer(TRIES);
  }

  @About("runs and single records in turn, polled in runs, one by one, and drained")
  public static void runsAndSingles(Simulation run) {
    Numbers numbers = new Numbers(run, queue(4));
    run.thread(
        "producer",
        () -> {
          numbers.offerRun(2);
          numbers.offer();
          numbers.offerRun(3);
          numbers.offer();
          numbers.offerRun(3);
        });
    run.thread(
        "consumer",
        () -> {
          numbers.poll();
          numbers.pollRun(3);
          numbers.consumer.drain(numbers::expect, 2);
          numbers.poll();
          numbers.pollRun(4);
        });
  }

  @About("what was aborted is not seen, neither a record nor a run")
  public static void abort(Simulation run) {
    Numbers numbers = new Numbers(run, queue(2));
    run.thread(
        "producer",
        () -> {
          for (int i = 0; i < 2; i++) {
            Duo duo = numbers.producer.tryClaim();
            if (duo != null) {
              duo.first(-7);
              numbers.producer.abort();
            }
            numbers.offer();
            if (numbers.producer.tryClaim(2) > 0) {
              numbers.producer.at(0).first(-8);
              numbers.producer.abort();
            }
            numbers.offerRun(2);
          }
        });
    numbers.addConsumer(TRIES);
  }

  @About("an end handed to another thread goes on where it was")
  public static void handOver(Simulation run) {
    Numbers numbers = new Numbers(run, queue(2));
    Flag producerLeft = new Flag();
    Flag consumerLeft = new Flag();
    run.thread(
        "first producer, second consumer",
        () -> {
          numbers.offer();
          numbers.offerRun(1);
          producerLeft.raise();
          consumerLeft.await();
          numbers.poll();
          numbers.pollRun(2);
        });
    run.thread(
        "first consumer, second producer",
        () -> {
          numbers.poll();
          consumerLeft.raise();
          producerLeft.await();
          numbers.offer();
          numbers.offer();
        });
  }

  @About("misuse is refused, and changes nothing; views throw while nothing is in hand")
  public static void misuseIsRefused(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    Numbers numbers = new Numbers(run, queue);
    SpscProducer<Duo> producer = queue.producer();
    SpscConsumer<Duo> consumer = queue.consumer();
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
    numbers.offer();
    run.check(isOff(() -> in.first(1)), "written after commit");
    numbers.offer();
    run.check(queue.sizeEstimate() == 2, "of size " + queue.sizeEstimate());
    run.check(producer.tryClaim() == null, "claimed though full");
    run.check(producer.tryClaim(1) == 0, "claimed a run though full");
    Duo out = consumer.tryPoll();
    run.check(refuses(consumer::tryPoll), "poll beside an open one");
    run.check(refuses(() -> consumer.tryPoll(1)), "poll of a run beside an open one");
    run.check(refuses(() -> consumer.drain(duo -> {}, 1)), "drain beside an open poll");
    numbers.expect(consumer.at(0));
    consumer.release();
    run.check(isOff(out::first), "read after release");
    run.check(
        consumer.drain(
                duo -> {
                  numbers.expect(duo);
                  run.check(refuses(consumer::tryPoll), "poll in a handler");
                  run.check(refuses(consumer::release), "release in a handler");
                  run.check(isOff(() -> consumer.at(0)), "another record in a handler");
                },
                2)
            == 1,
        "drained another number");
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

  @About("a record whose handler throws is consumed, the later ones stay")
  public static void handlerThrows(Simulation run) {
    Numbers numbers = new Numbers(run, queue(4));
    run.thread(
        "producer",
        () -> {
          numbers.offer();
          numbers.offerRun(3);
        });
    Handler<Duo> throwing =
        duo -> {
          numbers.expect(duo);
          throw new IllegalStateException("the handler's");
        };
    run.thread(
        "consumer",
        () -> {
          for (int i = 0; i < 3; i++) {
            long before = numbers.came[0];
            boolean threw = refuses(() -> numbers.consumer.drain(throwing, 4));
            run.check(threw == numbers.came[0] > before, "another exception");
          }
        });
  }

  // ---- the end ----

  @About("the consumer gets all that the producer committed before it closed, then the end")
  public static void producerCloses(Simulation run) {
    Numbers numbers = new Numbers(run, queue(2));
    run.thread(
        "producer",
        () -> {
          numbers.offer();
          numbers.offerRun(2);
          numbers.producer.tryClaim();
          numbers.producer.close();
        });
    run.thread("consumer", numbers::takeAll);
  }

  @About("a completion from elsewhere is exact: all commits that returned are delivered, no more")
  public static void completeIsExact(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    Numbers numbers = new Numbers(run, queue);
    run.thread(
        "producer",
        () -> {
          boolean refused = false;
          for (int i = 0; i < TRIES && !refused; i++) {
            boolean wasCompleted = queue.isCompleted();
            refused = refuses(numbers::offer);
            run.check(refused || !wasCompleted, "a claim after complete");
          }
          run.check(!refused || refuses(() -> numbers.producer.tryClaim(2)), "claimed a run then");
        });
    run.thread("closer", queue::complete);
    run.thread("consumer", numbers::takeAll);
  }

  @About("a claim of a run that is open while another thread completes is delivered or taken back")
  public static void completeBesideRuns(Simulation run) {
    SpscQueue<Duo> queue = queue(Waits.PARK, Waits.PARK);
    Numbers numbers = new Numbers(run, queue);
    run.thread(
        "producer",
        () -> {
          boolean refused = refuses(() -> numbers.offerRun(2));
          refused |= refuses(numbers::claimAndAbort);
          run.check(!refused || queue.isCompleted(), "refused though open");
        });
    run.thread("closer", queue::complete);
    run.thread(
        "consumer",
        () -> {
          int count;
          while ((count = numbers.consumer.poll(2)) > 0) {
            for (int i = 0; i < count; i++) {
              numbers.expect(numbers.consumer.at(i));
            }
            numbers.consumer.release();
          }
          run.check(queue.isDrained(), "ended though not drained");
        });
  }

  @About("who sees the queue completed or drained sees what was done before")
  public static void endIsPublished(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    Numbers numbers = new Numbers(run, queue);
    Flag.Plain beforeClose = new Flag.Plain();
    Flag.Plain beforeRelease = new Flag.Plain();
    run.thread(
        "producer",
        () -> {
          numbers.offer();
          beforeClose.set();
          numbers.producer.close();
        });
    run.thread(
        "consumer",
        () -> {
          while (!queue.isDrained()) {
            Duo duo = numbers.consumer.tryPoll();
            if (duo == null) {
              Thread.onSpinWait();
            } else {
              numbers.expect(duo);
              beforeRelease.set();
              numbers.consumer.release();
            }
          }
          run.check(beforeClose.isSet(), "close was not seen");
        });
    run.thread(
        "observer",
        () -> {
          int size = queue.sizeEstimate();
          run.check(size >= 0 && size <= 2, "size " + size);
          if (queue.isCompleted()) {
            run.check(beforeClose.isSet(), "close was not seen");
          }
          if (queue.isDrained()) {
            run.check(beforeRelease.isSet(), "release was not seen");
          }
        });
  }

  @About("an owner waits until all is drained, then closes: nobody is cut off, nothing is lost")
  public static void ownerAwaitsTheEnd(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    Numbers numbers = new Numbers(run, queue);
    run.thread(
        "producer",
        () -> {
          numbers.offer();
          numbers.offer();
          numbers.producer.close();
        });
    run.thread("consumer", numbers::takeAll);
    run.thread(
        "owner",
        () -> {
          run.check(queue.awaitDrained(Duration.ofDays(1)), "gave up");
          queue.close();
          queue.close();
          run.check(queue.isDrained(), "drained no more");
        });
  }

  @About("a close frees the memory, whatever is left in it; once, however often it is closed")
  public static void closeFrees(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    Numbers.write(queue.producer().tryClaim(), 1);
    queue.producer().commit();
    Duo held = queue.consumer().tryPoll();
    queue.close();
    run.check(refuses(held::first), "memory can still be read");
    queue.consumer().release();
    run.check(queue.consumer().tryPoll(1) == 0, "memory is still looked at");
    queue.close();
    run.check(queue.isDrained(), "not drained");
    run.check(queue.toString().endsWith("closed]"), queue.toString());
  }

  @About("a close while both sides are at work ends them by exceptions or values, never worse")
  public static void ownerClosesEarly(Simulation run) {
    SpscQueue<Duo> queue = queue(2);
    SpscProducer<Duo> producer = queue.producer();
    SpscConsumer<Duo> consumer = queue.consumer();
    run.thread(
        "producer",
        () -> {
          for (int i = 1; i < RECORDS; i++) {
            int value = i;
            refuses(
                () -> {
                  Duo duo = producer.tryClaim();
                  if (duo != null) {
                    duo.first(value).second(-value);
                    producer.commit();
                  }
                });
          }
        });
    run.thread(
        "consumer",
        () -> {
          for (int i = 1; i < RECORDS; i++) {
            refuses(
                () -> {
                  Duo duo = consumer.tryPoll();
                  if (duo != null) {
                    run.check(duo.first() == -duo.second(), "torn");
                    consumer.release();
                  }
                });
          }
        });
    run.thread("owner", queue::close);
    run.thread("another owner", queue::close);
    run.atEnd(
        () -> {
          run.check(queue.isDrained(), "not drained");
          run.check(refuses(producer::tryClaim) || refuses(producer::commit), "claimed");
        });
  }

  // ---- waiting ----

  @About("a parked consumer and a parked producer are woken by each other")
  public static void bothPark(Simulation run) {
    transfer(run, Waits.PARK, Waits.PARK);
  }

  @About("a parked consumer is woken by a producer that spins")
  public static void consumerParks(Simulation run) {
    transfer(run, WaitStrategy.busySpin(), Waits.PARK);
  }

  @About("a parked producer is woken by a consumer that yields")
  public static void producerParks(Simulation run) {
    transfer(run, Waits.PARK, WaitStrategy.yielding());
  }

  private static void transfer(Simulation run, WaitStrategy producer, WaitStrategy consumer) {
    Numbers numbers = new Numbers(run, queue(producer, consumer));
    run.thread(
        "producer",
        () -> {
          for (int i = 0; i < RECORDS; i += 2) {
            numbers.put();
            numbers.putRun();
          }
          numbers.producer.close();
        });
    run.thread("consumer", numbers::takeAll);
    run.atEnd(() -> run.check(numbers.came[0] == RECORDS, "came " + numbers.came[0]));
  }

  @About("a completion from elsewhere wakes both sides")
  public static void completionWakes(Simulation run) {
    SpscQueue<Duo> queue = queue(Waits.PARK, Waits.PARK);
    Numbers numbers = new Numbers(run, queue);
    numbers.offerRun(2);
    run.thread(
        "producer",
        () -> {
          try {
            numbers.producer.claim();
            run.check(false, "claimed though full");
          } catch (IllegalStateException e) {
            // as it should be
          }
        });
    run.thread("closer", queue::complete);
    run.thread(
        "consumer",
        () -> {
          while (!queue.isCompleted()) {
            Thread.onSpinWait();
          }
          numbers.takeAll();
        });
  }

  @About("an abort after the completion wakes a consumer that waits for the claim's end")
  public static void abortWakes(Simulation run) {
    SpscQueue<Duo> queue = queue(Waits.PARK, Waits.PARK);
    Numbers numbers = new Numbers(run, queue);
    run.thread(
        "producer",
        () -> {
          if (!refuses(numbers.producer::tryClaim)) {
            numbers.producer.abort();
          }
        });
    run.thread("closer", queue::complete);
    run.thread("consumer", numbers::takeAll);
  }

  @About("an interrupt ends a wait and leaves the end usable")
  public static void interruptEnds(Simulation run) {
    Numbers numbers = new Numbers(run, queue(Waits.PARK, Waits.PARK));
    run.thread(
        "consumer",
        () -> {
          Duo duo;
          try {
            duo = numbers.consumer.poll();
          } catch (InterruptedException e) {
            duo = numbers.consumer.poll();
          }
          numbers.expect(duo);
          numbers.consumer.release();
        });
    run.thread("interrupter", () -> run.interrupt("consumer"));
    run.thread("producer", numbers::offer);
  }

  @About("a wait with a time limit ends at it, and a record that comes in time is taken")
  public static void timeLimit(Simulation run) {
    Numbers numbers = new Numbers(run, queue(Waits.PARK, Waits.PARK));
    run.thread("producer", numbers::offer);
    run.thread(
        "consumer",
        () -> {
          Duo duo = numbers.consumer.poll(Duration.ofNanos(5_000));
          if (duo != null) {
            numbers.expect(duo);
            numbers.consumer.release();
          }
        });
  }

  @About("where a full queue drops the newest, a claim does not wait")
  public static void dropNewest(Simulation run) {
    SpscQueue<Duo> queue =
        SpscQueue.of(
            FlyweightType.of(Duo.class),
            QueueOptions.ofCapacity(2).withWhenFull(QueueOptions.WhenFull.DROP_NEWEST));
    Numbers numbers = new Numbers(run, queue);
    numbers.offerRun(2);
    run.thread(
        "producer",
        () -> {
          Duo duo = numbers.producer.claim();
          if (duo != null) {
            Numbers.write(duo, numbers.sent[0] + 1);
            numbers.producer.commit();
            numbers.sent[0]++;
          }
          if (numbers.producer.claim(1) > 0) {
            numbers.producer.abort();
          }
        });
    numbers.addConsumer(2);
  }
}

package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.MessageScenarios.CELLS;
import static dev.millrace.stress.scenario.MessageScenarios.LEAST;
import static dev.millrace.stress.scenario.SimulatedPeers.SETUP;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.queues.internal.MessageQueueAccess;
import dev.millrace.queues.internal.SharedRing;
import dev.millrace.queues.internal.shared.Role;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.util.function.Supplier;

/** A queue of one producer and one consumer whose memory several processes share, and who dies. */
@ScenariosOf("SharedWords")
public final class SharedWordsScenarios extends Steps {
  private static final MessageQueueAccess ACCESS = MessageQueueAccess.SECRET.get();
  private static final int TRIES = 12;
  private static final int NUMBERS = 64;
  private static final int CELL = MessageQueue.CELL_BYTES;

  /** A queue's memory, its participants, and what they have done so far. */
  private static final class Shared {
    final Simulation run;
    final SimulatedPeers peers;
    final boolean repeats;
    final NativeMemory memory = NativeMemory.allocate(ACCESS.sharedBytes(LEAST.capacity(), false));

    // in arrays of numbers, which are not shared memory to the simulator
    final int[] begun = new int[1]; // messages whose commit was begun are below this
    final int[] done = new int[1];
    final boolean[] doubtful = new boolean[NUMBERS]; // its commit was begun and never returned
    final int[] doubts = new int[16]; // from which to which
    final int[] doubtCount = new int[1];
    final int[] came = new int[NUMBERS]; // how often
    final boolean[] released = new boolean[NUMBERS];
    final boolean[] releasing = new boolean[NUMBERS];
    final int[] last = {-1};
    final int[] marked = new int[1];

    Shared(Simulation run, boolean repeats) {
      this.run = run;
      this.peers = new SimulatedPeers(run);
      this.repeats = repeats;
    }

    /** What a process has of the queue, which is a thread of this name. */
    MessageQueue attach(String process) {
      return ACCESS.spsc(
          LEAST,
          new SharedRing(
              memory.segment(), burial -> peers.of(process, burial), repeats, "test", _ -> false));
    }

    // ---- producing ----

    void write(Message message, int number) {
      message.putLong(0, number);
      message.putLong(message.length() - Long.BYTES, -number);
    }

    void commit(MessageProducer producer, int count) {
      int first = begun[0];
      begun[0] += count;
      producer.commit();
      done[0] = first + count;
    }

    /** What is between is of a dead producer, and may have got in or not. */
    void doubt() {
      doubts[2 * doubtCount[0]] = done[0];
      doubts[2 * doubtCount[0]++ + 1] = begun[0];
      for (int number = done[0]; number < begun[0]; number++) {
        doubtful[number] = true;
      }
      done[0] = begun[0];
    }

    boolean put(MessageProducer producer, int cells) {
      Message message = producer.tryClaim(1, cells * CELL);
      if (message != null) {
        write(message, begun[0]);
        commit(producer, 1);
      }
      return message != null;
    }

    void putRun(MessageProducer producer, int cells, int limit) {
      int count = producer.tryClaim(1, cells * CELL, limit);
      for (int i = 0; i < count; i++) {
        write(producer.at(i), begun[0] + i);
      }
      if (count > 0) {
        commit(producer, count);
      }
    }

    void putCut(MessageProducer producer) {
      Message message = producer.tryClaim(1, 5 * CELL);
      if (message != null) {
        message.putLong(0, begun[0]).putLong(2 * CELL - Long.BYTES, -begun[0]);
        write(producer.next(2 * CELL, 1, 0), begun[0] + 1);
        commit(producer, 2);
      }
    }

    void abort(MessageProducer producer, int cells) {
      if (producer.tryClaim(1, cells * CELL) != null) {
        producer.abort();
      }
    }

    // ---- consuming ----

    void expect(Message message) {
      int number = (int) message.getLong(0);
      long check = message.getLong(message.length() - Long.BYTES);
      run.check(check == -number, "torn message: " + number + ", " + check);
      run.check(number >= 0 && number < begun[0], "not committed: " + number);
      run.check(!released[number], "came though released: " + number);
      run.check(came[number] == 0 || message.isRepeated(), "came again, not marked: " + number);
      boolean isNext = number > last[0] || came[number] > 0;
      run.check(isNext, number + " came after " + last[0]);
      last[0] = number;
      came[number]++;
      marked[0] += message.isRepeated() ? 1 : 0;
    }

    int take(MessageConsumer consumer, int limit) {
      int count = consumer.tryPoll(limit);
      int[] numbers = new int[count];
      for (int i = 0; i < count; i++) {
        Message message = consumer.at(i);
        numbers[i] = (int) message.getLong(0);
        expect(message);
      }
      if (count > 0) {
        for (int number : numbers) {
          releasing[number] = true;
        }
        consumer.release();
        for (int number : numbers) {
          released[number] = true;
        }
      }
      return count;
    }

    /** Hands messages to a handler, which are released in between, too. */
    void drain(MessageConsumer consumer, int limit) {
      int[] numbers = new int[limit];
      int[] count = new int[1];
      consumer.drain(
          message -> {
            numbers[count[0]] = (int) message.getLong(0);
            expect(message);
            releasing[numbers[count[0]++]] = true;
          },
          limit);
      for (int i = 0; i < count[0]; i++) {
        released[numbers[i]] = true;
      }
    }

    /** Sends so many cells through the queue, before all else. */
    void passThrough(int cells) {
      MessageQueue queue = attach(SETUP);
      MessageProducer producer = queue.newProducer();
      MessageConsumer consumer = queue.newConsumer();
      for (int left = cells; left > 0; left -= CELLS / 4) {
        run.check(put(producer, Math.min(left, CELLS / 4)), "full though empty");
        run.check(take(consumer, 1) == 1, "empty though full");
      }
      queue.close();
    }

    /** Gives the consumer's seat up for a process that has ended. */
    void leaveFor(String process) {
      peers.end(process);
    }

    /** Reads the numbers about the queue. */
    void sample() {
      MessageQueue queue = attach("sampler");
      checkWithin(run, 0, queue.metrics().get("repeated"), NUMBERS, "repeated");
      checkWithin(run, 0, queue.metrics().get("lost"), NUMBERS, "lost");
      checkWithin(run, 0, queue.metrics().get("inHand"), CELLS, "in hand");
      checkWithin(run, 0, queue.sizeEstimate(), CELLS, "size");
    }

    /** Messages come in order, but a successor begins again with those in hand. */
    void beginAgain() {
      last[0] = -1;
    }

    void takeAll(MessageConsumer consumer) {
      while (take(consumer, 3) > 0) {
        // until empty
      }
    }

    /** Each message whose commit returned has come, or is among those that were lost. */
    void checkAll(long lost) {
      for (int i = 0; i < doubtCount[0]; i++) {
        for (int number = doubts[2 * i] + 1; number < doubts[2 * i + 1]; number++) {
          run.check(came[number] == came[number - 1], "a part of a run: " + number);
        }
      }
      int missing = 0;
      int unsure = 0;
      for (int number = 0; number < begun[0]; number++) {
        boolean isIn = came[number] > 0;
        missing += isIn || doubtful[number] ? 0 : 1;
        // in the hand of one that died
        boolean isLost = isIn && !released[number] && !releasing[number];
        missing += isLost ? 1 : 0;
        unsure += (!isIn && doubtful[number]) || (isIn && !released[number] && !isLost) ? 1 : 0;
      }
      checkWithin(run, missing, lost, missing + unsure, "lost of " + missing + ":");
    }
  }

  /** Takes a seat as soon as it is free. */
  private static <T> T whenFree(Supplier<T> attempt) {
    while (true) {
      try {
        return attempt.get();
      } catch (IllegalStateException e) {
        Thread.onSpinWait();
      }
    }
  }

  // ---- nobody dies ----

  @About("what one process puts in, another takes out, whole and in order, and sees the end")
  public void handsOver(Simulation run) {
    Shared shared = new Shared(run, true);
    MessageProducer producer = shared.attach(SETUP).newProducer();
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "producer",
        () -> shared.put(producer, CELLS / 4),
        () -> shared.putRun(producer, 2, 3),
        () -> shared.putCut(producer),
        () -> shared.abort(producer, 3),
        () -> shared.put(producer, CELLS / 2),
        before::set,
        producer::close);
    run.thread(
        "consumer",
        () -> {
          MessageQueue queue = shared.attach("consumer");
          MessageConsumer consumer = queue.newConsumer();
          for (int i = 0; i < TRIES; i++) {
            shared.take(consumer, 2);
          }
          queue.close();
          run.check(refuses(consumer::tryPoll), "polled though it has left");
        });
    run.atEnd(
        () -> {
          MessageQueue queue = shared.attach(SETUP);
          MessageConsumer consumer = queue.newConsumer();
          shared.takeAll(consumer);
          shared.checkAll(0);
          run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate());
          run.check(queue.metrics().get("repeated") == 0, "repeated though nobody died");
        });
  }

  @About("what is put in while the queue is full waits until cells are released, again and again")
  public void laps(Simulation run) {
    Shared shared = new Shared(run, true);
    MessageQueue queue = shared.attach(SETUP);
    MessageProducer producer = queue.newProducer();
    run.thread("producer", times(TRIES / 2, () -> shared.put(producer, CELLS / 2)));
    run.thread(
        "consumer",
        () -> {
          MessageConsumer consumer = shared.attach("consumer").newConsumer();
          for (int i = 0; i < TRIES; i++) {
            shared.take(consumer, 2);
          }
          shared.take(consumer, 1);
        });
    run.atEnd(() -> checkWithin(run, 0, queue.sizeEstimate(), CELLS, "size"));
  }

  @About("an end that is made while its queue is closed leaves no place taken")
  public void madeWhileClosed(Simulation run) {
    Shared shared = new Shared(run, true);
    MessageQueue queue = shared.attach("maker");
    run.thread("maker", () -> refuses(queue::newProducer), () -> refuses(queue::newConsumer));
    run.thread("closer", queue::close);
    run.atEnd(
        () -> {
          MessageQueue other = shared.attach("other");
          MessageProducer producer = other.newProducer();
          MessageConsumer consumer = other.newConsumer();
          run.check(shared.put(producer, 1) && shared.take(consumer, 1) == 1, "not through");
        });
  }

  // ---- a producer dies ----

  /** Puts messages of other lengths and forms than {@link #putOthers}. */
  private static void putSome(Shared shared, MessageProducer producer) {
    shared.put(producer, 3);
    shared.putRun(producer, 2, 3);
    shared.putCut(producer);
    shared.abort(producer, 4);
    shared.put(producer, CELLS / 4);
  }

  private static void putOthers(Shared shared, MessageProducer producer) {
    shared.put(producer, 2);
    shared.putRun(producer, 1, 3);
    shared.put(producer, 3);
  }

  private static void producerDies(Simulation run, int cellsBefore) {
    Shared shared = new Shared(run, true);
    if (cellsBefore > 0) {
      shared.passThrough(cellsBefore);
    }
    Numbered produce =
        number -> {
          String name = number == 0 ? "first" : "second";
          MessageProducer producer = whenFree(shared.attach(name)::newProducer);
          shared.doubt();
          if (number == 0) {
            putSome(shared, producer);
          } else {
            putOthers(shared, producer);
          }
          producer.close();
        };
    run.mortalThread("first", () -> produce.run(0));
    run.thread("second", () -> produce.run(1));
    run.thread(
        "consumer",
        () -> {
          MessageConsumer consumer = shared.attach("consumer").newConsumer();
          for (int i = 0; i < TRIES; i++) {
            shared.take(consumer, 1 + i % 3);
          }
        });
    run.atEnd(
        () -> {
          shared.doubt();
          MessageQueue queue = shared.attach(SETUP);
          MessageProducer producer = queue.newProducer();
          shared.leaveFor("consumer");
          MessageConsumer consumer = queue.newConsumer();
          shared.takeAll(consumer);
          shared.checkAll(0);
          run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate());
          for (int i = 0; i < 2; i++) { // all cells are used again
            run.check(shared.put(producer, CELLS / 2), "full though empty");
            shared.takeAll(consumer);
          }
          shared.checkAll(0);
        });
  }

  @About(
      "a producer that dies anywhere is followed by another: what was committed came once, whole")
  public void producerDies(Simulation run) {
    producerDies(run, 0);
  }

  @About("the same where claims go round the end of the memory")
  public void producerDiesAtTheEnd(Simulation run) {
    producerDies(run, CELLS - 7);
  }

  @About("a queue that was completed drains, though its producer has died with a claim open")
  public void completerDies(Simulation run) {
    Shared shared = new Shared(run, true);
    run.mortalThread(
        "producer",
        () -> {
          MessageQueue queue = shared.attach("producer");
          MessageProducer producer = whenFree(queue::newProducer);
          if (refuses(() -> shared.put(producer, 2))
              || refuses(() -> producer.tryClaim(1, 3 * CELL))) {
            return; // the other has completed it
          }
          Message message = producer.at(0);
          queue.complete();
          shared.write(message, shared.begun[0]);
          shared.commit(producer, 1);
          run.check(refuses(() -> producer.tryClaim(1, 0)), "claimed though completed");
        });
    run.thread(
        "other",
        () -> {
          MessageQueue queue = shared.attach("other");
          whenFree(
              () -> {
                if (!queue.isCompleted()) {
                  queue.complete();
                }
                return queue;
              });
          run.check(queue.isCompleted(), "not completed");
        });
    run.thread(
        "consumer",
        () -> {
          MessageConsumer consumer = shared.attach("consumer").newConsumer();
          while (!consumer.isDrained()) {
            shared.take(consumer, 2);
          }
          run.check(consumer.tryPoll() == null, "a message though drained");
        });
    run.atEnd(
        () -> {
          shared.doubt();
          shared.checkAll(0);
          MessageQueue queue = shared.attach(SETUP);
          run.check(queue.isDrained() && queue.isCompleted(), "not drained");
        });
  }

  @About("who sees in another process that a queue is completed sees what was done before")
  public void completionIsSeen(Simulation run) {
    Shared shared = new Shared(run, true);
    MessageQueue queue = shared.attach(SETUP);
    MessageProducer producer = queue.newProducer();
    Flag.Plain before = new Flag.Plain();
    run.thread(
        "producer", () -> shared.put(producer, 1), before::set, queue::complete, producer::close);
    run.thread(
        "consumer",
        () -> {
          MessageQueue own = shared.attach("consumer");
          MessageConsumer consumer = own.newConsumer();
          shared.take(consumer, 1);
          if (own.isCompleted()) {
            run.check(before.isSet(), "what came before was not seen");
            run.check(!own.isDrained() || shared.released[0], "drained though one is left");
          }
        });
    run.thread(
        "observer",
        () -> {
          MessageQueue own = shared.attach("observer");
          run.check(!own.isDrained() || before.isSet(), "what came before was not seen");
        });
    run.atEnd(
        () -> {
          MessageProducer other = shared.attach(SETUP).newProducer();
          run.check(refuses(() -> other.tryClaim(1, 0)), "claimed though completed");
        });
  }

  @About("the same where a process completes it in the place of a producer that has left")
  public void completionInItsPlaceIsSeen(Simulation run) {
    Shared shared = new Shared(run, true);
    Flag.Plain before = new Flag.Plain();
    MessageQueue queue = shared.attach("closer");
    MessageQueue other = shared.attach("observer");
    run.thread("closer", before::set, queue::complete);
    run.thread(
        "observer",
        () -> run.check(!other.isCompleted() || before.isSet(), "what came before was not seen"));
    run.atEnd(() -> run.check(other.isDrained(), "not drained"));
  }

  @About("a strict poll waits for an open claim, but not for one of the dead")
  public void strictPollMeetsDeath(Simulation run) {
    Shared shared = new Shared(run, true);
    run.mortalThread(
        "producer",
        () -> {
          MessageProducer producer = shared.attach("producer").newProducer();
          shared.put(producer, 2);
          shared.put(producer, 3);
        });
    run.thread(
        "consumer",
        () -> {
          MessageConsumer consumer = shared.attach("consumer").newConsumer();
          for (int i = 0; i < 3; i++) {
            Message message = consumer.strictPoll();
            if (message != null) {
              shared.expect(message);
              consumer.release();
            }
          }
        });
  }

  // ---- a consumer dies ----

  private static void consumerDies(Simulation run, boolean repeats, boolean secondDies) {
    Shared shared = new Shared(run, repeats);
    MessageProducer producer = shared.attach(SETUP).newProducer();
    for (int i = 0; i < 4; i++) {
      run.check(shared.put(producer, CELLS / 4), "full though empty");
    }
    Numbered consume =
        number -> {
          MessageQueue queue = shared.attach(number == 0 ? "first" : "second");
          MessageConsumer consumer = whenFree(queue::newConsumer);
          shared.beginAgain();
          shared.take(consumer, 2);
          shared.drain(consumer, 2);
          shared.take(consumer, 1);
          queue.close();
        };
    run.mortalThread("first", () -> consume.run(0));
    if (secondDies) {
      run.mortalThread("second", () -> consume.run(1));
    } else {
      run.thread("second", () -> consume.run(1));
    }
    run.thread("producer", () -> shared.put(producer, CELLS / 4), () -> shared.put(producer, 2));
    run.thread("sampler", shared::sample);
    run.atEnd(
        () -> {
          MessageQueue queue = shared.attach(SETUP);
          MessageConsumer consumer = queue.newConsumer();
          shared.beginAgain();
          shared.takeAll(consumer);
          shared.checkAll(queue.metrics().get("lost"));
          long repeated = queue.metrics().get("repeated");
          checkWithin(
              run, shared.marked[0], repeated, shared.marked[0] + (secondDies ? 2 : 0), "repeated");
          run.check(repeats || repeated == 0, "repeated though it was to be lost");
          run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate());
        });
  }

  @About("what a consumer had in hand when it died is handed out once more, marked and counted")
  public void consumerDies(Simulation run) {
    consumerDies(run, true, false);
  }

  @About("the same, and its successor may die as well")
  public void consumersDie(Simulation run) {
    consumerDies(run, true, true);
  }

  @About("what a consumer had in hand when it died is lost and counted, all else comes once")
  public void consumerDiesWithLoss(Simulation run) {
    consumerDies(run, false, false);
  }

  @About("the same, and whoever buries it may die as well: each loss is counted once")
  public void consumersDieWithLoss(Simulation run) {
    consumerDies(run, false, true);
  }

  @About("whoever sees a loss counted sees none of its messages in hand")
  public void lossIsSeen(Simulation run) {
    Shared shared = new Shared(run, false);
    MessageProducer producer = shared.attach(SETUP).newProducer();
    run.check(shared.put(producer, 2), "full though empty");
    run.mortalThread(
        "first",
        () -> {
          MessageQueue queue = shared.attach("first");
          whenFree(queue::newConsumer).tryPoll();
          queue.close();
        });
    run.thread("second", () -> whenFree(shared.attach("second")::newConsumer));
    MessageQueue observed = shared.attach("observer");
    run.thread(
        "observer",
        () -> {
          for (int i = 0; i < TRIES; i++) {
            long lost = ACCESS.lostCount(observed);
            long inHand = ACCESS.inHandCount(observed);
            run.check(lost == 0 || inHand == 0, "lost and in hand");
          }
        });
  }

  // ---- seats that were given up ----

  @About("a process whose producer has left does not complete the queue in another's place")
  public void leftCannotComplete(Simulation run) {
    Shared shared = new Shared(run, true);
    MessageQueue left = shared.attach(SETUP);
    left.newProducer().close();
    MessageProducer other = shared.attach(SETUP).newProducer();
    run.thread("left", () -> run.check(refuses(left::complete), "completed in another's place"));
    run.thread("other", () -> shared.put(other, 2));
    run.atEnd(() -> run.check(shared.done[0] == 1, "not put"));
  }

  // ---- a wrong verdict ----

  @About("ends that are taken for dead though they live are told so, and harm no other")
  public void fenced(Simulation run) {
    Shared shared = new Shared(run, true);
    run.thread(
        "producer",
        () -> {
          MessageQueue queue = shared.attach("producer");
          for (int i = 0; i < 2; i++) {
            MessageProducer producer = queue.newProducer();
            refuses(() -> shared.put(producer, CELLS / 4));
            refuses(() -> shared.put(producer, 3));
            producer.close();
          }
        });
    run.thread(
        "consumer",
        () -> {
          MessageQueue queue = shared.attach("consumer");
          MessageConsumer consumer = queue.newConsumer();
          for (int i = 0; i < TRIES / 2; i++) {
            refuses(() -> shared.take(consumer, 1));
          }
          queue.close();
        });
    run.thread(
        "judge", () -> shared.peers.fence(Role.PRODUCER), () -> shared.peers.fence(Role.CONSUMER));
    run.atEnd(
        () -> {
          MessageConsumer consumer = shared.attach(SETUP).newConsumer();
          shared.takeAll(consumer);
          shared.checkAll(0);
        });
  }
}

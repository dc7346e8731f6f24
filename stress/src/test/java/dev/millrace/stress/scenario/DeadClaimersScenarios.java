package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.MessageScenarios.CELLS;
import static dev.millrace.stress.scenario.MessageScenarios.LEAST;
import static dev.millrace.stress.scenario.MessageScenarios.LIMITED;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.RevocableClaims;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.MessageQueueAccess;
import dev.millrace.queues.internal.SharedRing;
import dev.millrace.queues.internal.shared.Burial;
import dev.millrace.queues.internal.shared.Participants;
import dev.millrace.queues.internal.shared.RingSeats;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;
import java.util.function.Supplier;

/** A queue of many producers whose memory several processes share, and who dies in it. */
@ScenariosOf("AnnouncedClaims")
public final class DeadClaimersScenarios extends Steps {
  private static final MessageQueueAccess ACCESS = MessageQueueAccess.SECRET.get();
  private static final int CELL = MessageQueue.CELL_BYTES;
  private static final int NUMBERS = 32;
  private static final int LOOKS = 40; // so many polls find a claimer dead, and pass its claim
  private static final long PATIENCE_NANOS = 200;
  private static final int ENTRIES = 6;
  private static final int ENTRY_BYTES = 128;
  private static final int WORD_BYTES = 128;

  /** A queue's memory, its participants, and what they have done so far. */
  private static final class Shared {
    final Simulation run;
    final SimulatedLocks locks;
    private final QueueOptions options;
    private final NativeMemory memory =
        NativeMemory.allocate(ACCESS.sharedBytes(LEAST.capacity(), false));
    private final NativeMemory table;

    // in arrays of numbers, which are not shared memory to the simulator
    private final int[] begun;
    private final boolean[] isDone; // its commit has returned
    private final boolean[] isRefused; // by an exception
    private final boolean[] came;
    private final int[] last;

    Shared(Simulation run, QueueOptions options, String... processes) {
      this(run, options, ENTRIES, processes);
    }

    Shared(Simulation run, QueueOptions options, int entries, String... processes) {
      this.run = run;
      this.options = options;
      this.table = NativeMemory.allocate((long) entries * ENTRY_BYTES);
      this.locks = new SimulatedLocks(run, entries, processes);
      this.begun = new int[processes.length];
      this.last = new int[processes.length];
      this.isDone = new boolean[processes.length * NUMBERS];
      this.isRefused = new boolean[isDone.length];
      this.came = new boolean[isDone.length];
    }

    MessageQueue attach(int process) {
      return ACCESS.mpsc(options, ring(process));
    }

    /** What a process has of a queue of one producer. */
    MessageQueue attachToOne(int process) {
      return ACCESS.spsc(options, ring(process));
    }

    private SharedRing ring(int process) {
      Function<Burial, Participants> tables =
          burial ->
              new Participants(
                  table.segment(),
                  2,
                  SimulatedLocks.id(process),
                  locks.of(process),
                  burial,
                  "test");
      return new SharedRing(
          memory.segment(),
          burial -> new RingSeats(tables, burial, CELLS, PATIENCE_NANOS),
          true,
          "test",
          _ -> false);
    }

    /** Puts a message of a process; returns false if the queue is full. */
    boolean put(MessageProducer producer, int process, int cells) {
      return put(producer, process, cells, 0);
    }

    /** Does the same, and hesitates before it writes the message. */
    boolean put(MessageProducer producer, int process, int cells, int hesitations) {
      Message message = producer.tryClaim(1, cells * CELL);
      if (message == null) {
        return false;
      }
      for (int i = 0; i < hesitations; i++) {
        Thread.onSpinWait();
      }
      int value = process * NUMBERS + begun[process];
      run.check(begun[process]++ < NUMBERS, "more messages than have numbers");
      message.putLong(0, value).putLong(cells * CELL - Long.BYTES, -value);
      try {
        producer.commit();
        isDone[value] = true;
      } catch (IllegalStateException e) {
        isRefused[value] = true;
        throw e;
      }
      return true;
    }

    boolean take(MessageConsumer consumer) {
      Message message = consumer.tryPoll();
      if (message == null) {
        return false;
      }
      int value = (int) message.getLong(0);
      long check = message.getLong(message.length() - Long.BYTES);
      run.check(check == -value, "torn message: " + value + ", " + check);
      int process = value / NUMBERS;
      run.check(value % NUMBERS < begun[process], "not committed: " + value);
      run.check(!came[value], "came again: " + value);
      run.check(value % NUMBERS >= last[process], value + " came out of order");
      last[process] = value % NUMBERS + 1;
      came[value] = true;
      consumer.release();
      return true;
    }

    void takeAll(MessageConsumer consumer) {
      for (int looks = 0; looks < LOOKS; looks++) {
        if (take(consumer)) {
          looks = 0;
        }
      }
    }

    /** All that was committed has come, and all cells are used again. */
    void checkAll(MessageQueue queue, MessageConsumer consumer, int process) {
      takeAll(consumer);
      for (int value = 0; value < isDone.length; value++) {
        run.check(!isDone[value] || came[value], "lost: " + value);
        run.check(!isRefused[value] || !came[value], "came though refused: " + value);
      }
      checkUse(queue, consumer, process);
    }

    /** All cells are used again. */
    void checkUse(MessageQueue queue, MessageConsumer consumer, int process) {
      MessageProducer producer = queue.newProducer();
      for (int i = 0; i < 6; i++) {
        for (int tries = 0; !put(producer, process, CELLS / 2); tries++) {
          run.check(tries < LOOKS, "no room though all was taken");
          takeAll(consumer);
        }
        takeAll(consumer);
      }
      run.check(queue.metrics().get("outOfUse") == 0, "cells are out of use for good");
      run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate());
    }
  }

  private static void claimAndAbort(MessageProducer producer, int cells) {
    if (producer.tryClaim(1, cells * CELL) != null) {
      producer.abort();
    }
  }

  private static void dies(Simulation run, QueueOptions options, int cells) {
    Shared shared = new Shared(run, options, "dying", "living", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    run.mortalThread(
        "dying",
        () -> {
          MessageProducer producer = shared.attach(0).newProducer();
          shared.put(producer, 0, cells);
          claimAndAbort(producer, 3);
          shared.put(producer, 0, cells);
          shared.put(producer, 0, cells);
          producer.close();
        });
    run.thread(
        "living",
        () -> {
          MessageProducer producer = shared.attach(1).newProducer();
          for (int i = 0; i < 4; i++) {
            int length = i % 2 == 0 ? cells : 2;
            if (options.equals(LIMITED)) { // which the living producer may exceed, too
              refuses(() -> shared.put(producer, 1, length));
            } else {
              shared.put(producer, 1, length);
            }
          }
          producer.close();
        });
    run.thread("consumer", times(LOOKS, () -> shared.take(consumer)));
    run.atEnd(() -> shared.checkAll(queue, consumer, 2));
  }

  @About("a producer of many that dies anywhere holds up no other, and its cells are used again")
  public void claimerDies(Simulation run) {
    dies(run, LEAST, 3);
  }

  @About("the same where messages are so long that claims go round the end of the memory")
  public void claimerDiesAtTheEnd(Simulation run) {
    dies(run, LEAST, 9);
  }

  @About("the same where there is a stall limit as well")
  public void claimerDiesWithLimit(Simulation run) {
    dies(run, LIMITED, 9);
  }

  @About("a producer that is taken for dead though it lives is told so, and harms no other")
  public void claimerIsFenced(Simulation run) {
    fenced(run, false);
  }

  @About("the same, and it may die afterwards")
  public void fencedClaimerDies(Simulation run) {
    fenced(run, true);
  }

  private static void fenced(Simulation run, boolean dies) {
    Shared shared = new Shared(run, LEAST, "fenced", "living", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    Body produce =
        () -> {
          MessageProducer producer = shared.attach(0).newProducer();
          refuses(() -> shared.put(producer, 0, 9));
          refuses(() -> claimAndAbort(producer, 3));
          refuses(() -> shared.put(producer, 0, 5));
          refuses(producer::close);
        };
    if (dies) {
      run.mortalThread("fenced", produce);
    } else {
      run.thread("fenced", produce);
    }
    run.thread(
        "living",
        () -> {
          MessageProducer producer = shared.attach(1).newProducer();
          for (int i = 0; i < 3; i++) {
            int cells = i % 2 == 0 ? 9 : 2;
            refuses(() -> shared.put(producer, 1, cells)); // the lock that is lost may be its own
          }
          refuses(producer::close);
        });
    run.thread("consumer", times(LOOKS, () -> shared.take(consumer)));
    run.thread("judge", times(3, () -> shared.locks.lose(2))); // the first that is not reserved
    run.atEnd(() -> shared.checkAll(queue, consumer, 2));
  }

  @About("of many producers and a consumer that die anywhere the next ones go on")
  public void allDie(Simulation run) {
    Shared shared = new Shared(run, LEAST, "dying", "dying too", "consumer", "next");
    run.mortalThread(
        "dying",
        () -> {
          MessageProducer producer = shared.attach(0).newProducer();
          shared.put(producer, 0, 9);
          shared.put(producer, 0, 9);
          producer.close();
        });
    run.mortalThread(
        "dying too",
        () -> {
          MessageProducer producer = shared.attach(1).newProducer();
          shared.put(producer, 1, 9);
          shared.put(producer, 1, 3);
          producer.close();
        });
    run.mortalThread(
        "consumer",
        () -> {
          MessageQueue queue = shared.attach(2);
          MessageConsumer consumer = whenFree(queue::newConsumer);
          for (int i = 0; i < LOOKS; i++) {
            Message message = consumer.tryPoll();
            if (message != null) {
              consumer.release();
            }
          }
          queue.close();
        });
    run.thread(
        "next",
        () -> {
          MessageQueue queue = shared.attach(3);
          MessageConsumer consumer = whenFree(queue::newConsumer);
          MessageProducer producer = queue.newProducer();
          for (int i = 0; i < 8; i++) {
            for (int tries = 0; producer.tryClaim(1, 16 * CELL) == null; tries++) {
              run.check(tries < 8 * LOOKS, "no room though all are dead");
              if (consumer.tryPoll() != null) {
                consumer.release();
              }
            }
            producer.commit();
          }
          queue.close();
        });
  }

  @About("a consumer that follows another one knows which cells are out of use")
  public void cellsStayOutOfUse(Simulation run) {
    Shared shared = new Shared(run, LEAST, "fenced", "living", "consumer", "next");
    MessageQueue first = shared.attach(2);
    MessageConsumer consumer = first.newConsumer();
    MessageProducer fenced = shared.attach(0).newProducer();
    MessageQueue ofLiving = shared.attach(1);
    MessageProducer producer = ofLiving.newProducer();
    run.check(shared.put(producer, 1, 2) && shared.take(consumer), "not through");
    Message claimed = fenced.tryClaim(1, 9 * CELL);
    MessageQueue second = shared.attach(3);
    MessageConsumer[] next = new MessageConsumer[1];
    run.thread(
        "fenced",
        () -> claimed.putLong(0, 7),
        () -> run.check(refuses(fenced::commit), "committed though given up"));
    run.thread("living", times(4, () -> shared.put(producer, 1, 9)));
    run.thread("consumer", first::isDrained);
    run.thread("next", times(LOOKS, () -> shared.take(next[0])));
    shared.locks.lose(2);
    run.check(shared.put(producer, 1, 2), "full though empty");
    for (int i = 0; i < 8 * LOOKS && !shared.take(consumer); i++) {
      // until the claim is given up
    }
    first.close();
    next[0] = second.newConsumer();
    run.check(second.metrics().get("outOfUse") == 9, "not all cells are counted");
    run.atEnd(
        () -> refuses(fenced::close),
        () -> shared.checkAll(ofLiving, next[0], 3),
        () -> run.check(second.metrics().get("outOfUse") == 0, "out of use for good"));
  }

  @About("cells that are out of use are free again once their claimer ends, too, and are claimed")
  public void cellsOfTheEndedAreFreed(Simulation run) {
    Shared shared = new Shared(run, LEAST, "fenced", "living", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    MessageProducer fenced = shared.attach(0).newProducer();
    MessageProducer producer = shared.attach(1).newProducer();
    run.thread("fenced", () -> Thread.onSpinWait());
    run.thread("living", times(8, () -> shared.put(producer, 1, 9)));
    run.thread("consumer", times(LOOKS, () -> shared.take(consumer)));
    run.check(fenced.tryClaim(1, 9 * CELL) != null, "full though empty");
    shared.locks.lose(2);
    run.check(shared.put(producer, 1, 2), "full though empty");
    for (int i = 0; i < 8 * LOOKS && !shared.take(consumer); i++) {
      // until the claim is given up
    }
    run.check(queue.metrics().get("outOfUse") == 9, "not out of use");
    shared.locks.presumeEnded(0);
    run.atEnd(() -> shared.checkAll(queue, consumer, 2));
  }

  @About("cells before others that are out of use are passed, though who skipped both has died")
  public void skipperDies(Simulation run) {
    Shared shared = new Shared(run, LEAST, "fenced", "dying", "consumer", "living");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    MessageProducer fenced = shared.attach(0).newProducer();
    MessageProducer dying = shared.attach(1).newProducer();
    MessageProducer producer = shared.attach(3).newProducer();
    run.mortalThread("dying", () -> shared.put(dying, 1, 9)); // 5 cells are left before those
    run.thread(
        "living",
        () -> {
          for (int tries = 0; !shared.put(producer, 3, 2) && tries < LOOKS; tries++) {
            Thread.onSpinWait();
          }
        });
    run.thread("consumer", times(LOOKS, () -> shared.take(consumer)));
    run.thread("fenced", () -> Thread.onSpinWait());
    run.check(fenced.tryClaim(1, 9 * CELL) != null, "full though empty");
    shared.locks.lose(2);
    run.check(shared.put(producer, 3, 9), "full though empty");
    for (int i = 0; i < 8 * LOOKS && !shared.take(consumer); i++) {
      // until the claim is given up
    }
    run.check(shared.put(producer, 3, 9) && shared.take(consumer), "not through");
    run.atEnd(
        () -> run.check(refuses(fenced::commit), "committed though given up"),
        () -> shared.checkAll(queue, consumer, 2));
  }

  @About("a claim that is open when its producer's queue is closed holds up nobody")
  public void closesWithAClaim(Simulation run) {
    Shared shared = new Shared(run, LEAST, "closing", "living", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    MessageQueue closing = shared.attach(0);
    MessageProducer claimer = closing.newProducer();
    MessageProducer producer = shared.attach(1).newProducer();
    run.thread(
        "closing",
        () -> {
          run.check(claimer.tryClaim(1, 9 * CELL) != null, "full though there is room");
          closing.close();
          run.check(refuses(() -> claimer.tryClaim(1, CELL)), "claimed though closed");
        });
    run.thread("living", times(3, () -> shared.put(producer, 1, 3)));
    run.thread("consumer", times(LOOKS / 2, () -> shared.take(consumer)));
    run.atEnd(
        () -> run.check(queue.metrics().get("stalled") == 0, "given up though it was aborted"),
        () -> shared.checkAll(queue, consumer, 2));
  }

  @About(
      "a consumer that follows one that died anywhere counts the cells that are out of use again")
  public void outOfUseIsCountedAgain(Simulation run) {
    Shared shared = new Shared(run, LEAST, "fenced", "living", "consumer", "next");
    MessageProducer fenced = shared.attach(0).newProducer();
    MessageQueue second = shared.attach(3);
    MessageConsumer[] next = new MessageConsumer[1];
    run.check(fenced.tryClaim(1, 9 * CELL) != null, "full though empty");
    run.thread("fenced", () -> shared.locks.lose(2));
    run.thread(
        "living",
        times(4, () -> checkWithin(run, 0, second.metrics().get("outOfUse"), 9, "out of use")));
    run.mortalThread(
        "consumer",
        () -> {
          MessageQueue first = shared.attach(2);
          MessageConsumer consumer = whenFree(first::newConsumer);
          for (int i = 0; i < LOOKS; i++) {
            shared.take(consumer);
          }
          first.close();
        });
    run.thread(
        "next",
        () -> {
          next[0] = whenFree(second::newConsumer);
          for (int i = 0; i < LOOKS; i++) {
            shared.take(next[0]);
          }
        });
    run.atEnd(
        () -> {
          long outOfUse = second.metrics().get("outOfUse");
          int expected = refuses(fenced::commit) ? 9 : 0;
          run.check(outOfUse == expected, "out of use " + outOfUse + ", not " + expected);
        });
  }

  @About("a new consumer counts the cells that are out of use, whatever was counted before")
  public void countIsCorrected(Simulation run) {
    Shared shared = new Shared(run, LEAST, "consumer");
    MessageQueue queue = shared.attach(0);
    long end = ACCESS.sharedBytes(LEAST.capacity(), false);
    shared.memory.segment().set(ValueLayout.JAVA_LONG, end - 2 * WORD_BYTES, 7);
    run.check(queue.metrics().get("outOfUse") == 7, "another word");
    run.thread("consumer", queue::newConsumer);
    run.atEnd(() -> run.check(queue.metrics().get("outOfUse") == 0, "out of use though free"));
  }

  @About("who takes the place of a dead claimer lets go of its cells that were out of use")
  public void successorLetsGo(Simulation run) {
    Shared shared = new Shared(run, LIMITED, 3, "dying", "late", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    MessageProducer dying = shared.attach(0).newProducer();
    MessageQueue ofLate = shared.attach(1);
    run.mortalThread(
        "dying",
        () -> {
          run.check(dying.tryClaim(1, 9 * CELL) != null, "full though empty");
          for (int i = 0; i < 2 * LOOKS; i++) {
            run.check(!run.isDead("consumer"), "dead though not mortal");
          }
          refuses(dying::commit);
          dying.close();
        });
    run.thread(
        "late",
        () -> {
          for (int i = 0; i < LOOKS; i++) { // each fails until the consumer has passed the claim
            boolean _ = refuses(() -> ofLate.newProducer().close());
          }
        });
    Body pass =
        () -> {
          if (consumer.tryPoll() != null) {
            consumer.release();
          }
        };
    run.thread("consumer", times(LOOKS, pass));
    run.atEnd(times(LOOKS, pass), () -> shared.checkUse(queue, consumer, 2));
  }

  /** The last one may be given up, by the stall limit, and its producer writes it afterwards. */
  private static void laterClaim(Simulation run, int before) {
    Shared shared = new Shared(run, LIMITED, "dying", "late", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    MessageProducer filler = queue.newProducer();
    MessageProducer dying = shared.attach(0).newProducer();
    MessageProducer late = shared.attach(1).newProducer();
    run.mortalThread("dying", () -> refuses(() -> shared.put(dying, 0, CELLS / 2)));
    run.thread(
        "late",
        () -> {
          for (int i = 0; i < before; i++) {
            for (int tries = 0; !shared.put(late, 1, CELLS / 2) && tries < LOOKS; tries++) {
              Thread.onSpinWait();
            }
          }
          refuses(() -> shared.put(late, 1, CELLS / 2, 4 * LOOKS));
        });
    run.thread(
        "consumer",
        times(
            3 * LOOKS,
            () -> {
              shared.take(consumer);
              if (run.isDead("dying") && shared.begun[2] < 6) {
                shared.put(filler, 2, CELLS / 2);
              }
            }));
    run.atEnd(() -> refuses(late::close), () -> shared.checkAll(queue, consumer, 2));
  }

  @About("the burial of a claimer that had ended its claim leaves a later claim of the cells alone")
  public void laterClaimIsLeftAlone(Simulation run) {
    laterClaim(run, 1);
  }

  @About("the burial of a claimer that was too late leaves the claim alone that another one made")
  public void otherClaimIsLeftAlone(Simulation run) {
    laterClaim(run, 0);
  }

  @About(
      "a claim for which cells out of use leave no room finds the queue full, until they are free")
  public void noRoomIsFull(Simulation run) {
    Shared shared = new Shared(run, LEAST, "fenced", "living", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    MessageProducer fenced = shared.attach(0).newProducer();
    MessageQueue ofLiving = shared.attach(1);
    MessageProducer living = ofLiving.newProducer();
    run.thread(
        "living",
        () -> {
          RevocableClaims claims = ACCESS.claims(ofLiving).revocable();
          run.check(claims.checkLeft(CELLS - 9, false), "the rest is in a row");
          run.check(claims.checkLeft(15, true), "the rest up to the end is in a row");
          run.check(!claims.checkLeft(16, true), "goes round the end");
          run.check(!shared.put(living, 1, 16), "put though there is no room");
        });
    run.thread("fenced", () -> Thread.onSpinWait());
    run.thread("consumer", () -> Thread.onSpinWait());
    run.check(shared.put(living, 1, 8) && shared.take(consumer), "not through");
    run.check(fenced.tryClaim(1, 9 * CELL) != null, "full though empty"); // 15 are left behind it
    run.check(shared.put(living, 1, 2), "full though there is room");
    shared.locks.lose(2);
    for (int i = 0; i < 8 * LOOKS && !shared.take(consumer); i++) {
      // until the claim is given up
    }
    run.atEnd(
        () -> run.check(refuses(fenced::commit), "committed though given up"),
        () -> shared.checkAll(queue, consumer, 2));
  }

  @About("no claim is given up while all live, however often the consumer asks")
  public void livingKeepTheirClaims(Simulation run) {
    Shared shared = new Shared(run, LEAST, "producer 0", "producer 1", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    threads(
        run,
        2,
        "producer",
        number -> {
          MessageProducer producer = shared.attach(number).newProducer();
          shared.put(producer, number, 9);
          claimAndAbort(producer, 3);
          shared.put(producer, number, 5);
          producer.close();
        });
    run.thread("consumer", times(LOOKS, () -> shared.take(consumer)));
    run.atEnd(
        () -> run.check(queue.metrics().get("stalled") == 0, "given up though it lives"),
        () -> run.check(queue.metrics().get("refused") == 0, "refused though it lives"),
        () -> shared.checkAll(queue, consumer, 2));
  }

  @About("a queue that one process completes is complete for the others, and drains")
  public void completedByAnother(Simulation run) {
    Shared shared = new Shared(run, LEAST, "first", "second", "consumer");
    MessageQueue queue = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    MessageQueue first = shared.attach(0);
    MessageQueue second = shared.attach(1);
    run.thread(
        "first",
        () -> {
          shared.put(first.newProducer(), 0, 2);
          first.complete();
        });
    run.thread(
        "second",
        () -> {
          MessageProducer producer = second.newProducer();
          refuses(() -> shared.put(producer, 1, 3));
          refuses(() -> shared.put(producer, 1, 3));
        });
    run.thread(
        "consumer",
        times(
            LOOKS / 2,
            () -> {
              boolean isDrained = queue.isDrained();
              run.check(!shared.take(consumer) || !isDrained, "a message though drained");
            }));
    run.atEnd(
        () -> {
          shared.takeAll(consumer);
          run.check(shared.came[0], "lost");
          run.check(queue.isCompleted() && queue.isDrained(), "not complete");
          run.check(second.isCompleted() && second.isDrained(), "not complete for another");
          run.check(refuses(() -> shared.put(second.newProducer(), 1, 2)), "put though complete");
        });
  }

  @About("a queue that was completed by one that died drains, whichever thread of another asks")
  public void completedByTheDead(Simulation run) {
    Shared shared = new Shared(run, LEAST, "dying", "other", "consumer");
    MessageQueue queue = shared.attachToOne(2);
    MessageConsumer consumer = queue.newConsumer();
    run.mortalThread(
        "dying",
        () -> {
          MessageQueue own = shared.attachToOne(0);
          MessageProducer producer = own.newProducer();
          shared.put(producer, 0, 2);
          run.check(producer.tryClaim(1, 3 * CELL) != null, "full though there is room");
          own.complete();
          producer.abort();
        });
    run.thread("consumer", times(3, () -> shared.take(consumer)), times(LOOKS, queue::isDrained));
    run.thread("another of its threads", times(LOOKS, queue::isDrained));
    run.atEnd(
        () -> {
          if (run.isDead("dying") && queue.isCompleted()) {
            shared.takeAll(consumer);
            for (int i = 0; i < LOOKS && !queue.isDrained(); i++) {
              // until it is time to search for the dead again
            }
            run.check(queue.isDrained(), "not drained");
          }
        });
  }

  private static <T> T whenFree(Supplier<T> attempt) {
    while (true) {
      try {
        return attempt.get();
      } catch (IllegalStateException e) {
        Thread.onSpinWait();
      }
    }
  }
}

package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.MessageScenarios.CELLS;
import static dev.millrace.stress.scenario.MessageScenarios.LEAST;

import dev.millrace.core.internal.NativeMemory;
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
import java.util.Arrays;
import java.util.function.Function;

/** A queue whose consumers are in several processes and share its messages, and who dies in it. */
@ScenariosOf("SharedConsumers")
public final class DeadConsumersScenarios extends Steps {
  private static final MessageQueueAccess ACCESS = MessageQueueAccess.SECRET.get();
  private static final int CELL = MessageQueue.CELL_BYTES;
  private static final int NUMBERS = 64;
  private static final int LOOKS = 40; // so many polls find the dead, and take what they had
  private static final long PATIENCE_NANOS = 200;
  private static final int ENTRIES = 7;
  private static final int ENTRY_BYTES = 128;
  private static final int RESERVED = 2;
  private static final int NOBODY = -1;

  /** A queue's memory, its participants, and what became of its messages. */
  private static final class Shared {
    final Simulation run;
    final SimulatedLocks locks;
    private final boolean repeats;
    private final NativeMemory memory =
        NativeMemory.allocate(ACCESS.sharedBytes(LEAST.capacity(), true));
    private final NativeMemory table;

    // in arrays of numbers, which are not shared memory to the simulator
    private final int[] begun = new int[1];
    private final boolean[] isDone = new boolean[NUMBERS]; // its commit has returned
    private final boolean[] came = new boolean[NUMBERS];
    private final int[] holder = new int[NUMBERS]; // the process that has it in hand
    private final boolean[] isReleasing = new boolean[NUMBERS];
    private final boolean[] isReleased = new boolean[NUMBERS];

    Shared(Simulation run, boolean repeats, String... processes) {
      this(run, repeats, ENTRIES, processes);
    }

    Shared(Simulation run, boolean repeats, int entries, String... processes) {
      this.run = run;
      this.repeats = repeats;
      this.table = NativeMemory.allocate((long) entries * ENTRY_BYTES);
      this.locks = new SimulatedLocks(run, entries, processes);
      Arrays.fill(holder, NOBODY);
    }

    MessageQueue attach(int process) {
      Function<Burial, Participants> tables =
          burial ->
              new Participants(
                  table.segment(),
                  RESERVED,
                  SimulatedLocks.id(process),
                  locks.of(process),
                  burial,
                  "test");
      return ACCESS.mpmc(
          LEAST,
          new SharedRing(
              memory.segment(),
              burial -> new RingSeats(tables, burial, CELLS, PATIENCE_NANOS),
              repeats,
              "test",
              _ -> false));
    }

    boolean put(MessageProducer producer, int cells) {
      Message message = producer.tryClaim(1, cells * CELL);
      if (message == null) {
        return false;
      }
      int number = begun[0]++;
      run.check(number < NUMBERS, "more messages than have numbers");
      message.putLong(0, number).putLong(cells * CELL - Long.BYTES, -number);
      producer.commit();
      isDone[number] = true;
      return true;
    }

    /** Takes messages; returns how many, or -1 if the consumer was shut out. */
    int take(MessageConsumer consumer, int process, int limit) {
      int count = consumer.tryPoll(limit);
      int[] numbers = new int[count];
      for (int i = 0; i < count; i++) {
        numbers[i] = expect(consumer.at(i), process);
      }
      if (count > 0) {
        for (int number : numbers) {
          run.check(holder[number] == process, "in the hand of two: " + number);
          isReleasing[number] = true;
        }
        consumer.release();
        for (int number : numbers) {
          isReleased[number] = true;
        }
      }
      return count;
    }

    private int expect(Message message, int process) {
      int number = (int) message.getLong(0);
      long check = message.getLong(message.length() - Long.BYTES);
      run.check(check == -number, "torn message: " + number + ", " + check);
      run.check(number >= 0 && number < begun[0], "not committed: " + number);
      run.check(!isReleased[number], "came though released: " + number);
      run.check(!came[number] || message.isRepeated(), "came again, not marked: " + number);
      run.check(repeats || !message.isRepeated(), "came again though lost: " + number);
      int former = holder[number];
      run.check(former == NOBODY || locks.isDead(former), "in the hand of two: " + number);
      came[number] = true;
      holder[number] = process;
      return number;
    }

    void takeAll(MessageConsumer consumer, int process) {
      for (int looks = 0; looks < LOOKS; looks++) {
        if (take(consumer, process, 2) > 0) {
          looks = 0;
        }
      }
    }

    /** Each message was released once, or was lost and counted, and all cells are used again. */
    void checkAll(MessageQueue queue, MessageConsumer consumer, int process) {
      takeAll(consumer, process);
      int missing = 0;
      int unsure = 0;
      for (int number = 0; number < begun[0]; number++) {
        if (!isReleased[number]) {
          boolean isSure = isDone[number] && !isReleasing[number];
          missing += isSure ? 1 : 0;
          unsure += isSure ? 0 : 1;
        }
      }
      long lost = queue.metrics().get("lost");
      if (repeats) {
        run.check(missing == 0 && lost == 0, "lost: " + missing + ", " + lost);
      } else {
        checkWithin(run, missing, lost, missing + unsure, "lost, of " + missing + ":");
      }
      checkUse(queue, consumer, process);
    }

    void checkUse(MessageQueue queue, MessageConsumer consumer, int process) {
      MessageProducer producer = queue.newProducer();
      for (int i = 0; i < 4; i++) {
        for (int tries = 0; !put(producer, CELLS / 2); tries++) {
          run.check(tries < LOOKS, "no room though all was taken");
          takeAll(consumer, process);
        }
        takeAll(consumer, process);
      }
      run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate());
      run.check(queue.metrics().get("inHand") == 0, "in hand though all is released");
      producer.close();
    }
  }

  private static Body put(Shared shared, int process, int messages, int cells) {
    return () -> {
      MessageProducer producer = shared.attach(process).newProducer();
      for (int i = 0; i < messages; i++) {
        for (int tries = 0; !shared.put(producer, cells) && tries < LOOKS; tries++) {
          Thread.onSpinWait();
        }
      }
      producer.close();
    };
  }

  private static Body consume(Shared shared, int process, int polls, int limit) {
    return () -> {
      MessageConsumer consumer = shared.attach(process).newConsumer();
      for (int i = 0; i < polls; i++) {
        shared.take(consumer, process, limit);
      }
    };
  }

  @About("each message goes to one of several consumers, whole, and its cells are used again")
  public void nobodyDies(Simulation run) {
    Shared shared = new Shared(run, true, "producer", "first", "second");
    MessageQueue queue = shared.attach(2);
    MessageConsumer second = queue.newConsumer();
    run.thread("producer", put(shared, 0, 5, 9));
    run.thread("first", consume(shared, 1, 6, 2));
    run.thread("second", times(6, () -> shared.take(second, 2, 2)));
    run.atEnd(
        () -> shared.checkAll(queue, second, 2),
        () -> run.check(queue.metrics().get("repeated") == 0, "repeated though none died"));
  }

  private static void consumersDie(Simulation run, boolean repeats, int dying, int cells) {
    Shared shared = new Shared(run, repeats, "producer", "living", "dying", "dying too");
    MessageQueue queue = shared.attach(1);
    MessageConsumer living = queue.newConsumer();
    run.thread("producer", put(shared, 0, 6, cells));
    run.mortalThread("dying", consume(shared, 2, 6, 3));
    if (dying > 1) {
      run.mortalThread("dying too", consume(shared, 3, 20, 2));
    }
    run.thread("living", times(12, () -> shared.take(living, 1, 2)));
    run.atEnd(() -> shared.checkAll(queue, living, 1));
  }

  @About("what a consumer that dies anywhere has in hand comes once more, marked, to another one")
  public void oneDies(Simulation run) {
    consumersDie(run, true, 1, 3);
  }

  @About("the same with messages so long that their cells are used again")
  public void oneDiesAtTheEnd(Simulation run) {
    consumersDie(run, true, 1, 9);
  }

  @About("what several that die anywhere have in hand, also while they recover each other")
  public void bothDie(Simulation run) {
    consumersDie(run, true, 2, 3);
  }

  @About("what a consumer that dies anywhere has in hand is counted as lost, if so chosen")
  public void oneDiesWithoutRepeats(Simulation run) {
    consumersDie(run, false, 1, 3);
  }

  @About("the same with messages so long that their cells are used again")
  public void oneDiesAtTheEndWithoutRepeats(Simulation run) {
    consumersDie(run, false, 1, 9);
  }

  @About("what several that die anywhere have in hand is counted once")
  public void bothDieWithoutRepeats(Simulation run) {
    consumersDie(run, false, 2, 3);
  }

  /** Two at the same messages, of whom both may die before it is known who has them. */
  private static void sameMessages(Simulation run, boolean repeats) {
    Shared shared = new Shared(run, repeats, "living", "dying", "dying too", "other");
    MessageQueue queue = shared.attach(0);
    MessageConsumer[] consumers = new MessageConsumer[4];
    run.mortalThread("dying", times(2, () -> shared.take(consumers[1], 1, 3)));
    run.mortalThread("dying too", times(2, () -> shared.take(consumers[2], 2, 2)));
    run.thread("living", times(8, () -> shared.take(consumers[0], 0, 1)));
    run.thread("other", times(8, () -> shared.take(consumers[3], 3, 1)));
    for (int i = 0; i < consumers.length; i++) {
      consumers[i] = (i == 0 ? queue : shared.attach(i)).newConsumer();
    }
    MessageProducer producer = queue.newProducer();
    for (int i = 0; i < 4; i++) {
      run.check(shared.put(producer, 1 + i), "full though empty");
    }
    run.atEnd(producer::close, () -> shared.checkAll(queue, consumers[0], 0));
  }

  @About("of two that had announced the same messages and died, each message comes once more")
  public void bothDieAtTheSame(Simulation run) {
    sameMessages(run, true);
  }

  @About("of two that had announced the same messages and died, each message is counted once")
  public void bothDieAtTheSameWithoutRepeats(Simulation run) {
    sameMessages(run, false);
  }

  /** One that recovers another may die as well, and a third goes on. */
  private static void recoveryDies(Simulation run, boolean repeats) {
    Shared shared = new Shared(run, repeats, "living", "dead", "dying", "other");
    MessageQueue queue = shared.attach(0);
    MessageConsumer[] consumers = new MessageConsumer[4];
    run.mortalThread("dead", times(3, () -> Thread.onSpinWait()));
    run.mortalThread("dying", times(8, () -> shared.take(consumers[2], 2, 2)));
    run.thread("living", times(12, () -> shared.take(consumers[0], 0, 2)));
    run.thread("other", times(12, () -> shared.take(consumers[3], 3, 2)));
    for (int i = 0; i < consumers.length; i++) {
      consumers[i] = (i == 0 ? queue : shared.attach(i)).newConsumer();
    }
    MessageProducer producer = queue.newProducer();
    for (int i = 0; i < 4; i++) {
      run.check(shared.put(producer, 2), "full though empty");
    }
    int inHand = consumers[1].tryPoll(3);
    run.check(inHand == 3, "not all in hand");
    for (int i = 0; i < inHand; i++) {
      int number = shared.expect(consumers[1].at(i), 1);
      run.check(number == i, "another one: " + number);
    }
    run.atEnd(
        producer::close,
        () -> {
          if (run.isDead("dead")) {
            shared.checkAll(queue, consumers[0], 0);
          }
        });
  }

  @About("a recovery that is cut off anywhere is finished, and nothing comes to two at a time")
  public void recoveryDies(Simulation run) {
    recoveryDies(run, true);
  }

  @About("a recovery that is cut off anywhere is finished, and counts each message once")
  public void recoveryDiesWithoutRepeats(Simulation run) {
    recoveryDies(run, false);
  }

  /**
   * One may die before it has confirmed what it took; the next one to move the head confirms it.
   */
  private static void nextConfirms(Simulation run, boolean passes) {
    Shared shared = new Shared(run, true, "dying", "next", "burier");
    MessageQueue queue = shared.attach(2);
    MessageConsumer[] consumers = new MessageConsumer[3];
    run.mortalThread("dying", () -> shared.take(consumers[0], 0, 1));
    run.thread(
        "next",
        () -> {
          for (int i = 0; i < 4 && shared.take(consumers[1], 1, 1) == 0; i++) {
            Thread.onSpinWait();
          }
        });
    run.thread("burier", times(8, () -> shared.take(consumers[2], 2, 1)));
    for (int i = 0; i < consumers.length; i++) {
      consumers[i] = (i == 2 ? queue : shared.attach(i)).newConsumer();
    }
    MessageProducer producer = queue.newProducer();
    run.check(shared.put(producer, 2), "full though empty");
    if (passes) {
      run.check(producer.tryClaim(1, CELL) != null, "full though empty");
      producer.abort();
    } else {
      run.check(shared.put(producer, 2), "full though empty");
    }
    run.atEnd(producer::close, () -> shared.checkAll(queue, consumers[2], 2));
  }

  @About(
      "what a consumer took that died before it noted that is confirmed by the one that takes next")
  public void nextTakerConfirms(Simulation run) {
    nextConfirms(run, false);
  }

  @About("the same if the next one only passes cells that hold no message")
  public void nextPasserConfirms(Simulation run) {
    nextConfirms(run, true);
  }

  @About("the same if a new consumer, for which there is no place, looks at the dead just then")
  public void nextTakerConfirmsBesideANewOne(Simulation run) {
    Shared shared = new Shared(run, true, 4, "dying", "next", "new");
    MessageConsumer[] consumers = new MessageConsumer[3];
    MessageQueue ofNew = shared.attach(2);
    run.mortalThread("dying", () -> shared.take(consumers[0], 0, 1));
    run.thread("next", () -> shared.take(consumers[1], 1, 1));
    Body enter = () -> refuses(() -> consumers[2] = ofNew.newConsumer());
    run.thread("new", enter);
    MessageQueue queue = shared.attach(1);
    MessageProducer producer = queue.newProducer();
    for (int i = 0; i < 2; i++) {
      run.check(shared.put(producer, 2), "full though empty");
    }
    producer.close();
    MessageQueue ofDying = shared.attach(0);
    consumers[0] = ofDying.newConsumer();
    consumers[1] = queue.newConsumer();
    run.atEnd(
        () -> {
          ofNew.close();
          if (!run.isDead("dying")) {
            ofDying.close();
          }
          shared.checkAll(queue, consumers[1], 1);
        });
  }

  /** Takes messages in the name of a process that may die afterwards. */
  private static void haveInHand(Shared shared, MessageConsumer consumer, int process, int limit) {
    int count = consumer.tryPoll(limit);
    shared.run.check(count == limit, "not all in hand: " + count);
    for (int i = 0; i < count; i++) {
      shared.expect(consumer.at(i), process);
    }
  }

  @About(
      "if the dead have left no place, a new consumer takes one over, with what is in hand there")
  public void deadLeaveNoPlace(Simulation run) {
    Shared shared = new Shared(run, true, 3, "dead", "dead too", "setup", "new", "new too");
    MessageConsumer[] next = new MessageConsumer[2];
    MessageQueue[] queues = {shared.attach(3), shared.attach(4)};
    run.mortalThread("dead", () -> Thread.onSpinWait());
    run.mortalThread("dead too", () -> Thread.onSpinWait());
    for (int i = 0; i < 2; i++) {
      int number = i;
      run.thread(
          i == 0 ? "new" : "new too",
          () -> {
            for (int tries = 0; tries < 4 && next[number] == null; tries++) {
              boolean _ = refuses(() -> next[number] = queues[number].newConsumer());
            }
            for (int polls = 0; polls < 6 && next[number] != null; polls++) {
              shared.take(next[number], 3 + number, 1);
            }
          });
    }
    MessageProducer producer = shared.attach(2).newProducer();
    for (int i = 0; i < 5; i++) {
      run.check(shared.put(producer, 1 + i), "full though empty");
    }
    producer.close();
    haveInHand(shared, shared.attach(0).newConsumer(), 0, 3);
    haveInHand(shared, shared.attach(1).newConsumer(), 1, 1);
    run.atEnd(
        () -> {
          if (run.isDead("dead") && run.isDead("dead too")) {
            for (int i = 0; i < 2; i++) {
              next[i] = next[i] != null ? next[i] : queues[i].newConsumer();
            }
            for (int looks = 0; looks < 4 * LOOKS; looks++) {
              shared.take(next[looks % 2], 3 + looks % 2, 2);
            }
            queues[0].close();
            queues[1].close();
            MessageQueue last = shared.attach(3);
            shared.checkAll(last, last.newConsumer(), 3);
          }
        });
  }

  @About("a consumer that takes one of several messages of the dead leaves the others to others")
  public void restIsLeft(Simulation run) {
    Shared shared = new Shared(run, true, "dead", "first", "second");
    MessageQueue queue = shared.attach(1);
    MessageConsumer[] consumers = new MessageConsumer[2];
    run.mortalThread("dead", () -> Thread.onSpinWait());
    run.thread(
        "first",
        () -> {
          for (int i = 0; i < LOOKS && shared.take(consumers[0], 1, 1) == 0; i++) {
            Thread.onSpinWait();
          }
        });
    run.thread("second", times(LOOKS, () -> shared.take(consumers[1], 2, 1)));
    consumers[0] = queue.newConsumer();
    consumers[1] = shared.attach(2).newConsumer();
    MessageProducer producer = queue.newProducer();
    for (int i = 0; i < 3; i++) {
      run.check(shared.put(producer, 2), "full though empty");
    }
    producer.close();
    haveInHand(shared, shared.attach(0).newConsumer(), 0, 3);
    run.atEnd(
        () -> {
          if (run.isDead("dead")) {
            shared.takeAll(consumers[1], 2);
            for (int number = 0; number < 3; number++) {
              run.check(shared.isReleased[number], "held back: " + number);
            }
            shared.checkAll(queue, consumers[1], 2);
          }
        });
  }

  @About("a consumer that is taken for dead keeps what it has in hand, until it ends")
  public void consumerIsFenced(Simulation run) {
    Shared shared = new Shared(run, true, "living", "fenced", "judge");
    MessageQueue queue = shared.attach(0);
    MessageConsumer[] consumers = new MessageConsumer[2];
    run.mortalThread("fenced", times(3, () -> refuses(() -> shared.take(consumers[1], 1, 2))));
    run.thread("living", times(12, () -> shared.take(consumers[0], 0, 2)));
    run.thread("judge", () -> shared.locks.lose(1));
    MessageProducer producer = queue.newProducer();
    consumers[1] = shared.attach(1).newConsumer(); // in the entry that is reserved
    consumers[0] = queue.newConsumer();
    for (int i = 0; i < 4; i++) {
      run.check(shared.put(producer, 2), "full though empty");
    }
    run.atEnd(
        producer::close,
        () -> {
          shared.takeAll(consumers[0], 0);
          if (run.isDead("fenced")) {
            shared.checkAll(queue, consumers[0], 0);
          }
        });
  }

  @About("what a consumer has in hand that leaves comes once more, to one that is there")
  public void consumerLeaves(Simulation run) {
    Shared shared = new Shared(run, true, "living", "leaving", "producer");
    MessageQueue queue = shared.attach(0);
    MessageQueue left = shared.attach(1);
    MessageConsumer[] consumers = new MessageConsumer[2];
    run.thread("producer", put(shared, 2, 4, 3));
    run.mortalThread(
        "leaving",
        () -> {
          shared.take(consumers[1], 1, 1);
          int count = consumers[1].tryPoll(2);
          left.close();
          run.check(count >= 0, "a negative number of messages");
        });
    run.thread("living", times(12, () -> shared.take(consumers[0], 0, 2)));
    consumers[0] = queue.newConsumer();
    consumers[1] = left.newConsumer();
    run.atEnd(() -> shared.checkAll(queue, consumers[0], 0));
  }

  @About("a queue is drained once all is released, also what a dead consumer had in hand")
  public void drainsAfterADeath(Simulation run) {
    Shared shared = new Shared(run, true, "living", "dying", "producer");
    MessageQueue queue = shared.attach(0);
    MessageConsumer living = queue.newConsumer();
    run.thread(
        "producer",
        () -> {
          MessageQueue own = shared.attach(2);
          MessageProducer producer = own.newProducer();
          for (int i = 0; i < 4; i++) {
            shared.put(producer, 2);
          }
          own.complete();
        });
    run.mortalThread("dying", consume(shared, 1, 4, 2));
    run.thread(
        "living",
        () -> {
          while (!living.isDrained()) {
            shared.take(living, 0, 2);
          }
          for (int number = 0; number < shared.begun[0]; number++) {
            boolean isOver = shared.isReleased[number] || shared.isReleasing[number];
            run.check(isOver, "drained though not released: " + number);
          }
        });
    run.atEnd(() -> run.check(queue.isDrained(), "not drained"));
  }

  @About("a producer that dies among dying consumers holds up none of them")
  public void producersAndConsumersDie(Simulation run) {
    Shared shared = new Shared(run, true, "living", "dying", "producer");
    MessageQueue queue = shared.attach(0);
    MessageConsumer living = queue.newConsumer();
    MessageProducer own = queue.newProducer();
    run.mortalThread("producer", put(shared, 2, 4, 5));
    run.mortalThread("dying", consume(shared, 1, 8, 2));
    run.thread(
        "living",
        times(
            12,
            () -> {
              shared.put(own, 2);
              shared.take(living, 0, 2);
            }));
    run.atEnd(own::close, () -> shared.checkAll(queue, living, 0));
  }

  @About("a run that reaches round the ring, as others have released its first messages, is left")
  public void runReachesRound(Simulation run) {
    Shared shared = new Shared(run, true, "greedy", "other", "producer");
    MessageQueue queue = shared.attach(0);
    MessageConsumer[] consumers = new MessageConsumer[2];
    MessageProducer producer = shared.attach(2).newProducer();
    run.thread("greedy", times(2, () -> shared.take(consumers[0], 0, NUMBERS)));
    run.thread("other", times(4, () -> shared.take(consumers[1], 1, 1)));
    run.thread("producer", times(8, () -> shared.put(producer, 1)));
    consumers[0] = queue.newConsumer();
    consumers[1] = shared.attach(1).newConsumer();
    for (int i = 0; i < CELLS; i++) {
      run.check(shared.put(producer, 1), "full though empty");
    }
    run.atEnd(producer::close, () -> shared.checkAll(queue, consumers[0], 0));
  }

  @About("a producer that dies in a former consumer's place lets go of no cells out of use there")
  public void producerFollowsAConsumer(Simulation run) {
    Shared shared = new Shared(run, true, "consumer", "fenced", "former", "dying");
    MessageQueue queue = shared.attach(0);
    MessageQueue former = shared.attach(2);
    MessageConsumer consumer = queue.newConsumer();
    MessageProducer[] dying = new MessageProducer[1];
    run.thread("consumer", times(LOOKS, () -> shared.take(consumer, 0, 1)));
    run.thread("fenced", () -> Thread.onSpinWait());
    run.thread("former", () -> Thread.onSpinWait());
    run.mortalThread("dying", () -> shared.put(dying[0], 2));
    MessageProducer fenced = shared.attach(1).newProducer();
    MessageConsumer last = former.newConsumer();
    MessageProducer producer = queue.newProducer();
    run.check(fenced.tryClaim(1, 9 * CELL) != null, "full though empty");
    shared.locks.lose(RESERVED);
    run.check(shared.put(producer, 11) && shared.put(producer, 12), "full though there is room");
    for (int looks = 0; looks < 8 * LOOKS && shared.take(consumer, 0, 1) == 0; looks++) {
      // until the claim is given up
    }
    run.check(shared.take(last, 2, 1) == 1, "not through"); // to where cells are out of use
    former.close();
    dying[0] = shared.attach(3).newProducer();
    run.atEnd(
        () -> {
          shared.takeAll(consumer, 0);
          for (int i = 0; i < 6; i++) {
            run.check(shared.put(producer, 11), "no room though all was taken");
            shared.takeAll(consumer, 0);
          }
          run.check(queue.metrics().get("outOfUse") == 9, "used though they may be written");
          run.check(refuses(fenced::commit), "committed though given up");
        },
        producer::close,
        () -> shared.checkAll(queue, consumer, 0),
        () -> run.check(queue.metrics().get("outOfUse") == 0, "out of use for good"));
  }

  @About("who finds cells of the dead claimed again finds how far others have released, too")
  public void releasedCellsAreClaimedAgain(Simulation run) {
    Shared shared = new Shared(run, true, "dead", "heir", "producer", "new");
    MessageQueue dead = shared.attach(0);
    MessageConsumer taker = dead.newConsumer(); // in the entry that is reserved
    MessageQueue queue = shared.attach(1);
    MessageProducer producer = shared.attach(2).newProducer();
    run.thread("dead", () -> Thread.onSpinWait());
    run.thread("heir", () -> Thread.onSpinWait());
    run.thread("producer", times(2, () -> shared.put(producer, 8)));
    run.thread("new", times(2, () -> shared.attach(3).newConsumer())); // first tries that entry
    MessageConsumer heir = queue.newConsumer();
    for (int i = 0; i < 2; i++) {
      run.check(shared.put(producer, CELLS / 2), "full though empty");
    }
    run.check(taker.tryPoll(2) == 2, "not all in hand");
    dead.close();
    run.check(shared.take(heir, 1, 1) == 1, "not inherited"); // the second one stays there
    run.atEnd(producer::close, () -> shared.checkAll(queue, heir, 1));
  }

  @About("what a consumer that died had taken is found by who first comes to its place")
  public void nextComerFindsWhatWasTaken(Simulation run) {
    Shared shared = new Shared(run, true, "dying", "next", "burier");
    MessageConsumer[] consumers = new MessageConsumer[2];
    MessageQueue queue = shared.attach(2);
    boolean[] isNext = new boolean[1];
    run.mortalThread("dying", times(4, () -> shared.take(consumers[0], 0, 1)));
    run.thread(
        "next",
        () -> {
          for (int i = 0; i < LOOKS && !run.isDead("dying"); i++) {
            Thread.onSpinWait();
          }
          isNext[0] = shared.take(consumers[1], 1, 1) > 0;
        });
    run.thread(
        "burier",
        () -> {
          for (int i = 0; i < 2 * LOOKS && !isNext[0]; i++) {
            Thread.onSpinWait();
          }
        },
        times(
            2,
            () -> {
              MessageQueue own = shared.attach(2);
              own.newConsumer(); // tries the place of the dying first, before it reads the head
              own.close();
            }));
    for (int i = 0; i < consumers.length; i++) {
      consumers[i] = shared.attach(i).newConsumer();
    }
    MessageProducer producer = queue.newProducer();
    for (int i = 0; i < 6; i++) {
      run.check(shared.put(producer, 2), "full though empty");
    }
    run.atEnd(producer::close, () -> shared.checkAll(queue, queue.newConsumer(), 2));
  }

  @About("messages of the dead whose cells are free again are counted as lost")
  public void freedLossesAreCounted(Simulation run) {
    Shared shared = new Shared(run, false, "dead", "burier", "producer");
    MessageQueue queue = shared.attach(1);
    MessageQueue full = shared.attach(2);
    MessageConsumer taker = shared.attach(0).newConsumer();
    MessageProducer producer = full.newProducer();
    MessageConsumer[] burier = new MessageConsumer[1];
    run.thread("dead", () -> Thread.onSpinWait());
    run.thread("burier", times(2, () -> shared.take(burier[0], 1, 1)));
    run.thread(
        "producer",
        times(
            6,
            () -> {
              if (shared.put(producer, 1)) {
                run.check(ACCESS.lostCount(full) == 2, "not counted though the cells are free");
              }
            }));
    run.thread("observer", () -> ACCESS.lostCount(queue), queue::sizeEstimate);
    burier[0] = queue.newConsumer();
    for (int i = 0; i < 2; i++) {
      run.check(shared.put(producer, CELLS / 2), "full though empty");
    }
    run.check(taker.tryPoll(2) == 2, "not all in hand");
    shared.locks.lose(RESERVED - 1);
    shared.locks.presumeEnded(0);
    run.atEnd(producer::close, () -> shared.checkAll(queue, burier[0], 1));
  }

  @About("two consumers of one process take over what the dead had, each message once")
  public void twoOfOneProcessInherit(Simulation run) {
    Shared shared = new Shared(run, true, "dead", "heir");
    MessageQueue dead = shared.attach(0);
    MessageQueue queue = shared.attach(1);
    MessageConsumer taker = dead.newConsumer();
    MessageConsumer[] consumers = new MessageConsumer[2];
    run.thread("dead", () -> Thread.onSpinWait());
    run.thread("heir", times(LOOKS / 2, () -> shared.take(consumers[0], 1, 1)));
    run.thread("another of its threads", times(LOOKS / 2, () -> shared.take(consumers[1], 1, 1)));
    consumers[0] = queue.newConsumer();
    consumers[1] = queue.newConsumer();
    MessageProducer producer = queue.newProducer();
    for (int i = 0; i < 3; i++) {
      run.check(shared.put(producer, 2), "full though empty");
    }
    run.check(taker.tryPoll(3) == 3, "not all in hand");
    dead.close();
    run.atEnd(
        producer::close,
        () -> shared.checkAll(queue, consumers[0], 1),
        () -> run.check(queue.metrics().get("repeated") == 3, "not each once more"));
  }

  @About("two consumers that take over at once what two dead ones had count all of it")
  public void twoInheritFromTwo(Simulation run) {
    Shared shared = new Shared(run, true, "dead", "also dead", "heir", "another heir");
    MessageQueue[] dead = {shared.attach(0), shared.attach(1)};
    MessageQueue queue = shared.attach(2);
    MessageConsumer[] heirs = new MessageConsumer[2];
    run.thread("dead", () -> Thread.onSpinWait());
    run.thread("also dead", () -> Thread.onSpinWait());
    run.thread("heir", times(LOOKS / 2, () -> shared.take(heirs[0], 2, 1)));
    run.thread("another heir", times(LOOKS / 2, () -> shared.take(heirs[1], 3, 1)));
    MessageConsumer[] takers = {dead[0].newConsumer(), dead[1].newConsumer()};
    heirs[0] = queue.newConsumer();
    heirs[1] = shared.attach(3).newConsumer();
    MessageProducer producer = queue.newProducer();
    for (int i = 0; i < 4; i++) {
      run.check(shared.put(producer, 2), "full though empty");
    }
    for (MessageConsumer taker : takers) {
      run.check(taker.tryPoll(2) == 2, "not all in hand");
    }
    dead[0].close();
    dead[1].close();
    run.atEnd(
        producer::close,
        () -> shared.checkAll(queue, heirs[0], 2),
        () -> run.check(queue.metrics().get("repeated") == 4, "not each once more"));
  }

  @About("what one consumer after the other loses in the same place adds up")
  public void lossesAddUp(Simulation run) {
    Shared shared = new Shared(run, false, "leaving", "observer");
    MessageQueue queue = shared.attach(1);
    MessageProducer producer = queue.newProducer();
    run.thread(
        "leaving",
        rounds(
            3,
            round -> {
              MessageQueue own = shared.attach(0);
              run.check(own.newConsumer().tryPoll(2) == 2, "not all in hand");
              own.close();
              long lost = ACCESS.lostCount(queue);
              run.check(lost == 2 * round + 2, "lost in " + round + ": " + lost);
            }));
    run.thread("observer", () -> ACCESS.lostCount(queue), queue::sizeEstimate);
    for (int i = 0; i < 6; i++) {
      run.check(shared.put(producer, 2), "full though empty");
    }
    run.atEnd(producer::close, () -> shared.checkAll(queue, queue.newConsumer(), 1));
  }
}

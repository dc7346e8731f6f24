package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.MessageScenarios.CELLS;
import static dev.millrace.stress.scenario.MessageScenarios.LEAST;
import static dev.millrace.stress.scenario.MessageScenarios.LIMITED;
import static dev.millrace.stress.scenario.MessageScenarios.claim;
import static dev.millrace.stress.scenario.MessageScenarios.mixed;
import static dev.millrace.stress.scenario.QueueScenarios.claimAndAbort;
import static dev.millrace.stress.scenario.QueueScenarios.drain;
import static dev.millrace.stress.scenario.QueueScenarios.offerRun;
import static dev.millrace.stress.scenario.QueueScenarios.pollRun;

import dev.millrace.core.Handler;
import dev.millrace.core.OnFull;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageConsumer.Controller;
import dev.millrace.queues.messages.MessageConsumer.Then;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.scenario.QueueTraffic.Sender;
import dev.millrace.stress.scenario.QueueTraffic.Taker;
import dev.millrace.stress.trial.AnyQueue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Messages of several lengths, and what is shared of the queue itself. */
@ScenariosOf("MessageQueue")
public final class MessageQueueScenarios extends Steps {
  /** A quarter of the memory, so that one of half of it would go round the end from three on. */
  private static final int QUARTERS = 4;

  private static final List<Function<MemorySegment, MessageQueue>> LAYS =
      List.of(
          memory -> MessageQueue.mpmc(LEAST, memory),
          memory -> MessageQueue.mpsc(LEAST, memory),
          memory -> MessageQueue.spsc(LEAST, memory));

  private static QueueTraffic atThreeQuarters(Simulation run, MessageQueue queue) {
    QueueTraffic traffic = mixed(run, queue, QUARTERS);
    Sender sender = traffic.sender(2);
    for (int i = 0; i < 3; i++) {
      run.check(sender.offer() && traffic.taker.poll(), "not through");
    }
    return traffic;
  }

  private static void lengths(Simulation run, MessageQueue queue, int producers, int consumers) {
    QueueTraffic traffic = atThreeQuarters(run, queue);
    traffic.addProducer(0, offerRun(2), Sender::offer, claimAndAbort(2), offerRun(2));
    if (producers > 1) {
      traffic.addProducer(1, Sender::offer, offerRun(2), Sender::offer);
    }
    traffic.addConsumers(consumers, pollRun(3), Taker::poll, drain(2), pollRun(2));
  }

  @About(
      "messages that would go round the end are claimed again at the start: each whole, in order")
  public void lengthsOneToOne(Simulation run) {
    lengths(run, MessageQueue.spsc(LEAST), 1, 1);
  }

  @About("the same of two producers")
  public void lengthsManyToOne(Simulation run) {
    lengths(run, MessageQueue.mpsc(LEAST), 2, 1);
  }

  @About("the same with two consumers")
  public void lengthsManyToMany(Simulation run) {
    lengths(run, MessageQueue.mpmc(LEAST), 2, 2);
  }

  @About("the messages of a run are there all at once, with their bytes")
  public void runIsWholeOneToOne(Simulation run) {
    runIsWhole(run, MessageQueue.spsc(LEAST));
  }

  @About("the same in a queue for many producers")
  public void runIsWholeManyToOne(Simulation run) {
    runIsWhole(run, MessageQueue.mpsc(LEAST));
  }

  @About("the same in a queue for many consumers too")
  public void runIsWholeManyToMany(Simulation run) {
    runIsWhole(run, MessageQueue.mpmc(LEAST));
  }

  private static void runIsWhole(Simulation run, MessageQueue queue) {
    MessageProducer producer = queue.newProducer();
    MessageConsumer consumer = queue.newConsumer();
    run.check(producer.tryClaim(0, 0, CELLS + 1) == CELLS, "not all cells");
    producer.commit();
    run.check(consumer.drain(_ -> {}, CELLS) == CELLS, "not all messages of a lap");
    Body put =
        () -> {
          run.check(producer.tryClaim(0, 2 * Long.BYTES, 3) == 3, "full though empty");
          for (int i = 0; i < 3; i++) {
            producer.at(i).putLong(Long.BYTES, i + 1);
          }
          producer.commit();
        };
    isWhole(run, queue, put, consumer, false);
  }

  @About("the messages that a claim is cut into are there all at once, with lengths and times")
  public void cutIsWholeOneToOne(Simulation run) {
    cutIsWhole(run, MessageQueue.spsc(LEAST));
  }

  @About("the same in a queue for many producers")
  public void cutIsWholeManyToOne(Simulation run) {
    cutIsWhole(run, MessageQueue.mpsc(LEAST));
  }

  @About("the same in a queue for many consumers too")
  public void cutIsWholeManyToMany(Simulation run) {
    cutIsWhole(run, MessageQueue.mpmc(LEAST));
  }

  private static void cutIsWhole(Simulation run, MessageQueue queue) {
    long[] clock = new long[1];
    MessageProducer producer = queue.newProducer(() -> ++clock[0]);
    Body put =
        () -> {
          Message message = producer.tryClaim(0, 10 * MessageQueue.CELL_BYTES);
          for (int i = 0; i < 3; i++) {
            int length = Long.BYTES + i * MessageQueue.CELL_BYTES; // with the time i + 1 cells
            message.putLong(length - Long.BYTES, i + 1);
            if (i == 2) {
              producer.commit(length);
            } else {
              message = producer.next(length, i + 1, 0);
            }
          }
        };
    isWhole(run, queue, put, queue.newConsumer(), true);
  }

  /** Puts three messages at once, with their numbers from one on in their last bytes. */
  private static void isWhole(
      Simulation run, MessageQueue queue, Body put, MessageConsumer consumer, boolean isCut) {
    run.thread("producer", put);
    Body take =
        () -> {
          int count = consumer.tryPoll(4);
          run.check(count == 0 || count == 3, "a part of a run: " + count);
          for (int i = 0; i < count; i++) {
            Message message = consumer.at(i);
            run.check(message.getLong(message.length() - 8) == i + 1, "torn: message " + i);
            int type = isCut ? i : 0;
            run.check(message.type() == type, "message " + i + " has type " + message.type());
            run.check(!isCut || message.time() == 1, "message " + i + " has another time");
          }
          if (count > 0) {
            consumer.release();
          }
        };
    run.thread("consumer", take, take);
    run.atEnd(take, () -> run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate()));
  }

  @About("a claim is cut as far as it has cells, and given up as a whole")
  public void cut(Simulation run) {
    MessageQueue queue = MessageQueue.mpsc(LEAST);
    MessageProducer producer = queue.newProducer();
    MessageConsumer consumer = queue.newConsumer();
    run.check(refuses(() -> producer.next(0, 1, 0)), "cut though none is open");
    for (int i = 0; i < 2; i++) {
      run.check(claim(producer, 4) != null, "full though empty");
      run.check(producer.next(17, 1, 33) == null, "more than is left");
      run.check(producer.at(0).length() == 64, "not the message in hand");
      run.check(producer.next(17, 1, 32).length() == 32, "not all that is left");
      run.check(producer.next(0, 2, 0).length() == 16, "not all that is left");
      run.check(producer.at(0).type() == 2, "not the message in hand");
      run.check(producer.next(1, 3, 0) == null, "nothing is left");
      if (i == 0) {
        producer.abort();
        run.check(consumer.tryPoll() == null, "a message though they were aborted");
      }
    }
    producer.commit(8);
    run.check(consumer.tryPoll(4) == 3, "not all three");
    int[] lengths = {17, 0, 8};
    int[] types = {4, 1, 2};
    for (int i = 0; i < 3; i++) {
      Message message = consumer.at(i);
      run.check(message.type() == types[i], "of type " + message.type());
      run.check(message.length() == lengths[i], "of length " + message.length());
    }
    consumer.release();
    run.check(producer.tryClaim(0, 0, 2) == 2, "full though empty");
    run.check(refuses(() -> producer.next(0, 1, 0)), "a run was cut");
    producer.abort();
    MessageProducer limited = MessageQueue.mpsc(LIMITED).newProducer();
    run.check(claim(limited, 4) != null, "full though empty");
    run.check(limited.next(0, 1, 0) == null, "cut though there is a stall limit");
  }

  // ---- room ----

  /** Fills the queue, and has consumers take a message each. */
  private static Taker[] inHand(Simulation run, QueueTraffic traffic) {
    Sender sender = traffic.sender(2);
    Taker[] takers = new Taker[QUARTERS];
    for (int i = 0; i < QUARTERS; i++) {
      run.check(sender.offer(), "full though empty");
    }
    for (int i = 0; i < QUARTERS; i++) {
      takers[i] = traffic.newTaker();
      takers[i].expect(takers[i].consumer.tryPoll());
    }
    return takers;
  }

  @About(
      "cells released in any order are found free by two producers that look at once, none twice")
  public void releasedInAnyOrder(Simulation run) {
    QueueTraffic traffic = mixed(run, MessageQueue.mpmc(LEAST), QUARTERS);
    Taker[] takers = inHand(run, traffic);
    run.thread("consumer", takers[1].consumer::release, takers[0].consumer::release);
    run.thread("another consumer", takers[3].consumer::release, takers[2].consumer::release);
    traffic.addProducer(0, Sender::offer, Sender::offer, offerRun(2));
    traffic.addProducer(1, offerRun(2), Sender::offer);
  }

  @About("a queue that is never full is never said to be, whoever looks how far it is released")
  public void neverFull(Simulation run) {
    QueueTraffic traffic = mixed(run, MessageQueue.mpmc(LEAST), QUARTERS);
    for (Taker taker : inHand(run, traffic)) {
      taker.consumer.release();
    }
    traffic.addProducers(
        2,
        sender -> run.check(sender.offer(), "full, though it never is"),
        sender -> run.check(sender.offer(), "full, though it never is"));
  }

  @About(
      "the cells of a message that a consumer has in hand are not used, though later ones are free")
  public void oldestIsInHand(Simulation run) {
    QueueTraffic traffic = mixed(run, MessageQueue.mpmc(LEAST), QUARTERS);
    Taker[] takers = inHand(run, traffic);
    takers[1].consumer.release();
    Flag released = new Flag();
    run.thread("consumer", released::raise, takers[0].consumer::release);
    run.thread("another consumer", takers[2].consumer::release, takers[3].consumer::release);
    traffic.addProducer(
        0, sender -> run.check(!sender.offer() || released.isRaised(), "written over"));
  }

  @About("who sees the queue drained sees what was done before a release that a producer has found")
  public void releaseIsHandedOn(Simulation run) {
    QueueTraffic traffic = mixed(run, MessageQueue.mpmc(LEAST), QUARTERS);
    AnyQueue<Duo> queue = traffic.queue;
    Taker[] takers = inHand(run, traffic);
    Flag.Plain before = new Flag.Plain();
    run.thread("consumer", before::set, takers[0].consumer::release);
    for (int i = 1; i < QUARTERS; i++) {
      takers[i].consumer.release();
    }
    traffic.addProducer(0, claimAndAbort(2), claimAndAbort(2), _ -> queue.complete());
    run.thread(
        "observer",
        traffic.taker::takeAll,
        () -> run.check(!queue.isDrained() || before.isSet(), "release was not seen"));
  }

  @About(
      "a full queue that drops its oldest messages makes room, also past what went round the end")
  public void dropOldest(Simulation run) {
    MessageQueue queue =
        MessageQueue.mpmc(
            LEAST.withProducerWaits(PARK).withConsumerWaits(PARK).withOnFull(OnFull.DROP_OLDEST));
    Numbered put =
        letter -> {
          MessageProducer producer = queue.newProducer();
          for (int number = 0; number < 3; number++) {
            int length = (number == 1 ? 8 : CELLS / 2) * MessageQueue.CELL_BYTES;
            Message in = producer.claim(10 * letter + number, length);
            in.putLong(0, in.type()).putLong(length - 8, in.type());
            producer.commit();
          }
        };
    threads(run, 2, "producer", put);
    int[] came = {-1, -1, 0}; // the last of each producer, and how many
    Body take =
        () -> {
          MessageConsumer consumer = queue.newConsumer();
          for (Message out = consumer.tryPoll(); out != null; out = consumer.tryPoll()) {
            int type = out.type();
            boolean isWhole = out.getLong(0) == type && out.getLong(out.length() - 8) == type;
            run.check(isWhole, "torn message of type " + type);
            run.check(type % 10 > came[type / 10], type + " after " + came[type / 10]);
            came[type / 10] = type % 10;
            came[2]++;
            consumer.release();
          }
        };
    run.thread("consumer", take);
    run.atEnd(
        take,
        () -> {
          long dropped = queue.metrics().get("dropped");
          run.check(came[2] + dropped == 6, came[2] + " came, dropped " + dropped);
        });
  }

  @About("a picture shows whole messages of any length in order, though cells are used again")
  public void pictures(Simulation run) {
    QueueTraffic traffic = atThreeQuarters(run, MessageQueue.mpmc(LEAST));
    traffic.addProducer(0, offerRun(2), Sender::offer, offerRun(2));
    traffic.addConsumers(2, pollRun(2), Taker::poll);
    run.thread("sampler", traffic::look);
  }

  // ---- one message ----

  @About("a message that is committed shorter has its length, and all its cells are used again")
  public void shorter(Simulation run) {
    MessageQueue queue = MessageQueue.mpmc(LEAST);
    MessageProducer producer = queue.newProducer();
    Body put =
        rounds(
            4,
            i -> {
              Message in = claim(producer, CELLS / 2);
              if (in != null) {
                in.putLong(0, i);
                in.putLong(8 * i, i);
                producer.commit(8 + 8 * i);
              }
            });
    run.thread("producer", put);
    Numbered take =
        _ -> {
          MessageConsumer consumer = queue.newConsumer();
          for (int i = 0; i < 3; i++) {
            Message out = consumer.tryPoll();
            if (out != null) {
              long number = out.getLong(0);
              run.check(out.type() == CELLS / 2, "of type " + out.type());
              run.check(out.length() == 8 + 8 * number, "of length " + out.length());
              run.check(out.getLong(out.length() - 8) == number, "torn");
              consumer.release();
            }
          }
        };
    threads(run, 2, "consumer", take);
    run.atEnd(
        () -> {
          take.run(2);
          MessageProducer other = queue.newProducer();
          run.check(claim(producer, CELLS / 2) != null, "not all cells are free");
          run.check(claim(other, CELLS / 2) != null, "not all cells are free");
        });
  }

  private static final int SIZE = 2 * MessageQueue.CELL_BYTES; // bytes of a handler's message

  /** Puts messages of two cells, whose types count them. */
  private static void putTwoCells(Simulation run, MessageProducer producer, int from, int to) {
    for (int type = from; type < to; type++) {
      run.check(producer.tryClaim(type, SIZE) != null, "full though there is room");
      producer.commit();
    }
  }

  @About("a run of messages is seen in any order; handlers get as many as are wanted, in order")
  public void handlers(Simulation run) throws InterruptedException {
    MessageQueue queue = MessageQueue.mpsc(LEAST);
    MessageProducer producer = queue.newProducer();
    MessageConsumer consumer = queue.newConsumer();
    putTwoCells(run, producer, 0, 3);
    run.check(consumer.tryPoll(4) == 3, "not all three");
    for (int index : new int[] {2, 0, 1, 1, 2}) {
      run.check(consumer.at(index).type() == index, "not the message of index " + index);
    }
    run.check(isOutside(() -> consumer.at(3)), "a message that is not in hand");
    run.check(isOutside(() -> consumer.at(-1)), "a message before the first");
    run.check(consumer.at(0).type() == 0, "not the first message");
    consumer.release();

    int[] next = new int[1];
    Handler<Message> expect =
        message -> run.check(message.type() == next[0]++, "of type " + message.type());
    putTwoCells(run, producer, 0, 14);
    run.check(consumer.drain(expect, 9, SIZE + 1) == 2, "not up to the limit of bytes");
    run.check(consumer.drain(expect, 1) == 1, "not one");
    run.check(consumer.drainWhile(then(expect, Then.STOP), 5) == 1, "went on though stopped");
    run.check(consumer.drainWhile(then(m -> {}, Then.STOP_BEFORE), 5) == 0, "consumed though kept");
    run.check(consumer.drainWhile(then(expect, Then.GO_ON), 3) == 3, "stopped though it goes on");
    Handler<Message> throwing =
        message -> {
          expect.handle(message);
          throw new IllegalStateException("the handler's");
        };
    run.check(refuses(() -> consumer.drain(throwing, 5)), "the exception is lost");
    run.check(consumer.drain(expect, 2, 3 * SIZE) == 2, "not two");
    queue.complete();
    consumer.forEach(
        message -> {
          expect.handle(message);
          run.check(queue.sizeEstimate() == 8, "released before all were handled");
        });
    run.check(next[0] == 14 && queue.isDrained(), "ended early, at " + next[0]);
  }

  @About("where consumers share messages, one that a handler has seen is not given back")
  public void handlersSharing(Simulation run) {
    MessageQueue queue = MessageQueue.mpmc(LEAST);
    MessageProducer producer = queue.newProducer();
    MessageConsumer consumer = queue.newConsumer();
    putTwoCells(run, producer, 0, 5);
    run.check(refuses(() -> consumer.drainWhile(then(m -> {}, Then.STOP_BEFORE), 5)), "given back");
    run.check(
        consumer.drain(m -> run.check(m.type() == 1, "of type " + m.type()), 1) == 1, "not one");
    MessageConsumer other = queue.newConsumer();
    int more =
        consumer.drain(
            m -> run.check(m.type() != 2 || other.tryPoll().type() == 3, "another was taken"), 9);
    run.check(more == 2, "drained " + more);
    other.release();
    run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate());
  }

  private static Controller then(Handler<Message> handler, Then then) {
    return message -> {
      handler.handle(message);
      return then;
    };
  }

  private static boolean isOutside(Runnable access) {
    try {
      access.run();
      return false;
    } catch (IndexOutOfBoundsException e) {
      return true;
    }
  }

  // ---- the queue ----

  @About("of two that ask for the only end one gets it")
  public void onlyEnds(Simulation run) {
    MessageQueue queue = MessageQueue.spsc(LEAST);
    int[] got = new int[2];
    Numbered ask =
        _ -> {
          boolean hasProducer = !refuses(queue::newProducer);
          boolean hasConsumer = !refuses(queue::newConsumer);
          got[0] += hasProducer ? 1 : 0;
          got[1] += hasConsumer ? 1 : 0;
        };
    threads(run, 2, "thread", ask);
    run.atEnd(() -> run.check(got[0] == 1 && got[1] == 1, got[0] + " and " + got[1] + " ends"));
  }

  @About("whoever asks how full a queue is while it is closed gets a number")
  public void sizeMeetsClose(Simulation run) {
    QueueTraffic traffic = mixed(run, MessageQueue.mpmc(LEAST), QUARTERS);
    AnyQueue<Duo> queue = traffic.queue;
    Taker[] takers = inHand(run, traffic);
    run.thread("consumer", takers[0].consumer::release, takers[1].consumer::release);
    run.thread("owner", queue::close);
    threads(run, 2, "sampler", _ -> checkWithin(run, 0, queue.sizeEstimate(), QUARTERS, "size"));
    run.atEnd(() -> run.check(queue.isDrained(), "not drained"));
  }

  @About("a queue in memory of the caller's is new whatever is in it, and leaves it when closed")
  public void memoryOfTheCaller(Simulation run) {
    long bytes = MessageQueue.requiredBytes(LEAST.capacity());
    NativeMemory owned = NativeMemory.allocate(bytes);
    MemorySegment memory = owned.segment();
    List<MessageQueue> queues = new ArrayList<>();
    for (Function<MemorySegment, MessageQueue> lay : LAYS) {
      MessageQueue queue = lay.apply(memory);
      queues.add(queue);
      MessageProducer producer = queue.newProducer();
      MessageConsumer consumer = queue.newConsumer();
      run.check(consumer.tryPoll() == null, "a message though it is new");
      putTwoCells(run, producer, 0, 3);
      run.check(consumer.tryPoll().type() == 0, "not the first message");
      consumer.release();
      run.check(queue.sizeEstimate() == 4, "of size " + queue.sizeEstimate());
      queue.close();
      run.check(refuses(() -> claim(producer, 1)), "claimed though closed");
    }
    run.check(owned.isOpen(), "freed though it is the caller's");
    owned.close();
    run.check(queues.stream().allMatch(MessageQueue::isDrained), "not drained");
  }

  // ---- stall limit ----

  /** Consumers look so often that they give up a claim whose producer does not go on. */
  private static final int LOOKS = 24;

  @About(
      "a producer that stops anywhere between claim and commit is passed; nothing is written over")
  public void stopsAnywhereToOne(Simulation run) {
    stopsAnywhere(run, MessageQueue.mpsc(LIMITED), 1);
  }

  @About("the same with two consumers")
  public void stopsAnywhereToMany(Simulation run) {
    stopsAnywhere(run, MessageQueue.mpmc(LIMITED), 2);
  }

  private static void stopsAnywhere(Simulation run, MessageQueue queue, int consumers) {
    QueueTraffic traffic = atThreeQuarters(run, queue);
    Sender slow = traffic.sender(0);
    run.slowThread(
        "slow producer",
        () -> refuses(() -> slow.offerRun(2)),
        () -> refuses(slow::offer),
        () -> refuses(() -> slow.claimAndAbort(2)));
    traffic.addProducer(
        1, sender -> refuses(sender::offer), sender -> refuses(() -> sender.offerRun(2)));
    traffic.addConsumers(consumers, QueueTraffic.times(LOOKS, Taker::poll));
    run.atEnd(
        traffic::checkAll,
        rounds( // afterwards all cells are in use again
            4 * QUARTERS,
            _ -> {
              refuses(slow::offer); // until the consumer has passed what was let go
              traffic.taker.poll();
            }),
        rounds(
            2 * QUARTERS,
            i -> run.check(slow.offer() == (i < QUARTERS), "not all cells are in use again")),
        traffic::checkAll);
  }
}

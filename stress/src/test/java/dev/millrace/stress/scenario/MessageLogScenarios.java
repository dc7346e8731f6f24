package dev.millrace.stress.scenario;

import static dev.millrace.stress.scenario.LogDisk.ACCESS;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** A log whose segments hold two messages, in memory, and what of it is on a disk. */
@ScenariosOf("MessageLog")
public final class MessageLogScenarios extends Steps {
  private static final int TYPE = 5;
  private static final int LENGTH = 8;
  private static final int ROOM = 40; // that such a message takes
  private static final int SEGMENT = 2;
  private static final Duration FOREVER = Duration.ofNanos(WaitStrategy.FOREVER);

  private LogDisk disk;
  private MessageLog log;
  private LogProducer producer;

  /** Makes the scenarios' log; each is set up by its scenario. */
  public MessageLogScenarios() {}

  private void setUp(boolean keepsForced) throws IOException {
    disk = new LogDisk(SEGMENT, LENGTH, keepsForced);
    log = disk.open();
    producer = log.newProducer();
  }

  // ---- what roles do ----

  /** What a message says of itself: its number, so that another's is found out. */
  private static long value(long number) {
    return 100 + number;
  }

  private void append() {
    append(1, LENGTH);
  }

  private void append(int count, int length) {
    for (int i = 0; i < count; i++) {
      Message message = producer.claim(TYPE, length);
      for (int at = 0; at < length; at += Long.BYTES) {
        message.putLong(at, value(producer.number() + 1));
      }
      producer.commit();
    }
  }

  private Simulation.Body appends(int count) {
    return () -> append(count, LENGTH);
  }

  /** Takes the next message, if it is there, and checks it. */
  private static boolean reads(Simulation run, LogReader reader) {
    Message message = reader.tryPoll();
    if (message == null) {
      return false;
    }
    checkWhole(run, message, reader.number());
    reader.release();
    return true;
  }

  private static void checkWhole(Simulation run, Message message, long number) {
    run.check(message.type() == TYPE, "type of " + number + " is " + message.type());
    run.check(message.length() % LENGTH == 0, "length of " + number + ": " + message.length());
    for (int at = 0; at < message.length(); at += Long.BYTES) {
      run.check(
          message.getLong(at) == value(number), "message " + number + " is " + message.getLong(at));
    }
  }

  /** How many messages a reader finds. */
  private static int readAll(Simulation run, LogReader reader) {
    int count = 0;
    while (reads(run, reader)) {
      count++;
    }
    return count;
  }

  /** Checks in the end that a log has so many messages, all of which a reader finds. */
  private void checkCount(Simulation run, int count) {
    run.check(log.endNumber() == count, "the log's end is " + log.endNumber());
    LogReader reader = disk.newReader();
    int found = readAll(run, reader);
    run.check(found == count && reader.lostCount() == 0, "messages in the end: " + found);
  }

  /** Adds a reader that polls some times; returns a check that in the end it finds the rest. */
  private static Simulation.Body reader(Simulation run, LogReader reader, int polls, int count) {
    int[] found = new int[1];
    run.thread(
        "reader",
        times(
            polls,
            () -> {
              boolean isFound = reads(run, reader);
              found[0] += isFound ? 1 : 0;
            }));
    return () -> {
      run.outcome("read " + found[0]);
      int rest = readAll(run, reader) + readAll(run, reader); // the first may only leave a segment
      run.check(found[0] + rest == count, "messages read: " + found[0] + " + " + rest);
    };
  }

  // ---- a reader and the producer ----

  @About("a reader of the log finds each message whole and in order, also in the next segment")
  public void readerOfLog(Simulation run) throws IOException {
    setUp(false);
    run.thread("producer", appends(3));
    run.atEnd(reader(run, log.newReader(), 3, 3));
  }

  @About("a reader in another process finds each message whole and in order")
  public void readerOfFiles(Simulation run) throws IOException {
    setUp(false);
    run.thread("producer", appends(3));
    run.atEnd(reader(run, disk.newReader(), 3, 3));
  }

  @About("runs are read as runs, as far as they are committed")
  public void runs(Simulation run) throws IOException {
    setUp(false);
    append();
    LogReader reader = log.newReader();
    run.thread(
        "producer",
        () -> {
          run.check(producer.claim(TYPE, LENGTH, 2) == 1, "more than the segment has room for");
          producer.at(0).putLong(0, value(1));
          producer.commit();
          run.check(producer.claim(TYPE, LENGTH, 2) == 2, "less than the segment has room for");
          producer.at(1).putLong(0, value(3));
          producer.at(0).putLong(0, value(2));
          producer.commit();
        });
    int[] found = new int[1];
    run.thread(
        "reader",
        times(
            2,
            () -> {
              int count = reader.tryPoll(3);
              for (int i = count - 1; i >= 0; i--) {
                checkWhole(run, reader.at(i), found[0] + i);
              }
              if (count > 0) {
                reader.release();
              }
              found[0] += count;
            }));
    run.atEnd(
        () -> run.check(found[0] + readAll(run, reader) == 4, "a message is lost"),
        () -> checkCount(run, 4));
  }

  @About("an aborted or shortened claim leaves nothing where the next message goes")
  public void claimsThatEndEarly(Simulation run) throws IOException {
    disk = new LogDisk(4, LENGTH, false);
    log = disk.open();
    producer = log.newProducer();
    run.thread(
        "producer",
        () -> {
          run.check(producer.claim(TYPE, LENGTH, 3) == 3, "less than the segment has room for");
          rounds(3, i -> producer.at(i).putLong(0, 7)).run();
          producer.abort();
          append(1, ROOM); // the next begins where the second message of the run had its bytes
          Message message = producer.claim(TYPE, 2 * LENGTH);
          message.putLong(0, value(1));
          message.putLong(LENGTH, 7);
          producer.commit(LENGTH);
        });
    Simulation.Body rest = reader(run, log.newReader(), 3, 2);
    run.thread(
        "looker",
        () -> run.check(readAll(run, disk.newReader()) <= 2, "a message that was not committed"));
    run.atEnd(
        rest,
        () -> checkCount(run, 2),
        () -> run.check(disk.isLastEmptyFrom(LogDisk.START + 72 + ROOM), "not empty behind"));
  }

  @About("a reader finds all messages of a log that is closed at the same time, and then the end")
  public void endOfClosedLog(Simulation run) throws IOException {
    setUp(false);
    append();
    LogReader reader = log.newReader();
    run.thread("producer", appends(2), producer::close, log::close);
    run.thread(
        "reader",
        () -> {
          int count = 0;
          while (!reader.isDrained()) {
            if (reads(run, reader)) {
              count++;
            } else {
              Thread.onSpinWait();
            }
          }
          run.check(count == 3, "drained after " + count);
        });
    run.atEnd(() -> run.check(refuses(log::sync) && log.durableNumber() == 3, "not closed"));
  }

  @About("a reader without an index that looks for a time passes over no message")
  public void seekBesideSync(Simulation run) throws IOException {
    setUp(false);
    disk.loseIndex();
    LogReader reader = disk.newReader();
    run.thread("producer", appends(2), log::sync);
    run.thread(
        "reader",
        times(
            2,
            () -> {
              reader.seekTime(0);
              run.check(reader.number() == 0, "it is at " + reader.number());
            }));
    run.atEnd(() -> checkCount(run, 2));
  }

  @About("a segment is sealed once the next one has its name")
  public void sealFollowsName(Simulation run) throws IOException {
    setUp(false);
    append(2, LENGTH);
    run.thread("producer", this::append);
    run.thread(
        "looker", times(3, () -> run.check(!disk.isLastSealed(), "the last segment is sealed")));
    run.atEnd(() -> checkCount(run, 3));
  }

  @About("a producer that does not wait gets its segment from the log's thread")
  public void segmentsAhead(Simulation run) throws IOException {
    disk = new LogDisk(1, LENGTH, false);
    log = disk.open();
    producer = log.newProducer();
    run.thread(
        "producer",
        rounds(
            3,
            i -> {
              Message message;
              while ((message = producer.tryClaim(TYPE, LENGTH)) == null) {
                Thread.yield();
              }
              message.putLong(0, value(i));
              producer.commit();
            }),
        producer::close,
        log::close);
    run.thread("maker", () -> ACCESS.makeSegments(log));
    run.atEnd(() -> checkCount(run, 3));
  }

  @About("a producer goes on where the one before has ended, in another thread")
  public void producersInTurn(Simulation run) throws IOException {
    setUp(false);
    run.thread("one", this::append, producer::close);
    run.thread(
        "other",
        () -> {
          LogProducer next = null;
          while (next == null) {
            try {
              next = log.newProducer();
            } catch (IllegalStateException e) {
              Thread.yield(); // the other one is not closed yet
            }
          }
          run.check(next.claim(TYPE, LENGTH) != null, "no message");
          next.at(0).putLong(0, value(1));
          next.commit();
          run.check(next.number() == 1, "number " + next.number());
        });
    run.atEnd(() -> checkCount(run, 2));
  }

  // ---- the disk ----

  private void checkForced(Simulation run) {
    long durable = log.durableNumber();
    int found = readAll(run, disk.newReaderOfForced());
    run.check(found >= durable, "durable " + durable + ", on the disk " + found);
  }

  @About("nothing is called durable that a crash would lose, while the producer begins a segment")
  public void syncBesideProducer(Simulation run) throws IOException {
    setUp(true);
    append();
    run.thread("producer", appends(2));
    run.thread("syncer", log::sync, () -> checkForced(run));
    run.thread(
        "asker",
        () -> {
          LogReader reader = disk.newReaderOfForced();
          for (long left = log.durableNumber(); left > 0; left--) {
            run.check(reads(run, reader), "not on the disk: " + reader.number());
          }
        });
    run.atEnd(
        () -> {
          run.outcome("durable " + log.durableNumber());
          checkForced(run);
          log.sync();
          run.check(log.durableNumber() == 3, "durable in the end: " + log.durableNumber());
          checkForced(run);
        });
  }

  @About("two syncs at once both return, once what they have committed is durable")
  public void twoSyncs(Simulation run) throws IOException {
    setUp(true);
    append();
    run.thread(
        "producer",
        this::append,
        log::sync,
        () -> run.check(log.durableNumber() == 2, "not durable"));
    run.thread("syncer", log::sync, () -> run.check(log.durableNumber() >= 1, "not durable"));
    run.atEnd(
        () -> {
          run.outcome("forces " + log.metrics().get("forces"));
          checkForced(run);
        });
  }

  @About("a sync wakes the threads that wait for the disk")
  public void syncWakes(Simulation run) throws IOException {
    setUp(false);
    threads(
        run,
        2,
        "waiter",
        i -> {
          run.check(log.awaitDurable(i, FOREVER), "it has not waited");
          run.check(log.durableNumber() > i, "not durable");
        });
    run.thread("producer", appends(2), log::sync);
  }

  @About("where each waiting thread may force, one does for all")
  public void waitersForce(Simulation run) throws IOException {
    disk = new LogDisk(SEGMENT, LENGTH, false);
    log = disk.open(LogDisk.options().withSync(Duration.ZERO));
    producer = log.newProducer();
    append(2, LENGTH);
    threads(
        run, 3, "waiter", i -> run.check(log.awaitDurable(i % 2, FOREVER), "it has not waited"));
    run.atEnd(() -> run.outcome("forces " + log.metrics().get("forces")));
  }

  @About("closing the log ends the waits for the disk")
  public void closeWakes(Simulation run) throws IOException {
    setUp(false);
    append();
    run.thread(
        "waiter",
        () -> {
          try {
            run.outcome(log.awaitDurable(0, FOREVER) ? "durable" : "timed out");
          } catch (IllegalStateException e) {
            run.outcome("closed");
          }
        });
    run.thread("owner", producer::close, log::close);
    run.atEnd(() -> run.check(log.durableNumber() == 1, "not durable"));
  }

  // ---- backwards, and under a name ----

  @About("a reader that goes backwards finds all messages before the end, without a gap")
  public void readBackwards(Simulation run) throws IOException {
    setUp(false);
    append();
    run.thread("producer", appends(3));
    LogReader reader = disk.newReader();
    run.thread("reader", times(2, () -> checkBackwards(run, reader)));
    run.atEnd(() -> run.check(checkBackwards(run, reader) == 4, "not all messages"));
  }

  /** Reads backwards from the end to the first message; returns the number of messages. */
  private static long checkBackwards(Simulation run, LogReader reader) {
    reader.seekToEnd();
    long end = reader.number();
    long number = end;
    for (Message message; (message = reader.tryPollPrevious()) != null; reader.release()) {
      number--;
      run.check(reader.number() == number, "not number " + number + ": " + reader.number());
      checkWhole(run, message, number);
    }
    run.check(number == 0, "ends before " + number);
    return end;
  }

  @About("a thread that sees what a named reader has released sees what it did before")
  public void namedReleasePublishes(Simulation run) throws IOException {
    setUp(false);
    append();
    LogReader reader = disk.newReader("a");
    publishes(
        run,
        () -> run.check(reads(run, reader), "not the message"),
        () -> disk.releasedBy("a") == 1);
  }

  @About("a named reader's position is read whole while it releases; the next one continues there")
  public void namedReaders(Simulation run) throws IOException {
    setUp(false);
    append(4, LENGTH);
    disk.newReader("a").close();
    Simulation.Body readsTwo =
        () -> {
          try (LogReader reader = disk.newReader("a")) {
            times(2, () -> run.check(reads(run, reader), "not the message")).run();
            run.check(reader.tryPoll() != null || reader.number() == 4, "and not released");
          }
        };
    run.thread("readers", readsTwo, readsTwo);
    run.thread(
        "asker", times(2, () -> checkWithin(run, 0, disk.releasedBy("a"), 4, "released up to")));
    run.atEnd(() -> run.check(disk.releasedBy("a") == 4, "released " + disk.releasedBy("a")));
  }

  // ---- removal ----

  @About("a reader counts each message as read or lost, while segments are removed")
  public void removalBesideReader(Simulation run) throws IOException {
    setUp(false);
    append(5, LENGTH);
    LogReader reader = log.newReader();
    run.thread("remover", () -> run.check(log.removeBefore(4) == 2, "not two segments"));
    int[] read = new int[1];
    run.thread("reader", () -> read[0] = readAll(run, reader));
    run.atEnd(
        () -> {
          run.outcome("read " + read[0]);
          run.check(
              read[0] + reader.lostCount() == 5, "read " + read[0] + ", " + reader.lostCount());
          run.check(log.firstNumber() == 4, "the first is " + log.firstNumber());
        });
  }

  @About(
      "the log's thread removes only messages beyond the age, while a reader reads and a sync runs")
  public void removalByAge(Simulation run) throws IOException {
    disk = new LogDisk(SEGMENT, LENGTH, false);
    long[] clock = {0};
    log = disk.open(LogDisk.options().withClock(() -> clock[0]).withRetainAge(5));
    producer = log.newProducer();
    long[] times = {0, 0, 10, 19, 20};
    for (long time : times) {
      clock[0] = time;
      append();
    }
    LogReader reader = disk.newReader();
    int[] read = new int[1];
    run.thread("keeper", () -> ACCESS.work(log));
    run.thread("reader", () -> read[0] = readAll(run, reader));
    run.thread("syncer", log::sync);
    run.atEnd(
        () -> {
          run.check(log.firstNumber() == 2, "the first is " + log.firstNumber());
          run.check(
              read[0] + reader.lostCount() == 5 && reader.lostCount() <= 2, "read " + read[0]);
        });
  }

  @About("the metrics that belong together are of one moment")
  public void metricsBesideAll(Simulation run) throws IOException {
    setUp(false);
    append(3, LENGTH);
    run.thread("producer", appends(2));
    run.thread("remover", () -> run.check(log.removeBefore(3) == 1, "not one segment"));
    run.thread(
        "sampler",
        () -> {
          var metrics = log.metrics();
          long first = metrics.get("firstNumber");
          long end = metrics.get("endNumber");
          long durable = metrics.get("durableNumber");
          run.check(first <= end && durable <= end, first + ", " + durable + ", " + end);
          long segments = metrics.get("segments") + metrics.get("removedSegments");
          run.check(segments == 2 || segments == 3, "segments " + segments);
          run.check(metrics.get("removedSegments") * 2 == first, "the first is " + first);
        });
    run.atEnd(() -> run.check(log.durableNumber() >= 2, "removed before it was forced"));
  }

  // ---- opening again ----

  private void openAgain() throws IOException {
    log = disk.open();
    producer = log.newProducer();
  }

  @About("a log that is opened again goes on with the next number, and readers with it")
  public void numbersGoOn(Simulation run) throws IOException {
    setUp(false);
    run.thread(
        "owner",
        this::append,
        producer::close,
        log::close,
        () -> openAgain(),
        appends(2),
        () -> run.check(producer.number() == 2, "number " + producer.number()));
    run.atEnd(reader(run, disk.newReader(), 4, 3), () -> checkCount(run, 3));
  }

  @About("a log that was not closed goes on in a copy of its segment, to which readers go")
  public void copyIsRead(Simulation run) throws IOException {
    setUp(false);
    append();
    run.thread("owner", () -> openAgain(), this::append);
    run.atEnd(reader(run, disk.newReader(), 3, 2), () -> checkCount(run, 2));
  }

  @About("a later opening, which takes the log over, finds what was reported as durable")
  public void takenOver(Simulation run) throws IOException {
    setUp(false);
    append();
    MessageLog[] later = new MessageLog[1];
    long[] durable = new long[1];
    run.thread(
        "earlier",
        () -> {
          try {
            log.sync();
            durable[0] = log.durableNumber();
          } catch (UncheckedIOException e) {
            run.check(e.getCause() != null, "not because the log is another's");
          }
        });
    run.thread("later", () -> later[0] = disk.open());
    run.atEnd(
        () -> {
          run.outcome("durable " + durable[0]);
          long found = later[0].endNumber();
          run.check(found >= durable[0], "durable " + durable[0] + ", found " + found);
          found = readAll(run, later[0].newReader());
          run.check(found >= durable[0], "durable " + durable[0] + ", read " + found);
          producer.close();
          run.check(refusesToRoll(), "the earlier one goes on");
        });
  }

  /** Whether a log that is another's lets no producer begin a segment. */
  private boolean refusesToRoll() {
    try (LogProducer again = log.newProducer()) {
      for (int i = 0; i < SEGMENT; i++) {
        again.claim(TYPE, LENGTH);
        again.commit();
      }
      return false;
    } catch (UncheckedIOException e) {
      return true;
    }
  }

  @About("numbers of durable messages are not given out again, though the disk has lost them")
  public void lostNumbersStayLost(Simulation run) throws IOException {
    setUp(false);
    append(1, LENGTH);
    run.thread(
        "owner",
        this::append,
        log::sync,
        producer::close,
        log::close,
        () -> disk.loseWord(LogDisk.START + ROOM),
        () -> openAgain(),
        () -> run.check(log.recovery().damages().size() == 1, "not noticed"),
        this::append,
        () -> run.check(producer.number() == 2, "given out again: " + producer.number()));
  }

  @About("a segment that has no header is set aside, and so is the next one of its name")
  public void asideIsKept(Simulation run) throws IOException {
    setUp(false);
    run.thread(
        "owner",
        rounds(
            2,
            i -> {
              append();
              log.close();
              disk.loseHeaders();
              openAgain();
              run.check(disk.countAside() == i + 1, "files set aside: " + disk.countAside());
            }));
  }
}

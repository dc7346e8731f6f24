package dev.millrace.stress.jcstress;

import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import dev.millrace.stress.trial.Numbered;
import dev.millrace.stress.trial.SmallLog;
import java.lang.foreign.Arena;

/**
 * A log for one trial after another, with its producer and a reader. Each message is a record with
 * the message's number, so that its place in the trial, from 1 on, is how far both are behind what
 * was there before.
 */
final class LogTrial extends Pool.Item {
  private static final int LENGTH = (int) Numbered.TYPE.layout().sizeBytes();
  private static final int TYPE = 7;

  final SmallLog files;
  MessageLog log;
  LogProducer producer;
  LogReader reader;
  final LogReader ofForced; // null if nobody asks what was forced

  /** The number of the trial's first message, less 1. */
  long base;

  private LogTrial(int messages, boolean keepsForced) {
    files = new SmallLog(messages, LENGTH, keepsForced, Arena.global());
    makeEnds();
    ofForced = keepsForced ? files.newReaderOfForced() : null;
  }

  private void makeEnds() {
    log = files.log();
    producer = log.newProducer();
    reader = log.newReader();
    reader.seekToEnd();
  }

  /** Makes trials on logs of segments for so many messages. */
  static Pool<LogTrial> pool(int messages, boolean keepsForced) {
    return new Pool<>(() -> new LogTrial(messages, keepsForced));
  }

  /** Takes a log from a pool. */
  static LogTrial of(Pool<LogTrial> pool) {
    LogTrial trial = pool.take();
    trial.base = trial.log.endNumber() - 1;
    return trial;
  }

  /** Opens the log again, which a trial has closed. */
  void reopen() {
    reader.close();
    files.open();
    makeEnds();
  }

  // ---- appending ----

  /** Claims a message and writes it; and one more record where the claim is twice as long. */
  private void write(int length) {
    Message message = producer.claim(TYPE, length);
    for (int at = length - LENGTH; at >= 0; at -= LENGTH) {
      message.as(Numbered.TYPE, at).write(producer.number() + 1);
    }
  }

  void append() {
    write(LENGTH);
    producer.commit();
  }

  /** Appends a message, of a claim that is twice as long and written to its end. */
  void appendShortened() {
    write(2 * LENGTH);
    producer.commit(LENGTH);
  }

  /** Writes a message twice as long, and gives it up. */
  void abort() {
    write(2 * LENGTH);
    producer.abort();
  }

  // ---- reading ----

  /** Takes the next message; returns its place in the trial, 0 if there is none. */
  int take() {
    return take(reader);
  }

  /** The same, by another reader. */
  int take(LogReader from) {
    Message message = from.tryPoll();
    if (message == null) {
      return 0;
    }
    boolean isOne = message.type() == TYPE && message.length() == LENGTH;
    int place = isOne ? message.as(Numbered.TYPE).whole(base) : Numbered.TORN;
    boolean isItsNumber = from.number() == base + place;
    from.release();
    return isItsNumber ? place : Numbered.TORN;
  }

  /** Takes all that is there; returns how many messages, if they are the next in order. */
  int count(LogReader from, int before) {
    int count = before;
    for (int place = take(from); place != 0; place = take(from)) {
      if (place != count + 1) {
        return Numbered.TORN;
      }
      count++;
    }
    return count;
  }

  /** Takes what is left, and gives the log back; returns the places, one digit each. */
  int takeRest() {
    int places = 0;
    for (int place = take(); place != 0; place = take()) {
      places = 10 * places + place;
    }
    files.tidy();
    giveBack();
    return places;
  }
}

package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.spec.FifoSpec.Sent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * A producer of messages as the soaks see one of records: a claim is for the number that will be
 * given out next, from which the message follows. A claim of a run is cut into the messages of the
 * numbers that follow. Where that cannot be, since they have different times or the queue has a
 * stall limit, it is one message with as many more cells, and is committed shorter.
 */
final class MessageSender extends Producer<Item> implements Item {
  static final long POISON = 0xBADBADBADBADBADL;

  private final MessageProducer producer;
  private final MessageShape shape;
  private final Sent sent;
  private final int timeBytes;
  private final int mostRoom;
  private final boolean isCut; // where a claim is for several
  private final MemorySegment copy; // of a message that is offered
  private Message message;
  private long number;
  private int length;
  private int room;
  private int index; // of the message in hand
  private Fault planted = Fault.NONE;

  /** Makes an end of a queue, for the producer of an index. */
  MessageSender(MessageQueue queue, MessageShape shape, int index, Sent sent) {
    this.producer = shape.hasTime(index) ? queue.newProducer(this::time) : queue.newProducer();
    this.shape = shape;
    this.sent = sent;
    this.timeBytes = shape.timeBytes(index);
    this.mostRoom = queue.maxLength() - timeBytes;
    this.isCut = timeBytes == 0 && shape.cuts();
    this.copy = Arena.ofAuto().allocate(shape.longest() + 1L);
  }

  /** The producer's clock. */
  private long time() {
    return MessageShape.time(number) + (planted == Fault.MISTIME ? 1 : 0);
  }

  /** How many cells the claim has. */
  int cells() {
    return cells(room);
  }

  private int cells(int bytes) {
    return Math.max(1, Math.ceilDiv(bytes + timeBytes, MessageQueue.CELL_BYTES));
  }

  /** Offers the message of a number as it is copied, in one piece or in parts. */
  boolean offer(long its) {
    number = its;
    length = shape.length(its);
    planted = Fault.NONE;
    MessageShape.write(copy, its, length);
    int type = shape.type(its);
    if (length % 2 == 0) {
      return producer.offer(type, copy.asSlice(0, length));
    }
    int first = length / 4; // none if it is short
    int second = length / 2;
    return producer.offer(
        type,
        copy.asSlice(0, first),
        copy.asSlice(first, second - first),
        copy.asSlice(second, length - second));
  }

  // ---- claims ----

  private int choose(int limit) {
    number = sent.peekNumber();
    length = shape.length(number);
    planted = Fault.NONE;
    room = (int) Math.min(length + (limit - 1L) * MessageQueue.CELL_BYTES, mostRoom);
    return shape.type(number);
  }

  /** The same for as many messages as one claim can have, up to the limit; returns how many. */
  private int chooseSeveral(int limit) {
    choose(limit);
    if (!isCut) {
      return 1;
    }
    int count = 1;
    room = length;
    for (; count < limit; count++) {
      int before = cells(room) * MessageQueue.CELL_BYTES;
      int next = Math.max(1, shape.length(sent.peekNumber(count))); // for the cell of an empty one
      if (before + next > mostRoom) {
        break;
      }
      room = before + next;
    }
    return count;
  }

  private Item claimed(Message its) {
    message = its;
    index = 0;
    return its == null ? null : this;
  }

  @Override
  public Item tryClaim() {
    return claimed(producer.tryClaim(choose(1), room));
  }

  @Override
  public Item claim() throws InterruptedException {
    return claimed(producer.claim(choose(1), room));
  }

  @Override
  public Item claim(Duration timeout) throws InterruptedException {
    return claimed(producer.claim(choose(1), room, timeout));
  }

  @Override
  public int tryClaim(int limit) {
    int count = chooseSeveral(limit);
    return claimed(producer.tryClaim(shape.type(number), room)) == null ? 0 : count;
  }

  @Override
  public int claim(int limit) throws InterruptedException {
    int count = chooseSeveral(limit);
    return claimed(producer.claim(shape.type(number), room)) == null ? 0 : count;
  }

  /** Goes on to the next message of the claim, if it is asked for it; it never goes back. */
  @Override
  public Item at(int its) {
    if (its > index) {
      index = its;
      number = sent.peekNumber();
      int next = shape.length(number);
      message = producer.next(length, shape.type(number), next);
      room -= cells(length) * MessageQueue.CELL_BYTES;
      length = next;
    }
    return this;
  }

  @Override
  public void commit() {
    int committed = planted == Fault.SHORTEN ? length - 1 : length;
    if (committed == room) {
      producer.commit();
    } else {
      producer.commit(committed);
    }
  }

  @Override
  public void abort() {
    producer.abort();
  }

  @Override
  public void close() {
    producer.close();
  }

  // ---- the message ----

  @Override
  public void number(long its) {
    if (its != number) {
      throw new IllegalArgumentException("number must be " + number + ": number=" + its);
    }
    MessageShape.write(message, its, length);
  }

  @Override
  public void poison() {
    int wholeWords = room & -Long.BYTES;
    for (int at = 0; at < wholeWords; at += Long.BYTES) {
      message.putLong(at, POISON);
    }
    for (int at = wholeWords; at < room; at++) {
      message.putByte(at, (byte) POISON);
    }
  }

  @Override
  public boolean spoil(Fault fault) {
    planted = fault;
    boolean hasBytes = length > 0;
    switch (fault) {
      case TEAR -> {
        if (hasBytes) {
          message.putByte(length - 1, (byte) ~message.getByte(length - 1));
        }
      }
      case POISON -> poison();
      case MISTIME -> {
        return timeBytes > 0;
      }
      case SHORTEN -> {}
      default -> {
        return true; // as the producer does it
      }
    }
    return hasBytes;
  }

  /** Returns what it is an end of. */
  @Override
  public String toString() {
    return producer.toString();
  }
}

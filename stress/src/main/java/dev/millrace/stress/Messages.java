package dev.millrace.stress;

import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageConsumer.Then;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.Fault.Plant;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.KFifoSpec.Log;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * The ends of a {@link MessageQueue}. Type, length, bytes and time of each message follow from its
 * number, so that a consumer can check all of them. The type is the number, of which an empty
 * message has no other; so there are at most 2^32 in a round.
 *
 * @param producers how many there are
 * @param longest the most bytes of a message
 * @param clocks whether the first producer sends the time: 1 or 0
 * @param small from which producer on messages take one cell
 * @param cuts whether claims of several are cut into messages; not with a stall limit
 */
record Messages(
    MessageQueue queue, int producers, int longest, int clocks, int small, boolean cuts) {
  private static final int RARELY = 4_095; // a mask: a message without a time makes an exception

  private int timeBytes(long producer) {
    return producer < clocks ? Long.BYTES : 0;
  }

  private int length(long number) {
    long producer = number % producers;
    int cell = MessageQueue.CELL_BYTES - timeBytes(producer);
    int most = producer < small ? longest : Math.min(longest, cell);
    return (int) ((Bytes.draw(FifoSpec.mix(number)) * (most + 1)) >>> 31);
  }

  private static long time(long number) {
    return ~FifoSpec.mix(number);
  }

  private MemorySegment newCopy() {
    return Arena.ofAuto().allocate(Math.max(1, longest));
  }

  /**
   * A producer. A claim of a run is cut into the messages of the numbers that follow. Where that
   * cannot be, since they have different times or the queue has a stall limit, it is one message
   * with as many more cells, and is committed shorter. In the form {@link Form#HAND} a message is
   * offered.
   */
  final class In implements Sink {
    private final MessageProducer producer;
    private final int timeBytes;
    private final int mostRoom;
    private final MemorySegment copy = newCopy(); // of the message in hand
    private Message message; // null while one is offered
    private long number; // of the message in hand
    private int length;
    private int room; // from it to the end of the claim
    private boolean isMistimed;

    In(int index) {
      this.timeBytes = timeBytes(index);
      this.producer = timeBytes > 0 ? queue.newProducer(this::clock) : queue.newProducer();
      this.mostRoom = queue.maxLength() - timeBytes;
    }

    private long clock() {
      return time(number) + (isMistimed ? 1 : 0);
    }

    /** How many cells the claim has. */
    int cells() {
      return cells(room);
    }

    private int cells(int bytes) {
      return Math.max(1, Math.ceilDiv(bytes + timeBytes, MessageQueue.CELL_BYTES));
    }

    @Override
    public int claim(Form form, long its, int limit) throws InterruptedException {
      number = its;
      length = length(its);
      boolean isCut = cuts && timeBytes == 0;
      int count = isCut ? fit(limit) : 1;
      if (!isCut) {
        room = (int) Math.min(length + (limit - 1L) * MessageQueue.CELL_BYTES, mostRoom);
      }
      message =
          switch (form) {
            case HAND -> null;
            case WAIT, WAIT_RUN -> producer.claim((int) its, room);
            case BRIEF -> producer.claim((int) its, room, Form.BRIEFLY);
            default -> producer.tryClaim((int) its, room);
          };
      return message == null && form != Form.HAND ? 0 : count;
    }

    /** Makes room for as many messages as one claim can have, up to the limit; returns how many. */
    private int fit(int limit) {
      room = length;
      int count = 1;
      for (; count < limit; count++) {
        int before = cells(room) * MessageQueue.CELL_BYTES;
        int next = Math.max(1, length(number + (long) count * producers)); // empty: for its cell
        if (before + next > mostRoom) {
          break;
        }
        room = before + next;
      }
      return count;
    }

    @Override
    public void write(int index, long its) {
      if (index > 0) {
        int next = length(its);
        message = producer.next(length, (int) its, next);
        room -= cells(length) * MessageQueue.CELL_BYTES;
        length = next;
        number = its;
      }
      Bytes.write(copy, 0, FifoSpec.mix(its), length);
      if (message != null) {
        message.putBytes(0, copy.asSlice(0, length));
      }
    }

    @Override
    public boolean end(boolean commits, Fault fault) {
      if (message == null) {
        while (commits && fault != Fault.LOSE && !offer()) {
          Thread.yield();
        }
        return true;
      }
      boolean isWrong = !commits || fault == Fault.POISON;
      int wrongFrom = fault == Fault.TEAR ? Math.max(0, length - 1) : isWrong ? 0 : length;
      for (int at = wrongFrom; at < length; at++) {
        message.putByte(at, (byte) ~message.getByte(at));
      }
      isMistimed = fault == Fault.MISTIME;
      if (!commits || fault == Fault.LOSE) {
        producer.abort();
      } else if (length == room && fault != Fault.SHORTEN) {
        producer.commit();
      } else {
        producer.commit(fault == Fault.SHORTEN ? Math.max(0, length - 1) : length);
      }
      return true;
    }

    /** Offers the message as it is copied, in one piece or in parts. */
    private boolean offer() {
      int half = length / 2;
      return length % 2 == 0
          ? producer.offer((int) number, copy.asSlice(0, length))
          : producer.offer((int) number, copy.asSlice(0, half), copy.asSlice(half, half + 1));
    }
  }

  /**
   * A consumer, which checks all of each message. Its drains may stop after some bytes, after a
   * message, or before one, which stays.
   */
  final class Out implements Source {
    private final MessageConsumer end;
    private final boolean isSole; // so that a message can stay in the queue
    private final Source source;
    private final Plant plant;
    private final SplittableRandom random;
    private final MemorySegment copy = newCopy();
    private long bytesLeft; // of this drain
    private int stopsIn; // messages until the drain stops; 0 for never
    private Then stop;
    private Fault wrong;

    Out(MessageConsumer end, boolean isSole, AtomicInteger held, Fault fault, long seed) {
      this.end = end;
      this.isSole = isSole;
      this.source = new Source.Of<>(end, this::number, held, Log.none());
      this.plant = new Plant(fault);
      this.random = new SplittableRandom(seed);
    }

    /** The number of a message; throws if not all of it is right. */
    long number(Message message) {
      long number = Integer.toUnsignedLong(message.type());
      int length = message.length();
      check(length == length(number), message, "length");
      message.getBytes(0, copy.asSlice(0, length));
      check(Bytes.areOf(copy, 0, FifoSpec.mix(number), length), message, "bytes");
      check(isTimeRight(message, number), message, "time");
      return number;
    }

    private boolean isTimeRight(Message message, long number) {
      boolean hasTime = timeBytes(number % producers) > 0;
      if (hasTime || (number & RARELY) != 0) {
        return !hasTime || message.time() == time(number);
      }
      try {
        message.time();
        return false;
      } catch (IllegalStateException e) {
        return true;
      }
    }

    private static void check(boolean holds, Message message, String what) {
      if (!holds) {
        throw new AssertionError("torn message: " + what + ", " + message);
      }
    }

    @Override
    public int take(Form form, int limit, LongConsumer handler) throws InterruptedException {
      int way = form == Form.HAND ? random.nextInt(3) : 0;
      if (way == 0) {
        return source.take(form, limit, handler);
      }
      boolean isOfBytes = way == 1;
      bytesLeft = isOfBytes ? 1L + random.nextInt(1 + limit * longest) : Long.MAX_VALUE;
      stopsIn = isOfBytes ? 0 : 1 + random.nextInt(2 * limit);
      wrong = plant.due();
      stop = isSole && random.nextBoolean() ? Then.STOP_BEFORE : Then.STOP;
      long bytes = wrong == Fault.OVERDRAW ? Long.MAX_VALUE : bytesLeft;
      int count =
          isOfBytes
              ? end.drain(message -> control(message, handler), limit, bytes)
              : end.drainWhile(message -> control(message, handler), limit);
      return count == 0 && end.isDrained() ? DRAINED : count;
    }

    private Then control(Message message, LongConsumer handler) {
      Counts.checkWithin("bytes left before a message", bytesLeft, 1, Long.MAX_VALUE);
      bytesLeft -= message.length();
      long number = number(message);
      Then then = --stopsIn == 0 ? stop : Then.GO_ON;
      if (then != Then.STOP_BEFORE || wrong == Fault.TAKE_KEPT) {
        handler.accept(number);
      }
      return then == Then.STOP_BEFORE && wrong == Fault.DROP ? Then.STOP : then;
    }
  }
}

package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Queue;
import org.jctools.queues.MessagePassingQueue;

/**
 * Messages as their users have them where a queue passes references: a new array for each. A queue
 * of JCTools is used by its relaxed forms and by {@code drain}, another by offer and poll.
 */
record ByteArrays(Queue<byte[]> queue, Lengths lengths) implements Contender {
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder())
          .withInvokeExactBehavior();

  @Override
  public Ends ends(boolean sends, boolean receives) {
    Class<? extends Ends> type =
        queue instanceof MessagePassingQueue ? Relaxed.class : Offers.class;
    return Ends.of(type, queue, lengths);
  }

  // not private: copies of the classes below are no nestmates
  static byte[] newMessage(int length, long number) {
    byte[] message = new byte[length];
    int last = length - Long.BYTES;
    WORDS.set(message, 0, number);
    long sum = number;
    for (int i = Lengths.STEP_BYTES; i < last; i += Lengths.STEP_BYTES) {
      WORDS.set(message, i, number + i);
      sum += number + i;
    }
    WORDS.set(message, last, Words.sum(number) - sum);
    return message;
  }

  static long sum(byte[] message) {
    int last = message.length - Long.BYTES;
    long sum = (long) WORDS.get(message, 0) + (long) WORDS.get(message, last);
    for (int i = Lengths.STEP_BYTES; i < last; i += Lengths.STEP_BYTES) {
      sum += (long) WORDS.get(message, i);
    }
    return sum;
  }

  /** By the relaxed forms. */
  static final class Relaxed extends Ends implements MessagePassingQueue.Consumer<byte[]> {
    private final MessagePassingQueue<byte[]> queue;
    private final Lengths lengths;
    private byte[] refused; // kept, so that no message is made twice

    Relaxed(MessagePassingQueue<byte[]> queue, Lengths lengths) {
      this.queue = queue;
      this.lengths = lengths;
    }

    @Override
    boolean send(long number) {
      byte[] message = refused == null ? newMessage(lengths.of(number), number) : refused;
      boolean isSent = queue.relaxedOffer(message);
      refused = isSent ? null : message;
      return isSent;
    }

    @Override
    long receive() {
      byte[] message = queue.relaxedPoll();
      return message == null ? NONE : sum(message);
    }

    @Override
    int receive(int limit) {
      return queue.drain(this, limit);
    }

    @Override
    public void accept(byte[] message) {
      runSum += sum(message);
    }
  }

  /** By offer and poll. */
  static final class Offers extends Ends {
    private final Queue<byte[]> queue;
    private final Lengths lengths;
    private byte[] refused; // kept, so that no message is made twice

    Offers(Queue<byte[]> queue, Lengths lengths) {
      this.queue = queue;
      this.lengths = lengths;
    }

    @Override
    boolean send(long number) {
      byte[] message = refused == null ? newMessage(lengths.of(number), number) : refused;
      boolean isSent = queue.offer(message);
      refused = isSent ? null : message;
      return isSent;
    }

    @Override
    long receive() {
      byte[] message = queue.poll();
      return message == null ? NONE : sum(message);
    }
  }
}

package dev.millrace.stress.spec;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The ledger of a round: what was sent and what was received. Every structure promises that each
 * record arrives once, and that each consumer sees those of a producer in that producer's order.
 *
 * <p>A record's number gives its producer and its place among that producer's records. A number
 * belongs to one claim only; claims that were aborted or refused leave gaps. Nothing is kept per
 * record, so rounds may be long: counts and checksums of both sides must agree in the end.
 */
public final class FifoSpec {
  private static final long MASK = 0x5DEECE66DL;
  private static final long FACTOR = 0x9E3779B97F4A7C15L;
  private static final long INVERSE = 0xF1DE83E19937733DL; // FACTOR * INVERSE is 1

  private FifoSpec() {}

  /**
   * Scrambles a number, so that each other number differs in about half its bits.
   *
   * @param number any
   * @return what it is mapped to
   */
  public static long mix(long number) {
    return (number ^ MASK) * FACTOR;
  }

  /**
   * Undoes {@link #mix}.
   *
   * @param mixed any
   * @return the number that is mapped to it
   */
  public static long unmix(long mixed) {
    return (mixed * INVERSE) ^ MASK;
  }

  /** What one producer sent. */
  public static final class Sent {
    private final int producer;
    private final int producers;
    private final BitSet accepted; // null unless each number is kept
    private final Counts others = new Counts();
    private long next;
    private long committed;
    private long checksum;

    /**
     * Makes one that has sent nothing.
     *
     * @param producer its index
     * @param producers how many producers there are
     * @param keepsNumbers whether to keep each number that was committed
     */
    public Sent(int producer, int producers, boolean keepsNumbers) {
      this.producer = producer;
      this.producers = producers;
      this.accepted = keepsNumbers ? new BitSet() : null;
    }

    /**
     * Gives out a number that no record had.
     *
     * @return the number
     */
    public long nextNumber() {
      return next++ * producers + producer;
    }

    /**
     * Foretells a number.
     *
     * @return what {@link #nextNumber} will return
     */
    public long peekNumber() {
      return next * producers + producer;
    }

    /**
     * Counts records that a claim ended by a commit.
     *
     * @param first the first one's number; the others follow, as given out
     * @param count how many
     * @param isAccepted whether consumers will see them; otherwise they are refused
     */
    public void committed(long first, int count, boolean isAccepted) {
      if (!isAccepted) {
        others.add("refused", count);
        return;
      }
      committed += count;
      for (int i = 0; i < count; i++) {
        long number = first + (long) i * producers;
        checksum += mix(number);
        if (accepted != null) {
          accepted.set((int) number);
        }
      }
    }

    /**
     * Counts records that ended in another way, or not at all.
     *
     * @param fate in which way
     * @param count how many
     */
    public void count(String fate, int count) {
      others.add(fate, count);
    }
  }

  /** What one consumer received. */
  public static final class Received {
    private final AtomicLongArray last; // by producer
    private final long[] counts; // by producer
    private final boolean isOrdered;
    private long checksum;

    /**
     * Makes one that has received nothing.
     *
     * @param producers how many producers there are
     * @param isOrdered whether the records of a producer must come in order
     */
    public Received(int producers, boolean isOrdered) {
      this.last = new AtomicLongArray(LongStream.generate(() -> -1).limit(producers).toArray());
      this.counts = new long[producers];
      this.isOrdered = isOrdered;
    }

    /**
     * Notes that a record was received.
     *
     * @param number its number
     * @throws AssertionError if it cannot come now, after those before
     */
    public void take(long number) {
      if (number < 0) {
        throw new AssertionError("number must be at least 0: number=" + number);
      }
      int producer = (int) (number % counts.length);
      long before = last.getPlain(producer); // plain: this thread's own
      if (isOrdered && number <= before) {
        throw new AssertionError("number must be above " + before + ": number=" + number);
      }
      last.setOpaque(producer, number); // opaque: for the watcher
      counts[producer]++;
      checksum += mix(number);
    }

    /**
     * Finds the number that came last from a producer, for any thread.
     *
     * @param producer its index
     * @return that number or one before it, -1 at first
     */
    public long last(int producer) {
      return last.getOpaque(producer);
    }

    /**
     * Reports progress, for any thread.
     *
     * @return a number that changes as records come
     */
    public long progress() {
      return IntStream.range(0, counts.length).mapToLong(this::last).sum();
    }

    /**
     * Checks that nothing is missing before the last records that came.
     *
     * @param sents what producers sent, with each number
     * @throws AssertionError if a record is
     */
    public void checkNoGaps(List<Sent> sents) {
      for (int i = 0; i < counts.length; i++) {
        int sent = sents.get(i).accepted.get(0, (int) last(i) + 1).cardinality();
        Counts.check("records taken up to " + last(i), counts[i], sent);
      }
    }
  }

  /**
   * Sums up what producers sent.
   *
   * @param sents what each sent
   * @return the records and their checksum, and how many had another fate
   */
  public static Counts sent(List<Sent> sents) {
    Counts counts = new Counts();
    for (Sent sent : sents) {
      counts.add("records", sent.committed).add("checksum", sent.checksum).add(sent.others);
    }
    return counts;
  }

  /**
   * Sums up what consumers received.
   *
   * @param receiveds what each received
   * @return the records and their checksum
   */
  public static Counts received(List<Received> receiveds) {
    Counts counts = new Counts();
    for (Received received : receiveds) {
      long count = LongStream.of(received.counts).sum();
      counts.add("records", count).add("checksum", received.checksum);
    }
    return counts;
  }

  /**
   * Compares both sides, after all threads have ended.
   *
   * @param sent the total of what was sent
   * @param receiveds what each consumer received
   * @return what was sent
   * @throws AssertionError if they differ
   */
  public static Counts balance(Counts sent, List<Received> receiveds) {
    Counts received = received(receiveds);
    Counts.check("records taken", received.get("records"), sent.get("records"));
    Counts.check("checksum", received.get("checksum"), sent.get("checksum"));
    return sent;
  }
}

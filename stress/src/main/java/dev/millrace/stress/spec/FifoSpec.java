package dev.millrace.stress.spec;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * What every structure promises about numbered records: each arrives once, and each consumer sees
 * those of a producer in that producer's order.
 *
 * <p>A record's number gives its producer and its place among that producer's records. A number
 * belongs to one claim only; claims that were aborted or refused leave gaps. Nothing is kept per
 * record, so rounds may be long: counts and checksums of both sides must agree in the end.
 */
public final class FifoSpec {
  private FifoSpec() {}

  /**
   * Scrambles a number, so that each other number differs in about half its bits.
   *
   * @param number any
   * @return what it is mapped to
   */
  public static long mix(long number) {
    return (number ^ 0x5DEECE66DL) * 0x9E3779B97F4A7C15L;
  }

  /** What one producer sent. */
  public static final class Sent {
    private final int producer;
    private final int producers;
    private final BitSet accepted; // null unless each number is kept
    private long next;
    private long committed;
    private long refused;
    private long aborted;
    private long dropped;
    private long signalled;
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
      return peekNumber(0);
    }

    /**
     * Foretells a number that will be given out later.
     *
     * @param later how many come before it
     * @return what {@link #nextNumber} will return then
     */
    public long peekNumber(int later) {
      return (next + later) * producers + producer;
    }

    /**
     * Counts records that a claim ended by a commit.
     *
     * @param first the first one's number; the others follow, as given out
     * @param count how many
     * @param isAccepted whether consumers will see them
     */
    public void committed(long first, int count, boolean isAccepted) {
      if (!isAccepted) {
        refused += count;
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
     * How many records were committed, for the producer's thread.
     *
     * @return the number
     */
    public long committed() {
      return committed;
    }

    /**
     * Counts records that were claimed and given back.
     *
     * @param count how many
     */
    public void aborted(int count) {
      aborted += count;
    }

    /**
     * Counts records that a full structure dropped.
     *
     * @param count how many
     */
    public void dropped(int count) {
      dropped += count;
    }

    /**
     * Counts records of which a full structure said that they did not fit.
     *
     * @param count how many
     */
    public void signalled(int count) {
      signalled += count;
    }

    /**
     * Lists the numbers that were committed.
     *
     * @return the numbers, if they are kept
     */
    BitSet accepted() {
      return accepted;
    }
  }

  /** What one consumer received. */
  public static final class Received {
    private final long[] last;
    private final boolean isOrdered;
    private long count;
    private long checksum;

    /**
     * Makes one that has received nothing.
     *
     * @param producers how many producers there are
     * @param isOrdered whether the records of a producer must come in order
     */
    public Received(int producers, boolean isOrdered) {
      this.last = new long[producers];
      this.isOrdered = isOrdered;
      Arrays.fill(last, -1);
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
      int producer = (int) (number % last.length);
      if (isOrdered && number <= last[producer]) {
        throw new AssertionError("number must be above " + last[producer] + ": number=" + number);
      }
      last[producer] = number;
      count++;
      checksum += mix(number);
    }
  }

  /**
   * Sums up what producers sent.
   *
   * @param sents what each sent
   * @return records, aborted, refused, dropped, signalled, and the checksum of the records
   */
  public static Counts total(List<Sent> sents) {
    Counts counts = new Counts();
    for (Sent sent : sents) {
      counts
          .add("records", sent.committed)
          .add("aborted", sent.aborted)
          .add("refused", sent.refused)
          .add("dropped", sent.dropped)
          .add("signalled", sent.signalled)
          .add("checksum", sent.checksum);
    }
    return counts;
  }

  /**
   * Compares both sides, after all threads have ended.
   *
   * @param sents what each producer sent
   * @param receiveds what each consumer received
   * @return the total of what was sent
   * @throws AssertionError if they differ
   */
  public static Counts balance(List<Sent> sents, List<Received> receiveds) {
    Counts total = total(sents);
    long count = receiveds.stream().mapToLong(received -> received.count).sum();
    Counts.check("records taken", count, total.get("records"));
    long checksum = receiveds.stream().mapToLong(received -> received.checksum).sum();
    Counts.check("checksum", checksum, total.get("checksum"));
    return total;
  }
}

package dev.millrace.stress;

import java.util.Arrays;
import java.util.List;

/**
 * What producers put into a queue and consumers took out of it, and whether the two agree: each
 * record exactly once, and those of a producer in its order for each consumer.
 *
 * <p>A record's number tells its producer and its place among that producer's records. A number is
 * given to one claim only; those that were aborted or refused leave gaps.
 */
final class Ledger {
  private Ledger() {}

  /** One producer's part. */
  static final class Put {
    private final int producer;
    private final int producers;
    private long next;
    private long committed;
    private long refused;
    private long aborted;
    private long checksum;

    Put(int producer, int producers) {
      this.producer = producer;
      this.producers = producers;
    }

    /** A number that no record had. */
    long nextNumber() {
      return next++ * producers + producer;
    }

    /** Records that a claim ended by a commit. */
    void committed(long firstNumber, int count, boolean accepted) {
      if (!accepted) {
        refused += count;
        return;
      }
      committed += count;
      for (int i = 0; i < count; i++) {
        checksum += Entry.mix(firstNumber + (long) i * producers);
      }
    }

    /** Records that a claim ended by an abort. */
    void aborted(int count) {
      aborted += count;
    }

    /** The number that the next claim will get. */
    long peekNumber() {
      return next * producers + producer;
    }

    long committed() {
      return committed;
    }

    long refused() {
      return refused;
    }

    long aborted() {
      return aborted;
    }

    long claimed() {
      return committed + refused + aborted;
    }
  }

  /** One consumer's part. */
  static final class Taken {
    private final long[] last;
    private long count;
    private long checksum;

    Taken(int producers) {
      this.last = new long[producers];
      Arrays.fill(last, -1);
    }

    /** Records that a record was taken; throws if it cannot be, after those before. */
    void take(long number) {
      if (number < 0) {
        throw new AssertionError("number must be at least 0: number=" + number);
      }
      int producer = (int) (number % last.length);
      if (number <= last[producer]) {
        throw new AssertionError("number must be above " + last[producer] + ": number=" + number);
      }
      last[producer] = number;
      count++;
      checksum += Entry.mix(number);
    }

    long count() {
      return count;
    }
  }

  /**
   * What all producers did.
   *
   * @param claimed slots of claims that were ended: committed + refused + aborted
   * @param committed records that consumers took
   * @param refused records whose commit returned false
   * @param aborted slots given back
   * @param checksum over the records
   */
  record Totals(long claimed, long committed, long refused, long aborted, long checksum) {}

  /** Closes the ledger; throws if what was taken is not what was put. */
  static Totals balance(List<Put> puts, List<Taken> takens) {
    Totals totals =
        new Totals(
            puts.stream().mapToLong(Put::claimed).sum(),
            puts.stream().mapToLong(put -> put.committed).sum(),
            puts.stream().mapToLong(put -> put.refused).sum(),
            puts.stream().mapToLong(put -> put.aborted).sum(),
            puts.stream().mapToLong(put -> put.checksum).sum());
    check("records taken", takens.stream().mapToLong(Taken::count).sum(), totals.committed);
    check("checksum", takens.stream().mapToLong(taken -> taken.checksum).sum(), totals.checksum);
    return totals;
  }

  /** Throws if a count is not what it must be. */
  static void check(String what, long is, long mustBe) {
    checkWithin(what, is, mustBe, mustBe);
  }

  /** Throws if a count is out of bounds. */
  static void checkWithin(String what, long is, long least, long most) {
    if (is < least || is > most) {
      String bounds = least == most ? "" + least : "in " + least + ".." + most;
      throw new AssertionError(what + " must be " + bounds + ": is " + is);
    }
  }
}

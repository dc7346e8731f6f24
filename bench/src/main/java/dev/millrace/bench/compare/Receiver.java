package dev.millrace.bench.compare;

/** One consumer of a contender, for one thread. */
abstract class Receiver {
  /** Returned instead of a sum: no record is there. */
  static final long NONE = Long.MIN_VALUE;

  /** The sum over all fields of the records that were received in batches. */
  long batchSum;

  /** Receives a record, if one is there; returns the sum of its fields, or {@link #NONE}. */
  abstract long receive();

  /** Receives records up to a limit, as the contender does it best; returns how many. */
  int receive(int limit) {
    int count = 0;
    long sum;
    while (count < limit && (sum = receive()) != NONE) {
      batchSum += sum;
      count++;
    }
    return count;
  }
}

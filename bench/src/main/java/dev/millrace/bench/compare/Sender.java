package dev.millrace.bench.compare;

/**
 * One producer of a contender, for one thread. A record is three 64-bit fields, or as many as
 * {@link dev.millrace.bench.Words} says, made of one number: n, n + 1, n + 2 and so on.
 */
abstract class Sender {
  /** Sends a record, if there is room. */
  abstract boolean send(long number);

  /** Sends records of consecutive numbers, as the contender does it best; returns how many. */
  int send(long first, int count) {
    int sent = 0;
    while (sent < count && send(first + sent)) {
      sent++;
    }
    return sent;
  }
}

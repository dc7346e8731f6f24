package dev.millrace.bench.compare;

import dev.millrace.core.Sequence;

/**
 * Holds a queue without bounds to so many records as a bounded one has room for. Senders take
 * permits and receivers give them back, a run at a time, so that the two counters are touched
 * seldom. A sender without a permit fails, as it does where a queue is full.
 */
final class Permitted implements Contender {
  private static final int RUN = 64;

  private final Contender unbounded;
  private final long most;
  private final Sequence taken = new Sequence();
  private final Sequence returned = new Sequence();

  /**
   * Makes it.
   *
   * @param most how many records may be on their way, or permitted
   */
  Permitted(Contender unbounded, long most) {
    this.unbounded = unbounded;
    this.most = most;
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return new Limited(unbounded.ends(sends, receives));
  }

  @Override
  public Double bytesPerOffer() {
    return unbounded.bytesPerOffer();
  }

  @Override
  public void close() {
    unbounded.close();
  }

  /** Takes permits, if there are as many. */
  private boolean permit(int count) {
    long before = taken.getOpaque(); // opaque: the compare-and-set tells whether it is stale
    return before + count - returned.getOpaque() <= most // opaque: only a count, and it only grows
        && taken.compareAndSet(before, before + count); // volatile: no order is asked of it
  }

  private final class Limited extends Ends {
    private final Ends ends;
    private int permits;
    private int received;

    Limited(Ends ends) {
      this.ends = ends;
    }

    @Override
    boolean send(long number) {
      if (permits == 0) {
        if (!permit(RUN)) {
          return false;
        }
        permits = RUN;
      }
      if (!ends.send(number)) {
        return false;
      }
      permits--;
      return true;
    }

    @Override
    long receive() {
      long sum = ends.receive();
      if (sum != NONE && ++received == RUN) {
        received = 0;
        returned.getAndAdd(RUN); // volatile: no order is asked of it, as above
      }
      return sum;
    }
  }
}

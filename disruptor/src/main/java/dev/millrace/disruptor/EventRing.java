package dev.millrace.disruptor;

/** A ring of events and the sequencer that numbers them. */
abstract sealed class EventRing<E> implements AutoCloseable permits RecordRing, ObjectRing {
  final Sequencer sequencer;

  EventRing(Sequencer sequencer) {
    this.sequencer = sequencer;
  }

  /**
   * What numbers the events: for barriers, claims by sequence, and counts.
   *
   * @return the sequencer
   */
  public final Sequencer sequencer() {
    return sequencer;
  }

  /**
   * How many events fit.
   *
   * @return the capacity
   */
  public final int capacity() {
    return sequencer.capacity();
  }

  /** Closes the ring to producers, as {@link Sequencer#complete()} does. */
  public final void complete() {
    sequencer.complete();
  }

  /** Makes what a consumer of this ring sees of it. */
  abstract Batch<E> newBatch();

  /** Says, behind a claim that was refused for good, why. */
  final IllegalStateException closed() {
    Throwable cause = sequencer.failure();
    String why = cause == null ? "" : ", since a stage failed";
    return new IllegalStateException("ring must be open to claim" + why + ": " + this, cause);
  }

  /**
   * Abandons what is still in the ring and frees its memory. Close when producers and consumers
   * have stopped, or let {@link Pipeline#close()} do it. A second call does nothing.
   */
  @Override
  public void close() {
    sequencer.close();
  }
}

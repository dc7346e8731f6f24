package dev.millrace.disruptor;

/** The kinds of rings: by how many threads publish. */
enum Producers {
  ONE,
  MANY;

  RingOptions options(int capacity) {
    return this == ONE ? RingOptions.singleProducer(capacity) : RingOptions.multiProducer(capacity);
  }

  Sequencer sequencer(int capacity) {
    return Sequencer.of(options(capacity));
  }
}

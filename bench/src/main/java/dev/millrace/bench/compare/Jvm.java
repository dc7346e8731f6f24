package dev.millrace.bench.compare;

import java.util.List;

/** What kind of JVM a work is done in. */
enum Jvm {
  /** With the collector that is usual where there are two processors. */
  DEFAULT("-XX:+UseG1GC"),
  /** With the collector of the shortest pauses. */
  ZGC("-XX:+UseZGC"),
  /** As the default, but the profiles of code that queues share were spoilt first. */
  POLLUTED("-XX:+UseG1GC") {
    @Override
    void prepare() {
      throw new UnsupportedOperationException("no work pollutes yet");
    }
  };

  private final String collector;

  Jvm(String collector) {
    this.collector = collector;
  }

  /** Its options. */
  List<String> flags() {
    return List.of(collector);
  }

  /** What it does before the first probe. */
  void prepare() {
    // nothing
  }
}

package dev.millrace.bench.telemetry;

/** Tells a number to whoever may listen. One is loaded in each JVM, so that calls are direct. */
interface Recorder extends AutoCloseable {
  void record(long number);

  @Override
  void close();
}

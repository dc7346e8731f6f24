package dev.millrace.simulator;

/**
 * A variable: a field of an object or a few bytes of memory.
 *
 * <p>As long as it is accessed plain it has one value, besides which the former ones are kept. Its
 * first atomic or speculative access makes these its messages; the race detector makes sure that
 * none but a speculative read could see another than the last.
 */
final class Location {
  /** What the trace calls it. */
  String name;

  /** Its place in views; negative while all accesses were plain. */
  int index = -1;

  long bits;
  Object reference;

  /** The last plain write since the threads began, as long as all were plain; null if none. */
  Message plainWrites;

  /** The last in modification order; null while all accesses were plain. */
  Message newest;

  // The race detector's: who accessed it last, at which of its clock's ticks. Race-free plain
  // writes are in a row, so the last stands for all; the others are kept by thread.
  int plainWriter;
  int plainWriteClock;
  int plainReader;
  int plainReadClock;
  int[] plainReads; // by thread, once there were two
  int[] atomicReads;
  int[] atomicWrites;

  // Where those were, kept when tracing.
  String plainWriteOrigin;
  String plainReadOrigin;
  String atomicOrigin;

  /** The execution that it belongs to. */
  final Simulation simulation;

  /** How many bytes of memory it has; 0 if it is a field. */
  final int width;

  Location(Simulation simulation, String name, int width) {
    this.simulation = simulation;
    this.name = name;
    this.width = width;
  }
}

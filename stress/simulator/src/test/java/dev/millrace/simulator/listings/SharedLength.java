package dev.millrace.simulator.listings;

import dev.millrace.simulator.Simulation;

/**
 * Two readers of a log read the lengths of their records, which are their numbers. As listed, all
 * readers share one buffer.
 */
public class SharedLength {
  private static final int BYTES = Integer.BYTES;

  private final Simulation run;
  private final Buffer shared = new Buffer();

  private SharedLength(Simulation run) {
    this.run = run;
  }

  /**
   * What a {@code ByteBuffer} does. Its fields are volatile, because the mistake does not depend on
   * the memory model.
   */
  static final class Buffer {
    volatile int position;
    volatile int limit;
    volatile int content;

    void clear() {
      position = 0;
      limit = BYTES;
    }

    /** Fills it, as a read of a file does. */
    void fill(int with) {
      content = with;
      position = BYTES;
    }

    void flip() {
      limit = position;
      position = 0;
    }

    int getInt(Simulation run) {
      int at = position;
      run.check(at + BYTES <= limit, "buffer underflow: position=" + at + ", limit=" + limit);
      position = at + BYTES;
      return content;
    }
  }

  Buffer newBuffer() {
    return shared;
  }

  private static final class Mended extends SharedLength {
    Mended(Simulation run) {
      super(run);
    }

    @Override
    Buffer newBuffer() {
      return new Buffer(); // the caller's own
    }
  }

  private void read(int record) {
    Buffer length = newBuffer();
    length.clear();
    length.fill(record);
    length.flip();
    int read = length.getInt(run);
    run.check(read == record, "length of record " + record + " is read as " + read);
  }

  public static void asListed(Simulation run) {
    start(run, new SharedLength(run));
  }

  public static void mended(Simulation run) {
    start(run, new Mended(run));
  }

  private static void start(Simulation run, SharedLength log) {
    run.thread("reader", () -> log.read(1));
    run.thread("other reader", () -> log.read(2));
  }
}

package dev.millrace.bench.compare;

import static dev.millrace.bench.harness.Table.format;

import java.util.Arrays;
import java.util.Random;

/**
 * How long the messages of a work are. A message is told by its number, as a record is: its first
 * eight bytes and those at every 64th byte hold the number plus their offset, and its last eight
 * such a value that all of them add up to {@link dev.millrace.bench.Words#sum} of the number. So a
 * message that is cut short, or lacks a line, is noticed as a lost record is.
 */
enum Lengths {
  /** All of 16 bytes. */
  OF_16(16),
  /** All of 64 bytes. */
  OF_64(64),
  /** All of 256 bytes. */
  OF_256(256),
  /** All of 4,096 bytes. */
  OF_4096(4_096),
  /** Of 16 to 4,096 bytes, most of them short. */
  MIXED(new Random(1)); // of a mean just below 256 bytes

  /** How far apart the bytes are that are written and read between the first and the last. */
  static final int STEP_BYTES = 64;

  private static final int COUNT = 4_096; // more than a branch predictor learns
  private static final int LEAST = 16;
  private static final int MOST = 4_096;
  private static final int MOST_OF_SHORT = 256;
  private static final int LONG_ONE_IN = 16;

  @SuppressWarnings("ImmutableEnumChecker") // never changed
  private final short[] lengths = new short[COUNT]; // short, to leave room in the cache

  Lengths(int bytes) {
    Arrays.fill(lengths, (short) bytes);
  }

  Lengths(Random random) {
    for (int i = 0; i < COUNT; i++) {
      int most = random.nextInt(LONG_ONE_IN) == 0 ? MOST : MOST_OF_SHORT;
      lengths[i] = (short) (Long.BYTES * random.nextInt(LEAST / Long.BYTES, most / Long.BYTES + 1));
    }
  }

  /** The bytes of a message: 16 at least, and a multiple of eight. */
  int of(long number) {
    return lengths[(int) number & (COUNT - 1)];
  }

  /** The mean, rounded down. */
  int meanBytes() {
    long sum = 0;
    for (short length : lengths) {
      sum += length;
    }
    return (int) (sum / COUNT);
  }

  /** What a reader is told. */
  String title() {
    return this == MIXED
        ? format("%d to %,d bytes, mostly short", LEAST, MOST)
        : format("%,d bytes", meanBytes());
  }

  /** What ends the name of a work or a subject. */
  String id() {
    return this == MIXED ? "mix" : Integer.toString(meanBytes());
  }
}

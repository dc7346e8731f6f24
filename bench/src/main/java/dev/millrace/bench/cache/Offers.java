package dev.millrace.bench.cache;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * What the article's service is asked for.
 *
 * @param entries how many descriptions the cache holds
 * @param bytes of a description
 * @param requests of each thread
 * @param spread how many offers there are for each that the cache holds
 */
record Offers(int entries, int bytes, int requests, double spread) {
  private static final int DIGITS = 10;
  private static final int LETTERS = 26;
  private static final int HEAP_STEP = 256;
  private static final int LEAST_HEAP = 512;

  /** How many offers there are. */
  int count() {
    return (int) (entries * spread);
  }

  /** A heap in which Caffeine's descriptions fill less than half, in megabytes. */
  int heapMegabytes() {
    long twice = Math.ceilDiv(2L * entries * bytes, 1 << 20);
    return (int) Math.ceilDiv(LEAST_HEAP + twice, HEAP_STEP) * HEAP_STEP;
  }

  /** The numbers of the offers that a thread requests. */
  IntStream random(long seed) {
    return new SplittableRandom(seed).ints(requests, 0, count());
  }

  CacheContender.Room room() {
    return new CacheContender.Room(entries, bytes);
  }

  /** Loads an offer's description: its number, and letters from one on that is the number's. */
  String load(long number) {
    byte[] text = new byte[bytes];
    fillLetters(text, (int) (number % LETTERS));
    long rest = number;
    for (int i = DIGITS - 1; i >= 0; i--) {
      text[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  private static void fillLetters(byte[] text, int first) {
    int begun = Math.min(text.length, LETTERS);
    for (int i = 0; i < begun; i++) {
      text[i] = letter(first + i);
    }
    for (int done = begun; done < text.length; done *= 2) { // which stays a multiple of LETTERS
      System.arraycopy(text, 0, text, done, Math.min(done, text.length - done));
    }
  }

  private static byte letter(int number) {
    return (byte) ('a' + number % LETTERS);
  }

  /**
   * Checks a description.
   *
   * @throws AssertionError if it is not this offer's
   */
  void check(long number, String text) {
    int middle = Math.max(DIGITS, bytes / 2);
    boolean isRight =
        text.length() == bytes
            && Long.parseLong(text, 0, DIGITS, 10) == number
            && text.charAt(middle) == letter((int) ((number + middle) % LETTERS))
            && text.charAt(bytes - 1) == letter((int) ((number + bytes - 1) % LETTERS));
    if (!isRight) {
      String begin = text.substring(0, Math.min(2 * DIGITS, text.length()));
      throw new AssertionError(
          "another offer's description: number=%d, length=%d, text=%s"
              .formatted(number, text.length(), begin));
    }
  }

  @Override
  public String toString() {
    return "%,d x %,d B".formatted(entries, bytes);
  }
}

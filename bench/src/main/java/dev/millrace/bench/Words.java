package dev.millrace.bench;

/**
 * How many 64-bit fields a record of this JVM has. A constant of the JVM, not of an object, so that
 * loops over the fields are unrolled.
 */
public final class Words {
  /** The system property that says it. */
  public static final String PROPERTY = "millrace.words";

  /** How many where nothing says it: 24 bytes. */
  public static final int USUAL = 3;

  private static final int MAX = 8_192;

  /** How many a record has. */
  public static final int COUNT = checked(Integer.getInteger(PROPERTY, USUAL));

  private Words() {}

  /**
   * Checks a count.
   *
   * @param words how many
   * @return the same
   * @throws IllegalArgumentException if no record can have so many
   */
  public static int checked(int words) {
    if (words < 1 || words > MAX) {
      throw new IllegalArgumentException("words must be in 1.." + MAX + ": words=" + words);
    }
    return words;
  }

  /**
   * The sum over all fields of a record, of which field i holds the number plus i.
   *
   * @param number what the record was made of
   * @return the sum, modulo 2^64
   */
  public static long sum(long number) {
    return sum(number, 1);
  }

  /**
   * The sum over all fields of records of consecutive numbers.
   *
   * @param first the first number
   * @param count how many records
   * @return the sum, modulo 2^64
   */
  public static long sum(long first, long count) {
    long numbers = count * first + count * (count - 1) / 2;
    return COUNT * numbers + count * ((long) COUNT * (COUNT - 1) / 2);
  }
}

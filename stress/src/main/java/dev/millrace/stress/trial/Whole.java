package dev.millrace.stress.trial;

/**
 * A record that shows whether it is whole. Of two numbers in a row one makes a record that does not
 * fit into its slot.
 *
 * @param number a number
 * @param negated the same below zero
 * @param parity null if the number is odd
 */
public record Whole(long number, long negated, String parity) {
  /**
   * Makes a record.
   *
   * @param number its number
   * @return the record
   */
  public static Whole of(long number) {
    return new Whole(number, -number, number % 2 == 0 ? "even" : null);
  }

  /**
   * Which record it is.
   *
   * @param base the number before the trial's first record
   * @return its place in the trial, or {@link Numbered#TORN}
   */
  public int place(long base) {
    return equals(of(number)) ? (int) (number - base) : Numbered.TORN;
  }
}

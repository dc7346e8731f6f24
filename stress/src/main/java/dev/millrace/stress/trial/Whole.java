package dev.millrace.stress.trial;

/**
 * A record that shows whether it is whole.
 *
 * @param number a number
 * @param negated the same below zero
 */
public record Whole(long number, long negated) {
  /**
   * Makes a record.
   *
   * @param number its number
   * @return the record
   */
  public static Whole of(long number) {
    return new Whole(number, -number);
  }

  /**
   * Which record it is.
   *
   * @param base the number before the trial's first record
   * @return its place in the trial, or {@link Numbered#TORN}
   */
  public int place(long base) {
    return negated == -number ? (int) (number - base) : Numbered.TORN;
  }
}

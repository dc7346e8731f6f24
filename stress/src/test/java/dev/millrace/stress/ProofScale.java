package dev.millrace.stress;

/**
 * How much work the proofs put in, by the system property {@code millrace.proof.scale}: 1 is what
 * every build affords, a larger number searches longer, a smaller one is for a quick look.
 */
public final class ProofScale {
  private static final String PROPERTY = "millrace.proof.scale";

  private ProofScale() {}

  /**
   * The scale that was asked for.
   *
   * @return a positive number, 1 if none was given
   * @throws IllegalArgumentException if the property is not such a number
   */
  public static double scale() {
    String given = System.getProperty(PROPERTY, "1");
    try {
      double scale = Double.parseDouble(given);
      if (scale > 0 && scale < Double.POSITIVE_INFINITY) {
        return scale;
      }
    } catch (NumberFormatException e) {
      throw misuse(given, e);
    }
    throw misuse(given, null);
  }

  private static IllegalArgumentException misuse(String given, NumberFormatException cause) {
    return new IllegalArgumentException(
        PROPERTY + " must be a positive number: " + PROPERTY + "=" + given, cause);
  }

  /**
   * Scales one of two counts whose product is the work, each by the square root of the scale, so
   * that it is the work that grows by the scale.
   *
   * @param count the count at scale 1
   * @return the count to use, at least 1
   */
  public static int ofTwo(int count) {
    return (int) Math.clamp(Math.round(count * Math.sqrt(scale())), 1L, Integer.MAX_VALUE);
  }
}

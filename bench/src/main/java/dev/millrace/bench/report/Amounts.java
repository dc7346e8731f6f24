package dev.millrace.bench.report;

import java.util.Locale;

/** Amounts as people read them, the same in every locale. */
final class Amounts {
  static final String NOT_COUNTED = "not counted";
  private static final double MANY = 99.5;
  private static final double FEW = 0.005;

  private Amounts() {}

  /** With two decimals, such as 1.50. */
  static String ratio(double ratio) {
    return Double.isInfinite(ratio) ? "∞" : String.format(Locale.ROOT, "%,.2f", ratio);
  }

  static String interval(double low, double high) {
    return ratio(low) + ".." + ratio(high);
  }

  /** In millions, with three digits or more. */
  static String millions(double amount) {
    double millions = amount / 1e6;
    return String.format(Locale.ROOT, millions < 10 ? "%.2f" : "%,.1f", millions);
  }

  static String whole(double amount) {
    return String.format(Locale.ROOT, "%,.0f", amount);
  }

  /** What is often nothing, which is not the same as almost nothing. */
  static String small(double amount) {
    if (Double.isNaN(amount)) {
      return NOT_COUNTED;
    }
    if (amount == 0) {
      return "0";
    }
    if (Math.abs(amount) < FEW) {
      return "<0.01";
    }
    return String.format(Locale.ROOT, amount < MANY ? "%.2f" : "%,.0f", amount);
  }
}

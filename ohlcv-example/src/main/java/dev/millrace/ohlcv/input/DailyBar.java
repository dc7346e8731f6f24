package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Decimals;
import java.util.List;

/** The prices of a day, checked against each other. */
final class DailyBar {
  static final List<String> NAMES = List.of("open", "high", "low", "close");
  static final int PRICES = 4;

  private static final int HIGH = 1;
  private static final int LOW = 2;

  private final long[] unscaled = new long[PRICES];
  private final int[] scale = new int[PRICES];
  private final DecimalField number = new DecimalField();

  void read(Row row, Columns columns, int[] priceColumns) throws BadRowException {
    for (int i = 0; i < PRICES; i++) {
      number.parsePositive(columns.name(priceColumns[i]), row.field(priceColumns[i]));
      unscaled[i] = number.unscaled();
      scale[i] = number.scale();
    }
    for (int i = 0; i < PRICES; i++) {
      if (compare(i, LOW) < 0 || compare(i, HIGH) > 0) {
        String range = row.field(priceColumns[LOW]) + ".." + row.field(priceColumns[HIGH]);
        throw new BadRowException(
            columns.name(priceColumns[i]),
            "must be in the day's low..high " + range,
            row.field(priceColumns[i]));
      }
    }
  }

  long unscaled(int price) {
    return unscaled[price];
  }

  int scale(int price) {
    return scale[price];
  }

  private int compare(int price, int other) {
    return Decimals.compare(unscaled[price], scale[price], unscaled[other], scale[other]);
  }
}

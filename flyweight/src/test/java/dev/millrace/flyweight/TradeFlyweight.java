package dev.millrace.flyweight;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** The plainest flyweight, as a user writes it. */
final class TradeFlyweight extends Flyweight {
  static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("timestamp"),
          JAVA_DOUBLE.withName("price"),
          JAVA_DOUBLE.withName("volume"));

  private static final Field TIMESTAMP = LAYOUT.field("timestamp");
  private static final Field PRICE = LAYOUT.field("price");
  private static final Field VOLUME = LAYOUT.field("volume");

  TradeFlyweight(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  long timestamp() {
    return getLong(TIMESTAMP);
  }

  TradeFlyweight timestamp(long value) {
    putLong(TIMESTAMP, value);
    return this;
  }

  double price() {
    return getDouble(PRICE);
  }

  TradeFlyweight price(double value) {
    putDouble(PRICE, value);
    return this;
  }

  double volume() {
    return getDouble(VOLUME);
  }

  TradeFlyweight volume(double value) {
    putDouble(VOLUME, value);
    return this;
  }
}

package dev.millrace.flyweight.outside;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;

/** Finds a method of {@link Flyweight} that a subclass in another package cannot reach. */
public class OutsideFlyweightTest {
  public static final class TradeFlyweight extends Flyweight {
    public static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("timestamp"),
            JAVA_DOUBLE.withName("price"),
            MemoryLayout.sequenceLayout(8, JAVA_BYTE).withName("symbol"));

    private static final RecordLayout.Field TIMESTAMP = LAYOUT.field("timestamp");
    private static final RecordLayout.Field PRICE = LAYOUT.field("price");
    private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");

    public TradeFlyweight(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    public long timestamp() {
      return getLong(TIMESTAMP);
    }

    public TradeFlyweight timestamp(long value) {
      putLong(TIMESTAMP, value);
      return this;
    }

    public double price() {
      return getDouble(PRICE);
    }

    public TradeFlyweight price(double value) {
      putDouble(PRICE, value);
      return this;
    }

    public String symbol() {
      return getUtf8(SYMBOL);
    }

    public TradeFlyweight symbol(CharSequence value) {
      putUtf8(SYMBOL, value);
      return this;
    }
  }

  @Test
  void accessors_whenSubclassIsOutside_work() {
    try (Arena arena = Arena.ofShared()) {
      long size = TradeFlyweight.LAYOUT.sizeBytes();
      TradeFlyweight trade = new TradeFlyweight(arena.allocate(100 * size, 8));
      for (int i = 0; i < 100; i++) {
        trade.moveTo(i * size);
        trade.timestamp(i).price(1.5 * i).symbol("MILL");
      }
      for (int i = 0; i < 100; i++) {
        trade.moveTo(i * size);
        assertThat(trade.timestamp()).isEqualTo(i);
        assertThat(trade.price()).isEqualTo(1.5 * i);
        assertThat(trade.symbol()).isEqualTo("MILL");
      }
    }
  }

  @Test
  void publicMethods_whenCalledByReflection_areAccessible() throws ReflectiveOperationException {
    TradeFlyweight trade = new TradeFlyweight(MemorySegment.NULL);
    for (Method method : TradeFlyweight.class.getMethods()) {
      if (method.getDeclaringClass() != Object.class) {
        assertThat(Modifier.isPublic(method.getDeclaringClass().getModifiers()))
            .as(method.toString())
            .isTrue();
      }
    }
    assertThat(TradeFlyweight.class.getMethod("layout").invoke(trade))
        .isSameAs(TradeFlyweight.LAYOUT);
  }
}

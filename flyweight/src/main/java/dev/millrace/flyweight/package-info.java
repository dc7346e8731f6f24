/**
 * Records and typed views of them. A {@link dev.millrace.flyweight.RecordLayout} gives a record's
 * bytes names, types and offsets; a {@link dev.millrace.flyweight.Flyweight} is a window through
 * which one thread reads and writes a record in place. {@link dev.millrace.flyweight.FlyweightType}
 * generates a flyweight for an interface; this one is written by hand:
 *
 * <pre>{@code
 * public final class TradeFlyweight extends Flyweight {
 *   public static final RecordLayout LAYOUT =
 *       RecordLayout.of(
 *           JAVA_LONG.withName("timestamp"),
 *           JAVA_DOUBLE.withName("price"),
 *           MemoryLayout.sequenceLayout(8, JAVA_BYTE).withName("symbol"));
 *
 *   private static final RecordLayout.Field TIMESTAMP = LAYOUT.field("timestamp");
 *   private static final RecordLayout.Field PRICE = LAYOUT.field("price");
 *   private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");
 *
 *   public TradeFlyweight(MemorySegment memory) {
 *     super(LAYOUT, memory);
 *   }
 *
 *   public long timestamp() {
 *     return getLong(TIMESTAMP);
 *   }
 *
 *   public TradeFlyweight timestamp(long value) {
 *     putLong(TIMESTAMP, value);
 *     return this;
 *   }
 *
 *   public double price() {
 *     return getDouble(PRICE);
 *   }
 *
 *   public TradeFlyweight price(double value) {
 *     putDouble(PRICE, value);
 *     return this;
 *   }
 *
 *   public String symbol() {
 *     return getUtf8(SYMBOL);
 *   }
 *
 *   public TradeFlyweight symbol(CharSequence value) {
 *     putUtf8(SYMBOL, value);
 *     return this;
 *   }
 * }
 *
 * try (Arena arena = Arena.ofShared()) {
 *   long size = TradeFlyweight.LAYOUT.sizeBytes();
 *   TradeFlyweight trade = new TradeFlyweight(arena.allocate(100 * size, 8));
 *   for (int i = 0; i < 100; i++) {
 *     trade.moveTo(i * size);
 *     trade.timestamp(i).price(1.5 * i).symbol("MILL");
 *   }
 * }
 * }</pre>
 *
 * <p>Nothing here synchronizes threads: layouts are immutable, and a flyweight belongs to one
 * thread at a time. The queue that holds a record decides when it may be accessed.
 */
package dev.millrace.flyweight;

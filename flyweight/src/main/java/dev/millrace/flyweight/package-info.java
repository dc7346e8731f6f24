/**
 * What a record holds: a {@link dev.millrace.flyweight.RecordLayout} gives names, types and offsets
 * to its bytes; a {@link dev.millrace.flyweight.Flyweight} is a window through which one thread
 * reads and writes a record in place.
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
 *   public boolean isSymbol(CharSequence value) {
 *     return equalsAscii(SYMBOL, value);
 *   }
 *
 *   public TradeFlyweight symbol(CharSequence value) {
 *     putAscii(SYMBOL, value);
 *     return this;
 *   }
 * }
 *
 * try (Arena arena = Arena.ofShared()) {
 *   long size = TradeFlyweight.LAYOUT.sizeBytes();
 *   TradeFlyweight trade = new TradeFlyweight(arena.allocate(100 * size, 8));
 *   trade.slots(0, size, 100);
 *   for (int i = 0; i < 100; i++, trade.next()) {
 *     trade.timestamp(i).price(1.5 * i).symbol("MILL");
 *   }
 * }
 * }</pre>
 *
 * <p>Nothing here is shared between threads by itself: layouts are immutable, and a flyweight
 * belongs to one thread at a time. When a record may be touched is for a queue to say.
 */
package dev.millrace.flyweight;

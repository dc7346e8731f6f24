package dev.millrace.ohlcv.candle;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;

/**
 * A candle in native memory: 160 bytes. Prices are scaled longs, sums have 128 bits, each with a
 * scale of its own. The version belongs to {@link CandleWindow}.
 */
final class CandleFlyweight extends Flyweight implements CandleView {
  private static final MemoryLayout SUM =
      MemoryLayout.structLayout(JAVA_LONG.withName("high"), JAVA_LONG.withName("low"));

  static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("version"),
          JAVA_LONG.withName("bucket"),
          JAVA_LONG.withName("openTimeNanos"),
          JAVA_LONG.withName("firstTimeNanos"),
          JAVA_LONG.withName("lastTimeNanos"),
          JAVA_LONG.withName("open"),
          JAVA_LONG.withName("high"),
          JAVA_LONG.withName("low"),
          JAVA_LONG.withName("close"),
          JAVA_LONG.withName("count"),
          SUM.withName("volume"),
          SUM.withName("quote"),
          SUM.withName("takerBuy"),
          SUM.withName("takerBuyQuote"),
          JAVA_INT.withName("symbol"),
          JAVA_INT.withName("rows"),
          JAVA_BYTE.withName("openScale"),
          JAVA_BYTE.withName("highScale"),
          JAVA_BYTE.withName("lowScale"),
          JAVA_BYTE.withName("closeScale"),
          JAVA_BYTE.withName("volumeScale"),
          JAVA_BYTE.withName("quoteScale"),
          JAVA_BYTE.withName("takerBuyScale"),
          JAVA_BYTE.withName("takerBuyQuoteScale"));

  private static final RecordLayout.Field BUCKET = LAYOUT.field("bucket");
  private static final RecordLayout.Field OPEN_TIME = LAYOUT.field("openTimeNanos");
  private static final RecordLayout.Field FIRST_TIME = LAYOUT.field("firstTimeNanos");
  private static final RecordLayout.Field LAST_TIME = LAYOUT.field("lastTimeNanos");
  private static final RecordLayout.Field OPEN = LAYOUT.field("open");
  private static final RecordLayout.Field OPEN_SCALE = LAYOUT.field("openScale");
  private static final RecordLayout.Field HIGH = LAYOUT.field("high");
  private static final RecordLayout.Field HIGH_SCALE = LAYOUT.field("highScale");
  private static final RecordLayout.Field LOW = LAYOUT.field("low");
  private static final RecordLayout.Field LOW_SCALE = LAYOUT.field("lowScale");
  private static final RecordLayout.Field CLOSE = LAYOUT.field("close");
  private static final RecordLayout.Field CLOSE_SCALE = LAYOUT.field("closeScale");
  private static final RecordLayout.Field COUNT = LAYOUT.field("count");
  private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");
  private static final RecordLayout.Field ROWS = LAYOUT.field("rows");
  private static final SumFields VOLUME = new SumFields("volume");
  private static final SumFields QUOTE = new SumFields("quote");
  private static final SumFields TAKER_BUY = new SumFields("takerBuy");
  private static final SumFields TAKER_BUY_QUOTE = new SumFields("takerBuyQuote");

  CandleFlyweight(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  long bucket() {
    return getLong(BUCKET);
  }

  boolean isEmpty() {
    return getInt(ROWS) == 0;
  }

  /** Makes this the candle of a bucket, with nothing in it. */
  void clear(int symbol, long bucket, long openTimeNanos) {
    putInt(SYMBOL, symbol);
    putLong(BUCKET, bucket);
    putLong(OPEN_TIME, openTimeNanos);
    putInt(ROWS, 0);
    putLong(COUNT, 0);
  }

  /** Takes the trade's price and count. */
  void add(TradeFlyweight trade) {
    long time = trade.timeNanos();
    long price = trade.price();
    int scale = trade.priceScale();
    boolean first = isEmpty();
    if (first || time < getLong(FIRST_TIME)) {
      putLong(FIRST_TIME, time);
      putPrice(OPEN, OPEN_SCALE, price, scale);
    }
    if (first || time >= getLong(LAST_TIME)) {
      putLong(LAST_TIME, time);
      putPrice(CLOSE, CLOSE_SCALE, price, scale);
    }
    if (first || Decimals.compare(price, scale, getLong(HIGH), getByte(HIGH_SCALE)) > 0) {
      putPrice(HIGH, HIGH_SCALE, price, scale);
    }
    if (first || Decimals.compare(price, scale, getLong(LOW), getByte(LOW_SCALE)) < 0) {
      putPrice(LOW, LOW_SCALE, price, scale);
    }
    putInt(ROWS, 1); // only whether there are any
    putLong(COUNT, getLong(COUNT) + trade.trades());
  }

  void sums(CandleSums into) {
    get(VOLUME, into.volume);
    get(QUOTE, into.quote);
    get(TAKER_BUY, into.takerBuy);
    get(TAKER_BUY_QUOTE, into.takerBuyQuote);
  }

  void putSums(CandleSums sums) {
    put(VOLUME, sums.volume);
    put(QUOTE, sums.quote);
    put(TAKER_BUY, sums.takerBuy);
    put(TAKER_BUY_QUOTE, sums.takerBuyQuote);
  }

  @Override
  public int symbol() {
    return getInt(SYMBOL);
  }

  @Override
  public long openTimeNanos() {
    return getLong(OPEN_TIME);
  }

  @Override
  public BigDecimal open() {
    return Decimals.toBigDecimal(getLong(OPEN), getByte(OPEN_SCALE));
  }

  @Override
  public BigDecimal high() {
    return Decimals.toBigDecimal(getLong(HIGH), getByte(HIGH_SCALE));
  }

  @Override
  public BigDecimal low() {
    return Decimals.toBigDecimal(getLong(LOW), getByte(LOW_SCALE));
  }

  @Override
  public BigDecimal close() {
    return Decimals.toBigDecimal(getLong(CLOSE), getByte(CLOSE_SCALE));
  }

  @Override
  public BigDecimal volume() {
    return sum(VOLUME);
  }

  @Override
  public long count() {
    return getLong(COUNT);
  }

  @Override
  public BigDecimal quoteVolume() {
    return sum(QUOTE);
  }

  @Override
  public BigDecimal takerBuyVolume() {
    return sum(TAKER_BUY);
  }

  @Override
  public BigDecimal takerBuyQuoteVolume() {
    return sum(TAKER_BUY_QUOTE);
  }

  private void putPrice(
      RecordLayout.Field field, RecordLayout.Field scaleField, long price, int scale) {
    putLong(field, price);
    putByte(scaleField, (byte) scale);
  }

  private void get(SumFields fields, DecimalSum into) {
    into.set(getLong(fields.high), getLong(fields.low), getByte(fields.scale));
  }

  private void put(SumFields fields, DecimalSum sum) {
    putLong(fields.high, sum.high());
    putLong(fields.low, sum.low());
    putByte(fields.scale, (byte) sum.scale());
  }

  private BigDecimal sum(SumFields fields) {
    return Decimals.toBigDecimal(getLong(fields.high), getLong(fields.low), getByte(fields.scale));
  }

  /** Where a sum is: a record, so that its fields are constants to the compiler. */
  private record SumFields(
      RecordLayout.Field high, RecordLayout.Field low, RecordLayout.Field scale) {
    SumFields(String name) {
      this(LAYOUT.field(name + ".high"), LAYOUT.field(name + ".low"), LAYOUT.field(name + "Scale"));
    }
  }
}

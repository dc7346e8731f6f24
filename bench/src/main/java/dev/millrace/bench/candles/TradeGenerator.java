package dev.millrace.bench.candles;

import dev.millrace.ohlcv.candle.Side;
import dev.millrace.ohlcv.candle.Trade;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Trades that follow from the settings alone: of a random symbol each, at the price of a random
 * walk. Two generators of equal settings make equal trades, which is how the engine and the {@link
 * Reference} come by the same ones.
 *
 * <p>The random numbers are those of L64X128MixRandom, whose sequence is specified with its name;
 * one of them makes one trade.
 */
final class TradeGenerator implements Trade {
  /** Decimals of a price. */
  static final int PRICE_SCALE = 2;

  /** Decimals of a volume. */
  static final int VOLUME_SCALE = 6;

  /** Decimals of price times volume. */
  static final int QUOTE_SCALE = PRICE_SCALE + VOLUME_SCALE;

  private static final int FIRST_PRICE = 10_000;
  private static final int PRICE_DISTANCE = 1_000; // between symbols, so that a mix-up shows
  private static final int LEAST_PRICE = 100;
  private static final int MOST_PRICE = 1_000_000;
  private static final int MOST_STEP = 5;

  private final LoadSettings settings;
  private final RandomGenerator random;
  private final int[] prices;
  private long next;
  private int symbol;
  private int volume;
  private boolean bought;

  TradeGenerator(LoadSettings settings) {
    this.settings = settings;
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(settings.seed());
    this.prices = new int[settings.symbols()];
    for (int i = 0; i < prices.length; i++) {
      prices[i] = FIRST_PRICE + i % 100 * PRICE_DISTANCE;
    }
  }

  /** Goes on to the next trade. */
  void advance() {
    long bits = random.nextLong();
    symbol = (int) (((bits >>> 32) * prices.length) >>> 32);
    int step = (int) (((bits & 0xFF) * (2 * MOST_STEP + 1)) >>> 8) - MOST_STEP;
    prices[symbol] = Math.clamp(prices[symbol] + step, LEAST_PRICE, MOST_PRICE);
    bought = (bits & 0x100) != 0;
    volume = 1 + (int) ((bits >>> 9) & 0x7F_FFFF);
    next++;
  }

  @Override
  public long line() {
    return next;
  }

  @Override
  public int symbol() {
    return symbol;
  }

  @Override
  public long timeNanos() {
    return settings.timeNanos(next - 1);
  }

  @Override
  public long price() {
    return prices[symbol];
  }

  @Override
  public int priceScale() {
    return PRICE_SCALE;
  }

  @Override
  public long volume() {
    return volume;
  }

  @Override
  public int volumeScale() {
    return VOLUME_SCALE;
  }

  @Override
  public Side side() {
    return bought ? Side.TAKER_BOUGHT : Side.TAKER_SOLD;
  }

  @Override
  public int trades() {
    return 1;
  }
}

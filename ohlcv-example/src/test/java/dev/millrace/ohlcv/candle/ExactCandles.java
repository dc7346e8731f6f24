package dev.millrace.ohlcv.candle;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * What an engine must emit: each candle is computed from the list of its trades, with {@link
 * BigDecimal}s. Shares nothing with the engines but the rules.
 */
public final class ExactCandles {
  private static final int MAX_SUM_BITS = 127;

  private final Interval interval;
  private final int window;
  private final Map<Integer, TreeMap<Long, List<Trade>>> open = new TreeMap<>();
  public final List<Candle> candles = new ArrayList<>();
  public final List<String> refusals = new ArrayList<>();
  private long trades;
  private long late;

  public ExactCandles(Interval interval, int window) {
    this.interval = interval;
    this.window = window;
  }

  public void accept(Trade given) {
    Trade trade = TradeRow.of(given);
    TreeMap<Long, List<Trade>> minutes = open.computeIfAbsent(trade.symbol(), _ -> new TreeMap<>());
    long bucket = interval.bucket(trade.timeNanos());
    long newest = minutes.isEmpty() ? bucket : Math.max(minutes.lastKey(), bucket);
    if (bucket <= newest - window) {
      late += trade.trades() > 0 ? 1 : 0;
      return;
    }
    List<Trade> all = new ArrayList<>(minutes.getOrDefault(bucket, List.of()));
    all.add(trade);
    if (isTooLarge(sum(all, ExactCandles::volume))) {
      refusals.add(trade.line() + " " + Refusal.VOLUME);
    } else if (isTooLarge(sum(all, ExactCandles::quote))) {
      refusals.add(trade.line() + " " + Refusal.QUOTE_VOLUME);
    } else {
      emit(minutes.headMap(newest - window, true));
      minutes.put(bucket, all);
      trades += trade.trades() > 0 ? 1 : 0;
    }
  }

  public void finish() {
    open.values().forEach(this::emit);
  }

  public CandleEngine.Counts counts() {
    return new CandleEngine.Counts(trades, late, refusals.size());
  }

  private void emit(SortedMap<Long, List<Trade>> leaving) {
    leaving.values().forEach(all -> candles.add(candle(all)));
    leaving.clear();
  }

  private Candle candle(List<Trade> all) {
    Trade first = all.stream().reduce((a, b) -> b.timeNanos() < a.timeNanos() ? b : a).get();
    Trade last = all.stream().reduce((a, b) -> b.timeNanos() >= a.timeNanos() ? b : a).get();
    List<Trade> bought = all.stream().filter(t -> t.side() == Side.TAKER_BOUGHT).toList();
    return new Candle(
        first.symbol(),
        interval.openTimeNanos(interval.bucket(first.timeNanos())),
        Decimals.shortest(price(first)),
        Decimals.shortest(fold(all, ExactCandles::price, BigDecimal::max)),
        Decimals.shortest(fold(all, ExactCandles::price, BigDecimal::min)),
        Decimals.shortest(price(last)),
        Decimals.shortest(sum(all, ExactCandles::volume)),
        all.stream().mapToLong(Trade::trades).sum(),
        Decimals.shortest(sum(all, ExactCandles::quote)),
        Decimals.shortest(sum(bought, ExactCandles::volume)),
        Decimals.shortest(sum(bought, ExactCandles::quote)));
  }

  private static BigDecimal sum(List<Trade> all, Function<Trade, BigDecimal> value) {
    return all.isEmpty() ? BigDecimal.ZERO : fold(all, value, BigDecimal::add);
  }

  private static BigDecimal fold(
      List<Trade> all, Function<Trade, BigDecimal> value, BinaryOperator<BigDecimal> with) {
    return all.stream().map(value).reduce(with).orElseThrow();
  }

  private static BigDecimal price(Trade trade) {
    return BigDecimal.valueOf(trade.price(), trade.priceScale());
  }

  private static BigDecimal volume(Trade trade) {
    return BigDecimal.valueOf(trade.volume(), trade.volumeScale());
  }

  private static BigDecimal quote(Trade trade) {
    return price(trade).multiply(volume(trade));
  }

  private static boolean isTooLarge(BigDecimal sum) {
    return sum.unscaledValue().bitLength() > MAX_SUM_BITS;
  }
}

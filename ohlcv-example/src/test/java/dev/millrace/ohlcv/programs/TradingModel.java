package dev.millrace.ohlcv.programs;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What {@link TradingProgram} has to print, by the same rules without stages: one loop, decimals,
 * and cash in place of marks.
 */
final class TradingModel {
  private static final long BEGIN = 1385337600;
  private static final long STRETCH = 3 * 3_600;

  private record Trade(int symbol, long second, BigDecimal price) {}

  /** A symbol: what it traded at, and what is held of it. */
  private static final class Symbol {
    private final List<BigDecimal> closes = new ArrayList<>();
    private long minute;
    private BigDecimal price = BigDecimal.ZERO;
    private boolean wasAbove;
    private boolean hasSide;
    private int position;
    private int order;

    /** Closes the candle of the last minute; returns 1 or -1 if the averages have crossed. */
    int close() {
      closes.add(price);
      if (closes.size() < 50) {
        return 0;
      }
      int side = average(12).compareTo(average(50));
      boolean crosses = hasSide && side != 0 && wasAbove != side > 0;
      if (side != 0) {
        hasSide = true;
        wasAbove = side > 0;
      }
      return crosses ? side : 0;
    }

    private BigDecimal average(int count) {
      return closes.subList(closes.size() - count, closes.size()).stream()
          .reduce(BigDecimal.ZERO, BigDecimal::add)
          .divide(BigDecimal.valueOf(count), MathContext.DECIMAL128);
    }
  }

  private final List<Symbol> symbols = IntStream.range(0, 3).mapToObj(_ -> new Symbol()).toList();
  private final List<String> lines = new ArrayList<>();
  private BigDecimal cash = new BigDecimal("0.00");

  /** Returns the lines after the first. */
  static List<String> lines(List<String[]> rows) {
    List<Trade> trades = new ArrayList<>();
    for (String[] row : rows) {
      long second = Long.parseLong(row[0]) - BEGIN;
      BigDecimal price = new BigDecimal(row[1]).setScale(2);
      trades.add(new Trade((int) (second / STRETCH), second % STRETCH, price));
    }
    trades.sort(Comparator.comparingLong(Trade::second).thenComparingInt(Trade::symbol));
    TradingModel model = new TradingModel();
    for (int i = 0; i < trades.size(); i++) {
      model.add(i, trades.get(i));
    }
    model.lines.add("profit " + model.profit());
    return model.lines;
  }

  private void add(int number, Trade trade) {
    Symbol symbol = symbols.get(trade.symbol);
    int signal = 0;
    if (trade.second / 60 != symbol.minute && symbol.price.signum() > 0) {
      signal = symbol.close();
    }
    symbol.minute = trade.second / 60;
    symbol.price = trade.price;
    String start = number + ": symbol " + trade.symbol + " at " + trade.price + ", ";
    if (symbol.order != 0) {
      cash = cash.subtract(trade.price.multiply(BigDecimal.valueOf(symbol.order)));
      symbol.position += symbol.order;
      String held = ", position " + symbol.position + ", profit " + profit();
      lines.add(start + "filled " + symbol.order + held);
      symbol.order = 0;
    }
    if (signal != 0) {
      int wanted = 2 * signal - symbol.position;
      symbol.order = wanted;
      if (profit().compareTo(new BigDecimal("-25")) < 0) {
        symbol.order = -symbol.position;
      }
      while (Math.abs(net()) > 2) { // coin by coin
        symbol.order -= Integer.signum(symbol.order);
      }
      lines.add(start + "wanted " + wanted + ", ordered " + symbol.order);
    }
  }

  private int net() {
    return symbols.stream().mapToInt(symbol -> symbol.position + symbol.order).sum();
  }

  private BigDecimal profit() {
    return symbols.stream()
        .map(symbol -> symbol.price.multiply(BigDecimal.valueOf(symbol.position)))
        .reduce(cash, BigDecimal::add);
  }
}

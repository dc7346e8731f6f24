package dev.millrace.ohlcv.output;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.Interval;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A small plot of all candles of the first symbol, in characters. If there are more than fit side
 * by side, 2, 4, 8 and so on are drawn as one; so the plot needs no more memory than it has
 * columns. Each character shows two steps of the price; thick is between open and close.
 */
final class CandlePlot {
  private static final int HEIGHT = 12;
  private static final int STEPS = 2 * HEIGHT;
  private static final int LABEL_WIDTH = 12;
  private static final int MIN_WIDTH = 20;
  private static final int MAX_WIDTH = 160;
  private static final int FINER = 8; // than drawn, so that what is drawn in the end fits well
  private static final int NOTHING = 0;
  private static final int WICK = 1;
  private static final int BODY = 2;
  // By what is in the upper half, then by what is in the lower one.
  private static final char[][] PIECES = {{' ', '╷', '╻'}, {'╵', '│', '╽'}, {'╹', '╿', '┃'}};
  private static final String LEVELS = "▁▂▃▄▅▆▇█";

  private final Interval interval;
  private final int maxBins;
  private final boolean colored;
  private final NavigableMap<Long, Bin> bins = new TreeMap<>(); // by number
  private long firstTimeNanos;
  private int symbol = -1;
  private String symbolName;
  private boolean severalSymbols;
  private long candlesPerBin = 1;
  private double low; // when it is drawn, as the next
  private double step;

  // double: a plot is for the eye
  private record Bin(double open, double high, double low, double close, double volume) {
    Bin(Candle candle) {
      this(
          candle.open().doubleValue(),
          candle.high().doubleValue(),
          candle.low().doubleValue(),
          candle.close().doubleValue(),
          candle.volume().doubleValue());
    }

    Bin then(Bin next) {
      return new Bin(
          open,
          Math.max(high, next.high),
          Math.min(low, next.low),
          next.close,
          volume + next.volume);
    }
  }

  CandlePlot(Interval interval, int width, boolean colored) {
    this.interval = interval;
    this.maxBins = Math.clamp(width - LABEL_WIDTH - 2, MIN_WIDTH, MAX_WIDTH);
    this.colored = colored;
  }

  void add(Candle candle, String name) {
    if (symbol < 0) {
      symbol = candle.symbol();
      symbolName = name;
      firstTimeNanos = candle.openTimeNanos();
    }
    if (candle.symbol() != symbol) {
      severalSymbols = true;
      return;
    }
    long number = (candle.openTimeNanos() - firstTimeNanos) / interval.nanos();
    while (number / candlesPerBin >= (long) FINER * maxBins) {
      merge(2);
    }
    bins.merge(number / candlesPerBin, new Bin(candle), Bin::then);
  }

  /** Draws the plot; empty if there is nothing to draw. */
  String draw() {
    if (bins.size() < 2) {
      return "";
    }
    merge((int) (bins.lastKey() / maxBins) + 1);
    low = bins.values().stream().mapToDouble(Bin::low).min().orElse(0);
    double high = bins.values().stream().mapToDouble(Bin::high).max().orElse(0);
    step = high > low ? (high - low) / STEPS : 1;
    StringBuilder text = new StringBuilder("\n").append(title()).append('\n');
    for (int row = 0; row < HEIGHT; row++) {
      boolean labeled = row == 0 || row == HEIGHT - 1 || row == HEIGHT / 2;
      double level = high - (row == HEIGHT - 1 ? STEPS : row == 0 ? 0 : 2 * row + 1) * step;
      text.append(label(labeled ? number(level, step) : ""));
      for (long i = 0; i <= bins.lastKey(); i++) {
        text.append(bins.containsKey(i) ? piece(bins.get(i), STEPS - 1 - 2 * row) : " ");
      }
      text.append('\n');
    }
    return text.append(volumes()).append(times()).toString();
  }

  private void merge(int count) {
    NavigableMap<Long, Bin> finer = new TreeMap<>(bins);
    bins.clear();
    finer.forEach((number, bin) -> bins.merge(number / count, bin, Bin::then));
    candlesPerBin *= count;
  }

  private String piece(Bin bin, int upper) {
    char piece = PIECES[part(bin, upper)][part(bin, upper - 1)];
    int direction = colored && piece != ' ' ? Double.compare(bin.close, bin.open) : 0;
    String color = direction > 0 ? "\u001b[32m" : "\u001b[31m"; // green rose, red fell
    return direction == 0 ? String.valueOf(piece) : color + piece + "\u001b[0m";
  }

  /** What of a candle is in a step of the price, counted from the bottom. */
  private int part(Bin bin, int number) {
    int open = step(bin.open);
    int close = step(bin.close);
    if (number >= Math.min(open, close) && number <= Math.max(open, close)) {
      return BODY;
    }
    return number >= step(bin.low) && number <= step(bin.high) ? WICK : NOTHING;
  }

  private int step(double price) {
    return Math.min(STEPS - 1, (int) ((price - low) / step));
  }

  private String title() {
    String each = candlesPerBin == 1 ? interval.text() : candlesPerBin + " x " + interval.text();
    String of =
        symbolName.isEmpty() ? "" : symbolName + (severalSymbols ? " (first symbol), " : ", ");
    return of + each + " per column, volume below";
  }

  private String volumes() {
    double max = bins.values().stream().mapToDouble(Bin::volume).max().orElse(0);
    StringBuilder line = new StringBuilder(label(number(max, max / 10)));
    for (long i = 0; i <= bins.lastKey(); i++) {
      double volume = bins.containsKey(i) ? bins.get(i).volume : 0;
      line.append(volume == 0 ? ' ' : LEVELS.charAt((int) Math.round(volume / max * 7)));
    }
    return line.append('\n').toString();
  }

  private String times() {
    long lastNanos = firstTimeNanos + bins.lastKey() * interval.nanos() * candlesPerBin;
    String first = Times.text(firstTimeNanos, interval.nanos());
    String last = Times.text(lastNanos, interval.nanos());
    int gap = (int) (bins.lastKey() + 1) - first.length() - last.length();
    return label("") + first + (gap > 0 ? " ".repeat(gap) : " .. ") + last + "\n";
  }

  private static String label(String text) {
    return ("%" + LABEL_WIDTH + "s  ").formatted(text);
  }

  /** A number with as many decimals as tell two steps apart. */
  private static String number(double value, double step) {
    int decimals = step <= 0 ? 0 : Math.clamp((long) Math.ceil(-Math.log10(step)), 0, 8);
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}

package dev.millrace.ohlcv.output;

import dev.millrace.ohlcv.candle.CandleView;
import dev.millrace.ohlcv.candle.Interval;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A small plot of all candles of the first symbol, in characters. If there are more than fit side
 * by side, 2, 4, 8 and so on are drawn as one; so the plot needs no more memory than it has
 * columns. Each character shows two steps of the price; thick is between open and close.
 */
final class CandlePlot {
  private static final int HEIGHT = 12;
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
  private List<Bin> bins = new ArrayList<>(); // null where nothing was traded
  private long firstTimeNanos;
  private int symbol = -1;
  private String symbolName;
  private boolean severalSymbols;
  private long candlesPerBin = 1;

  // double: a plot is for the eye
  private record Bin(double open, double high, double low, double close, double volume) {
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

  void add(CandleView candle, String name) {
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
    int index = (int) (number / candlesPerBin);
    while (bins.size() <= index) {
      bins.add(null);
    }
    Bin bin =
        new Bin(
            candle.open().doubleValue(),
            candle.high().doubleValue(),
            candle.low().doubleValue(),
            candle.close().doubleValue(),
            candle.volume().doubleValue());
    bins.set(index, merged(bins.get(index), bin));
  }

  /** Draws the plot; empty if there is nothing to draw. */
  String draw() {
    if (bins.size() < 2) {
      return "";
    }
    int tooMany = (bins.size() + maxBins - 1) / maxBins;
    if (tooMany > 1) {
      merge(tooMany);
    }
    double high = bins.stream().filter(b -> b != null).mapToDouble(Bin::high).max().orElse(0);
    double low = bins.stream().filter(b -> b != null).mapToDouble(Bin::low).min().orElse(0);
    StringBuilder text = new StringBuilder("\n").append(title()).append('\n');
    int steps = 2 * HEIGHT;
    double step = high > low ? (high - low) / steps : 1;
    for (int row = 0; row < HEIGHT; row++) {
      boolean labeled = row == 0 || row == HEIGHT - 1 || row == HEIGHT / 2;
      double level = high - (row == HEIGHT - 1 ? steps : row == 0 ? 0 : 2 * row + 1) * step;
      text.append(label(labeled ? number(level, step) : ""));
      int upper = steps - 1 - 2 * row;
      for (Bin bin : bins) {
        text.append(piece(bin, low, step, upper));
      }
      text.append('\n');
    }
    return text.append(volumes()).append(times()).toString();
  }

  private void merge(int count) {
    List<Bin> merged = new ArrayList<>();
    for (int i = 0; i < bins.size(); i++) {
      if (i % count == 0) {
        merged.add(bins.get(i));
      } else {
        merged.set(i / count, merged(merged.getLast(), bins.get(i)));
      }
    }
    bins = merged;
    candlesPerBin *= count;
  }

  private static Bin merged(Bin bin, Bin next) {
    return bin == null ? next : next == null ? bin : bin.then(next);
  }

  private String piece(Bin bin, double low, double step, int upper) {
    if (bin == null) {
      return " ";
    }
    char piece = PIECES[part(bin, low, step, upper)][part(bin, low, step, upper - 1)];
    String text = String.valueOf(piece);
    return colored && piece != ' ' ? Ansi.colored(text, Double.compare(bin.close, bin.open)) : text;
  }

  /** What of a candle is in a step of the price, counted from the bottom. */
  private static int part(Bin bin, double low, double step, int number) {
    if (isIn(number, Math.min(bin.open, bin.close), Math.max(bin.open, bin.close), low, step)) {
      return BODY;
    }
    return isIn(number, bin.low, bin.high, low, step) ? WICK : NOTHING;
  }

  private static boolean isIn(int number, double from, double to, double low, double step) {
    int top = 2 * HEIGHT - 1;
    int first = Math.min(top, (int) ((from - low) / step));
    int last = Math.min(top, (int) ((to - low) / step));
    return number >= first && number <= last;
  }

  private String title() {
    String each = candlesPerBin == 1 ? interval.text() : candlesPerBin + " x " + interval.text();
    String of =
        symbolName.isEmpty() ? "" : symbolName + (severalSymbols ? " (first symbol), " : ", ");
    return of + each + " per column, volume below";
  }

  private String volumes() {
    double max = bins.stream().filter(b -> b != null).mapToDouble(Bin::volume).max().orElse(0);
    StringBuilder line = new StringBuilder(label(number(max, max / 10)));
    for (Bin bin : bins) {
      int level = bin == null || max == 0 ? -1 : (int) Math.round(bin.volume / max * 7);
      line.append(level < 0 || bin.volume == 0 ? ' ' : LEVELS.charAt(level));
    }
    return line.append('\n').toString();
  }

  private String times() {
    long binNanos = interval.nanos() * candlesPerBin;
    String first = Times.text(firstTimeNanos, interval.nanos());
    String last = Times.text(firstTimeNanos + (bins.size() - 1) * binNanos, interval.nanos());
    int gap = bins.size() - first.length() - last.length();
    String text = gap > 0 ? first + " ".repeat(gap) + last : first + " .. " + last;
    return label("") + text + "\n";
  }

  private static String label(String text) {
    return " ".repeat(Math.max(0, LABEL_WIDTH - text.length())) + text + "  ";
  }

  /** A number with as many decimals as tell two steps apart. */
  private static String number(double value, double step) {
    int decimals = step <= 0 ? 0 : Math.clamp((long) Math.ceil(-Math.log10(step)), 0, 8);
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}

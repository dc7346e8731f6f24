package dev.millrace.ohlcv.output;

import static java.util.stream.Collectors.joining;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.Interval;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A table for people: readable times, and in the end a plot. The first rows are kept until their
 * widths are known; a later row that is wider widens the rest. What depends on the taker's side is
 * only in CSV and JSON.
 */
public final class TableOutput implements CandleOutput {
  private static final int ROWS_KEPT = 500;

  private final Columns columns;
  private final Interval interval;
  private final Writer writer;
  private final CandlePlot plot;
  private final int last; // 0 for all
  private final List<String> head;
  private final int[] widths;
  private final Deque<List<String>> kept = new ArrayDeque<>();
  private long rows;

  /**
   * Writes nothing yet.
   *
   * @param symbols whether the input names symbols
   * @param width of the plot, in characters
   * @param colored whether the terminal knows colours
   * @param last how many of the last rows are shown, below the plot; 0 for all, above it
   */
  public TableOutput(
      boolean symbols, Interval interval, Writer writer, int width, boolean colored, int last) {
    this.columns = new Columns(false, symbols);
    this.interval = interval;
    this.writer = writer;
    this.last = last;
    this.plot = new CandlePlot(interval, width, colored);
    this.head = new ArrayList<>(columns.names());
    head.set(0, "time (UTC)");
    this.widths = new int[head.size()];
  }

  @Override
  public void candle(Candle candle, String symbol) throws IOException {
    plot.add(candle, columns.symbols() ? symbol : "");
    List<String> values = new ArrayList<>(columns.texts(candle, symbol));
    values.set(0, Times.text(candle.openTimeNanos(), interval.nanos()));
    kept.add(values);
    rows++;
    if (last > 0 && kept.size() > last) {
      kept.remove();
    } else if (last == 0 && (rows > ROWS_KEPT || kept.size() == ROWS_KEPT)) {
      writeKept();
    }
  }

  @Override
  public void flush() throws IOException {
    if (last == 0) {
      writeKept();
    }
    writer.flush();
  }

  @Override
  public void end() throws IOException {
    flush();
    writer.write(plot.draw());
    if (!kept.isEmpty()) {
      writer.write(
          rows > last ? "\nThe last %d candles (--all shows all):\n".formatted(last) : "\n");
      writeKept();
    }
    writer.flush();
  }

  private void writeKept() throws IOException {
    boolean isFirst = widths[0] == 0;
    if (isFirst && !kept.isEmpty()) {
      kept.addFirst(head);
    }
    for (List<String> row : kept) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : kept) {
      writer.write(line(row) + '\n');
    }
    kept.clear();
  }

  /** Text to the left, numbers to the right. */
  private String line(List<String> row) {
    return IntStream.range(0, widths.length)
        .mapToObj(
            i -> {
              String blanks = " ".repeat(widths[i] - row.get(i).length());
              boolean isText = i == 0 || head.get(i).equals("symbol");
              return isText ? row.get(i) + blanks : blanks + row.get(i);
            })
        .collect(joining("  "))
        .stripTrailing();
  }
}

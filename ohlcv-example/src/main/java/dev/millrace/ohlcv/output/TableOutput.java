package dev.millrace.ohlcv.output;

import dev.millrace.ohlcv.candle.CandleView;
import dev.millrace.ohlcv.candle.Interval;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A table for people: readable times, numbers aligned at their points, and in the end a plot. The
 * first rows are kept until their widths are known; a later row that is wider widens the rest.
 */
public final class TableOutput implements CandleOutput {
  private static final int ROWS_KEPT = 500;
  private static final String GAP = "  ";
  private static final int PLOT_WIDTH = 100;
  private static final List<String> DISPENSABLE =
      List.of("taker_buy_quote_volume", "quote_volume", "taker_buy_volume");

  private final Columns columns;
  private final Interval interval;
  private final Writer writer;
  private final int width; // 0 for no limit
  private final boolean colored;
  private final CandlePlot plot;
  private final int last; // 0 for all
  private final Deque<Row> kept = new ArrayDeque<>();
  private final int[] before; // the point, per column
  private final int[] behind; // with the point
  private final boolean[] hidden;
  private long rows;
  private boolean headed;

  private record Row(List<String> values, int direction) {}

  /**
   * Writes nothing yet.
   *
   * @param width of the terminal, in characters; columns that do not fit are left out. 0 for none
   * @param colored whether the terminal knows colours
   * @param last how many of the last rows are shown, below the plot; 0 for all, above it
   */
  public TableOutput(
      Columns columns, Interval interval, Writer writer, int width, boolean colored, int last) {
    this.columns = columns;
    this.interval = interval;
    this.writer = writer;
    this.colored = colored;
    this.width = width;
    this.last = last;
    this.plot = new CandlePlot(interval, width == 0 ? PLOT_WIDTH : width, colored);
    this.before = new int[columns.names().size()];
    this.behind = new int[before.length];
    this.hidden = new boolean[before.length];
  }

  @Override
  public void candle(CandleView candle, String symbol) throws IOException {
    plot.add(candle, columns.symbols() ? symbol : "");
    List<String> values = columns.values(candle, symbol);
    values.set(0, Times.text(candle.openTimeNanos(), interval.nanos()));
    Row row = new Row(values, candle.close().compareTo(candle.open()));
    rows++;
    if (headed) {
      widen(values);
      write(row);
      return;
    }
    kept.add(row);
    if (last == 0 && kept.size() == ROWS_KEPT) {
      writeKept();
    } else if (last > 0 && kept.size() > last) {
      kept.remove();
    }
  }

  @Override
  public void flush() throws IOException {
    if (last == 0 && !kept.isEmpty()) {
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
    writeHidden();
    writer.flush();
  }

  private void writeHidden() throws IOException {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < hidden.length; i++) {
      if (hidden[i]) {
        names.add(columns.names().get(i));
      }
    }
    if (!names.isEmpty()) {
      writer.write("\nwithout room in this terminal: " + String.join(", ", names) + '\n');
    }
  }

  private void widen(List<String> values) {
    for (int i = 0; i < values.size(); i++) {
      int point = point(i, values.get(i));
      before[i] = Math.max(before[i], point);
      behind[i] = Math.max(behind[i], values.get(i).length() - point);
    }
  }

  private int point(int column, String value) {
    int point = isText(column) ? value.length() : value.indexOf('.');
    return point < 0 ? value.length() : point;
  }

  private boolean isText(int column) {
    return column == 0 || (columns.symbols() && column == before.length - 1);
  }

  private void writeKept() throws IOException {
    headed = true;
    kept.forEach(row -> widen(row.values));
    List<String> names = new ArrayList<>(columns.names());
    names.set(0, "time (UTC)");
    for (int i = 0; i < names.size(); i++) {
      before[i] += Math.max(0, names.get(i).length() - before[i] - behind[i]);
    }
    hideWhatDoesNotFit(names);
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      if (hidden[i]) {
        continue;
      }
      String name = names.get(i);
      int padding = before[i] + behind[i] - name.length();
      line.append(isText(i) ? name + " ".repeat(padding) : " ".repeat(padding) + name);
      line.append(GAP);
    }
    writer.write(line.toString().stripTrailing() + "\n");
    for (Row row : kept) {
      write(row);
    }
    kept.clear();
  }

  private void hideWhatDoesNotFit(List<String> names) {
    int needed = -GAP.length();
    for (int i = 0; i < before.length; i++) {
      needed += before[i] + behind[i] + GAP.length();
    }
    for (String name : DISPENSABLE) {
      int column = names.indexOf(name);
      if (width > 0 && needed > width && column >= 0) {
        hidden[column] = true;
        needed -= before[column] + behind[column] + GAP.length();
      }
    }
  }

  private void write(Row row) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.values.size(); i++) {
      if (hidden[i]) {
        continue;
      }
      String value = row.values.get(i);
      int point = point(i, value);
      if (isText(i)) {
        line.append(value).append(" ".repeat(before[i] - value.length()));
      } else {
        line.append(" ".repeat(before[i] - point)).append(value);
        line.append(" ".repeat(behind[i] - (value.length() - point)));
      }
      line.append(GAP);
    }
    String text = line.toString().stripTrailing();
    writer.write(colored ? Ansi.colored(text, row.direction) : text);
    writer.write('\n');
  }
}

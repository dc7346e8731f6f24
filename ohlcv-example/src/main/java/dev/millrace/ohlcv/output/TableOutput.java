package dev.millrace.ohlcv.output;

import static java.util.stream.Collectors.joining;

import dev.millrace.ohlcv.candle.CandleView;
import dev.millrace.ohlcv.candle.Interval;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

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
  private final List<Column> table = new ArrayList<>();
  private final Deque<Row> kept = new ArrayDeque<>();
  private long rows;
  private boolean headed;

  private record Row(List<String> values, int direction) {}

  /** A column that is as wide as its widest value, on either side of the point. */
  private static final class Column {
    final String name;
    final boolean isText;
    int before;
    int behind; // with the point
    boolean hidden;

    Column(String name, boolean isText) {
      this.name = name;
      this.isText = isText;
    }

    int width() {
      return Math.max(name.length(), before + behind);
    }

    void widen(String value) {
      before = Math.max(before, point(value));
      behind = Math.max(behind, value.length() - point(value));
    }

    String head() {
      String space = " ".repeat(width() - name.length());
      return isText ? name + space : space + name;
    }

    String cell(String value) {
      String start = isText ? "" : " ".repeat(width() - behind - point(value));
      return start + value + " ".repeat(width() - start.length() - value.length());
    }

    private int point(String value) {
      int point = isText ? -1 : value.indexOf('.');
      return point < 0 ? value.length() : point;
    }
  }

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
    table.add(new Column("time (UTC)", true));
    for (String name : columns.names().subList(1, columns.names().size())) {
      table.add(new Column(name, name.equals("symbol")));
    }
  }

  @Override
  public void candle(CandleView candle, String symbol) throws IOException {
    plot.add(candle, columns.symbols() ? symbol : "");
    List<String> values = columns.texts(candle, symbol);
    values.set(0, Times.text(candle.openTimeNanos(), interval.nanos()));
    Row row = new Row(values, candle.close().compareTo(candle.open()));
    rows++;
    if (headed) {
      widen(row);
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
    String hidden = table.stream().filter(c -> c.hidden).map(c -> c.name).collect(joining(", "));
    writer.write(hidden.isEmpty() ? "" : "\nwithout room in this terminal: " + hidden + '\n');
    writer.flush();
  }

  private void writeKept() throws IOException {
    headed = true;
    kept.forEach(this::widen);
    hideWhatDoesNotFit();
    writer.write(line(Column::head) + '\n');
    for (Row row : kept) {
      write(row);
    }
    kept.clear();
  }

  private void widen(Row row) {
    for (int i = 0; i < table.size(); i++) {
      table.get(i).widen(row.values.get(i));
    }
  }

  private void hideWhatDoesNotFit() {
    for (String name : DISPENSABLE) {
      int needed = shown().mapToInt(column -> column.width() + GAP.length()).sum() - GAP.length();
      if (width > 0 && needed > width) {
        table.stream().filter(c -> c.name.equals(name)).forEach(column -> column.hidden = true);
      }
    }
  }

  private Stream<Column> shown() {
    return table.stream().filter(column -> !column.hidden);
  }

  private String line(Function<Column, String> cell) {
    return shown().map(cell).collect(joining(GAP)).stripTrailing();
  }

  private void write(Row row) throws IOException {
    String text = line(column -> column.cell(row.values.get(table.indexOf(column))));
    writer.write(colored ? colored(text, row.direction) : text);
    writer.write('\n');
  }

  /** Green for what rose, red for what fell. */
  static String colored(String text, int direction) {
    String color = direction > 0 ? "\u001b[32m" : "\u001b[31m";
    return direction == 0 ? text : color + text + "\u001b[0m";
  }
}

package dev.millrace.ohlcv.output;

import dev.millrace.ohlcv.candle.CandleView;
import dev.millrace.ohlcv.candle.Interval;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;

/**
 * A table for people: readable times, numbers aligned at their points, and in the end a plot. The
 * first rows are kept until their widths are known; a later row that is wider widens the rest.
 */
public final class TableOutput implements CandleOutput {
  private static final int ROWS_KEPT = 500;
  private static final String GAP = "  ";

  private final Columns columns;
  private final Interval interval;
  private final Writer writer;
  private final boolean colored;
  private final CandlePlot plot;
  private final List<Row> kept = new ArrayList<>();
  private final int[] before; // the point, per column
  private final int[] behind; // with the point
  private boolean headed;

  private record Row(List<String> values, int direction) {}

  /**
   * Writes nothing yet.
   *
   * @param width of the plot, in characters
   */
  public TableOutput(
      Columns columns, Interval interval, Writer writer, int width, boolean colored) {
    this.columns = columns;
    this.interval = interval;
    this.writer = writer;
    this.colored = colored;
    this.plot = new CandlePlot(interval, width, colored);
    this.before = new int[columns.names().size()];
    this.behind = new int[before.length];
  }

  @Override
  public void candle(CandleView candle, String symbol) throws IOException {
    plot.add(candle, columns.symbols() ? symbol : "");
    List<String> values = columns.values(candle, symbol);
    values.set(0, Times.text(candle.openTimeNanos(), interval.nanos()));
    Row row = new Row(values, candle.close().compareTo(candle.open()));
    widen(values);
    if (headed) {
      write(row);
    } else {
      kept.add(row);
      if (kept.size() == ROWS_KEPT) {
        writeKept();
      }
    }
  }

  @Override
  public void flush() throws IOException {
    if (!kept.isEmpty()) {
      writeKept();
    }
    writer.flush();
  }

  @Override
  public void end() throws IOException {
    flush();
    writer.write(plot.draw());
    writer.flush();
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
    List<String> names = new ArrayList<>(columns.names());
    names.set(0, "time (UTC)");
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      int width = before[i] + behind[i];
      if (name.length() > width) {
        before[i] += name.length() - width;
      }
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

  private void write(Row row) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.values.size(); i++) {
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

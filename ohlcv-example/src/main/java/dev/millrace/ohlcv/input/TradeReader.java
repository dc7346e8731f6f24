package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.TradeRow;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * Reads a file's trades. One thread reads; the counts are its own until it has ended.
 *
 * <p><b>Failure.</b> What is wrong with the file or, unless bad rows are skipped, with a row, is an
 * {@link InputException} in one line.
 */
final class TradeReader implements Closeable {
  final TradeSource source;
  final Layout layout; // null if there is neither a trade nor a header
  final Symbols symbols = new Symbols();
  private final Rows rows;
  private final List<String> header; // the columns' names; empty if the file does not name them
  private final Row first; // null if there are no trades
  private final TradeParser parser;
  private final boolean skipsBadRows;
  private ObjLongConsumer<String> onBadRow = (why, line) -> {};
  private long count;
  private long headersAgain;
  private long leftOut;
  private long skipped;
  private String firstSkipped;

  /**
   * Opens a file and finds its columns.
   *
   * @throws InputException if there is neither a trade nor a header in it, or a column is not there
   */
  TradeReader(TradeSource source, Map<Role, String> columns, boolean skipsBadRows)
      throws IOException, InterruptedException {
    this.source = source;
    this.skipsBadRows = skipsBadRows;
    this.rows = source.openRows();
    Row head = next();
    if (head == null) {
      this.header = List.of();
      this.first = null;
      this.layout = null;
      this.parser = null;
      if (!source.mayBeEmpty()) { // JSON: such as an exchange's answer that something was wrong
        throw source.noRows();
      }
      return;
    }
    String where = source.name + ":" + head.line();
    if (head.problem() != null) { // skipped, it would leave no columns
      throw new InputException(where + ": " + head.problem().getMessage());
    }
    boolean isHeader = head.isHeader();
    this.header = isHeader ? stripped(head) : List.of();
    this.first = isHeader ? nextTrade() : head;
    List<String> values = first == null ? List.of() : first.fields();
    this.layout = new Layout(where, header, values, rows instanceof JsonRows, columns);
    this.parser = new TradeParser(layout, symbols);
  }

  /** Whether there is no trade in it, which is no fault: on some days nothing is traded. */
  boolean isEmpty() {
    return first == null;
  }

  ReadCounts counts() {
    return new ReadCounts(count, headersAgain, leftOut, skipped, firstSkipped);
  }

  /** Sets who hears of bad rows; before the first is read. */
  void onBadRow(ObjLongConsumer<String> listener) {
    onBadRow = listener;
  }

  /** Reads all rows. */
  void readAll(TradeConsumer consumer) throws IOException, InterruptedException {
    TiedTrades ties = new TiedTrades(consumer);
    try {
      for (Row row = first; row != null; row = nextTrade()) {
        count += row.isCounted() ? 1 : 0;
        List<TradeRow> trades = parse(row);
        boolean isInOrder = layout.bars || row.trade() != null;
        for (TradeRow trade : trades) {
          if (isInOrder) {
            consumer.accept(trade);
          } else {
            ties.add(trade, parser.id(row));
          }
        }
        if (source.isLive && !rows.isReady()) {
          ties.pause();
        }
      }
    } catch (InputException e) {
      ties.release(); // what was read before it counts
      throw e;
    }
    ties.release();
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }

  private Row next() throws IOException, InterruptedException {
    try {
      return rows.read();
    } catch (IOException e) {
      throw source.explain(e);
    }
  }

  /** The next row that is not the header again, as where files were joined. */
  private Row nextTrade() throws IOException, InterruptedException {
    Row row = next();
    while (row != null && isHeaderAgain(row)) {
      headersAgain++;
      row = next();
    }
    return row;
  }

  private boolean isHeaderAgain(Row row) {
    return !header.isEmpty()
        && row.trade() == null
        && row.fields().size() == header.size()
        && row.fields().getFirst().strip().equals(header.getFirst()) // seldom, even of trades
        && stripped(row).equals(header);
  }

  private static List<String> stripped(Row row) {
    return row.fields().stream().map(String::strip).toList();
  }

  private List<TradeRow> parse(Row row) throws InputException {
    try {
      List<TradeRow> trades = parser.parse(row);
      leftOut += trades.isEmpty() ? 1 : 0;
      return trades;
    } catch (BadRowException e) {
      onBadRow.accept(e.getMessage(), row.line());
      String message = source.name + ":" + row.line() + ": " + e.getMessage();
      if (!skipsBadRows) {
        throw new InputException(message, true);
      }
      firstSkipped = skipped++ == 0 ? message : firstSkipped;
      return List.of();
    }
  }
}

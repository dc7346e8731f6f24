package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.input.ReadOptions.Role;
import java.util.List;

/** Where in a row what is, and how it is written: found once, the same for all rows of a file. */
final class RowFormat {
  final int width;
  final boolean bars;
  final Columns columns;
  final List<Columns.Kept> kept;
  final int time;
  final int price;
  final int volume;
  final int side;
  final int symbol;
  final int type;
  final int firstId;
  final int lastId;
  final int[] openHighLowClose; // of bars
  final EpochUnit timeUnit; // null if numbers are to tell
  final boolean sideIsMaker;

  /** Finds the columns; throws if one is not there. */
  RowFormat(String file, Rows rows, Layout layout, ReadOptions options) throws InputException {
    this.width = rows.width();
    this.bars = layout.bars();
    this.columns = new Columns(file, rows);
    this.kept = columns.kept(options.keep());
    this.time = columns.required(Role.TIME, options, layout);
    this.price = bars ? Columns.NONE : columns.required(Role.PRICE, options, layout);
    this.volume = columns.required(Role.VOLUME, options, layout);
    this.side = columns.optional(Role.SIDE, options, layout);
    this.symbol = columns.optional(Role.SYMBOL, options, layout);
    int typeColumn = columns.named(layout.typeColumn());
    boolean chosen = kept.stream().anyMatch(k -> k.column() == typeColumn);
    this.type = chosen ? Columns.NONE : typeColumn;
    this.firstId = columns.named(layout.firstId());
    this.lastId = columns.named(layout.lastId());
    this.openHighLowClose = bars ? barColumns(rows) : new int[0];
    this.timeUnit = options.timeUnit() != null ? options.timeUnit() : layout.unit();
    this.sideIsMaker =
        options.columns().containsKey(Role.SIDE)
            ? Layout.isOpposite(columns.name(side))
            : layout.sideIsMaker();
  }

  private static int[] barColumns(Rows rows) {
    int[] found = new int[DailyBar.PRICES];
    List<String> names = rows.names().stream().map(Layout::plain).toList();
    for (int i = 0; i < found.length; i++) {
      found[i] = names.indexOf(DailyBar.NAMES.get(i));
    }
    return found;
  }
}

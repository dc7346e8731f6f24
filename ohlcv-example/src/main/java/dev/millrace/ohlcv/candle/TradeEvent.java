package dev.millrace.ohlcv.candle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What goes through the ring of {@link CandleStages}: what trades are made of, then the trades,
 * then what they made leave. Used again and again; only what leaves is made anew.
 *
 * <p>All trades of an event are of one symbol and one time, as the four of a daily bar. So whatever
 * leaves, leaves for the first of them, and before any is refused.
 *
 * <p><b>Roles.</b> Belongs to the stage that has it in hand.
 *
 * @param <R> what trades are made of
 */
public final class TradeEvent<R> implements CandleSink {
  /** As many trades as an event may have. */
  public static final int MAX_TRADES = 4;

  private final R source;
  private final List<TradeRow> trades = new ArrayList<>(1); // made when they are needed first
  private int count;
  private List<Candle> left = List.of();
  private List<Refused> refused = List.of();

  private record Refused(long line, String field) {}

  TradeEvent(R source) {
    this.source = source;
  }

  /** What trades are made of. */
  public R source() {
    return source;
  }

  /** Begins anew, without a trade. */
  public void clear() {
    count = 0;
  }

  /** Adds a copy of a trade. */
  public void add(TradeRow trade) {
    if (count == MAX_TRADES) {
      throw new IllegalStateException("trades of an event must be at most " + MAX_TRADES);
    }
    if (count == trades.size()) {
      trades.add(new TradeRow());
    }
    trades.get(count++).set(trade);
  }

  /** By what events are shared out: their symbol. */
  long key() {
    return count == 0 ? 0 : trades.getFirst().symbol();
  }

  int count() {
    return count;
  }

  TradeRow trade(int index) {
    return trades.get(index);
  }

  @Override
  public void candle(CandleView candle) {
    if (left.isEmpty()) {
      left = new ArrayList<>(1);
    }
    left.add(Candle.of(candle));
  }

  @Override
  public void refused(long line, String field) {
    if (refused.isEmpty()) {
      refused = new ArrayList<>(1);
    }
    refused.add(new Refused(line, field));
  }

  /** Tells a sink what has left, and forgets it. */
  void giveTo(CandleSink sink) throws IOException {
    for (Candle candle : left) {
      sink.candle(candle);
    }
    for (Refused one : refused) {
      sink.refused(one.line, one.field);
    }
    left = List.of(); // a list that has grown is not kept
    refused = List.of();
  }
}

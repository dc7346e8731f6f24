package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.queues.LogReader;
import dev.millrace.queues.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Rows of a {@link TradeLog}, which are trades already. Their lines are the messages' numbers. The
 * row before them has names of columns, made up so that they tell what the input was.
 */
final class LogRows implements Rows {
  private final LogReader reader;
  private final long leastNanos; // trades before are left out
  private boolean isNamed; // the columns are

  /**
   * Opens a log.
   *
   * @param from a number, or a time; null for the first trade
   * @throws IllegalArgumentException if that is neither, or the log has trades but none with that
   *     number; in words of the command line
   */
  LogRows(Path directory, String from) throws IOException {
    boolean isTime = from != null && !from.matches("\\d{1,18}");
    try {
      leastNanos = isTime ? new TimeField().nanos("--from", from, false) : 0;
    } catch (BadRowException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    reader = LogReader.open(directory);
    try {
      if (isTime) {
        reader.seekTime(leastNanos); // what follows may be earlier, if it came too late
      } else if (from != null) {
        seek(Long.parseLong(from));
      }
    } catch (IllegalArgumentException e) {
      reader.close();
      throw e;
    } catch (UncheckedIOException e) {
      reader.close();
      throw e.getCause();
    }
  }

  private void seek(long number) {
    long first = reader.firstNumber();
    long end = reader.endNumber();
    if (end == first) {
      return; // there is none to begin with
    }
    if (number < first || number >= end) {
      throw new IllegalArgumentException(
          "--from must be in %d..%d: --from=%d".formatted(first, end - 1, number));
    }
    reader.seek(number);
  }

  @Override
  public Row read() throws IOException {
    try {
      for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
        TradeRow trade = TradeLog.trade(message, reader.number());
        if (trade.timeNanos() >= leastNanos) {
          Row row =
              isNamed
                  ? new Row(trade.line(), List.of(TradeLog.symbol(message)), null, trade)
                  : new Row(trade.line(), TradeLog.columns(message), null);
          reader.release();
          if (!isNamed) {
            isNamed = true;
            reader.seek(trade.line()); // it is read once more
          }
          return row;
        }
      }
      return null;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public void close() {
    reader.close();
  }
}

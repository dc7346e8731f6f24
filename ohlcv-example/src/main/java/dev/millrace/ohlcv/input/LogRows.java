package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Rows of a {@link TradeLog}, which are trades already. Their lines are the messages' numbers. The
 * row before them has names of columns, made up so that they tell what the input was.
 */
final class LogRows implements Rows {
  // A trade's number as one writes it, or as names of segments have it. Nineteen digits that are no
  // zeros in front are a time in nanoseconds.
  private static final Pattern NUMBER = Pattern.compile("0*\\d{1,18}|\\d{20}");

  private final LogReader reader;
  private final boolean isFollowed;
  private final long leastNanos; // trades before are left out
  private String beyond; // what is wrong with a number behind the last; else null
  private boolean isNamed; // the columns are

  /**
   * Opens a log.
   *
   * @param from a number, or a time; null for the first trade
   * @param isFollowed whether the log's end is waited at
   * @throws IllegalArgumentException if that is neither, or a number before the log's first; in
   *     words of the command line
   */
  LogRows(Path directory, String from, boolean isFollowed) throws IOException {
    this.isFollowed = isFollowed;
    boolean isTime = from != null && !NUMBER.matcher(from).matches();
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
        seek(from);
      }
    } catch (IllegalArgumentException e) {
      reader.close();
      throw e;
    } catch (UncheckedIOException e) {
      reader.close();
      throw e.getCause();
    }
  }

  private void seek(String from) {
    long number = new BigInteger(from).min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
    long first = reader.firstNumber();
    long end = reader.endNumber();
    if (end == first) {
      return; // there is none to begin with
    }
    String rule = "--from must be in %d..%d: --from=%s".formatted(first, end - 1, from);
    if (number < first) {
      throw new IllegalArgumentException(rule);
    }
    beyond = number < end ? null : rule;
    reader.seek(Math.min(number, end));
  }

  /** Throws if the log ends before the number from which it was to be read. */
  void checkNumber() {
    if (beyond != null) {
      throw new IllegalArgumentException(beyond);
    }
  }

  @Override
  public Row read() throws IOException, InterruptedException {
    try {
      for (Message message; (message = next()) != null; reader.release()) {
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
      return isNamed ? null : columnsAlone();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private Message next() throws InterruptedException {
    return isFollowed ? reader.poll() : reader.tryPoll();
  }

  /** The columns of a log that has trades, but none from where it is read; null if it has none. */
  private Row columnsAlone() throws IOException {
    isNamed = true;
    reader.seek(reader.firstNumber());
    Message message = reader.tryPoll();
    if (message == null) {
      return null;
    }
    Row row =
        new Row(TradeLog.trade(message, reader.number()).line(), TradeLog.columns(message), null);
    reader.release();
    reader.seek(reader.endNumber());
    return row;
  }

  @Override
  public void close() {
    reader.close();
  }
}

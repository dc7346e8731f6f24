package dev.millrace.ohlcv.input;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.ohlcv.candle.TradeRecord;
import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Keeps the trades of a run in a log, in the order in which they are read. Those that an earlier
 * run has kept are compared instead; so a run that was killed goes on where it stopped.
 *
 * <pre>
 * message: type   what the input is: daily bars or trades, with or without sides and symbols
 *          time   the trade's, or that of a later one before it: times never go back
 *          0      TradeRecord
 *          56     the symbol's name, for its number is only this run's
 * </pre>
 *
 * <p>So a message says all of its trade, and a log can be read from any of them on.
 */
public final class TradeLog implements Closeable {
  private static final FlyweightType<TradeRecord> RECORD = FlyweightType.of(TradeRecord.class);
  private static final int RECORD_BYTES = (int) RECORD.layout().sizeBytes();
  private static final int TYPE = 0x545244; // "TRD", three bits higher
  private static final int BARS = 1;
  private static final int SIDES = 2;
  private static final int SYMBOLS = 4;

  private static final Pattern SEGMENT = Pattern.compile("\\d{20}\\.log");
  private static final LogOptions OPTIONS =
      LogOptions.ofSegmentBytes(1 << 22).withSync(Duration.ofSeconds(1));

  private final Path directory;
  private final Feeds feeds;
  private final int type;
  private final MessageLog log;
  private final LogProducer producer;
  private final LogReader kept;
  private final long keptCount;
  private long timeNanos; // of the trade that is appended

  /**
   * Opens a log, or makes it.
   *
   * @param feeds whose trades are kept
   * @throws IllegalArgumentException if it cannot be opened, in words of the command line
   */
  public TradeLog(Path directory, Feeds feeds) {
    this.directory = directory;
    this.feeds = feeds;
    int sides = feeds.hasSides() ? SIDES : 0;
    this.type =
        TYPE << 3 | (feeds.isBars() ? BARS : 0) | sides | (feeds.hasSymbols() ? SYMBOLS : 0);
    try {
      this.log = MessageLog.open(directory, OPTIONS.withClock(() -> timeNanos));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--log must be a log's directory: --log=%s (%s)".formatted(directory, e.getMessage()), e);
    }
    this.producer = log.newProducer();
    this.kept = log.newReader();
    this.keptCount = log.endNumber();
  }

  /** Whether an earlier run has kept the next trade. */
  public boolean isBehind() {
    return kept.number() < keptCount;
  }

  /**
   * Keeps the next trade, or compares it with what an earlier run has kept. If the input ends
   * before the log does, the log stays longer.
   *
   * @throws InputException if the log has another one there, is damaged, or cannot be written
   */
  public void keep(TradeRow trade) throws InputException {
    String symbol = feeds.symbol(trade.symbol());
    try {
      if (!isBehind()) {
        timeNanos = trade.timeNanos();
        int length = RECORD_BYTES + Message.utf8Length(symbol);
        producer.claim(type, length).putUtf8(RECORD_BYTES, symbol).as(RECORD).set(trade);
        producer.commit();
      } else if (isSame(kept.tryPoll(), trade, symbol)) {
        kept.release();
      } else {
        throw new InputException(
            "%s: trade must be the one that was kept: --log=%s, number=%d"
                .formatted(feeds.where(trade.line()), directory, kept.number()));
      }
    } catch (UncheckedIOException e) {
      throw failed(e);
    } catch (IllegalArgumentException e) { // as of a symbol that is no text
      throw new InputException(feeds.where(trade.line()) + ": " + e.getMessage());
    }
  }

  private boolean isSame(Message message, TradeRow trade, String symbol) {
    return message != null
        && message.type() == type
        && TradeRow.of(message.as(RECORD), trade.line(), trade.symbol()).equals(trade)
        && symbol(message).equals(symbol);
  }

  @Override
  public void close() throws InputException {
    try {
      kept.close();
      producer.close();
      log.close();
    } catch (UncheckedIOException e) {
      throw failed(e);
    }
  }

  private InputException failed(UncheckedIOException e) {
    return new InputException("--log=" + directory + ": " + e.getCause().getMessage());
  }

  /** Whether a directory has a log, maybe without a trade. */
  static boolean isLog(Path directory) {
    String[] files = directory.toFile().list((_, name) -> SEGMENT.matcher(name).matches());
    return files != null && files.length > 0;
  }

  // ---- messages ----

  /** The trade of a message, of the symbol 0. */
  static TradeRow trade(Message message, long line) throws IOException {
    if (message.type() >>> 3 != TYPE || message.length() < RECORD_BYTES) {
      throw new IOException("message must be a trade: number=" + line + ", " + message);
    }
    return TradeRow.of(message.as(RECORD), line, 0);
  }

  static String symbol(Message message) {
    return message.getUtf8(RECORD_BYTES);
  }

  /** Columns as a file has them with trades like this one. */
  static List<String> columns(Message message) {
    String names =
        ((message.type() & BARS) != 0 ? "date,open,high,low,close,volume" : "time,price,volume")
            + ((message.type() & SIDES) != 0 ? ",side" : "")
            + ((message.type() & SYMBOLS) != 0 ? ",symbol" : "");
    return List.of(names.split(",", -1));
  }
}

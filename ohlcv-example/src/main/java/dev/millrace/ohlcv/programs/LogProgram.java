package dev.millrace.ohlcv.programs;

import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Appends trades to a log and dies in the middle. Started again, it finds all that was committed,
 * and continues there.
 */
public final class LogProgram {
  private static final int TRADE = 1; // a message's type
  private static final int BYTES = 24; // second, price, volume
  private static final int LAST = 2_000; // trades that are committed before it dies

  /** The argument is the directory of the log. */
  public static void main(String[] arguments) throws IOException {
    List<String[]> rows = readRows();
    LogOptions options = LogOptions.ofSegmentBytes(1 << 16);
    try (MessageLog log = MessageLog.open(Path.of(arguments[0]), options);
        LogProducer producer = log.newProducer()) {
      int found = compare(log, rows);
      System.out.println("found " + found + " trades, all as in the file");
      for (int i = found; i < rows.size(); i++) {
        put(producer.claim(TRADE, BYTES), rows.get(i));
        if (found == 0 && i == LAST) {
          System.out.println("committed " + i + " trades, halting with one more uncommitted");
          Runtime.getRuntime().halt(1); // closes nothing, like a kill
        }
        producer.commit();
      }
      System.out.println("the log ends after " + log.endNumber() + " trades");
    }
  }

  private static void put(Message message, String[] row) {
    message
        .putLong(0, Long.parseLong(row[0]))
        .putDouble(8, Double.parseDouble(row[1]))
        .putDouble(16, Double.parseDouble(row[2]));
  }

  /** Returns how many trades the log has, after comparing them with the file. */
  private static int compare(MessageLog log, List<String[]> rows) {
    int count = (int) log.endNumber();
    try (LogReader reader = log.newReader()) {
      for (String[] row : rows.subList(0, count)) {
        Message message = reader.tryPoll();
        if (message.getLong(0) != Long.parseLong(row[0])
            || message.getDouble(8) != Double.parseDouble(row[1])
            || message.getDouble(16) != Double.parseDouble(row[2])) {
          throw new IllegalStateException("log has another trade: number=" + reader.number());
        }
        reader.release();
      }
    }
    return count;
  }

  private static List<String[]> readRows() throws IOException {
    try (InputStream csv = LogProgram.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(2).map(row -> row.split(",", -1)).toList();
    }
  }
}

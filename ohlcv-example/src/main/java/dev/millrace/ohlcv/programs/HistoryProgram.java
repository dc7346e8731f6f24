package dev.millrace.ohlcv.programs;

import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** One thread writes trades and never waits, while another averages the latest ones. */
public final class HistoryProgram {
  private static final int LATEST = 1_000;

  /** A trade in the ring's memory. */
  interface Trade {
    int number();

    Trade number(int value);

    double price();

    Trade price(double value);
  }

  /** Prints the average of the latest 1,000 trades, now and then and at the end. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String[]> rows = readRows();
    try (HistoryRing<Trade> ring = HistoryRing.single(Trade.class, 4_096);
        HistoryReader<Trade> reader = ring.newReader(LATEST)) {
      Thread writer = Thread.ofPlatform().name("writer").start(() -> write(rows, ring.producer()));
      while (!writer.join(Duration.ofMillis(20))) {
        printAverage(reader);
      }
      printAverage(reader);
    }
  }

  private static void write(List<String[]> rows, HistoryProducer<Trade> producer) {
    try {
      for (int i = 0; i < rows.size(); i++) {
        Trade trade = producer.claim(); // overwrites the oldest
        trade.number(i + 1).price(Double.parseDouble(rows.get(i)[1]));
        producer.commit();
        if (i % 50 == 0) {
          Thread.sleep(1); // or it would end before the first average
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void printAverage(HistoryReader<Trade> reader) {
    int count = reader.latest(LATEST); // copies, which no writer changes
    if (count > 0) {
      double sum = 0;
      for (int i = 0; i < count; i++) {
        sum += reader.at(i).price(); // the oldest first
      }
      int number = reader.at(count - 1).number();
      System.out.printf(Locale.ROOT, "%d trades up to %d: %.2f%n", count, number, sum / count);
    }
  }

  private static List<String[]> readRows() throws IOException {
    try (InputStream csv = HistoryProgram.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(2).map(row -> row.split(",", -1)).toList();
    }
  }
}

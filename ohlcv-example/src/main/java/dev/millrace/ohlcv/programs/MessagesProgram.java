package dev.millrace.ohlcv.programs;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Four threads send messages of two types and of any length, and one thread writes them. */
public final class MessagesProgram {
  private static final int THREADS = 4;
  private static final int LARGE = 1; // a message's type: its bytes are text
  private static final int DONE = 2; // the number of trades, then text

  /** Prints the large trades, and how many trades each thread has seen. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<String[]> rows = readRows();
    try (MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 16))) { // bytes
      Thread writer = Thread.ofPlatform().name("writer").start(() -> write(queue));
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        var part = rows.subList(rows.size() * i / THREADS, rows.size() * (i + 1) / THREADS);
        String name = "thread " + i;
        MessageProducer out = queue.newProducer();
        threads.add(Thread.ofPlatform().name(name).start(() -> watch(part, name, out)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      queue.complete(); // the writer writes the rest and ends
      writer.join();
    }
  }

  private static void watch(List<String[]> rows, String name, MessageProducer out) {
    try (out) {
      for (String[] row : rows) {
        if (Double.parseDouble(row[2]) >= 20) {
          String line = name + ": " + row[2] + " coins at " + row[1];
          out.claim(LARGE, Message.utf8Length(line)).putUtf8(0, line); // waits while it is full
          out.commit();
        }
      }
      out.claim(DONE, Long.BYTES + Message.utf8Length(name))
          .putLong(0, rows.size())
          .putUtf8(Long.BYTES, name);
      out.commit();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void write(MessageQueue queue) {
    try {
      queue.newConsumer().forEach(MessagesProgram::write); // until complete and empty
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void write(Message message) {
    switch (message.type()) {
      case LARGE -> System.out.println(message.getUtf8(0));
      case DONE -> System.out.println(message.getUtf8(8) + ": " + message.getLong(0) + " trades");
      default -> throw new IllegalStateException("unknown message: " + message);
    }
  }

  private static List<String[]> readRows() throws IOException {
    try (InputStream csv = MessagesProgram.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(2).map(row -> row.split(",", -1)).toList();
    }
  }
}

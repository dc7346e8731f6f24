package dev.millrace.ohlcv.programs;

import dev.millrace.queues.Message;
import dev.millrace.queues.MessageProducer;
import dev.millrace.queues.MessageQueue;
import dev.millrace.queues.QueueOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Several threads log lines of text of any length, and one thread writes them to a file. */
public final class LogProgram {
  private static final int LINE = 1; // the type of its messages
  private static final int THREADS = 4;
  private static final int LINES = 10_000; // of each thread

  private LogProgram() {}

  /** Writes the lines to the file that the argument names. */
  public static void main(String[] arguments) throws Exception {
    Arguments.require(LogProgram.class, arguments, "FILE");
    Path file = Path.of(arguments[0]);
    try (OutputStream out = Arguments.create(LogProgram.class, file);
        MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 16))) {
      Thread writer = Thread.ofPlatform().name("writer").start(() -> write(queue, out));
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        String name = "thread " + i;
        threads.add(Thread.ofPlatform().name(name).start(() -> work(queue.newProducer(), name)));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      queue.complete(); // the writer ends once it has written what there is
      writer.join();
    }
    try (var lines = Files.lines(file)) {
      System.out.println(lines.count() + " lines");
    }
  }

  private static void work(MessageProducer out, String name) {
    try {
      for (int i = 0; i < LINES; i++) {
        String line = name + " has come to its step " + i + "\n";
        out.claim(LINE, Message.utf8Length(line)).putUtf8(0, line); // waits while the queue is full
        out.commit();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void write(MessageQueue queue, OutputStream out) {
    byte[] line = new byte[1024];
    try {
      queue.newConsumer().forEach(message -> write(message, line, out));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      queue.complete(); // lets the others go if this thread fails, as on a full disk
    }
  }

  private static void write(Message message, byte[] line, OutputStream out) {
    message.getBytes(0, line, 0, message.length());
    try {
      out.write(line, 0, message.length());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package dev.millrace.bench.ipc;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.queues.messages.MessageQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * What one of two processes does: one sends messages, and the other takes or returns them. Both
 * spin.
 *
 * @param folder empty at first; both processes know it
 * @param bytes of a message
 * @param batch how many messages are sent and received at once
 * @param does what this process does; both sides in a thread each, if the contender is in process
 */
record Side(
    IpcContender contender,
    String folder,
    int bytes,
    int batch,
    long warmUpMillis,
    long millis,
    Does does)
    implements Child.Job<Side.Found> {
  // files by which the side that takes tells the other how far it is
  private static final String READY = "ready";
  private static final String DONE = "done";

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int BETWEEN_CLOCKS = 64; // calls

  private static final String THERE = "there";
  private static final String BACK = "back";
  private static final String SINGLES = "singles";
  private static final String BATCHES = "batches";

  static final List<String> TIMES = List.of("round trip: p50, ns", "round trip: p99, ns");
  static final List<String> RATES = List.of("one by one, thousands/s", "batches, thousands/s");

  /** Which side a process is. */
  enum Does {
    SEND,
    TAKE,
    BOTH
  }

  /** Figures by their names, of the side that has measured them. */
  record Found(Map<String, Double> figures) {}

  /** The same for another side. */
  Side with(Does side) {
    return new Side(contender, folder, bytes, batch, warmUpMillis, millis, side);
  }

  @Override
  public Found run() throws Exception {
    if (does != Does.BOTH) {
      return run(Map.of());
    }
    Map<String, MessageQueue> queues = Ends.inProcess();
    return ofBoth(() -> with(Does.TAKE).run(queues), () -> with(Does.SEND).run(queues));
  }

  /** Runs two sides at the same time, and returns what both have found. */
  static Found ofBoth(Callable<Found> taking, Callable<Found> sending)
      throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      Future<Found> taken = threads.submit(taking);
      Map<String, Double> all = new LinkedHashMap<>(threads.submit(sending).get().figures());
      all.putAll(taken.get().figures());
      return new Found(all);
    }
  }

  private Found run(Map<String, MessageQueue> queues) throws Exception {
    Map<String, Double> figures = new LinkedHashMap<>();
    boolean takes = does == Does.TAKE;
    Path ready = Path.of(folder, READY);
    Path done = Path.of(folder, DONE);
    if (!takes) {
      await(ready);
    }
    try (Ends ends = new Ends(contender, Path.of(folder), bytes, takes, queues)) {
      Channel there = ends.open(THERE, !takes);
      Channel back = ends.open(BACK, takes);
      Channel singles = ends.open(SINGLES, !takes);
      Channel batches = ends.open(BATCHES, !takes);
      if (takes) {
        Files.createFile(ready);
        answer(there, back);
        figures.put(RATES.get(0), thousandsTaken(singles, 1));
        figures.put(RATES.get(1), thousandsTaken(batches, batch));
        Files.createFile(done);
      } else {
        Histogram times = ask(there, back);
        figures.put(TIMES.get(0), (double) times.getValueAtPercentile(50));
        figures.put(TIMES.get(1), (double) times.getValueAtPercentile(99));
        send(singles, 1);
        send(batches, batch);
        await(done);
      }
    }
    return new Found(figures);
  }

  private static void await(Path file) throws InterruptedException, TimeoutException {
    for (long begin = System.nanoTime(); !Files.exists(file); Thread.sleep(1)) {
      if (System.nanoTime() - begin > PATIENCE_NANOS) {
        throw new TimeoutException("the other side has not come to this: " + file.getFileName());
      }
    }
  }

  private static void answer(Channel there, Channel back) throws IOException {
    while (true) {
      while (there.receive(1) == 0) {
        Thread.onSpinWait();
      }
      if (there.hasEnded()) {
        return;
      }
      sendSurely(back, there.taken() - 1);
    }
  }

  private static void sendSurely(Channel channel, long number) throws IOException {
    while (!channel.send(number)) {
      Thread.onSpinWait();
    }
  }

  private Histogram ask(Channel there, Channel back) throws IOException {
    Histogram times = Latencies.newHistogram();
    long next = 0;
    for (long limit : new long[] {warmUpMillis, millis}) {
      times.reset();
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limit);
      for (long begin = System.nanoTime(); begin < end; ) {
        sendSurely(there, next++);
        while (back.receive(1) == 0) {
          Thread.onSpinWait();
        }
        long now = System.nanoTime();
        Latencies.record(times, begin, now);
        begin = now;
      }
    }
    sendSurely(there, Channel.LAST);
    return times;
  }

  private void send(Channel channel, int atOnce) throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(warmUpMillis + 2 * millis);
    for (long next = 0; System.nanoTime() < end; ) {
      for (int i = 0; i < BETWEEN_CLOCKS; i++) {
        int sent = atOnce == 1 ? (channel.send(next) ? 1 : 0) : channel.send(next, atOnce);
        if (sent == 0) {
          Thread.onSpinWait();
        }
        next += sent;
      }
    }
    sendSurely(channel, Channel.LAST);
  }

  /** How many thousands of messages a second came during the time that is measured. */
  private double thousandsTaken(Channel channel, int atOnce) throws IOException {
    while (channel.receive(1) == 0) {
      Thread.onSpinWait();
    }
    receive(channel, atOnce, warmUpMillis);
    long before = channel.taken();
    long begin = System.nanoTime();
    receive(channel, atOnce, millis);
    double rate = (channel.taken() - before) * 1e6 / (System.nanoTime() - begin);
    while (!channel.hasEnded()) {
      receive(channel, atOnce, millis);
    }
    return rate;
  }

  /** Receives for a time, or until the last message has come. */
  private static void receive(Channel channel, int atOnce, long forMillis) throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMillis);
    while (!channel.hasEnded() && System.nanoTime() < end) {
      for (int i = 0; i < BETWEEN_CLOCKS && !channel.hasEnded(); i++) {
        if (channel.receive(atOnce) == 0) {
          Thread.onSpinWait();
        }
      }
    }
  }
}

package dev.millrace.bench.candles;

import dev.millrace.bench.candles.LoadResult.Rate;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pace;
import dev.millrace.core.Sequence;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/**
 * The client's side of one run: a thread sends trades, others ask, this one reads what the server
 * counts. When all is over it checks each answer.
 */
final class ServeRun implements AutoCloseable {
  private static final Pattern LAST_TRADE = Pattern.compile("\"last_trade\":(\\d+)");
  private static final int HEAD_BYTES = 200; // in which it is
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long LOOK_MILLIS = 10;

  private final ServeTrial trial;
  private final LoadSettings load;
  private final LoadClock clock;
  private final HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
  private final ServerProcess server;
  private final Sequence written = new Sequence(); // trades, each counted before it is sent
  private final AtomicLongArray known; // by symbol: the last trade of an answer that has come
  private final List<ServedAnswers> answers = new ArrayList<>();

  ServeRun(ServeTrial trial) throws IOException {
    this.trial = trial;
    this.load = trial.load();
    this.clock = new LoadClock(load);
    this.known = new AtomicLongArray(load.symbols());
    this.server = new ServerProcess(trial, client);
  }

  @Override
  public void close() throws IOException {
    client.shutdownNow();
    server.close();
  }

  ServeResult run() throws Exception {
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < load.queriers(); i++) {
      clients.add(new Client(i));
    }
    ServerProcess.Counts before;
    ServerProcess.Counts after;
    try (ExecutorService threads = Executors.newFixedThreadPool(1 + clients.size())) {
      List<Future<Void>> running = new ArrayList<>();
      running.add(threads.submit(this::sendTrades));
      clients.forEach(each -> running.add(threads.submit(each)));
      try {
        clock.awaitStart();
        Pace.awaitNanos(clock.measuredNanos());
        before = server.counts();
        for (Future<Void> each : running) {
          each.get(); // throws what the thread has thrown
        }
        after = server.counts();
      } finally {
        threads.shutdownNow(); // if one has failed, the others end by interruption
      }
    }
    awaitPlaced(written.getAcquire());
    Reference reference = new Reference(load, written.getAcquire());
    askAfterEnd(reference);
    Histogram latencies = Latencies.newHistogram();
    clients.forEach(each -> latencies.add(each.latencies));
    return result(before, after, latencies, reference);
  }

  /** As much as is due every millisecond. */
  private Void sendTrades() throws IOException, InterruptedException {
    BufferedWriter writer =
        new BufferedWriter(new OutputStreamWriter(server.feed(), StandardCharsets.US_ASCII));
    TradeRows rows = new TradeRows(load, writer);
    for (long i = 0; i < load.fillTrades(); i++) {
      send(rows);
    }
    writer.flush();
    awaitPlaced(load.fillTrades());
    clock.start();
    long trades = load.warmUpTrades() + load.measuredTrades();
    long sent = 0;
    long now = System.nanoTime();
    while (sent < trades && !clock.isOver(now)) {
      for (; sent < trades && dueNanos(sent, load.rate()) <= now; sent++) {
        send(rows);
      }
      writer.flush(); // waits while the server does not read
      now = System.nanoTime();
      Pace.awaitNanos(Math.max(now, Math.min(now + TICK_NANOS, dueNanos(sent, load.rate()))));
      now = System.nanoTime();
    }
    return null;
  }

  private void send(TradeRows rows) throws IOException {
    written.setRelease(written.getPlain() + 1); // plain: only this thread writes it
    rows.writeNext();
  }

  private long dueNanos(long event, int perSecond) {
    return clock.startNanos() + LoadSettings.dueNanos(event, perSecond);
  }

  private void awaitPlaced(long trades) throws IOException, InterruptedException {
    long start = System.nanoTime();
    for (long placed = 0; placed < trades; ) {
      placed = server.counts().metrics().get("ohlcv_trades_total");
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new IllegalStateException(
            "server must place all trades: written=" + trades + ", placed=" + placed);
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /**
   * A thread that asks; what it measures is from when a query was due to when it has the answer.
   */
  private final class Client implements Callable<Void> {
    private final int number;
    private final Histogram latencies = Latencies.newHistogram(); // read after the thread's end

    Client(int number) {
      this.number = number;
    }

    @Override
    public Void call() throws IOException, InterruptedException {
      clock.awaitStart();
      try (ServedAnswers kept = newAnswers()) {
        long all = load.warmUpQueries() + load.measuredQueries();
        for (long i = number; i < all && !clock.isOver(System.nanoTime()); i += load.queriers()) {
          long due = dueNanos(i, load.queries());
          Pace.awaitNanos(due);
          long now = written.getAcquire();
          int minute = (int) Reference.minute(load.timeNanos(now - 1));
          ask(CandleQuery.of(i, load.symbols(), minute), now, kept);
          if (i >= load.warmUpQueries()) {
            Latencies.record(latencies, due, System.nanoTime());
          }
        }
      }
      return null;
    }
  }

  private ServedAnswers newAnswers() throws IOException {
    synchronized (answers) {
      answers.add(new ServedAnswers());
      return answers.getLast();
    }
  }

  private void ask(CandleQuery query, long now, ServedAnswers kept)
      throws IOException, InterruptedException {
    boolean isOpen = query.to() == CandleQuery.OPEN;
    long least = isOpen ? known.get(query.symbol()) : 0;
    HttpResponse<byte[]> response =
        client.send(server.request(query.target()), BodyHandlers.ofByteArray());
    byte[] body = response.body();
    kept.add(query, least, now, response.statusCode(), body);
    String head = new String(body, 0, Math.min(body.length, HEAD_BYTES), StandardCharsets.US_ASCII);
    Matcher last = LAST_TRADE.matcher(head);
    if (isOpen && last.find()) {
      known.accumulateAndGet(query.symbol(), Long.parseLong(last.group(1)), Math::max);
    }
  }

  /** One more answer for each symbol, when nothing moves: it must hold every trade. */
  private void askAfterEnd(Reference reference) throws IOException, InterruptedException {
    try (ServedAnswers kept = newAnswers()) {
      for (int symbol = 0; symbol < load.symbols(); symbol++) {
        known.set(symbol, reference.position(symbol, written.getAcquire()));
        ask(new CandleQuery(symbol, 1, 0, CandleQuery.OPEN, 1_000), written.getAcquire(), kept);
      }
    }
  }

  private ServeResult result(
      ServerProcess.Counts before,
      ServerProcess.Counts after,
      Histogram latencies,
      Reference reference)
      throws IOException, InterruptedException {
    double seconds = (after.time().toEpochMilli() - before.time().toEpochMilli()) / 1e3;
    ServeResult.Server jvm =
        new ServeResult.Server(
            seconds,
            after.processorSeconds() - before.processorSeconds(),
            after.since(before, "jvm_collections_total"),
            server.end(before.time(), after.time()),
            after.since(before, "jvm_allocated_bytes_total"));
    ServedAnswers.Checker checker =
        new ServedAnswers.Checker(reference, load.engine() == CandleContender.NAIVE);
    for (ServedAnswers each : answers) {
      checker.check(each);
    }
    return new ServeResult(
        trial,
        latencies.getTotalCount() < load.measuredQueries()
            || written.getAcquire() < load.totalTrades(),
        after.since(before, "ohlcv_trades_total") / seconds,
        Rate.of(latencies, seconds),
        Latencies.encode(checker.behind()),
        after.since(before, "millrace_cache_hits_total"),
        jvm,
        checker.result(),
        checker.errors());
  }
}

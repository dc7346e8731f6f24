package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.TradeRecord;
import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.queues.MpscConsumer;
import dev.millrace.queues.MpscProducer;
import dev.millrace.queues.MpscQueue;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;
import java.util.function.ObjLongConsumer;
import java.util.stream.Collectors;

/**
 * The inputs of a run, seen as one. A single one is read by the calling thread. Of several each has
 * a thread that reads and parses, and the calling thread merges their trades by time: of equal
 * times, those of the first input first; of one input, in its order, even if that is not by time.
 *
 * <pre>
 *   feed 0 --\
 *   feed 1 ---MpscQueue--> the rows held of each feed --> the least time among their heads
 *   feed 2 --/
 * </pre>
 *
 * <p><b>Ordering.</b> The next trade is chosen only when each feed has a row in hand or has ended,
 * so the result does not depend on which thread is faster.
 *
 * <p><b>Progress.</b> A feed that is silent holds up the others. None can fill the queue and so
 * keep out the one that the merge waits for: each has credits, which it gets back as its trades
 * leave the merge, and the queue has room for the credits of all.
 *
 * <p><b>Failure.</b> A feed that fails ends the merge when its trades before that have left it.
 */
public final class Feeds implements Closeable {
  private static final int ALL_CREDITS = 65_536;
  private static final int LEAST_CREDITS = 16;
  private static final int BATCH = 256;
  private static final int END = -1; // in place of how many trades a row stands for
  private static final long LINES = 1L << 48; // no file has more: above is the input's number

  private final List<TradeReader> readers = new ArrayList<>();
  private final List<Feed> feeds = new ArrayList<>();
  private final Symbols symbols;

  /**
   * Opens all inputs.
   *
   * @param columns the user's, by name or number
   * @param skipsBadRows whether bad rows are counted; otherwise the first one ends the reading
   * @throws InputException if one cannot be read, or some are daily bars and some are not
   */
  public Feeds(List<TradeSource> sources, Map<Role, String> columns, boolean skipsBadRows)
      throws IOException, InterruptedException {
    try {
      for (TradeSource source : sources) {
        TradeReader reader = new TradeReader(source, columns, skipsBadRows);
        readers.add(reader);
      }
      check();
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
    symbols = readers.size() == 1 ? readers.getFirst().symbols : new Symbols();
  }

  private void check() throws InputException {
    TradeReader known = null;
    for (TradeReader reader : readers) {
      if (reader.isEmpty()) {
        continue;
      }
      known = known == null ? reader : known;
      if (reader.layout.bars != known.layout.bars) {
        throw new InputException(
            "%s: rows must be %s, as in %s"
                .formatted(
                    reader.source.name,
                    known.layout.bars ? "daily bars" : "trades",
                    known.source.name));
      }
    }
    for (TradeReader reader : readers) {
      // An empty input among others is one without trades; alone, only a header says so much.
      if (known == null && (reader.layout == null || reader.source.isLog())) {
        throw reader.source.noRows();
      }
    }
  }

  /** Of the inputs that have trades; if none has any, of their headers. */
  private List<Layout> layouts() {
    boolean empty = readers.stream().allMatch(TradeReader::isEmpty);
    return readers.stream()
        .filter(reader -> empty || !reader.isEmpty())
        .map(reader -> reader.layout)
        .toList();
  }

  /** Whether a row is a day's bar instead of a trade. */
  public boolean isBars() {
    return layouts().getFirst().bars;
  }

  /**
   * How long a candle of them is.
   *
   * @param text as the user wrote it, or null for the usual
   * @throws IllegalArgumentException if it is none, or does not go with daily bars; in words of the
   *     command line
   */
  public Interval interval(String text) {
    String chosen = text == null ? isBars() ? "1d" : "1m" : text;
    Interval interval = Interval.parse(chosen);
    if (isBars() && !interval.isWholeDays()) {
      throw new IllegalArgumentException(
          "--interval must be whole days for daily bars: --interval=" + chosen);
    }
    return interval;
  }

  /** Whether it is known of all trades who took them. */
  public boolean hasSides() {
    return layouts().stream().allMatch(layout -> layout.has(Role.SIDE));
  }

  /** Whether rows name their symbols. */
  public boolean hasSymbols() {
    return layouts().stream().anyMatch(layout -> layout.has(Role.SYMBOL));
  }

  /** Whether the end of an input may be long in coming. */
  public boolean isLive() {
    return readers.stream().anyMatch(reader -> reader.source.isLive);
  }

  /** The name of a number that a trade has; symbols are numbered as they appear in the merge. */
  public String symbol(int number) {
    return symbols.name(number);
  }

  /** How much was read, once all is. */
  public ReadCounts counts() {
    return readers.stream().map(TradeReader::counts).reduce(ReadCounts.NONE, ReadCounts::plus);
  }

  /** How many bytes there are to read; 0 if that is not known. */
  public long sizeBytes() {
    boolean known = readers.stream().allMatch(reader -> reader.source.sizeBytes > 0);
    return known ? readers.stream().mapToLong(reader -> reader.source.sizeBytes).sum() : 0;
  }

  /** How many bytes were read. */
  public long readBytes() {
    return readers.stream().mapToLong(reader -> reader.source.readBytes()).sum();
  }

  /** File and line of a trade, as in messages. */
  public String where(long line) {
    return readers.get((int) (line / LINES)).source.name + ":" + lineInFile(line);
  }

  /** The line of a trade in its own file. */
  public static long lineInFile(long line) {
    return line % LINES;
  }

  /** The inputs and what each was taken for. */
  @Override
  public String toString() {
    return readers.stream()
        .map(
            reader ->
                reader.source.name
                    + (reader.isEmpty() ? " (no trades)" : " (" + reader.layout + ")"))
        .collect(Collectors.joining(", "));
  }

  /**
   * Sets who hears of bad rows, in the threads that read them. Of several inputs the reason names
   * the file.
   *
   * @param newListener makes a listener for the thread of each input
   */
  public void onBadRow(IntFunction<ObjLongConsumer<String>> newListener) {
    for (int i = 0; i < readers.size(); i++) {
      String prefix = readers.size() == 1 ? "" : readers.get(i).source.name + ": ";
      ObjLongConsumer<String> listener = newListener.apply(i);
      readers.get(i).onBadRow((why, line) -> listener.accept(prefix + why, line));
    }
  }

  /** Reads all rows; the consumer is called by this thread. */
  public void readAll(TradeConsumer consumer) throws IOException, InterruptedException {
    if (readers.size() == 1) {
      readers.getFirst().readAll(consumer);
      return;
    }
    int credits = Math.max(LEAST_CREDITS, Integer.highestOneBit(ALL_CREDITS / readers.size()));
    int room = Integer.highestOneBit(readers.size() * (credits + 1)) * 2;
    try (MpscQueue<TradeRecord> queue = MpscQueue.of(TradeRecord.class, room)) {
      for (TradeReader reader : readers) {
        feeds.add(new Feed(reader, feeds.size() * LINES, credits, queue.newProducer()));
      }
      try {
        feeds.forEach(feed -> feed.thread.start());
        merge(queue.consumer(), consumer);
      } finally {
        queue.complete(); // wakes a feed that waits for room
        for (Feed feed : feeds) {
          feed.end();
        }
      }
    }
  }

  private void merge(MpscConsumer<TradeRecord> queue, TradeConsumer consumer)
      throws IOException, InterruptedException {
    while (true) {
      Feed next = null;
      for (Feed feed : feeds) {
        while (feed.held.isEmpty() && !feed.hasEnded) {
          hold(queue);
        }
        if (feed.held.isEmpty()) {
          feed.check();
        } else if (next == null || feed.time() < next.time()) {
          next = feed;
        }
      }
      if (next == null) {
        return;
      }
      TradeRow trade = next.held.remove();
      String symbol = next.reader.symbols.name(trade.symbol());
      consumer.accept(TradeRow.of(trade, trade.line(), symbols.number(symbol)));
      next.credits.release();
    }
  }

  /** Takes what is in the queue, so that it never fills up. */
  private void hold(MpscConsumer<TradeRecord> queue) throws InterruptedException {
    int count = queue.poll(BATCH);
    for (int i = 0; i < count; i++) {
      TradeRecord trade = queue.at(i);
      Feed feed = feeds.get((int) (trade.line() / LINES));
      if (trade.trades() == END) {
        feed.hasEnded = true;
      } else {
        feed.held.add(TradeRow.of(trade));
      }
    }
    queue.release();
  }

  @Override
  public void close() throws IOException {
    for (int i = 0; i < readers.size(); i++) {
      // A thread that waits for the standard input holds a lock that closing needs.
      if (feeds.isEmpty() || !feeds.get(i).thread.isAlive()) {
        readers.get(i).close();
      }
    }
  }

  /** An input with a thread of its own. */
  private static final class Feed {
    private final TradeReader reader;
    private final long line0;
    private final MpscProducer<TradeRecord> producer; // the thread's
    private final Semaphore credits;
    private final Thread thread;
    private Throwable failure; // written before the end is sent, read after it has come
    private final Queue<TradeRow> held = new ArrayDeque<>(); // the merge's, as the next
    private boolean hasEnded;

    Feed(TradeReader reader, long line0, int credits, MpscProducer<TradeRecord> producer) {
      this.reader = reader;
      this.line0 = line0;
      this.producer = producer;
      this.credits = new Semaphore(credits);
      this.thread = Thread.ofPlatform().name("feed-" + line0 / LINES).daemon().unstarted(this::run);
    }

    private void run() {
      try {
        reader.readAll(this::send);
      } catch (Throwable thrown) {
        failure = thrown;
      }
      try {
        producer.claim().line(line0).trades(END); // there is room beside all credits
        producer.commit();
      } catch (InterruptedException | IllegalStateException e) {
        // The merge has ended and waits for no more.
      }
    }

    private void send(TradeRow trade) throws InterruptedException {
      credits.acquire();
      producer.claim().set(trade).line(line0 + trade.line());
      producer.commit();
    }

    private long time() {
      return held.element().timeNanos();
    }

    /** Throws if it was a failure that ended the feed. */
    void check() throws IOException {
      switch (failure) {
        case null -> {}
        case IOException e -> throw e;
        default ->
            throw new IllegalStateException("feed has failed: " + reader.source.name, failure);
      }
    }

    /** Waits for the thread, unless that waits for an input which may never come. */
    void end() throws InterruptedException {
      thread.interrupt();
      if (!reader.source.isLive) {
        thread.join();
      }
    }
  }
}

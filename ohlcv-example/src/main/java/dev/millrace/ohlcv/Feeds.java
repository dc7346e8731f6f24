package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.Rejections;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.candle.Trade;
import dev.millrace.ohlcv.candle.TradeRecord;
import dev.millrace.ohlcv.candle.TradeRow;
import dev.millrace.ohlcv.input.InputException;
import dev.millrace.ohlcv.input.ReadCounts;
import dev.millrace.ohlcv.input.ReadOptions;
import dev.millrace.ohlcv.input.TradeReader;
import dev.millrace.ohlcv.input.TradeReader.TradeConsumer;
import dev.millrace.ohlcv.input.TradeSource;
import dev.millrace.queues.MpscConsumer;
import dev.millrace.queues.MpscProducer;
import dev.millrace.queues.MpscQueue;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
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
 * leave the merge, and the queue and the rows held have room for the credits of all.
 *
 * <p><b>Failure.</b> A feed that fails ends the merge when its trades before that have left it.
 */
final class Feeds implements Closeable {
  private static final int ALL_CREDITS = 65_536;
  private static final int LEAST_CREDITS = 16;
  private static final int BATCH = 256;
  private static final int END = -1; // in place of how many trades a row stands for
  private static final long LINES = 1L << Trade.FEED_SHIFT;

  private final List<TradeReader> readers;
  private final List<Feed> feeds = new ArrayList<>();
  private final Symbols symbols;

  /**
   * Opens all inputs.
   *
   * @throws InputException if one cannot be read, or some are daily bars and some are not
   */
  Feeds(List<TradeSource> sources, ReadOptions options) throws IOException, InputException {
    readers = new ArrayList<>();
    try {
      for (TradeSource source : sources) {
        TradeReader reader = new TradeReader(source, options);
        readers.add(reader);
        if (reader.isBars() != isBars()) {
          throw new InputException(
              "%s: rows must be %s, as in %s"
                  .formatted(
                      reader.fileName(), isBars() ? "daily bars" : "trades", first().fileName()));
        }
      }
    } catch (IOException | InputException | RuntimeException e) {
      close();
      throw e;
    }
    symbols = isSingle() ? first().symbols() : new Symbols();
  }

  boolean isSingle() {
    return readers.size() == 1;
  }

  TradeReader first() {
    return readers.getFirst();
  }

  boolean isBars() {
    return first().isBars();
  }

  /** Whether it is known of all trades who took them. */
  boolean hasSides() {
    return readers.stream().allMatch(TradeReader::hasSides);
  }

  boolean hasSymbols() {
    return readers.stream().anyMatch(TradeReader::hasSymbols);
  }

  boolean isLive() {
    return readers.stream().anyMatch(reader -> reader.source().isLive());
  }

  boolean skipsBadRows() {
    return first().skipsBadRows();
  }

  /** The symbols' names by number, in order of their appearance in the merge. */
  Symbols symbols() {
    return symbols;
  }

  /** How much was read, once all is. */
  ReadCounts counts() {
    return ReadCounts.sum(readers.stream().map(TradeReader::counts).toList());
  }

  /** How many bytes there are to read; 0 if that is not known. */
  long sizeBytes() {
    boolean known = readers.stream().allMatch(reader -> reader.source().sizeBytes() > 0);
    return known ? readers.stream().mapToLong(reader -> reader.source().sizeBytes()).sum() : 0;
  }

  long readBytes() {
    return readers.stream().mapToLong(reader -> reader.source().readBytes()).sum();
  }

  /** File and line of a trade, as in messages. */
  String where(long line) {
    return readers.get((int) (line / LINES)).fileName() + ":" + line % LINES;
  }

  /** The inputs and what each was taken for. */
  @Override
  public String toString() {
    return readers.stream()
        .map(reader -> reader.fileName() + " (" + reader.layoutName() + ")")
        .collect(Collectors.joining(", "));
  }

  /**
   * Sets who hears of bad rows, in the threads that judge them. Of several inputs the reason names
   * the file, and the symbol is not known, for symbols are numbered in the merge.
   *
   * @param newListener makes a listener for the thread of that name
   */
  void onRejected(Function<String, Rejections> newListener) {
    for (int i = 0; i < readers.size(); i++) {
      String file = readers.get(i).fileName();
      Rejections listener = newListener.apply(isSingle() ? "validate" : "validate-" + i);
      readers
          .get(i)
          .onRejected(
              isSingle()
                  ? listener
                  : (trade, reason) ->
                      listener.rejected(
                          new TradeRow().set(trade).symbol(Rejections.NO_SYMBOL),
                          file + ": " + reason));
    }
  }

  /** Reads all rows; the consumer is called by this thread. */
  void readAll(TradeConsumer consumer) throws IOException, InputException, InterruptedException {
    if (isSingle()) {
      first().readAll(consumer);
      return;
    }
    int credits = Math.max(LEAST_CREDITS, Integer.highestOneBit(ALL_CREDITS / readers.size()));
    int room = Integer.highestOneBit(readers.size() * (credits + 1)) * 2;
    try (MpscQueue<TradeRecord> queue = MpscQueue.of(TradeRecord.class, room)) {
      for (int i = 0; i < readers.size(); i++) {
        feeds.add(new Feed(readers.get(i), i * LINES, credits, queue.newProducer()));
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
      throws IOException, InputException, InterruptedException {
    while (true) {
      Feed next = null;
      for (Feed feed : feeds) {
        while (feed.isEmpty() && !feed.hasEnded) {
          hold(queue);
        }
        if (feed.isEmpty()) {
          feed.check();
        } else if (next == null || feed.head().timeNanos() < next.head().timeNanos()) {
          next = feed;
        }
      }
      if (next == null) {
        return;
      }
      TradeRow trade = next.head();
      consumer.accept(trade.symbol(symbols.number(next.reader.symbols().name(trade.symbol()))));
      next.remove();
    }
  }

  /** Takes what is in the queue, so that it never fills up. */
  private void hold(MpscConsumer<TradeRecord> queue) throws InterruptedException {
    int count = queue.poll(BATCH);
    for (int i = 0; i < count; i++) {
      TradeRecord trade = queue.at(i);
      feeds.get((int) (trade.line() / LINES)).hold(trade);
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
    private final TradeRow[] held; // the merge's, from here on
    private int first;
    private int count;
    private boolean hasEnded;

    Feed(TradeReader reader, long line0, int credits, MpscProducer<TradeRecord> producer) {
      this.reader = reader;
      this.line0 = line0;
      this.producer = producer;
      this.credits = new Semaphore(credits);
      this.thread = Thread.ofPlatform().name("feed-" + line0 / LINES).daemon().unstarted(this::run);
      this.held = new TradeRow[credits];
      for (int i = 0; i < credits; i++) {
        held[i] = new TradeRow();
      }
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

    private void send(Trade trade) throws InterruptedException {
      credits.acquire();
      producer.claim().set(trade).line(line0 + trade.line());
      producer.commit();
    }

    void hold(TradeRecord trade) {
      if (trade.trades() == END) {
        hasEnded = true;
      } else {
        held[(first + count++) % held.length].set(trade);
      }
    }

    boolean isEmpty() {
      return count == 0;
    }

    TradeRow head() {
      return held[first];
    }

    void remove() {
      first = (first + 1) % held.length;
      count--;
      credits.release();
    }

    /** Throws if it was a failure that ended the feed. */
    void check() throws IOException, InputException {
      switch (failure) {
        case null -> {}
        case IOException e -> throw e;
        case InputException e -> throw e;
        default ->
            throw new IllegalStateException("feed has failed: " + reader.fileName(), failure);
      }
    }

    /** Waits for the thread, unless that waits for an input which may never come. */
    void end() throws InterruptedException {
      thread.interrupt();
      if (!reader.source().isLive()) {
        thread.join();
      }
    }
  }
}

package dev.millrace.ohlcv.programs;

import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Trading on paper, to show the structure of such a program; it is no advice. The three symbols are
 * stretches of one market, replayed side by side.
 *
 * <p>A stage uses its own state and what earlier stages wrote into the event, so outcomes depend on
 * the order of the trades and not on the threads. The account both fills orders and checks limits,
 * because each needs the other's state: an order waits there for its symbol's next trade. The
 * journal gets each trade and its outcome before that is reported. The next run sends the journal's
 * trades through all stages, compares the outcomes, and continues after them.
 */
public final class TradingProgram {
  private static final int SYMBOLS = 3;
  private static final int FAST = 12; // candles in an average
  private static final int SLOW = 50;
  private static final int COINS = 2; // of a symbol, long or short
  private static final int MOST_COINS = 2; // of all symbols, net
  private static final long MOST_LOSS = 25_00; // cents; after it, positions are only closed
  private static final FlyweightType<Journaled> JOURNALED = FlyweightType.of(Journaled.class);

  private final Candle[] candles = new Candle[SYMBOLS]; // state of the stage candles
  private final long[][] closes = new long[SYMBOLS][SLOW]; // of signals
  private final int[] counts = new int[SYMBOLS];
  private final int[] sides = new int[SYMBOLS]; // 1: the fast average was above the slow one
  private final int[] orders = new int[SYMBOLS]; // of the account
  private final int[] positions = new int[SYMBOLS];
  private final long[] prices = new long[SYMBOLS];
  private long profit;

  record Trade(int symbol, long second, long price) { // in cents
    static Trade of(String row) {
      String[] fields = row.split(",", -1);
      long second = Long.parseLong(fields[0]) % 86_400;
      long price = new BigDecimal(fields[1]).movePointRight(2).longValueExact();
      return new Trade((int) (second / 10_800), second % 10_800, price); // 3 hours each
    }
  }

  record Candle(long minute, long open, long high, long low, long close) {
    Candle add(long price) {
      return new Candle(minute, open, Math.max(high, price), Math.min(low, price), price);
    }
  }

  record Outcome(int filled, int ordered, int position, long profit) {} // coins, cents

  record Entry(Trade trade, Outcome outcome) {}

  interface Journaled { // a message of the journal
    Entry entry();

    void entry(Entry value);
  }

  private static final class Event {
    private Entry entry; // has an outcome if it is from the journal
    private Candle closed; // null unless this trade begins the next candle
    private int signal; // 1: be long, -1: be short, 0: change nothing
    private Outcome outcome;

    int symbol() {
      return entry.trade.symbol;
    }
  }

  /** The argument is the directory of the journal. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    TradingProgram app = new TradingProgram();
    ObjectRing<Event> ring = ObjectRing.of(RingOptions.singleProducer(1_024), Event::new);
    try (var log = MessageLog.open(Path.of(arguments[0]), LogOptions.ofSegmentBytes(1 << 20));
        LogReader past = log.newReader();
        LogProducer journal = log.newProducer();
        Pipeline<Event> pipeline =
            Pipeline.on(ring)
                .stage("candles")
                .sharedByKey(2, Event::symbol, () -> Pipeline.each((e, _, _) -> app.addToCandle(e)))
                .stage("signals")
                .after("candles")
                .sharedByKey(2, Event::symbol, () -> Pipeline.each((e, _, _) -> app.signal(e)))
                .stage("account") // one thread: the limits are for all symbols together
                .after("signals")
                .handledBy(Pipeline.each((e, _, _) -> app.fillAndOrder(e)))
                .stage("journal")
                .after("account")
                .handledBy(Pipeline.each((e, _, _) -> append(journal, e)))
                .stage("report")
                .after("journal")
                .handledBy(Pipeline.each((e, number, _) -> report(number, e)))
                .build()
                .start()) {
      int found = (int) log.endNumber();
      System.out.println(found + " trades in the journal");
      for (int i = 0; i < found; i++) {
        ring.publish((e, entry) -> e.entry = entry, past.tryPoll().as(JOURNALED).entry());
        past.release();
      }
      for (Trade next : readTrades(found)) {
        Thread.sleep(Duration.ofNanos(300_000)); // trades take their time
        ring.publish((e, trade) -> e.entry = new Entry(trade, null), next);
      }
      pipeline.drain(Duration.ofDays(1)); // as long as it takes
    }
    System.out.println("profit " + BigDecimal.valueOf(app.profit, 2));
  }

  private void addToCandle(Event event) {
    Trade trade = event.entry.trade;
    long minute = trade.second / 60;
    Candle last = candles[trade.symbol];
    boolean isNew = last == null || last.minute != minute;
    event.closed = isNew ? last : null;
    Candle open = isNew ? new Candle(minute, trade.price, trade.price, trade.price, 0) : last;
    candles[trade.symbol] = open.add(trade.price);
  }

  private void signal(Event event) {
    int symbol = event.symbol();
    event.signal = 0;
    if (event.closed != null) {
      closes[symbol][counts[symbol]++ % SLOW] = event.closed.close;
      int side = Long.signum(sum(symbol, FAST) * SLOW - sum(symbol, SLOW) * FAST);
      if (counts[symbol] >= SLOW && side != 0) {
        event.signal = side == -sides[symbol] ? side : 0; // when the averages cross
        sides[symbol] = side;
      }
    }
  }

  private long sum(int symbol, int candles) {
    int end = counts[symbol] + SLOW;
    return IntStream.range(end - candles, end).mapToLong(i -> closes[symbol][i % SLOW]).sum();
  }

  private void fillAndOrder(Event event) {
    int symbol = event.symbol();
    int filled = orders[symbol];
    profit += positions[symbol] * (event.entry.trade.price - prices[symbol]);
    prices[symbol] = event.entry.trade.price;
    positions[symbol] += filled; // at this price
    orders[symbol] = 0;
    if (event.signal != 0) {
      int others = IntStream.of(positions).sum() - positions[symbol] + IntStream.of(orders).sum();
      int wanted = profit < -MOST_LOSS ? 0 : event.signal * COINS;
      int allowed = Math.clamp(wanted, -MOST_COINS - others, MOST_COINS - others);
      orders[symbol] = allowed - positions[symbol];
    }
    event.outcome = new Outcome(filled, orders[symbol], positions[symbol], profit);
  }

  private static void append(LogProducer journal, Event event) {
    Entry entry = new Entry(event.entry.trade, event.outcome);
    if (event.entry.outcome == null) {
      journal.claim(1, (int) JOURNALED.layout().sizeBytes()).as(JOURNALED).entry(entry);
      journal.commit();
    } else if (!event.entry.equals(entry)) {
      throw new IllegalStateException("journal has " + event.entry + ", and now it is " + entry);
    }
  }

  private static void report(long number, Event event) {
    Outcome out = event.outcome;
    BigDecimal price = BigDecimal.valueOf(event.entry.trade.price, 2);
    String start = number + ": symbol " + event.symbol() + " at " + price + ", ";
    if (out.filled != 0) {
      String held = "position " + out.position + ", profit " + BigDecimal.valueOf(out.profit, 2);
      System.out.println(start + "filled " + out.filled + ", " + held);
    }
    if (event.signal != 0) {
      int wanted = event.signal * COINS - out.position;
      System.out.println(start + "wanted " + wanted + ", ordered " + out.ordered);
    }
  }

  private static List<Trade> readTrades(int from) throws IOException {
    try (InputStream csv = TradingProgram.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      var all = text.lines().skip(2).map(Trade::of).sorted(Comparator.comparingLong(Trade::second));
      return all.skip(from).toList();
    }
  }
}

package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.TradeRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Passes on the trades of one input, those of equal times in the order in which they happened: the
 * first and the last of them are the open and the close of a candle. Files that begin with the
 * newest trade have them the other way round.
 *
 * <p>Trades of one time are held until another time comes. By then it is known whether their
 * numbers, if they have some, rise with the times; if so, they are sorted by number. Else they are
 * reversed if times have fallen more often than risen.
 */
final class TiedTrades {
  private static final int MAX_HELD = 65_536; // of one time; more are passed on in parts
  private static final int TRUST = 10; // so many numbers rise with the times for one that does not

  private final TradeConsumer consumer;
  private final List<Numbered> held = new ArrayList<>();
  private long trend; // how many times were later than the one before, less those that were earlier
  private long rightIds;
  private long wrongIds;

  private record Numbered(TradeRow trade, long id) {}

  TiedTrades(TradeConsumer consumer) {
    this.consumer = consumer;
  }

  /**
   * Takes the next trade.
   *
   * @param id its number; -1 if it has none
   */
  void add(TradeRow trade, long id) throws IOException, InterruptedException {
    if (!held.isEmpty()) {
      Numbered last = held.getLast();
      int step = Long.compare(trade.timeNanos(), last.trade.timeNanos());
      trend += step;
      if (step != 0 && id >= 0 && last.id >= 0) {
        boolean isRight = step == Long.compare(id, last.id);
        rightIds += isRight ? 1 : 0;
        wrongIds += isRight ? 0 : 1;
      }
      if (step != 0 || held.size() == MAX_HELD) {
        release();
      }
    }
    held.add(new Numbered(trade, id));
  }

  /**
   * Passes on what is held before the next trade may be long in coming. What is live has its newest
   * trade last, so trades of a file that has not are held.
   */
  void pause() throws IOException, InterruptedException {
    if (trend >= 0) {
      release();
    }
  }

  /** Passes on what is held. */
  void release() throws IOException, InterruptedException {
    if (held.size() == 1) {
      consumer.accept(held.removeFirst().trade);
      return;
    }
    order();
    List<Numbered> passed = List.copyOf(held);
    held.clear(); // first: what the consumer throws must not bring them again
    for (Numbered next : passed) {
      consumer.accept(next.trade);
    }
  }

  private void order() {
    if (wrongIds * TRUST <= rightIds && held.stream().allMatch(next -> next.id >= 0)) {
      held.sort(Comparator.comparingLong(Numbered::id));
    } else if (trend < 0) {
      Collections.reverse(held);
    }
  }
}

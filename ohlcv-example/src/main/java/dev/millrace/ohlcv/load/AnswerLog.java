package dev.millrace.ohlcv.load;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.ohlcv.candle.CandleSnapshot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * All answers that one thread got, each as its difference from that thread's answer before for the
 * same symbol: of 1,440 candles all but a few are, to the bit, those of before. So a minute of
 * answers, which would be 14 GB, is some megabytes, and none of it is on the heap that is measured.
 *
 * <pre>
 *   answer:   symbol, items, trades before, trades accepted, item...
 *   item:     index of the first, how many   -- the same candles as in the answer before
 *          or NEW, the candle's 11 numbers   -- a candle that was not in it, or not as it is now
 * </pre>
 *
 * <p><b>Roles.</b> One thread appends; after its end another reads.
 */
final class AnswerLog implements AutoCloseable {
  /** In place of an index: a candle follows. */
  static final long NEW = -1;

  private static final int CHUNK_LONGS = 1 << 17;
  private static final int HEADER_LONGS = 4;
  private static final int CANDLE_LONGS = 11;

  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> chunks = new ArrayList<>();
  private long end;

  /**
   * Appends an answer.
   *
   * @param before how many trades had taken effect before the query
   * @param accepted how many the engine had been given after it
   * @param answer what was answered
   * @param count how many candles it has
   * @param last the answer before for the symbol
   * @param lastCount how many candles that has
   */
  void append(
      int symbol,
      long before,
      long accepted,
      CandleSnapshot answer,
      int count,
      CandleSnapshot last,
      int lastCount) {
    long header = end;
    put(symbol);
    put(0);
    put(before);
    put(accepted);
    int items = 0;
    int at = 0; // in the answer before
    for (int i = 0; i < count; items++) {
      long openTime = answer.openTimeNanos(i);
      while (at < lastCount && last.openTimeNanos(at) < openTime) {
        at++;
      }
      int first = at;
      while (i < count && at < lastCount && answer.sameAs(i, last, at)) {
        i++;
        at++;
      }
      if (at > first) {
        put(first);
        put(at - first);
      } else {
        put(NEW);
        put(ScaledCandle.of(answer.candle(i)));
        i++;
      }
    }
    set(header + 1, items);
  }

  /** How many bytes of native memory it holds. */
  long sizeBytes() {
    return (long) chunks.size() * CHUNK_LONGS * Long.BYTES;
  }

  Cursor cursor() {
    return new Cursor();
  }

  @Override
  public void close() {
    arena.close();
  }

  private void put(ScaledCandle candle) {
    put(candle.symbol());
    put(candle.openTimeNanos());
    put(candle.open());
    put(candle.high());
    put(candle.low());
    put(candle.close());
    put(candle.volume());
    put(candle.count());
    put(candle.quoteVolume());
    put(candle.takerBuyVolume());
    put(candle.takerBuyQuoteVolume());
  }

  private void put(long value) {
    if (end == (long) chunks.size() * CHUNK_LONGS) {
      chunks.add(arena.allocate(JAVA_LONG, CHUNK_LONGS));
    }
    set(end++, value);
  }

  private void set(long index, long value) {
    chunks.get((int) (index / CHUNK_LONGS)).setAtIndex(JAVA_LONG, index % CHUNK_LONGS, value);
  }

  private long get(long index) {
    return chunks.get((int) (index / CHUNK_LONGS)).getAtIndex(JAVA_LONG, index % CHUNK_LONGS);
  }

  /** Reads answers in the order in which they were appended. */
  final class Cursor {
    private long position;
    private long header;
    private long itemsLeft;

    /** Goes on to the next answer; false if there is none. */
    boolean nextAnswer() {
      if (position == end) {
        return false;
      }
      header = position;
      itemsLeft = get(header + 1);
      position += HEADER_LONGS;
      return true;
    }

    int symbol() {
      return (int) get(header);
    }

    long before() {
      return get(header + 2);
    }

    long accepted() {
      return get(header + 3);
    }

    boolean hasItem() {
      return itemsLeft > 0;
    }

    /** The next item's first number: {@link AnswerLog#NEW}, or an index. */
    long nextItem() {
      itemsLeft--;
      return get(position++);
    }

    /** After an index: how many candles. */
    int length() {
      return (int) get(position++);
    }

    /** After {@link AnswerLog#NEW}: the candle. */
    ScaledCandle candle() {
      long at = position;
      position += CANDLE_LONGS;
      return new ScaledCandle(
          (int) get(at),
          get(at + 1),
          get(at + 2),
          get(at + 3),
          get(at + 4),
          get(at + 5),
          get(at + 6),
          get(at + 7),
          get(at + 8),
          get(at + 9),
          get(at + 10));
    }
  }
}

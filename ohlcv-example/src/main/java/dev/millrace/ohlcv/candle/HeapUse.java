package dev.millrace.ohlcv.candle;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What an engine's thread allocates on the heap: for the candles that leave and for new symbols,
 * and all the rest, which is for taking trades from the queue and placing them in open candles.
 *
 * <p><b>Roles.</b> One thread measures; any number add what they allocate for candles and symbols.
 */
public final class HeapUse {
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final AtomicLong candleBytes = new AtomicLong();
  private final AtomicLong symbolBytes = new AtomicLong();
  private long startBytes; // this and the rest are the measuring thread's, read after its end
  private long totalBytes;
  private long tradeBytes;
  private long trades;
  private long lastAllocation;

  HeapUse() {}

  /** How many bytes the calling thread has allocated so far; asking allocates none. */
  static long ofThread() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }

  /** How many bytes all threads together have allocated so far. */
  public static long ofProcess() {
    return THREADS.getTotalThreadAllocatedBytes();
  }

  void start() {
    startBytes = ofThread();
  }

  /** Adds what the calling thread has allocated for a candle since then. */
  void addCandle(long sinceBytes) {
    candleBytes.addAndGet(ofThread() - sinceBytes);
  }

  /** Adds what the calling thread has allocated for a symbol since then. */
  void addSymbol(long sinceBytes) {
    symbolBytes.addAndGet(ofThread() - sinceBytes);
  }

  /** Measures after a batch of trades. */
  void measure(int batch) {
    trades += batch;
    totalBytes = ofThread() - startBytes;
    long rest = totalBytes - candleBytes.get() - symbolBytes.get();
    lastAllocation = rest == tradeBytes ? lastAllocation : trades;
    tradeBytes = rest;
  }

  /** Measures after the candles that were open in the end. */
  void end() {
    totalBytes = ofThread() - startBytes;
  }

  /** All that the thread has allocated. */
  public long totalBytes() {
    return totalBytes;
  }

  /** What it has allocated for candles that left. */
  public long candleBytes() {
    return candleBytes.get();
  }

  /** What it has allocated for trades. */
  public long tradeBytes() {
    return tradeBytes;
  }

  /** With which trade, or its batch, it last allocated for trades. */
  public long lastAllocation() {
    return lastAllocation;
  }
}

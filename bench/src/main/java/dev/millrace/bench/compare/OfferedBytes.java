package dev.millrace.bench.compare;

import dev.millrace.bench.harness.Jvm;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;

/**
 * The heap that offers allocate for themselves: of records that are there already, by the JVM's own
 * count of what this thread has allocated. Nobody else uses the queues meanwhile, so no offer is in
 * vain.
 */
final class OfferedBytes {
  private static final int WARMUPS = 64;
  private static final int ROUNDS = 16;
  private static final int RECORDS = 1_024; // four queues hold more

  private final List<Queue<MarketRecord>> queues;
  private final MarketRecord[] records;

  /** Of a queue for each type, all empty. */
  OfferedBytes(List<Queue<MarketRecord>> queues) {
    this.queues = queues;
    this.records =
        IntStream.range(0, RECORDS)
            .mapToObj(number -> MarketRecord.of(type(number), number))
            .toArray(MarketRecord[]::new);
  }

  private static int type(int number) {
    return number % MarketRecord.TYPES.size();
  }

  /** Bytes per offer. */
  double perOffer() {
    for (int i = 0; i < WARMUPS; i++) {
      round(); // what is linked at the first call, and compiled later, allocates too
    }
    long bytes = 0;
    for (int i = 0; i < ROUNDS; i++) {
      bytes += round();
    }
    return (double) bytes / ((long) ROUNDS * RECORDS);
  }

  /** Offers all and polls them; returns how many bytes it took to offer. */
  private long round() {
    long before = Jvm.THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < RECORDS; i++) {
      if (!queues.get(type(i)).offer(records[i])) {
        throw new IllegalStateException("queue must have room: size=" + queues.get(type(i)).size());
      }
    }
    long bytes = Jvm.THREADS.getCurrentThreadAllocatedBytes() - before;
    for (int i = 0; i < RECORDS; i++) {
      if (!records[i].equals(queues.get(type(i)).poll())) {
        throw new AssertionError("record must be the one that was offered: record=" + records[i]);
      }
    }
    return bytes;
  }
}

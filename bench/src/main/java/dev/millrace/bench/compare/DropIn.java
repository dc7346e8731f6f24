package dev.millrace.bench.compare;

import dev.millrace.bench.Words;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.queues.RecordQueue;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Queues by the interface of the JDK, four at once: one for each type of {@link MarketRecord}. All
 * four are used in turn, each type at call sites of its own, as programs use queues of several
 * types. A record is made for each offer and never written again; if it is refused, the same is
 * offered again. What was polled is kept until the next of its type comes, so that no compiler can
 * do without it.
 */
final class DropIn implements Contender {
  private static final int TYPES = MarketRecord.TYPES.size();
  private static final int WARMUPS = 64;
  private static final int ROUNDS = 16;
  private static final int OFFERED = 1_024; // four queues hold more

  private final List<Queue<MarketRecord>> queues;
  private final boolean isInTurn;
  private final boolean isWide;

  /**
   * Makes it.
   *
   * @param queueOfType makes the queue of a type, by the type's number
   */
  DropIn(IntFunction<Queue<MarketRecord>> queueOfType, Work work) {
    this.queues = IntStream.range(0, TYPES).mapToObj(queueOfType).toList();
    this.isInTurn = work.threads() == 2;
    this.isWide = isWide(work);
  }

  /** Whether a work is about wide records: then all queues are of that type. */
  static boolean isWide(Work work) {
    return work.words() > Words.USUAL;
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return new InTurn(queues, isInTurn, isWide);
  }

  /** Of records that are there already. Nobody else uses the queues, so no offer is in vain. */
  @Override
  public Double bytesPerOffer() {
    MarketRecord[] records = new MarketRecord[OFFERED];
    Arrays.setAll(records, number -> record(isWide, number % TYPES, number));
    for (int i = 0; i < WARMUPS; i++) {
      bytesOf(records); // what is linked at the first call, and compiled later, allocates too
    }
    long bytes = 0;
    for (int i = 0; i < ROUNDS; i++) {
      bytes += bytesOf(records);
    }
    return (double) bytes / (ROUNDS * OFFERED);
  }

  /** Offers all and polls them; returns how many bytes it took to offer, by the JVM's count. */
  private long bytesOf(MarketRecord... records) {
    long before = Jvm.THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < OFFERED; i++) {
      if (!queues.get(i % TYPES).offer(records[i])) {
        throw new IllegalStateException(
            "queue must have room: size=" + queues.get(i % TYPES).size());
      }
    }
    long bytes = Jvm.THREADS.getCurrentThreadAllocatedBytes() - before;
    for (int i = 0; i < OFFERED; i++) {
      if (!records[i].equals(queues.get(i % TYPES).poll())) {
        throw new AssertionError("record must be the one that was offered: record=" + records[i]);
      }
    }
    return bytes;
  }

  @Override
  public void close() {
    for (Queue<MarketRecord> queue : queues) {
      if (queue instanceof RecordQueue<?> ours) {
        ours.close();
      }
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // arrays know no type arguments
  private static Queue<MarketRecord>[] array(List<Queue<MarketRecord>> queues) {
    return queues.toArray(new Queue[0]);
  }

  private static MarketRecord record(boolean isWide, int type, long number) {
    return MarketRecord.of(isWide ? MarketRecord.WIDE : type, number);
  }

  @SuppressWarnings("DuplicateBranches") // each is a call site
  private static boolean offer(int type, Queue<MarketRecord> queue, MarketRecord record) {
    return switch (type) {
      case 0 -> queue.offer(record);
      case 1 -> queue.offer(record);
      case 2 -> queue.offer(record);
      default -> queue.offer(record);
    };
  }

  @SuppressWarnings("DuplicateBranches") // each is a call site
  private static MarketRecord poll(int type, Queue<MarketRecord> queue) {
    return switch (type) {
      case 0 -> queue.poll();
      case 1 -> queue.poll();
      case 2 -> queue.poll();
      default -> queue.poll();
    };
  }

  /** A type after the other. */
  private static final class InTurn extends Ends {
    private final Queue<MarketRecord>[] queues;
    private final MarketRecord[] kept = new MarketRecord[TYPES];
    private final boolean isInTurn;
    private final boolean isWide;
    private int type;
    private MarketRecord refused;

    /** If there is but one on each side, what comes next is of the next type. */
    InTurn(List<Queue<MarketRecord>> queues, boolean isInTurn, boolean isWide) {
      this.queues = array(queues);
      this.isInTurn = isInTurn;
      this.isWide = isWide;
    }

    @Override
    boolean send(long number) {
      MarketRecord record = refused == null ? record(isWide, type, number) : refused;
      if (!offer(type, queues[type], record)) {
        refused = record;
        return false;
      }
      refused = null;
      type = (type + 1) & (TYPES - 1);
      return true;
    }

    @Override
    long receive() {
      MarketRecord record = poll(type, queues[type]);
      if (record == null) {
        type = isInTurn ? type : (type + 1) & (TYPES - 1);
        return NONE;
      }
      kept[type] = record;
      type = (type + 1) & (TYPES - 1);
      return record.sum();
    }
  }
}

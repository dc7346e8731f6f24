package dev.millrace.stress.lincheck;

import dev.millrace.queues.RecordQueue;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A {@link RecordQueue} for any threads is a plain bounded queue, {@code peek} included.
 *
 * <p><b>Hazard.</b> {@code poll} says "empty" because an older offer is under way, {@code offer}
 * says "full" because an older poll is; {@code peek} shows what was taken, or goes past what is not
 * yet there.
 *
 * <p><b>Known to fail.</b> {@link PeeksAtAny}, and {@link Restores}, which is how queues without
 * {@code peek} are sometimes helped.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=RecordQueueLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class RecordQueueLincheckTest {
  private static final int CAPACITY = 2;

  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(RecordQueue.class, operations, about).threads(2, 3).against(Fifo.class);
  }

  @Test
  void queue_whenModelChecked_isPlainQueue(TestInfo test) {
    trial(Operations.class, "a plain bounded queue, peek included")
        .modelChecking(20, 500)
        .passes(test);
  }

  @Test
  void queueForOne_whenModelChecked_isPlainQueue(TestInfo test) {
    Trial.of(RecordQueue.class, One.class, "a plain queue for one, in a ring of two")
        .threads(2, 3)
        .against(FifoOfOne.class)
        .modelChecking(20, 500)
        .passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void queue_whenStressed_isPlainQueue(TestInfo test) {
    trial(Operations.class, "a plain bounded queue, peek included").stress(10, 1_000).passes(test);
  }

  @Test
  void peek_whenAtAnyRecord_isCaught(TestInfo test) {
    trial(PeeksAtAny.class, "planted: peek shows the newest record that is there")
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void peek_whenPutBack_isCaught(TestInfo test) {
    trial(Restores.class, "planted: peek polls and offers again")
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /**
   * A record that shows whether it is whole.
   *
   * @param value a number
   * @param twice it, twice
   */
  public record Whole(long value, long twice) {
    static Whole of(long value) {
      return new Whole(value, 2 * value);
    }

    private static Long valueOf(Whole record) {
      return record == null ? null : record.twice() == 2 * record.value() ? record.value() : -1;
    }
  }

  /** What the trials choose from; what the planted bugs change. */
  @Param(name = "value", gen = Rising.class)
  public static class Operations {
    final RecordQueue<Whole> queue;

    public Operations() {
      this(CAPACITY);
    }

    Operations(int capacity) {
      this.queue = RecordQueue.of(Whole.class, capacity);
    }

    @Operation(blocking = true)
    public boolean offer(@Param(name = "value") long value) {
      return queue.offer(Whole.of(value));
    }

    @Operation(blocking = true)
    public Long poll() {
      return Whole.valueOf(queue.poll());
    }

    @Operation(blocking = true)
    public Long peek() {
      return Whole.valueOf(look());
    }

    Whole look() {
      return queue.peek();
    }
  }

  /** A capacity below that of the ring. */
  public static class One extends Operations {
    public One() {
      super(1);
    }
  }

  /** Planted: another than the oldest. */
  public static class PeeksAtAny extends Operations {
    @Override
    Whole look() {
      Whole last = null;
      for (Whole record : queue) {
        last = record;
      }
      return last;
    }
  }

  /** Planted: no look, but a poll and an offer. */
  public static class Restores extends Operations {
    @Override
    Whole look() {
      Whole record = queue.poll();
      if (record != null) {
        queue.offer(record);
      }
      return record;
    }
  }

  /** The specification of a queue for one. */
  public static final class FifoOfOne extends Fifo {
    @Override
    int capacity() {
      return 1;
    }
  }

  /** The specification. */
  public static class Fifo {
    private final Queue<Long> records = new ArrayDeque<>();

    int capacity() {
      return CAPACITY;
    }

    public boolean offer(long value) {
      return records.size() < capacity() && records.add(value);
    }

    public Long poll() {
      return records.poll();
    }

    public Long peek() {
      return records.peek();
    }
  }
}

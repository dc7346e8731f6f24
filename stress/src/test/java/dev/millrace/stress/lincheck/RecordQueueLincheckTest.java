package dev.millrace.stress.lincheck;

import static dev.millrace.stress.lincheck.QueueOperations.CAPACITY;
import static dev.millrace.stress.lincheck.QueueOperations.DONE;
import static dev.millrace.stress.lincheck.QueueOperations.EMPTY;
import static dev.millrace.stress.lincheck.QueueOperations.FULL;

import dev.millrace.queues.RecordQueue;
import dev.millrace.stress.trial.Whole;
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
 * <p><b>Known to fail.</b> {@link Operations#peekAtAny}, and {@link Operations#peekByPolling},
 * which is how queues without {@code peek} are sometimes helped.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all RecordQueueLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class RecordQueueLincheckTest {
  private static final Mix QUEUE = Mix.ofAny("offer", "poll", "peek");

  private static Trial trial(Mix mix, String about) {
    return Trial.of(RecordQueue.class, Operations.class, about)
        .mixing(mix)
        .threads(2, 3)
        .against(Fifo.class);
  }

  private static Trial queue() {
    return trial(QUEUE, "a plain bounded queue, peek included");
  }

  @Test
  void queue_whenModelChecked_isPlainQueue(TestInfo test) {
    queue().modelChecking(20, 500).passes(test);
  }

  @Test
  void queueForOne_whenModelChecked_isPlainQueue(TestInfo test) {
    Trial.of(RecordQueue.class, ForOne.class, "a plain queue for one, in a ring of two")
        .mixing(QUEUE)
        .threads(2, 3)
        .against(Fifo.OfOne.class)
        .modelChecking(20, 500)
        .passes(test);
  }

  @Test
  void peek_whenAtAnyRecord_isCaught(TestInfo test) {
    trial(
            Mix.ofAny("offer", "poll", "peekAtAny"),
            "planted: peek shows the newest record that is there")
        .modelChecking(30, 500)
        .isCaught(test);
  }

  @Test
  void peek_whenPutBack_isCaught(TestInfo test) {
    trial(Mix.ofAny("offer", "poll", "peekByPolling"), "planted: peek polls and offers again")
        .modelChecking(30, 500)
        .isCaught(test);
  }

  /** Those of a queue for two. */
  @Param(name = "value", gen = Rising.class)
  public static class Operations {
    private final RecordQueue<Whole> queue;

    public Operations() {
      this(CAPACITY);
    }

    Operations(int capacity) {
      this.queue = RecordQueue.of(Whole.class, capacity);
    }

    private static String text(Whole record) {
      return record == null ? EMPTY : Integer.toString(record.place(0));
    }

    @Operation(blocking = true)
    public String offer(@Param(name = "value") long value) {
      return queue.offer(Whole.of(value)) ? DONE + 1 : FULL;
    }

    @Operation(blocking = true)
    public String poll() {
      return text(queue.poll());
    }

    @Operation(blocking = true)
    public String peek() {
      return text(queue.peek());
    }

    /** Planted: another than the oldest. */
    @Operation(blocking = true)
    public String peekAtAny() {
      Whole last = null;
      for (Whole record : queue) {
        last = record;
      }
      return text(last);
    }

    /** Planted: no look, but a poll and an offer. */
    @Operation(blocking = true)
    public String peekByPolling() {
      Whole record = queue.poll();
      if (record != null) {
        queue.offer(record);
      }
      return text(record);
    }
  }

  /** A capacity below that of the ring. */
  public static class ForOne extends Operations {
    public ForOne() {
      super(1);
    }
  }
}

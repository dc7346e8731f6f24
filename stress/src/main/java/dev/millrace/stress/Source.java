package dev.millrace.stress;

import dev.millrace.core.Consumer;
import dev.millrace.queues.MpmcConsumer;
import dev.millrace.queues.MpscConsumer;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.KFifoSpec.Kind;
import dev.millrace.stress.spec.KFifoSpec.Log;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;

/** Where a {@link Receiver} gets numbered records: a consumer's end of any structure. */
interface Source {
  /** Returned if there will be no more. */
  int DRAINED = -1;

  /**
   * Takes records, and checks all of each.
   *
   * @param limit the longest run
   * @param handler gets the numbers; may throw in the form {@link Form#HAND}
   * @return how many there were, 0 if there was none, or {@link #DRAINED}
   */
  int take(Form form, int limit, LongConsumer handler) throws InterruptedException;

  /**
   * A consumer, which holds some of the records for a while.
   *
   * @param number returns a record's number; throws if not all of the record is right
   * @param held counts those that are held, of all consumers
   * @param log of a receiver that takes one record at a time
   */
  record Of<T>(Consumer<T> end, ToLongFunction<? super T> number, AtomicInteger held, Log log)
      implements Source {
    private static final int ONE_HELD_IN = 64;
    private static final long HELD_NANOS = 50_000;

    @Override
    public int take(Form form, int limit, LongConsumer handler) throws InterruptedException {
      int count = form == Form.HAND ? drain(limit, handler) : poll(form, limit);
      if (form != Form.HAND && count > 0) {
        handleAndRelease(count, handler);
      }
      return count == 0 && end.isDrained() ? DRAINED : count;
    }

    private void handleAndRelease(int count, LongConsumer handler) {
      long its = 0;
      for (int i = 0; i < count; i++) {
        its = number.applyAsLong(end.at(i));
        handler.accept(its);
      }
      if (ThreadLocalRandom.current().nextInt(ONE_HELD_IN) == 0) {
        held.incrementAndGet();
        LockSupport.parkNanos(HELD_NANOS);
        Counts.check("number of a held record", number.applyAsLong(end.at(count - 1)), its);
        held.decrementAndGet();
      }
      long call = log.now();
      end.release();
      log.add(Kind.RELEASE, its, call);
    }

    private int poll(Form form, int limit) throws InterruptedException {
      if (form.isOfRun()) {
        return form.waits() ? end.poll(limit) : end.tryPoll(limit);
      }
      Object record =
          switch (form) {
            case WAIT -> end.poll();
            case BRIEF -> end.poll(Form.BRIEFLY);
            case STRICT -> strictPoll(end);
            default -> end.tryPoll();
          };
      return record == null ? 0 : 1;
    }

    private static Object strictPoll(Consumer<?> end) throws InterruptedException {
      return switch (end) {
        case MpscConsumer<?> mpsc -> mpsc.strictPoll();
        case MpmcConsumer<?> mpmc -> mpmc.strictPoll();
        case MessageConsumer messages -> messages.strictPoll();
        default -> end.tryPoll();
      };
    }

    /** Hands records out; a queue whose calls are logged releases each before it polls the next. */
    private int drain(int limit, LongConsumer handler) {
      long[] last = {-1, 0}; // its number, and when its handler returned
      try {
        return end.drain(record -> handle(record, last, handler), limit);
      } finally {
        endHandled(last);
      }
    }

    private void handle(T record, long[] last, LongConsumer handler) {
      endHandled(last);
      last[0] = number.applyAsLong(record);
      handler.accept(last[0]);
      last[1] = log.now();
    }

    private void endHandled(long[] last) {
      if (last[0] >= 0) {
        log.add(Kind.RELEASE, last[0], last[1]);
      }
    }
  }
}

package dev.millrace.stress;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import dev.millrace.queues.internal.RecordStore;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * The ends of a {@link RecordQueue} whose records all follow from their numbers; some of them do
 * not fit into their slots. They are put, taken and read in every form.
 */
record Values(RecordQueue<Line> queue, RecordStore store) implements Source {
  private static final int TEXT_BYTES = 40;
  private static final String LETTERS = "abcdefgh\u20ac".repeat(8);
  private static final long NANOS = Form.BRIEFLY.toNanos();

  /** What is in the queue: text of many lengths; null, or with a NUL, now and then. */
  record Line(long number, String text) {}

  static Values of(RecordStore.Kind kind, QueueOptions options) {
    QueueOptions its = options.withTextBytes(TEXT_BYTES);
    RecordQueue<Line> queue =
        switch (kind) {
          case SPSC -> RecordQueue.spsc(Line.class, its);
          case MPSC -> RecordQueue.mpsc(Line.class, its);
          case MPMC -> RecordQueue.of(Line.class, its);
        };
    return new Values(queue, RecordStore.SECRET.get().apply(queue));
  }

  private static Line line(long number) {
    long bits = FifoSpec.mix(number);
    String text = LETTERS.substring(0, (int) (bits >>> 58));
    int kind = (int) (bits >>> 48) & 31;
    return new Line(number, kind == 0 ? null : kind == 1 ? text + '\0' : text);
  }

  /** The number; throws if another value came with it. */
  private static long number(Line line) {
    Counts.check(line.equals(line(line.number())), "torn record", line);
    return line.number();
  }

  /** Checks that a drained queue holds no record on the heap. */
  Counts checkSpills() {
    long end = store.protocol.end();
    long left = LongStream.range(0, end).filter(its -> store.spills.find(its) != null).count();
    Counts.check("records left on the heap", left, 0);
    return new Counts().add("spilled", store.spills.count());
  }

  @Override
  public int take(Form form, int limit, LongConsumer handler) throws InterruptedException {
    List<Line> some = new ArrayList<>();
    if (form == Form.STRICT) {
      read();
    }
    switch (form) {
      case TRY_RUN -> queue.drainTo(some, limit);
      case WAIT_RUN -> queue.drainTo(some, limit, Form.BRIEFLY);
      case TRY, STRICT, HAND -> some.add(queue.poll());
      default -> some.add(queue.poll(NANOS, TimeUnit.NANOSECONDS));
    }
    some.removeIf(Objects::isNull);
    some.forEach(line -> handler.accept(number(line)));
    return some.isEmpty() && queue.isDrained() ? DRAINED : some.size();
  }

  /** Reads without taking: the oldest, and now and then all. */
  private void read() {
    Line oldest = queue.peek();
    if (oldest != null && number(oldest) % store.capacity < 8) { // it copies all of them
      queue.forEach(Values::number);
    }
  }

  /** A producer: what is claimed is put in the end. */
  final class In implements Sink {
    private Form form;
    private Line line;

    @Override
    public int claim(Form its, long number, int limit) {
      form = its;
      return 1;
    }

    @Override
    public void write(int index, long number) {
      line = line(number);
    }

    @Override
    public boolean end(boolean commits, Fault fault) throws InterruptedException {
      Line its = fault == Fault.TEAR ? new Line(line.number(), "of another record") : line;
      boolean isOver =
          !commits
              || fault == Fault.LOSE
              || (form == Form.BRIEF && queue.offer(its, NANOS / 8, TimeUnit.NANOSECONDS))
              || (!form.waits() && queue.offer(its));
      if (!isOver) {
        queue.put(its);
      }
      return true;
    }
  }
}

package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.ARRAY_BLOCKING_QUEUE_BLOCKING;
import static dev.millrace.bench.compare.Contenders.CONVERSANT;
import static dev.millrace.bench.compare.Contenders.LINKED_BLOCKING_QUEUE_BLOCKING;
import static dev.millrace.bench.compare.Contenders.MILLRACE_BLOCKING;
import static dev.millrace.bench.compare.Contenders.MILLRACE_PARKING;

import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import java.util.stream.Stream;

/** The drop-in by put and take, on idle processors and on busy ones. */
final class BlockingRows {
  private static final int CAPACITY = 1_024;
  private static final int SMALL = 16;

  static final List<Row> ROWS =
      Stream.of(Shape.PUT_TAKE, Shape.PUT_TAKE_BUSY)
          .flatMap(
              shape ->
                  Stream.of(row(shape, 1, CAPACITY), row(shape, 1, SMALL), row(shape, 2, CAPACITY)))
          .toList();

  private BlockingRows() {}

  private static Row row(Shape shape, int threads, int capacity) {
    boolean isBusy = shape == Shape.PUT_TAKE_BUSY;
    String id =
        "put-take-%d-%d%s%s"
            .formatted(threads, threads, capacity == SMALL ? "-small" : "", isBusy ? "-busy" : "");
    String title =
        "put and take, %d and %d, %,d slots%s"
            .formatted(threads, threads, capacity, isBusy ? ", processors busy" : "");
    Work work = Work.way(id, title, threads, threads).withShape(shape).withCapacity(capacity);
    return Row.of(Suite.BLOCKING, work)
        .ours(MILLRACE_BLOCKING)
        .beside(
            MILLRACE_PARKING,
            ARRAY_BLOCKING_QUEUE_BLOCKING,
            LINKED_BLOCKING_QUEUE_BLOCKING,
            CONVERSANT)
        .target(1);
  }
}

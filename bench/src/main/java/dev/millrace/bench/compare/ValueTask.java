package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Work.Shape;
import dev.millrace.disruptor.Batch;
import java.util.List;

/** Adds numbers up, or subtracts them, or tells which bits all of them have. */
final class ValueTask extends Task<ValueEvent> {
  private final Operation operation;

  private enum Operation {
    ADD,
    SUBTRACT,
    AND
  }

  private ValueTask(Operation operation) {
    super(List.of());
    this.operation = operation;
  }

  /** The tasks of a shape. */
  static List<Task<ValueEvent>> of(Shape shape) {
    return switch (shape) {
      case MULTICAST ->
          List.of(
              new ValueTask(Operation.ADD),
              new ValueTask(Operation.SUBTRACT),
              new ValueTask(Operation.AND));
      case PING_PONG -> List.of(new Relay());
      default -> List.of(new ValueTask(Operation.ADD));
    };
  }

  @Override
  void handle(ValueEvent event) {
    switch (operation) {
      case ADD -> add(event.value());
      case SUBTRACT -> add(-event.value());
      case AND -> result(result() & event.value());
    }
  }

  @Override
  void handleAll(Batch<ValueEvent> batch) {
    switch (operation) {
      case ADD -> add(sum(batch));
      case SUBTRACT -> add(-sum(batch));
      case AND -> result(result() & bits(batch));
    }
  }

  private static long sum(Batch<ValueEvent> batch) {
    long sum = 0;
    for (int i = 0; i < batch.size(); i++) {
      sum += batch.at(i).value();
    }
    return sum;
  }

  private static long bits(Batch<ValueEvent> batch) {
    long bits = -1;
    for (int i = 0; i < batch.size(); i++) {
      bits &= batch.at(i).value();
    }
    return bits;
  }

  @Override
  long expected(long count, long sum) {
    return switch (operation) {
      case ADD -> sum;
      case SUBTRACT -> -sum;
      case AND -> 0;
    };
  }

  @Override
  public String toString() {
    return operation.toString();
  }
}

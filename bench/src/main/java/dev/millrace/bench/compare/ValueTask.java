package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import java.util.stream.Stream;

/** Adds numbers up, or subtracts them, or tells which bits all of them have. */
final class ValueTask extends Task<ValueEvent> {
  private final Operation operation;

  private enum Operation {
    ADD,
    SUBTRACT,
    AND
  }

  private ValueTask(Operation operation) {
    super(operation.name(), List.of());
    this.operation = operation;
  }

  /** The tasks of a shape. */
  static List<Task<ValueEvent>> of(Shape shape) {
    return switch (shape) {
      case MULTICAST ->
          Stream.of(Operation.values()).<Task<ValueEvent>>map(ValueTask::new).toList();
      case PING_PONG -> List.of(new Relay());
      default -> List.of(new ValueTask(Operation.ADD));
    };
  }

  @Override
  long next(ValueEvent event, long before) {
    return switch (operation) {
      case ADD -> before + event.value();
      case SUBTRACT -> before - event.value();
      case AND -> before & event.value();
    };
  }

  @Override
  long expected(long count, long sum) {
    return switch (operation) {
      case ADD -> sum;
      case SUBTRACT -> -sum;
      case AND -> 0;
    };
  }
}

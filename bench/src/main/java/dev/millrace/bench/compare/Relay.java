package dev.millrace.bench.compare;

import dev.millrace.disruptor.Batch;
import java.util.List;
import java.util.function.LongConsumer;

/** Hands on each number. */
final class Relay extends Task<ValueEvent> {
  private LongConsumer next;

  Relay() {
    super(List.of());
  }

  /** Says to whom, before the stages start. */
  void to(LongConsumer receiver) {
    next = receiver;
  }

  @Override
  void handle(ValueEvent event) {
    next.accept(event.value());
  }

  @Override
  void handleAll(Batch<ValueEvent> batch) {
    while (batch.next()) {
      handle(batch.event());
    }
  }

  @Override
  long expected(long count, long sum) {
    return 0;
  }
}

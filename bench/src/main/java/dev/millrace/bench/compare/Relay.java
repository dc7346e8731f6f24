package dev.millrace.bench.compare;

import java.util.List;
import java.util.function.LongConsumer;

/** Hands on each number. */
final class Relay extends Task<ValueEvent> {
  private LongConsumer receiver;

  Relay() {
    super("relay", List.of());
  }

  /** Says to whom, before the stages start. */
  void to(LongConsumer its) {
    receiver = its;
  }

  @Override
  long next(ValueEvent event, long before) {
    receiver.accept(event.value());
    return before;
  }

  @Override
  long expected(long count, long sum) {
    return 0;
  }
}

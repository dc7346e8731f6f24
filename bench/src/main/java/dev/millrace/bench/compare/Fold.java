package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What the handlers of the Disruptor's own tests do. They are of one class, which tells them apart
 * by a constant: see {@link Task}.
 */
final class Fold<E> extends Task<E> {
  private static final long ADDEND = 3;
  private static final long BIT = 4;

  private final Kind kind;
  private LongConsumer receiver;

  private enum Kind {
    // of values: their sum, the same negated, the bits that all of them have, and who gets each
    ADD,
    SUBTRACT,
    AND,
    RELAY,
    // steps, each of which goes on with what the one before has made of an event
    FIRST,
    SECOND,
    THIRD,
    // marks of what can be divided by 3, or by 5; behind both, how many have both marks
    THREE,
    FIVE,
    BOTH
  }

  private Fold(Kind kind, List<Task<E>> after) {
    super(kind.name(), after);
    this.kind = kind;
  }

  /** The tasks of a shape, which are of its events. */
  static <E> List<Task<E>> of(Shape shape) {
    return switch (shape) {
      case MULTICAST -> List.of(first(Kind.ADD), first(Kind.SUBTRACT), first(Kind.AND));
      case STEPS -> {
        Task<E> first = first(Kind.FIRST);
        Task<E> second = new Fold<>(Kind.SECOND, List.of(first));
        yield List.of(first, second, new Fold<>(Kind.THIRD, List.of(second)));
      }
      case DIAMOND -> {
        List<Task<E>> marks = List.of(first(Kind.THREE), first(Kind.FIVE));
        yield List.of(marks.getFirst(), marks.getLast(), new Fold<>(Kind.BOTH, marks));
      }
      case PING_PONG -> List.of(first(Kind.RELAY));
      default -> List.of(first(Kind.ADD));
    };
  }

  private static <E> Task<E> first(Kind kind) {
    return new Fold<>(kind, List.of());
  }

  /** Says who gets each value, before the stages start. */
  void relayTo(LongConsumer its) {
    receiver = its;
  }

  @Override
  long next(E event, long before) {
    switch (kind) {
      case ADD -> {
        return before + ((ValueEvent) event).value();
      }
      case SUBTRACT -> {
        return before - ((ValueEvent) event).value();
      }
      case AND -> {
        return before & ((ValueEvent) event).value();
      }
      case RELAY -> receiver.accept(((ValueEvent) event).value());
      case FIRST -> {
        StepsEvent its = (StepsEvent) event;
        its.first(its.one() + its.two());
      }
      case SECOND -> {
        StepsEvent its = (StepsEvent) event;
        its.second(its.first() + ADDEND);
      }
      case THIRD -> {
        return (((StepsEvent) event).second() & BIT) == BIT ? before + 1 : before;
      }
      case THREE -> {
        DiamondEvent its = (DiamondEvent) event;
        if (its.value() % 3 == 0) {
          its.three(true);
        }
      }
      case FIVE -> {
        DiamondEvent its = (DiamondEvent) event;
        if (its.value() % 5 == 0) {
          its.five(true);
        }
      }
      case BOTH -> {
        DiamondEvent its = (DiamondEvent) event;
        return its.three() && its.five() ? before + 1 : before;
      }
    }
    return before;
  }

  @Override
  long expected(long count, long sum) {
    return switch (kind) {
      case ADD -> sum;
      case SUBTRACT -> -sum;
      case THIRD -> (StepsEvent.SUM + ADDEND & BIT) == BIT ? count : 0;
      case BOTH -> (count + 14) / 15; // of 0, 1, 2 ...
      case AND, RELAY, FIRST, SECOND, THREE, FIVE -> 0;
    };
  }
}

package dev.millrace.bench.onethread;

import dev.millrace.bench.Words;
import dev.millrace.core.internal.Templates;
import java.lang.invoke.MethodHandles;

/**
 * Records into a queue and out of it again, all in one thread: the instructions alone, without any
 * traffic between cores. Each loop is written out for its queue, as its user would write it, so
 * that a call per record goes to the queue's own type; ends, queues and flyweights are in local
 * variables.
 *
 * <p>Fields of the record number n hold n, n + 1 and n + 2. What comes out is summed, so that it
 * cannot be optimized away, and is checked by {@link #check}.
 */
abstract class Loop implements AutoCloseable {
  /** How many records a run has. */
  static final int RUN = 64;

  /** How many records fit into a queue. */
  static final int CAPACITY = 4_096;

  private static final int CHECKED = 100 * RUN;

  /** The number of the next record. */
  long number;

  /** What handlers add to. */
  long sum;

  /**
   * Makes a loop in a class of its own, whose call sites see this queue alone, as those of a
   * program that has one.
   *
   * @param loop the class whose code it gets
   * @param queue the only argument of its constructor
   */
  static Loop of(Class<? extends Loop> loop, Object queue) {
    try {
      MethodHandles.Lookup hidden =
          MethodHandles.lookup().defineHiddenClass(Templates.bytes(loop), true);
      return (Loop) hidden.lookupClass().getDeclaredConstructors()[0].newInstance(queue);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Moves records one by one.
   *
   * @return the sum of all fields
   */
  long singles(int records) {
    throw new UnsupportedOperationException(getClass() + " has no queue to move records through");
  }

  /**
   * Moves records one by one, by the forms that would wait.
   *
   * @return the sum of all fields
   */
  long waiting(int records) throws InterruptedException {
    throw new UnsupportedOperationException(getClass() + " has no forms that wait");
  }

  /**
   * Moves runs of {@link #RUN} records.
   *
   * @return the sum of all fields
   */
  long runs(int records) {
    throw new UnsupportedOperationException(getClass() + " has no loop of its own over runs");
  }

  /**
   * Moves runs of {@link #RUN} records, which a handler receives.
   *
   * @param handler which of four handlers, each of a class of its own
   * @return the sum of all fields
   */
  long handled(int records, int handler) {
    throw new UnsupportedOperationException(getClass() + " has no handlers");
  }

  /** Moves records in a style; by which of four handlers, if that has any. */
  final long move(Style style, int records, int handler) {
    try {
      return switch (style) {
        case SINGLES -> singles(records);
        case WAITING -> waiting(records);
        case RUNS -> runs(records);
        case HANDLED -> handled(records, handler);
      };
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether all that goes in comes out, whole. */
  final void check(Style style) {
    long first = number;
    long is = move(style, CHECKED, 0);
    if (number != first + CHECKED || is != Words.sum(first, CHECKED)) {
      throw new AssertionError(
          "sum of fields must be %d: is %d, of %s %s"
              .formatted(Words.sum(first, CHECKED), is, getClass(), style));
    }
  }

  @Override
  public void close() {
    // most have nothing to free
  }
}

package dev.millrace.bench.compare;

import dev.millrace.core.internal.Templates;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.TimeUnit;

/**
 * What one thread has of a contender: the end of a producer, that of a consumer, or both. A record
 * is three 64-bit fields, or as many as {@link dev.millrace.bench.Words} says, made of one number:
 * n, n + 1, n + 2 and so on.
 *
 * <p>The forms that wait are there only where a work asks for them.
 */
abstract class Ends {
  /** Returned instead of a sum: no record is there. */
  static final long NONE = Long.MIN_VALUE;

  /** The longest that {@link #take} waits where it can give up. */
  static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Tells a JVM to give each contender a class of its own: see {@link #of}. */
  static final String ISOLATED = "millrace.isolated";

  private static final boolean IS_ISOLATED = Boolean.getBoolean(ISOLATED);

  /** The sum over all fields of the records that were received in runs. */
  long runSum;

  /**
   * Makes an object. Where several contenders of a library share a JVM, each gets a copy of the
   * class, so that its call sites see one kind of queue, as those of a program that has one.
   *
   * @param type the class, which has one constructor
   * @param arguments the constructor's
   * @param <T> what it is seen as, for within a copy nothing can name the class
   */
  @SuppressWarnings("unchecked") // the copy extends what the class extends
  static <T> T of(Class<? extends T> type, Object... arguments) {
    try {
      Class<?> used =
          IS_ISOLATED
              ? MethodHandles.lookup().defineHiddenClass(Templates.bytes(type), true).lookupClass()
              : type;
      return (T) used.getDeclaredConstructors()[0].newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("object must be made: " + type, e);
    }
  }

  /** Sends a record, if there is room. */
  boolean send(long number) {
    throw new UnsupportedOperationException(getClass() + " does not send");
  }

  /** Sends records of consecutive numbers, as the contender does it best; returns how many. */
  int send(long first, int count) {
    int sent = 0;
    while (sent < count && send(first + sent)) {
      sent++;
    }
    return sent;
  }

  /** Receives a record, if one is there; returns the sum of its fields, or {@link #NONE}. */
  long receive() {
    throw new UnsupportedOperationException(getClass() + " does not receive");
  }

  /** Receives records up to a limit, as the contender does it best; returns how many. */
  int receive(int limit) {
    int count = 0;
    long sum;
    while (count < limit && (sum = receive()) != NONE) {
      runSum += sum;
      count++;
    }
    return count;
  }

  /** The same by a loop of the user's over the records of a run. */
  int receiveRun(int limit) {
    throw new UnsupportedOperationException(getClass() + " has no runs");
  }

  /** Sends a record, and waits for room. */
  void put(long number) throws InterruptedException {
    throw new UnsupportedOperationException(getClass() + " does not wait");
  }

  /** Receives a record, and waits for it; where it gives up after a time, {@link #NONE}. */
  long take() throws InterruptedException {
    throw new UnsupportedOperationException(getClass() + " does not wait");
  }
}

package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;

/** Argument checks, one of each kind, so that all types word a broken rule alike. */
public final class Checks {
  /** The largest number of slots in a ring. */
  public static final int MAX_CAPACITY = 1 << 30;

  private Checks() {}

  /**
   * Checks a number's range.
   *
   * @param name what the number is
   * @param value the number
   * @param min the least allowed
   * @param max the most allowed
   * @return the number
   * @throws IllegalArgumentException if it is out of range, naming the rule and the number
   */
  public static long inRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be in " + min + ".." + max + ": " + name + "=" + value);
    }
    return value;
  }

  /**
   * Checks that an argument is there.
   *
   * @param <T> its type
   * @param name what it is
   * @param value the argument
   * @return the argument
   * @throws NullPointerException if it is null, naming it
   */
  public static <T> T notNull(String name, T value) {
    if (value == null) {
      throw new NullPointerException(name + " must not be null: " + name + "=null");
    }
    return value;
  }

  /**
   * Checks the capacity of a ring whose slots are found by masking.
   *
   * @param capacity the number of slots
   * @return the capacity
   * @throws IllegalArgumentException if it is not a power of two in 2..2<sup>30</sup>
   */
  public static int powerOfTwoCapacity(long capacity) {
    return (int) powerOfTwo("capacity", capacity, 2, MAX_CAPACITY);
  }

  /**
   * Checks that a number is a power of two.
   *
   * @param name what the number is
   * @param value the number
   * @param min the least allowed
   * @param max the most allowed
   * @return the number
   * @throws IllegalArgumentException if it is not such a number
   */
  public static long powerOfTwo(String name, long value, long min, long max) {
    if (value < min || value > max || Long.bitCount(value) != 1) {
      throw new IllegalArgumentException(
          name + " must be a power of two in " + min + ".." + max + ": " + name + "=" + value);
    }
    return value;
  }

  /**
   * A duration's nanoseconds.
   *
   * @param name what it is
   * @param duration the duration
   * @return its nanoseconds, or {@link WaitStrategy#FOREVER} if there are more, or the least number
   *     if there are as many below zero
   * @throws NullPointerException if it is null, naming it
   */
  public static long nanos(String name, Duration duration) {
    notNull(name, duration);
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? Long.MIN_VALUE : WaitStrategy.FOREVER;
    }
  }
}

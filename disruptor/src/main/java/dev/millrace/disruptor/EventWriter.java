package dev.millrace.disruptor;

import org.jspecify.annotations.Nullable;

/**
 * Writes two or three arguments into an event: see {@link ObjectRing#publish(EventWriter, Object,
 * Object, Object)}.
 *
 * @param <E> the event
 * @param <A> the first argument
 * @param <B> the second argument
 * @param <C> the third argument
 * @since 0.1.0
 */
@FunctionalInterface
public interface EventWriter<
    E, A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> {
  /**
   * Writes the arguments.
   *
   * @param event the event
   * @param a the first argument
   * @param b the second argument
   * @param c the third argument, or null if there are only two
   */
  void write(E event, A a, B b, C c);
}

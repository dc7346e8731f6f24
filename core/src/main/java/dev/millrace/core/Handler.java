package dev.millrace.core;

/**
 * Receives records.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@FunctionalInterface
public interface Handler<T> {
  /**
   * Receives a record.
   *
   * @param view the view, positioned on the record until the handler returns
   */
  void handle(T view);
}

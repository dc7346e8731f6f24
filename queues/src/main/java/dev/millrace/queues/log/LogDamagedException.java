package dev.millrace.queues.log;

import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;

/**
 * Thrown by a {@link LogReader} on reaching a damaged message. No part of it is delivered; use
 * {@link LogReader#skipDamaged} to continue after it.
 *
 * @since 0.1.0
 */
public final class LogDamagedException extends UncheckedIOException {
  @Serial private static final long serialVersionUID = 1;

  private final transient LogDamage damage;

  LogDamagedException(LogDamage damage) {
    super(damage.toString(), new IOException(damage.toString()));
    this.damage = damage;
  }

  /**
   * What is damaged.
   *
   * @return the place, with file, position, number and reason; null after serialization
   */
  public LogDamage damage() {
    return damage;
  }
}

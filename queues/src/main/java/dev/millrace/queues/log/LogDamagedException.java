package dev.millrace.queues.log;

import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a {@link LogReader} that reaches a damaged message. No part of the message is
 * delivered. Use {@link LogReader#skipDamaged} to continue after the damaged message.
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
   * Returns what is damaged.
   *
   * @return the damaged place, or null after serialization
   */
  public @Nullable LogDamage damage() {
    return damage;
  }
}

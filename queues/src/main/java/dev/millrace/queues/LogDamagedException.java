package dev.millrace.queues;

import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;

/**
 * Thrown by a {@link LogReader} that comes to a message which is damaged. Nothing of it was
 * delivered; the reader can go on behind it: see {@link LogReader#skipDamaged}.
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

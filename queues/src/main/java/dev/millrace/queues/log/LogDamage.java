package dev.millrace.queues.log;

import dev.millrace.flyweight.internal.Checks;
import java.nio.file.Path;

/**
 * A place in a {@link MessageLog} that does not hold what it should.
 *
 * @param file the segment
 * @param position the offset of the damaged message, or of what else is wrong
 * @param number the first message that cannot be read
 * @param count number of consecutive messages lost; 0 if none is known to have been committed
 * @param reason what is wrong
 * @since 0.1.0
 */
public record LogDamage(Path file, long position, long number, long count, String reason) {
  /** Makes one. */
  public LogDamage {
    Checks.notNull("file", file);
    Checks.notNull("reason", reason);
  }

  /** Returns all that is known in one line. */
  @Override
  public String toString() {
    return "%s: %s: position=%d, number=%d, count=%d"
        .formatted(file, reason, position, number, count);
  }
}

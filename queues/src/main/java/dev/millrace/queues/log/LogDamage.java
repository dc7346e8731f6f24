package dev.millrace.queues.log;

import dev.millrace.flyweight.internal.Checks;
import java.nio.file.Path;

/**
 * A damaged place in a {@link MessageLog}.
 *
 * @param file the segment
 * @param position the offset in the file of the damaged message or of other damage
 * @param number the number of the first message that cannot be read
 * @param count how many consecutive messages are lost. The count is 0 if no message is known to be
 *     lost, for example because a crash only cut an append short
 * @param reason what is wrong
 * @since 0.1.0
 */
public record LogDamage(Path file, long position, long number, long count, String reason) {
  /** Describes a damaged place. */
  public LogDamage {
    Checks.notNull("file", file);
    Checks.notNull("reason", reason);
  }

  /** Returns one line that says everything known about the damage. */
  @Override
  public String toString() {
    return "%s: %s: position=%d, number=%d, count=%d"
        .formatted(file, reason, position, number, count);
  }
}

package dev.millrace.queues.internal.shared;

import dev.millrace.flyweight.internal.Checks;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/**
 * How a file that processes share is made.
 *
 * @param permissions who may read and write it, on systems that have such permissions
 * @param participants how many producers, consumers and other participants there may be at a time
 */
public record FileOptions(Set<PosixFilePermission> permissions, int participants) {
  private static final int PARTICIPANTS = 64;

  /** Checks the number of participants, from 1 to 1,024. */
  public FileOptions {
    permissions = Set.copyOf(permissions);
    Checks.inRange("participants", participants, 1, FileLayout.MOST_PARTICIPANTS);
  }

  /** For the user that makes it alone, for 64 participants. */
  public static FileOptions defaults() {
    return new FileOptions(
        EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE), PARTICIPANTS);
  }

  /** A copy with other permissions. */
  public FileOptions withPermissions(Set<PosixFilePermission> others) {
    return new FileOptions(others, participants);
  }

  /** A copy with room for another number of participants. */
  public FileOptions withParticipants(int count) {
    return new FileOptions(permissions, count);
  }
}

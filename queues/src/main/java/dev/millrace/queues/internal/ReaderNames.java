package dev.millrace.queues.internal;

import dev.millrace.flyweight.internal.Checks;
import java.util.regex.Pattern;

/**
 * What a reader of a history or of a log may be called. Such a name is also the name of a file on
 * every system, and one line in every output.
 */
public final class ReaderNames {
  /** How many characters a name may have. All of them are US-ASCII. */
  public static final int MOST = 112;

  private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9._-]{1,%d}".formatted(MOST));

  private ReaderNames() {}

  /** Returns whether a reader may have this name. */
  public static boolean isAllowed(String name) {
    return ALLOWED.matcher(name).matches();
  }

  /** Returns the name. Throws {@link IllegalArgumentException} if no reader may have it. */
  public static String checked(String name) {
    if (!isAllowed(Checks.notNull("name", name))) {
      throw new IllegalArgumentException(
          "name must have 1..%d of the characters A-Z, a-z, 0-9, '.', '_' and '-': length=%d, name=%s"
              .formatted(MOST, name.length(), Checks.shown(name)));
    }
    return name;
  }
}

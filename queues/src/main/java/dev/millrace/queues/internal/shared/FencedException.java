package dev.millrace.queues.internal.shared;

import java.io.Serial;

/**
 * Thrown by a participant that other processes took for dead, because the lock that shows that it
 * lives was lost. It can do nothing more; another one can be made in its place.
 */
public final class FencedException extends IllegalStateException {
  @Serial private static final long serialVersionUID = 1;

  FencedException(String message) {
    super(message);
  }
}

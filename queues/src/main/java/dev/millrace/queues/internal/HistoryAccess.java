package dev.millrace.queues.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.history.HistoryRing;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Gives the proofs and the command line access to the parts of a {@link HistoryRing}. */
public interface HistoryAccess {
  /** Shared by {@link HistoryRing}. */
  SharedSecret<HistoryAccess> SECRET = new SharedSecret<>(HistoryRing.class);

  /** Makes a ring whose memory several processes map, as it is. */
  <T> HistoryRing<T> attach(FlyweightType<T> type, SharedHistory shared);

  /**
   * Reads what the file of a history says. Returns null if it is the file of another kind of ring.
   * Throws {@link java.io.UncheckedIOException} if it is damaged.
   */
  @Nullable HistoryInfo info(Path file) throws IOException;
}

package dev.millrace.queues.history;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.internal.HistoryAccess;
import dev.millrace.queues.internal.HistoryInfo;
import dev.millrace.queues.internal.SharedHistory;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Gives access to package-private members of {@link HistoryRing}: see {@link HistoryAccess}. */
final class HistorySecrets implements HistoryAccess {
  @Override
  public <T> HistoryRing<T> attach(FlyweightType<T> type, SharedHistory shared) {
    return HistoryRing.attach(type, shared);
  }

  @Override
  public @Nullable HistoryInfo info(Path file) throws IOException {
    return HistoryFile.info(file);
  }
}

package dev.millrace.queues.history;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.Point;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Finds what {@link HistoryRingTest} finds, in a ring whose memory is a file. */
class HistoryRingInFileTest extends HistoryRingTest {
  @TempDir Path folder;

  private int made;

  @Override
  HistoryRing<Point> ring(int capacity, boolean isSingle) {
    FlyweightType<Point> type = FlyweightType.of(Point::new);
    Path file = folder.resolve("ring" + made++);
    try {
      return isSingle
          ? HistoryRing.single(type, capacity, file)
          : HistoryRing.multi(type, capacity, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

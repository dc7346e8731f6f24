package dev.millrace.queues.history;

import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.SharedHistory;
import dev.millrace.queues.internal.shared.FileOptions;
import dev.millrace.queues.internal.shared.LayoutText;
import dev.millrace.queues.internal.shared.RingSpec;
import dev.millrace.queues.internal.shared.SearchPace;
import dev.millrace.queues.internal.shared.SharedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** The file of a history ring that several processes use. */
final class HistoryFile {
  private static final String SINGLE = "HistoryRing.single";
  private static final String MULTI = "HistoryRing.multi";
  private static final String CAPACITY = "capacity";
  private static final String RECORD_BYTES = "recordBytes";
  private static final String LAYOUT =
      "words of 128 bytes: claimed, refused; slots: stamp u64, record, padding to 8 bytes; record:"
          + " ";

  private HistoryFile() {}

  /** Opens the file of a ring, or makes it. */
  static SharedHistory open(FlyweightType<?> type, boolean isSingle, int capacity, Path path)
      throws IOException {
    RingSpec spec = spec(isSingle ? SINGLE : MULTI, Checks.notNull("type", type), capacity);
    SharedFile file = SharedFile.createOrAttach(path, spec, FileOptions.defaults(), _ -> {});
    return new SharedHistory(
        file.memory(),
        capacity,
        isSingle,
        file::participants,
        new SearchPace()::isDue,
        file.path().toString(),
        file::close);
  }

  /** Opens the file of a ring, which must exist, for reading only. */
  static SharedHistory observe(FlyweightType<?> type, Path path) throws IOException {
    Checks.notNull("type", type);
    SharedFile file = SharedFile.observe(path, found -> observed(type, found));
    return new SharedHistory(
        file.memory(),
        (int) file.spec().setting(CAPACITY),
        file.spec().kind().equals(SINGLE),
        null,
        () -> false,
        file.path().toString(),
        file::close);
  }

  /** What a file must have that is to be observed: any capacity, and any number of producers. */
  private static RingSpec observed(FlyweightType<?> type, RingSpec found) {
    String kind = found.kind();
    if (!kind.equals(MULTI) && !kind.equals(SINGLE)) {
      return spec(SINGLE, type, 1); // its kind differs
    }
    long capacity = found.setting(CAPACITY);
    Checks.inRange(CAPACITY, capacity, 1, Checks.MAX_CAPACITY);
    return spec(kind, type, (int) capacity);
  }

  private static RingSpec spec(String kind, FlyweightType<?> type, int capacity) {
    long recordBytes = type.layout().sizeBytes();
    SequencedMap<String, Long> settings = new LinkedHashMap<>();
    settings.put(CAPACITY, (long) capacity);
    settings.put(RECORD_BYTES, recordBytes);
    return new RingSpec(
        kind,
        settings,
        kind.equals(SINGLE) ? 1 : 0,
        0,
        HistorySlots.sizeBytes(capacity, recordBytes),
        LayoutText.of(type.layout().layout(), LAYOUT));
  }
}

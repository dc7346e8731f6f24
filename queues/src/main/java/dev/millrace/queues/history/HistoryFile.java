package dev.millrace.queues.history;

import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.HistoryAccess;
import dev.millrace.queues.internal.HistoryInfo;
import dev.millrace.queues.internal.SharedHistory;
import dev.millrace.queues.internal.shared.Burial;
import dev.millrace.queues.internal.shared.FileOptions;
import dev.millrace.queues.internal.shared.LayoutText;
import dev.millrace.queues.internal.shared.Participants;
import dev.millrace.queues.internal.shared.RingSpec;
import dev.millrace.queues.internal.shared.SearchPace;
import dev.millrace.queues.internal.shared.SharedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The file of a history ring that several processes use. */
final class HistoryFile {
  private static final String SINGLE = "HistoryRing.single";
  private static final String MULTI = "HistoryRing.multi";
  private static final String CAPACITY = "capacity";
  private static final String RECORD_BYTES = "recordBytes";
  private static final String LAYOUT =
      "places of readers: length, position, name of 112 bytes; words of 128 bytes: claimed,"
          + " refused; slots: stamp u64, record, padding to 8 bytes; record: ";

  private static final int PRODUCERS = 64; // at a time, of a ring for many
  private static final int READER_NAMES = 64;
  private static final int RESERVED = HistorySeats.reserved(READER_NAMES);
  private static final long REST_NANOS = 200_000; // between two searches for the dead

  private HistoryFile() {}

  /** Opens the file of a ring, or makes it. */
  static SharedHistory open(FlyweightType<?> type, boolean isSingle, int capacity, Path path)
      throws IOException {
    RingSpec spec = spec(isSingle ? SINGLE : MULTI, Checks.notNull("type", type), capacity);
    FileOptions options =
        FileOptions.defaults().withParticipants(isSingle ? RESERVED : RESERVED + PRODUCERS);
    SharedFile file = SharedFile.createOrAttach(path, spec, options, _ -> {});
    return ring(file, file::participants, new SearchPace(REST_NANOS)::isDue);
  }

  /** Opens the file of a ring, which must exist, for reading only. */
  static SharedHistory observe(FlyweightType<?> type, Path path) throws IOException {
    Checks.notNull("type", type);
    return ring(SharedFile.observe(path, found -> observed(type, found)), null, () -> false);
  }

  private static SharedHistory ring(
      SharedFile file,
      @Nullable Function<Burial, Participants> table,
      BooleanSupplier isSearchDue) {
    return new SharedHistory(
        file.memory().asSlice(file.dataOffset()),
        file.memory().asSlice(0, file.spec().wordsBytes()),
        (int) file.spec().setting(CAPACITY),
        file.spec().kind().equals(SINGLE),
        table,
        isSearchDue,
        file.path().toString(),
        file::close);
  }

  /** What a file must have that is to be observed: any capacity, and any number of producers. */
  private static RingSpec observed(FlyweightType<?> type, RingSpec found) {
    String kind = found.kind();
    if (!isHistory(found)) {
      throw new IllegalArgumentException("not a history: kind=" + Checks.shown(kind));
    }
    return spec(kind, type, capacity(found));
  }

  private static boolean isHistory(RingSpec found) {
    return found.kind().equals(MULTI) || found.kind().equals(SINGLE);
  }

  private static int capacity(RingSpec found) {
    long capacity = found.setting(CAPACITY);
    return (int) Checks.inRange(CAPACITY, capacity, 1, Checks.MAX_CAPACITY);
  }

  /** Reads what a file says: see {@link HistoryAccess#info}. */
  static @Nullable HistoryInfo info(Path path) throws IOException {
    try (SharedFile file = SharedFile.observe(path, HistoryFile::anyRecords)) {
      RingSpec spec = file.spec();
      if (!isHistory(spec)) {
        return null;
      }
      SharedHistory ring = ring(file, null, () -> false);
      long recordBytes = spec.setting(RECORD_BYTES);
      HistorySlots slots = HistorySlots.over(ring.memory(), ring.capacity(), recordBytes);
      ReaderPlaces places = new ReaderPlaces(ring.places(), slots, ring.name());
      return new HistoryInfo(
          spec.kind(),
          ring.capacity(),
          recordBytes,
          slots.claimedCount(),
          slots.refusedCount(),
          places.positions(),
          file.presences(),
          file.sizeBytes(),
          file.created(),
          file.creator());
    }
  }

  /** What a file must have that is to be read whatever its records are. */
  private static RingSpec anyRecords(RingSpec found) {
    if (!isHistory(found)) {
      return found;
    }
    String layout = found.layout().startsWith(LAYOUT) ? found.layout() : LAYOUT;
    return spec(found.kind(), capacity(found), found.setting(RECORD_BYTES), layout);
  }

  private static RingSpec spec(String kind, FlyweightType<?> type, int capacity) {
    String layout = LayoutText.of(LAYOUT, type.layout().layout());
    return spec(kind, capacity, type.layout().sizeBytes(), layout);
  }

  private static RingSpec spec(String kind, int capacity, long recordBytes, String layout) {
    Checks.inRange(RECORD_BYTES, recordBytes, 0, Integer.MAX_VALUE);
    SequencedMap<String, Long> settings = new LinkedHashMap<>();
    settings.put(CAPACITY, (long) capacity);
    settings.put(RECORD_BYTES, recordBytes);
    return new RingSpec(
        kind,
        settings,
        RESERVED,
        ReaderPlaces.sizeBytes(READER_NAMES),
        HistorySlots.sizeBytes(capacity, recordBytes),
        layout);
  }
}

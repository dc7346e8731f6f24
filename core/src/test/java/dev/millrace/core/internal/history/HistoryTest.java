package dev.millrace.core.internal.history;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.ring.Ring;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a reader that hangs or returns the wrong records when a writer has died halfway and left
 * any mixture of stamps, or garbage. Writers and readers share nothing but a ring in memory that is
 * given.
 */
class HistoryTest {
  private static final long RECORD = 16;
  private static final long NEXT = 0;
  private static final long REFUSED_COUNT = 128;

  private final Arena arena = Arena.ofShared();

  static List<Function<HistorySlots, HistoryWriter>> writers() {
    return List.of(HistoryWriter::ofMany, HistoryWriter::ofOne);
  }

  private MemorySegment memory(int capacity) {
    return arena.allocate(HistorySlots.sizeBytes(capacity, RECORD), 128);
  }

  private HistorySlots slots(int capacity) {
    return HistorySlots.over(memory(capacity), capacity, RECORD);
  }

  /** A reader of the same memory that cannot write. */
  private HistoryCursor reader(HistorySlots slots) {
    return reader(slots.memory().asReadOnly(), (int) slots.capacity());
  }

  private HistoryCursor reader(MemorySegment memory, int capacity) {
    HistorySlots slots = HistorySlots.over(memory, capacity, RECORD);
    HistoryCursor reader = new HistoryCursor(slots, capacity);
    readers.add(reader);
    copies = reader.copies();
    return reader;
  }

  private MemorySegment copies; // of the reader that was made last
  private final List<HistoryCursor> readers = new ArrayList<>();

  @AfterEach
  void free() {
    readers.forEach(HistoryCursor::close);
    arena.close();
  }

  private static void write(HistorySlots slots, HistoryWriter writer, long from, long to) {
    for (long value = from; value < to; value++) {
      assertThat(put(slots, writer, value)).isTrue();
    }
  }

  private static boolean put(HistorySlots slots, HistoryWriter writer, long value) {
    long record = writer.claim();
    if (record == HistoryWriter.NONE) {
      return false;
    }
    slots.memory().set(JAVA_LONG, record, value);
    slots.memory().set(JAVA_LONG, record + 8, -value);
    return writer.commit(record);
  }

  private List<Long> readAll(HistoryCursor reader) {
    List<Long> values = new ArrayList<>();
    while (reader.tryNext(0)) {
      values.add(copy(0));
    }
    return values;
  }

  private long copy(long offset) {
    long value = copies.get(JAVA_LONG, offset);
    assertThat(copies.get(JAVA_LONG, offset + 8)).isEqualTo(-value);
    return value;
  }

  private static long passed(HistoryCursor reader) {
    return reader.readCount()
        + reader.lostCount()
        + reader.refusedCount()
        + reader.unfinishedCount();
  }

  // ---- memory ----

  @Test
  void sizeBytes_isControlBlockAndSlots() {
    assertThat(HistorySlots.sizeBytes(1, 16)).isEqualTo(256 + 24);
    assertThat(HistorySlots.sizeBytes(1_440, 24)).isEqualTo(256 + 1_440 * 32);
    assertThat(HistorySlots.sizeBytes(3, 1)).isEqualTo(256 + 3 * 16);
    assertThat(HistorySlots.sizeBytes(1 << 30, 1 << 30)).isGreaterThan(1L << 60);
    assertThat(HistorySlots.CONTROL_BYTES + Ring.STAMP_BYTES).isEqualTo(256 + 8);
  }

  @Test
  void over_whenSomethingIsOutOfRange_namesIt() {
    MemorySegment memory = memory(4);
    Throws.illegalArgument(
        "capacity must be in 1..1073741824: capacity=0",
        () -> HistorySlots.over(memory, 0, RECORD),
        () -> HistorySlots.sizeBytes(0, RECORD));
    Throws.illegalArgument(
        "recordSize must be in 1..1073741824: recordSize=0", () -> HistorySlots.over(memory, 4, 0));
    Throws.illegalArgument(
        "memorySize must be in 376..9223372036854775807: memorySize=352",
        () -> HistorySlots.over(memory, 5, RECORD));
    Throws.nullArgument("memory", () -> HistorySlots.over(null, 4, RECORD));
    Throws.illegalArgument(
        "memory must be native or mapped: memory=...",
        () -> HistorySlots.over(MemorySegment.ofArray(new long[99]), 4, RECORD));
    Throws.illegalArgument(
        "memory must be aligned to 128 bytes: memory=...",
        () -> HistorySlots.over(memory.asSlice(8), 2, RECORD));
  }

  @ParameterizedTest
  @MethodSource("writers")
  void writer_ofReadOnlyMemory_isRefused(Function<HistorySlots, HistoryWriter> writers) {
    HistorySlots slots = HistorySlots.over(memory(2).asReadOnly(), 2, RECORD);
    Throws.illegalArgument("memory must be writable: memory=...", () -> writers.apply(slots));
  }

  @Test
  void reader_whenNoCopyFits_isRefused() {
    HistorySlots slots = slots(2);
    Throws.illegalArgument("sizeBytes must be in 1...", () -> new HistoryCursor(slots, 0));
  }

  @ParameterizedTest
  @MethodSource("writers")
  void counts_lieOnLinesOfTheirOwn(Function<HistorySlots, HistoryWriter> writers) {
    HistorySlots slots = slots(2);
    HistoryWriter writer = writers.apply(slots);
    write(slots, writer, 0, 5);
    writer.abort(writer.claim());
    assertThat(slots.memory().get(JAVA_LONG, NEXT)).isEqualTo(6).isEqualTo(slots.claimedCount());
    assertThat(slots.memory().get(JAVA_LONG, REFUSED_COUNT))
        .isEqualTo(1)
        .isEqualTo(slots.refusedCount());
  }

  @ParameterizedTest
  @MethodSource("writers")
  void commit_whereNoSlotIsClaimed_isRefused(Function<HistorySlots, HistoryWriter> writers) {
    HistorySlots slots = slots(2);
    HistoryWriter writer = writers.apply(slots);
    slots.memory().set(JAVA_LONG, NEXT, 2);
    for (long record : new long[] {Ring.STAMP_BYTES, HistoryWriter.NONE, Ring.NOWHERE, 264}) {
      Throws.illegalState("no open claim at offset " + (record - 8), () -> writer.commit(record));
    }
    assertThat(slots.claimedCount()).isEqualTo(2);
  }

  // ---- a mapped file ----

  @ParameterizedTest
  @MethodSource("writers")
  void mappedFile_isReadThroughAnotherMapping(
      Function<HistorySlots, HistoryWriter> writers, @TempDir Path folder) throws IOException {
    Path file = folder.resolve("history");
    long size = HistorySlots.sizeBytes(4, RECORD);
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment written = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
      MemorySegment read = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
      HistorySlots slots = HistorySlots.over(written, 4, RECORD);
      HistoryCursor reader = reader(read, 4);
      assertThat(readAll(reader)).isEmpty();
      HistoryWriter writer = writers.apply(slots);
      write(slots, writer, 0, 3);
      assertThat(readAll(reader)).containsExactly(0L, 1L, 2L);
      write(slots, writer, 3, 9);
      assertThat(readAll(reader)).containsExactly(5L, 6L, 7L, 8L);
      assertThat(reader.lostCount()).isEqualTo(2);
      assertThat(reader.latest(3)).isEqualTo(3);
      assertThat(copy(2 * slots.strideBytes())).isEqualTo(8);
    }
  }

  @ParameterizedTest
  @MethodSource("writers")
  void writer_ofMemoryThatAnotherLeft_goesOn(Function<HistorySlots, HistoryWriter> writers) {
    HistorySlots slots = slots(4);
    HistoryCursor reader = reader(slots);
    write(slots, writers.apply(slots), 0, 6);
    HistorySlots again = HistorySlots.over(slots.memory(), 4, RECORD);
    write(again, writers.apply(again), 6, 8);
    assertThat(readAll(reader)).containsExactly(4L, 5L, 6L, 7L);
    assertThat(reader.position()).isEqualTo(8);
  }

  @Test
  void slotOfADeadWriter_isTakenAgainByTheOneWriterOnly() {
    for (boolean one : new boolean[] {false, true}) {
      HistorySlots slots = slots(2);
      HistoryWriter dead = one ? HistoryWriter.ofOne(slots) : HistoryWriter.ofMany(slots);
      dead.claim();
      HistoryWriter next = one ? HistoryWriter.ofOne(slots) : HistoryWriter.ofMany(slots);
      assertThat(put(slots, next, 1)).isTrue();
      assertThat(put(slots, next, 2)).isEqualTo(one);
      assertThat(put(slots, next, 3)).isTrue();
      assertThat(put(slots, next, 4)).isEqualTo(one);
    }
  }

  // ---- unfinished records ----

  @ParameterizedTest
  @MethodSource("writers")
  void skipUnfinished_whenWriterDiedDuringARecord_passesIt(
      Function<HistorySlots, HistoryWriter> writers) {
    HistorySlots slots = slots(4);
    HistoryCursor reader = reader(slots);
    HistoryWriter writer = writers.apply(slots);
    write(slots, writer, 0, 1);
    writer.claim(); // sequence 1
    write(slots, writers.apply(slots), 2, 4);
    assertThat(readAll(reader)).containsExactly(0L);
    assertThat(reader.skipUnfinished()).isEqualTo(1);
    assertThat(reader.skipUnfinished()).as("2 is there").isZero();
    assertThat(readAll(reader)).containsExactly(2L, 3L);
    assertThat(reader.skipUnfinished()).as("none is claimed").isZero();
    assertThat(reader.unfinishedCount()).isEqualTo(1);
    assertThat(reader.lostCount() + reader.refusedCount()).isZero();
    assertThat(passed(reader)).isEqualTo(slots.claimedCount()).isEqualTo(reader.position());
  }

  /** As when a writer dies between its claim and its stamp, also with a former lap's stamp. */
  @ParameterizedTest
  @ValueSource(ints = {0, 4, 6})
  void skipUnfinished_whenClaimsWereNeverStamped_passesThem(int before) {
    HistorySlots slots = slots(4);
    HistoryWriter writer = HistoryWriter.ofMany(slots);
    write(slots, writer, 0, before);
    HistoryCursor reader = reader(slots);
    readAll(reader);
    slots.memory().set(JAVA_LONG, NEXT, before + 2L);
    write(slots, writer, before + 2L, before + 4L);
    assertThat(reader.tryNext(0)).isFalse();
    assertThat(reader.skipUnfinished()).isEqualTo(2);
    assertThat(readAll(reader)).containsExactly(before + 2L, before + 3L);
    assertThat(reader.unfinishedCount()).isEqualTo(2);
    assertThat(passed(reader)).isEqualTo(Math.min(4, before) + 4);
  }

  @ParameterizedTest
  @MethodSource("writers")
  void skipUnfinished_whenSlotIsBusyWithAnOlderRecord_leavesTheRefusedOneToNext(
      Function<HistorySlots, HistoryWriter> writers) {
    HistorySlots slots = slots(2);
    HistoryWriter writer = writers.apply(slots);
    HistoryCursor reader = reader(slots);
    writer.claim(); // sequence 0, stays open
    write(slots, writer, 1, 2);
    HistoryCursor late = reader(slots);
    assertThat(late.skipUnfinished()).isEqualTo(1);
    assertThat(readAll(late)).containsExactly(1L);
    assertThat(put(slots, writer, 2)).as("same slot as 0").isFalse();
    slots.memory().set(JAVA_LONG, NEXT, 5); // 3 and 4 were never stamped
    assertThat(late.skipUnfinished()).as("2 is lost, 3 and 4 are not finished").isEqualTo(3);
    assertThat(late.lostCount()).isEqualTo(1);
    assertThat(late.unfinishedCount()).isEqualTo(3);
    assertThat(late.position()).isEqualTo(5).isEqualTo(passed(late));
    assertThat(reader.skipUnfinished()).isEqualTo(5);
    assertThat(reader.lostCount()).isEqualTo(3);
    assertThat(reader.unfinishedCount()).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("writers")
  void skipUnfinished_whenRefused_leavesItToNext(Function<HistorySlots, HistoryWriter> writers) {
    HistorySlots slots = slots(1);
    HistoryWriter writer = writers.apply(slots);
    HistoryCursor reader = reader(slots);
    final long lapped = writer.claim();
    assertThat(put(slots, writer, 1)).isFalse();
    assertThat(reader.skipUnfinished()).as("0 is lost").isEqualTo(1);
    assertThat(reader.skipUnfinished()).isZero();
    assertThat(reader.tryNext(0)).isFalse();
    assertThat(reader.lostCount()).isEqualTo(1);
    assertThat(reader.refusedCount()).isEqualTo(1);
    assertThat(reader.unfinishedCount()).isZero();
    assertThat(writer.commit(lapped)).isFalse();
    assertThat(slots.refusedCount()).isEqualTo(2);
    assertThat(put(slots, writer, 2)).isTrue();
    assertThat(readAll(reader)).containsExactly(2L);
  }

  // ---- the newest records ----

  /**
   * Every mixture of what slots may hold when the newest records are read: of the lap before, of
   * the record's own or of later ones, in each state. A later lap's stamp is that of a writer that
   * overtook the reader after it had read the number of claims.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void latest_ofSlotsInAnyState_isTheRowBehindTheLastOverwritten(int capacity) {
    HistorySlots slots = slots(capacity);
    HistoryCursor reader = reader(slots);
    int states = 4;
    int laps = 4; // -1, 0, 1, 2
    for (long end : new long[] {capacity, 2L * capacity, 2L * capacity + 1}) {
      slots.memory().set(JAVA_LONG, NEXT, end);
      for (int mixture = 0; mixture < Math.pow(states * laps, capacity); mixture++) {
        int left = mixture;
        List<Long> row = new ArrayList<>(); // the newest first
        List<List<Long>> rows = new ArrayList<>(List.of(List.of())); // by how many are wanted
        boolean isOverwritten = false;
        for (long sequence = end - 1; sequence >= end - capacity; sequence--) {
          long state = left % states;
          int lap = left / states % laps - 1;
          left /= states * laps;
          long found = sequence + (long) lap * capacity; // negative if the slot was never used
          hold(slots, Math.max(-1, found), found < 0 ? 0 : state, sequence);
          isOverwritten |= lap > 0;
          if (!isOverwritten && lap == 0 && state == HistorySlots.COMMITTED) {
            row.add(sequence);
          }
          rows.add(List.copyOf(row.reversed()));
        }
        for (int limit = 1; limit <= capacity; limit++) {
          assertLatest(slots, reader, limit, rows.get(limit));
        }
      }
    }
    assertThat(reader.position()).isZero();
    assertThat(passed(reader)).isZero();
  }

  /** Stamps the slot of a sequence for a record, and writes that record's number into it. */
  private static void hold(HistorySlots slots, long found, long state, long sequence) {
    long offset = slots.offset(sequence);
    slots.memory().set(JAVA_LONG, offset, HistorySlots.stamp(found, state));
    slots.memory().set(JAVA_LONG, offset + Ring.STAMP_BYTES, found);
    slots.memory().set(JAVA_LONG, offset + Ring.STAMP_BYTES + 8, -found);
  }

  private void assertLatest(
      HistorySlots slots, HistoryCursor reader, int limit, List<Long> expected) {
    long before = reader.sequence();
    int count = reader.latest(limit);
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(copy(i * slots.strideBytes()));
    }
    assertThat(values).isEqualTo(expected);
    assertThat(reader.sequence()).isEqualTo(count > 0 ? expected.getLast() : before);
  }

  // ---- damage ----

  @Test
  void reader_ofDamagedMemory_comesToAnEnd() {
    Random random = new Random(8);
    for (int round = 0; round < 2_000; round++) {
      int capacity = 1 + random.nextInt(5);
      HistorySlots slots = slots(capacity);
      write(slots, HistoryWriter.ofMany(slots), 0, random.nextInt(12));
      HistoryCursor before = reader(slots);
      for (long offset = 0; offset < slots.memory().byteSize(); offset += 8) {
        if (random.nextBoolean()) {
          long word = random.nextLong() >> random.nextInt(64);
          slots.memory().set(JAVA_LONG, offset, word);
        }
      }
      HistoryCursor after = reader(slots);
      for (HistoryCursor reader : List.of(before, after)) {
        for (int i = 0; i < 20; i++) {
          reader.tryNext(0);
          reader.skipUnfinished();
          reader.latest(1);
        }
      }
    }
  }
}

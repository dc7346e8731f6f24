package dev.millrace.queues.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.Point;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.shared.SharedFile;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.testkit.OtherJvm;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a file of other records that is accepted, an observer that takes a place or writes, a
 * second sole producer, claims that are not given up, and damage that is not reported.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HistoryFileTest {
  private static final FlyweightType<Point> POINTS = FlyweightType.of(Point::new);
  private static final int ENTRIES = 130; // in a ring of many producers
  private static final int NAMES = 64;
  private static final int STATES = Integer.getInteger("millrace.ringStates", 1_000);

  /** A record. */
  interface Tick {
    long time();

    Tick time(long value);

    long price();

    Tick price(long value);

    long amount();

    Tick amount(long value);
  }

  @TempDir Path folder;

  private static void put(HistoryProducer<Point> producer, long value) {
    producer.claim().value(value);
    producer.commit();
  }

  private static void assertPolls(HistoryReader<Point> reader, long... values) {
    for (long value : values) {
      assertThat(reader.tryPoll()).as("record %d", value).isNotNull();
      assertThat(reader.at(0).wholeValue()).isEqualTo(value);
    }
    assertThat(reader.tryPoll()).isNull();
  }

  @Test
  void records_surviveTheirProcessAndAreSeenByAll() throws IOException {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> first = HistoryRing.single(POINTS, 4, path)) {
      put(first.producer(), 1);
    }
    try (HistoryRing<Point> second = HistoryRing.single(POINTS, 4, path);
        HistoryRing<Point> observed = HistoryRing.observe(POINTS, path);
        HistoryReader<Point> reader = second.newReader(1);
        HistoryReader<Point> observer = observed.newReader(4)) {
      put(second.producer(), 2);
      assertPolls(reader, 1, 2);
      assertPolls(observer, 1, 2);
      assertThat(observed.capacity()).isEqualTo(4);
      assertThat(observed.claimedCount()).isEqualTo(2);
      assertThat(second).asString().endsWith(", open, " + path + "]");
    }
  }

  @Test
  void open_whenTheFileHasSomethingElse_saysWhat() throws IOException {
    Path path = folder.resolve("ring");
    HistoryRing.multi(POINTS, 4, path).close();
    Throws.a(
        IOException.class,
        path + ": other settings: capacity=4, expected 5",
        () -> HistoryRing.multi(POINTS, 5, path));
    Throws.a(
        IOException.class,
        path + ": another kind of ring: kind=HistoryRing.multi, expected HistoryRing.single",
        () -> HistoryRing.single(POINTS, 4, path));
    Throws.a(
        IOException.class,
        path
            + ": another layout: record: 0 value: long, 8 negated: long, 16 mixed: long,"
            + " expected record: 0 amount: long, 8 price: long, 16 time: long",
        () -> HistoryRing.multi(Tick.class, 4, path),
        () -> HistoryRing.observe(Tick.class, path));
    Throws.a(
        IOException.class,
        path + ": other settings: recordBytes=24, expected 8",
        () -> HistoryRing.observe(OneField.class, path));
    Path queue = folder.resolve("queue");
    MessageQueue.spsc(QueueOptions.ofCapacity(512), queue).close();
    Throws.a(
        IOException.class,
        queue + ": not a history: kind=MessageQueue.spsc",
        () -> HistoryRing.observe(POINTS, queue));
    Throws.a(
        NoSuchFileException.class,
        "...",
        () -> HistoryRing.observe(POINTS, folder.resolve("none")));
    Throws.illegalArgument(
        "capacity must be in 1..1073741824: capacity=0", () -> HistoryRing.multi(POINTS, 0, path));
  }

  /** A record. */
  interface OneField {
    long time();
  }

  @Test
  void observer_takesNoPlaceAndWritesNothing() throws IOException {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> multi = HistoryRing.multi(POINTS, 2, path)) {
      put(multi.newProducer(), 1);
      byte[] before = Files.readAllBytes(path);
      try (HistoryRing<Point> observed = HistoryRing.observe(POINTS, path)) {
        assertPolls(observed.newReader(1), 1);
        Throws.illegalState(
            "this history is observed, it has no producers: HistoryRing[...",
            observed::newProducer,
            observed::producer);
      }
      assertThat(path).hasBinaryContent(before);
    }
  }

  @Test
  void producer_whenAnotherHasTheOnlyPlace_isRefusedUntilItLeaves() throws IOException {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> first = HistoryRing.single(POINTS, 4, path);
        HistoryRing<Point> second = HistoryRing.single(POINTS, 4, path);
        HistoryReader<Point> reader = second.newReader(1)) {
      HistoryProducer<Point> producer = first.producer();
      put(producer, 1);
      Throws.illegalState("there is a producer already: pid=...", second::producer);
      producer.claim();
      producer.close();
      put(second.producer(), 2);
      Throws.illegalState("there is a producer already: pid=...", first::producer, producer::claim);
      second.producer().close();
      put(producer, 3);
      assertPolls(reader, 1, 2, 3);
      assertThat(reader.refusedCount()).isEqualTo(1);
    }
  }

  @Test
  void close_givesUpOpenClaims() throws IOException {
    for (boolean isSingle : new boolean[] {false, true}) {
      Path path = folder.resolve("ring" + isSingle);
      HistoryRing<Point> first = open(isSingle, path);
      try (HistoryRing<Point> second = open(isSingle, path);
          HistoryReader<Point> reader = second.newReader(1)) {
        producer(first, isSingle).claim();
        first.close();
        HistoryProducer<Point> producer = producer(second, isSingle);
        put(producer, 1);
        put(producer, 2);
        assertPolls(reader, 2);
        assertThat(second.refusedCount()).isEqualTo(1);
        assertThat(reader.lostCount() + reader.refusedCount()).isEqualTo(2);
      }
    }
  }

  private static HistoryRing<Point> open(boolean isSingle, Path path) throws IOException {
    return isSingle ? HistoryRing.single(POINTS, 1, path) : HistoryRing.multi(POINTS, 1, path);
  }

  private static HistoryProducer<Point> producer(HistoryRing<Point> ring, boolean isSingle) {
    return isSingle ? ring.producer() : ring.newProducer();
  }

  @Test
  void newProducer_whenAllPlacesAreTaken_saysSo() throws IOException {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, 1, path)) {
      for (int i = 0; i < 64; i++) {
        ring.newProducer();
      }
      Throws.illegalState(
          "no room for another participant: 64 are there, " + path, ring::newProducer);
    }
  }

  // ---- named readers ----

  @Test
  void namedReader_continuesWhereTheFormerOneReleased() throws IOException {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> first = HistoryRing.multi(POINTS, 4, path);
        HistoryRing<Point> second = HistoryRing.multi(POINTS, 4, path)) {
      HistoryProducer<Point> producer = first.newProducer();
      put(producer, 0);
      assertThat(first.releasedBy("audit")).isEqualTo(-1);
      try (HistoryReader<Point> reader = first.newReader(2, "audit")) {
        assertPolls(reader, 0);
        put(producer, 1);
        put(producer, 2);
        reader.tryPoll();
        reader.release();
        assertThat(reader.at(0).wholeValue()).as("still in hand").isEqualTo(1);
        reader.tryPoll();
      }
      assertThat(second.releasedBy("audit")).isEqualTo(2);
      try (HistoryReader<Point> reader = second.newReader(1, "audit")) {
        assertThat(reader.position()).isEqualTo(2);
        assertPolls(reader, 2);
        assertThat(reader.lostCount()).isZero();
        for (int value = 3; value < 9; value++) {
          put(producer, value);
        }
      }
      try (HistoryReader<Point> reader = first.newReader(4, "audit")) {
        assertPolls(reader, 5, 6, 7, 8);
        assertThat(reader.lostCount()).as("2, 3 and 4").isEqualTo(3);
        reader.seek(7);
        reader.release();
      }
      assertThat(first.releasedBy("audit")).isEqualTo(7);
    }
    try (HistoryRing<Point> observed = HistoryRing.observe(POINTS, path)) {
      assertThat(observed.releasedBy("audit")).isEqualTo(7);
      assertThat(observed.releasedBy("other")).isEqualTo(-1);
      Throws.illegalState(
          "this history is observed, it keeps no positions: HistoryRing[...",
          () -> observed.newReader(1, "audit"));
    }
  }

  @Test
  void newReader_whenALivingOneHasTheName_isRefused() throws IOException {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> first = HistoryRing.single(POINTS, 4, path);
        HistoryRing<Point> second = HistoryRing.single(POINTS, 4, path)) {
      HistoryReader<Point> reader = first.newReader(1, "audit");
      long pid = ProcessHandle.current().pid();
      Throws.illegalState(
          "there is a reader already: pid=" + pid + ", name=\"audit\", started=...",
          () -> first.newReader(1, "audit"),
          () -> second.newReader(1, "audit"));
      second.newReader(1, "audits").close();
      reader.close();
      reader.close();
      second.newReader(1, "audit"); // the ring's close ends it
    }
    HistoryRing<Point> third = HistoryRing.single(POINTS, 4, path);
    try (HistoryReader<Point> reader = third.newReader(1, "audit")) {
      third.close();
      Throws.illegalState("history is closed: HistoryRing[...", reader::release);
    }
  }

  @Test
  void newReader_whenTheNameCannotBeKept_saysWhy() throws IOException {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> ring = HistoryRing.single(POINTS, 4, path)) {
      String rule = "name must have 1..112 of the characters A-Z, a-z, 0-9, '.', '_' and '-': ";
      Throws.illegalArgument(rule + "length=0, name=", () -> ring.newReader(1, ""));
      Throws.illegalArgument(rule + "length=5, name=a b/c", () -> ring.newReader(1, "a b/c"));
      String longest = "x".repeat(112);
      Throws.illegalArgument(
          rule + "length=113, name=xx...",
          () -> ring.newReader(1, longest + "x"),
          () -> ring.removeReader(longest + "x"),
          () -> ring.releasedBy(longest + "x"));
      HistoryReader<Point> reader = ring.newReader(1, longest);
      Throws.illegalState(
          "this reader has no name, so no position is kept: HistoryReader of ...",
          ring.newReader(1)::release);
      reader.close();
      Throws.illegalState("reader is closed: ...", reader::release);
      for (int i = 1; i < NAMES; i++) {
        ring.newReader(1, "name" + i).close();
      }
      Throws.illegalState(
          "no room for another name of a reader: 64 are there, " + path,
          () -> ring.newReader(1, "one-more"));
      ring.newReader(1, longest).close();
      assertThat(ring.removeReader("name17")).isTrue();
      ring.newReader(1, "one-more").close();
      assertThat(ring.readerNames()).hasSize(NAMES).contains("one-more").doesNotContain("name17");
    }
    try (HistoryRing<Point> ring = HistoryRing.single(POINTS, 4)) {
      Throws.illegalState(
          "this history is not in a file, it keeps no positions: HistoryRing[...",
          () -> ring.newReader(1, "audit"),
          ring::readerNames,
          () -> ring.removeReader("audit"),
          () -> ring.releasedBy("audit"));
    }
  }

  @Test
  void removeReader_forgetsTheNameAndItsPosition_unlessItsReaderLives() throws IOException {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, 4, path);
        HistoryRing<Point> other = HistoryRing.multi(POINTS, 4, path)) {
      HistoryProducer<Point> producer = ring.newProducer();
      put(producer, 0);
      put(producer, 1);
      assertThat(ring.readerNames()).isEmpty();
      assertThat(ring.removeReader("b")).isFalse();
      HistoryReader<Point> reader = ring.newReader(1, "b");
      ring.newReader(1, "c").close();
      ring.newReader(1, "a").close();
      reader.tryPoll();
      reader.release();
      assertThat(other.readerNames()).containsExactly("a", "b", "c");
      Throws.illegalState("there is a reader already: ...", () -> other.removeReader("b"));
      reader.close();
      assertThat(other.releasedBy("b")).isEqualTo(1);
      assertThat(other.removeReader("b")).isTrue();
      assertThat(ring.readerNames()).containsExactly("a", "c");
      assertThat(ring.releasedBy("b")).isEqualTo(-1);
      assertThat(ring.removeReader("b")).isFalse();
      try (HistoryReader<Point> again = ring.newReader(1, "b")) {
        assertPolls(again, 0, 1);
      }
    }
    try (HistoryRing<Point> observed = HistoryRing.observe(POINTS, path)) {
      assertThat(observed.readerNames()).containsExactly("a", "b", "c");
      Throws.illegalState(
          "this history is observed, it keeps no positions: ...", () -> observed.removeReader("a"));
    }
  }

  @Test
  void namedReader_whoseLockIsLost_isToldWhenItReleases() throws Exception {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, 1, path)) {
      HistoryReader<Point> reader = ring.newReader(1, "audit");
      new RandomAccessFile(path.toFile(), "r").close(); // drops all locks of this process
      Process other = OtherJvm.of(OneReader.class, path).inheritIO().start();
      assertThat(other.waitFor()).isZero();
      Throws.illegalState(
          "taken for dead by another process, since its lock was lost: participant 1, " + path,
          reader::release);
      reader.close();
      ring.newReader(1, "audit").release();
    }
  }

  /** Another process, which comes with the same name. */
  static final class OneReader {
    private OneReader() {}

    public static void main(String[] args) throws IOException {
      try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, 1, Path.of(args[0]))) {
        ring.newReader(1, "audit");
        System.exit(1);
      } catch (IllegalStateException e) {
        // the process of the other one still runs
      }
    }
  }

  @Test
  void newReader_whenItsPlaceIsDamaged_saysWhatItIs() throws IOException {
    Path path = folder.resolve("ring");
    HistoryRing<Point> made = HistoryRing.multi(POINTS, 1, path);
    made.newReader(1, "audit").close();
    made.close();
    for (int word = 0; word < 2; word++) {
      String what = word == 0 ? "length of name 0" : "position 0";
      for (long value : new long[] {-1, Long.MIN_VALUE, 113, Long.MAX_VALUE}) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
          file.seek(4096 + ENTRIES * 128 + word * 8);
          file.writeLong(Long.reverseBytes(value));
        }
        try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, 1, path)) {
          Throws.a(
              UncheckedIOException.class,
              "...history is damaged: " + what + " is " + value + ", not in 0..." + path,
              () -> ring.newReader(1, "audit"),
              () -> ring.releasedBy("audit"));
        }
      }
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
        file.seek(4096 + ENTRIES * 128);
        file.writeLong(Long.reverseBytes(5));
      }
    }
  }

  // ---- locks that are lost ----

  @Test
  void producers_whoseLocksAreLost_areToldAndGoOnAfterClose() throws Exception {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, 1, path);
        HistoryReader<Point> reader = ring.newReader(1)) {
      HistoryProducer<Point> producer = ring.newProducer();
      producer.claim().value(1);
      new RandomAccessFile(path.toFile(), "r").close(); // drops all locks of this process
      Process other = OtherJvm.of(OneRecord.class, path, 2).inheritIO().start();
      assertThat(other.waitFor()).isZero();
      Throws.illegalState(
          "taken for dead by another process, since its lock was lost: participant 66, " + path,
          producer::commit);
      producer.close();
      put(producer, 3);
      assertPolls(reader, 3);
      assertThat(ring.claimedCount()).isEqualTo(3);
      assertThat(ring.refusedCount()).isEqualTo(2);
    }
  }

  /** Another process, which writes a record. */
  static final class OneRecord {
    private OneRecord() {}

    public static void main(String[] args) throws IOException {
      try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, 1, Path.of(args[0]))) {
        Point point = ring.newProducer().tryClaim();
        System.exit(point == null ? 0 : 1); // the slot is still in use
      }
    }
  }

  // ---- damage ----

  @Test
  void claims_whenTheCountIsDamaged_sayWhatItIs() throws IOException {
    for (boolean isSingle : new boolean[] {false, true}) {
      Path path = folder.resolve("ring" + isSingle);
      open(isSingle, path).close();
      for (long next : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
          file.seek(4096 + ((isSingle ? 2 + NAMES : ENTRIES) + NAMES) * 128L);
          file.writeLong(Long.reverseBytes(next));
        }
        try (HistoryRing<Point> ring = open(isSingle, path)) {
          String message = "...history is damaged: claimed is " + next + ", not in 0..";
          Throws.a(
              UncheckedIOException.class,
              message + "1152921504606846976, " + path,
              () -> producer(ring, isSingle).claim());
        }
      }
    }
  }

  @Test
  void anyCall_whateverIsInTheFile_endsAndStaysInside() throws Exception {
    Random random = new Random(1);
    for (boolean isSingle : new boolean[] {false, true}) {
      Path path = folder.resolve("ring" + isSingle);
      try (SharedFile file = attach(isSingle, path)) {
        for (int state = 0; state < STATES; state++) {
          for (int words = random.nextInt(8); words >= 0; words--) {
            long first = random.nextBoolean() ? 0 : file.dataOffset() / Long.BYTES;
            long at = random.nextLong(first, file.memory().byteSize() / Long.BYTES);
            long word = random.nextLong() >> random.nextInt(Long.SIZE);
            file.memory().setAtIndex(ValueLayout.JAVA_LONG, at, word);
          }
          useAll(isSingle, path);
          if (state % 16 == 0) {
            file.memory().asSlice(0, file.dataOffset()).fill((byte) 0); // names can be found again
          }
        }
      }
    }
  }

  private static SharedFile attach(boolean isSingle, Path path) throws IOException {
    open(isSingle, path).close();
    return SharedFile.attach(path, found -> found);
  }

  private static void useAll(boolean isSingle, Path path) throws IOException {
    try (HistoryRing<Point> ring = open(isSingle, path);
        HistoryReader<Point> reader = ring.newReader(1)) {
      try {
        reader.tryPoll();
        reader.latest(1);
        reader.skipUnfinished();
        reader.seek(5, Point::value);
        reader.tryPoll();
        HistoryProducer<Point> producer = producer(ring, isSingle);
        if (producer.tryClaim() != null) {
          producer.commit();
        }
        producer.close();
      } catch (UncheckedIOException e) {
        assertThat(e).hasMessageContaining("damaged");
      }
      useNames(ring);
    }
  }

  private static void useNames(HistoryRing<Point> ring) {
    try {
      ring.releasedBy("other");
      ring.readerNames();
      ring.removeReader("other");
      HistoryReader<Point> named = ring.newReader(1, "audit");
      named.tryPoll();
      named.release();
    } catch (UncheckedIOException e) {
      assertThat(e).hasMessageContaining("damaged");
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("no room for another name");
    }
  }
}

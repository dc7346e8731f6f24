package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a trace record that is read with the writer, layout or text of another one, one that is
 * passed without being counted, and a damaged one that is taken for whole.
 */
class TraceLogTest {
  private static final int RECORDS = 4;
  private static final int RECORD_BYTES = 48;
  private static final int TEXT_BYTES = RECORD_BYTES - 16 - 16;

  private final Telemetry telemetry =
      Telemetry.inMemory(Options.defaults().withTrace(RECORDS, RECORD_BYTES));
  private final TelemetryReader log = telemetry.newReader();
  private final TraceReader reader = log.newTraceReader();
  private final Trade trade = reader.newView(Trade.TYPE);

  /** Two fields. */
  interface Trade {
    FlyweightType<Trade> TYPE = FlyweightType.of(Trade.class);

    long id();

    Trade id(long value);

    double price();

    Trade price(double value);
  }

  /** One field. */
  interface Tick {
    int count();

    void count(int value);
  }

  private static final FlyweightType<Tick> TICKS = FlyweightType.of(Tick.class);

  /** A field that the layout's text cannot name. */
  private static final class Odd extends Flyweight {
    Odd(MemorySegment memory) {
      super(RecordLayout.of(ValueLayout.JAVA_INT.withName("a b")), memory);
    }
  }

  @AfterEach
  void close() {
    reader.close();
    telemetry.close();
  }

  private TraceWriter<Trade> newWriter(String name) {
    return telemetry.newTraceWriter(name, "trade", Trade.TYPE);
  }

  /** Reads on to the end. */
  private List<Long> readAll() {
    List<Long> ids = new ArrayList<>();
    while (reader.tryPoll()) {
      ids.add(trade.id());
    }
    return ids;
  }

  private static void write(TraceWriter<Trade> writer, long id) {
    writer.tryClaim().id(id).price(id / 4.0);
    writer.commit();
    assertThat(writer.refusedCount()).isZero();
  }

  // ---- records ----

  @Test
  void record_isReadBack_withItsHead() {
    TraceWriter<Trade> trades = newWriter("feed-1");
    TraceWriter<Tick> ticks = telemetry.newTraceWriter("feed-2", "tick", TICKS);
    Instant before = Instant.now();
    long from = System.nanoTime();
    trades.tryClaim().id(7).price(2.5);
    trades.text("a “fill”");
    trades.commit();
    ticks.tryClaimAt(from).count(3);
    ticks.commit();

    Tick tick = reader.newView(TICKS);
    assertThat(reader.tryPoll()).isTrue();
    assertThat(reader.writer()).isEqualTo("feed-1");
    assertThat(reader.type()).isEqualTo("trade");
    assertThat(reader.layout()).isEqualTo(Trade.TYPE.layout());
    assertThat(reader.text()).isEqualTo("a “fill”");
    assertThat(reader.nanoTime()).isBetween(from, System.nanoTime());
    assertThat(reader.time()).isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
    assertThat(trade.id()).isEqualTo(7);
    assertThat(trade.price()).isEqualTo(2.5);

    assertThat(reader.tryPoll()).isTrue();
    assertThat(reader.sequence()).isEqualTo(1);
    assertThat(reader.writer()).isEqualTo("feed-2");
    assertThat(reader.type()).isEqualTo("tick");
    assertThat(reader.text()).isEmpty();
    assertThat(reader.nanoTime()).isEqualTo(from);
    assertThat(tick.count()).isEqualTo(3);

    assertThat(reader.tryPoll()).isFalse();
    Throws.illegalState("reader must be on a record: the last read has found none", reader::time);
  }

  @Test
  void records_thatAreOverwritten_areCountedAsLost() {
    TraceWriter<Trade> writer = newWriter("w");
    for (long id = 0; id < 10; id++) {
      write(writer, id);
    }
    assertThat(readAll()).containsExactly(6L, 7L, 8L, 9L);
    assertThat(reader.lostCount()).isEqualTo(6);
    assertThat(reader.readCount()).isEqualTo(4);
    assertThat(log.traceClaimedCount()).isEqualTo(10);
  }

  @Test
  void record_thatIsAborted_isCountedAsRefused() {
    TraceWriter<Trade> writer = newWriter("w");
    assertThat(writer.tryClaim()).isNotNull();
    writer.abort();
    write(writer, 1);
    assertThat(reader.tryPoll()).isTrue();
    assertThat(reader.refusedCount()).isEqualTo(1);
    assertThat(log.traceRefusedCount()).isEqualTo(1);
  }

  @Test
  void record_whoseSlotIsStillWritten_isRefused() {
    TraceWriter<Trade> slow = newWriter("slow");
    TraceWriter<Trade> writer = newWriter("w");
    assertThat(slow.tryClaim()).isNotNull();
    for (long id = 1; id < RECORDS; id++) {
      write(writer, id);
    }
    assertThat(writer.tryClaim()).as("of the slot that is written").isNull();
    assertThat(writer.refusedCount()).isEqualTo(1);
    writer.tryClaim();
    writer.commit();
    assertThat(slow.refusedCount()).isZero();
    slow.commit();
    assertThat(slow.refusedCount()).as("overtaken").isEqualTo(1);
    assertThat(writer.refusedCount()).isEqualTo(1);
    assertThat(log.traceRefusedCount()).isEqualTo(2);
  }

  @Test
  void reader_beforeAnUnfinishedRecord_waitsUntilItIsToldToSkip() {
    TraceWriter<Trade> slow = newWriter("slow");
    TraceWriter<Trade> writer = newWriter("w");
    assertThat(slow.tryClaim()).isNotNull();
    write(writer, 1);
    assertThat(reader.tryPoll()).isFalse();
    assertThat(reader.skipUnfinished()).isEqualTo(1);
    assertThat(reader.tryPoll()).isTrue();
    assertThat(trade.id()).isEqualTo(1);
    assertThat(reader.unfinishedCount()).isEqualTo(1);
    slow.commit();
    assertThat(slow.refusedCount()).isZero();
  }

  @Test
  void position_ofAReader_countsAllClaimsBeforeIt() {
    TraceWriter<Trade> writer = newWriter("w");
    for (long id = 0; id < 6; id++) {
      write(writer, id);
    }
    assertThat(writer.tryClaim()).isNotNull();
    writer.abort();
    TelemetryReader telemetryReader = telemetry.newReader();
    assertThat(telemetryReader.traceCapacity()).isEqualTo(RECORDS);
    assertThat(telemetryReader.traceRecordBytes()).isEqualTo(RECORD_BYTES);
    assertThat(telemetryReader.traceClaimedCount()).isEqualTo(7);
    assertThat(telemetryReader.traceRefusedCount()).isEqualTo(1);
    try (TraceReader reader = telemetryReader.newTraceReader()) {
      assertThat(reader.position()).as("the oldest that is there").isEqualTo(3);
      while (reader.tryPoll()) {
        assertThat(reader.position()).isEqualTo(3 + reader.readCount());
      }
      assertThat(reader.position()).isEqualTo(7);
      assertThat(writer.tryClaim()).isNotNull();
      assertThat(reader.tryPoll()).isFalse();
      assertThat(reader.position()).as("before the unfinished one").isEqualTo(7);
      assertThat(telemetryReader.traceClaimedCount()).isEqualTo(8);
      writer.abort();
    }
  }

  @Test
  void traceNumbers_withoutALog_areZero() {
    try (Telemetry without = Telemetry.inMemory(Options.defaults())) {
      TelemetryReader reader = without.newReader();
      assertThat(List.of(reader.traceCapacity(), reader.traceRecordBytes())).containsOnly(0);
      assertThat(reader.traceClaimedCount()).isZero();
      assertThat(reader.traceRefusedCount()).isZero();
    }
  }

  // ---- text ----

  @Test
  void text_thatDoesNotFit_isCutAtAWholeCharacter() {
    TraceWriter<Trade> writer = newWriter("w");
    for (String text :
        List.of(
            "x".repeat(TEXT_BYTES - 1) + "é",
            "y".repeat(TEXT_BYTES) + "z",
            "\uD83D\uDE00 \uD83D? \uDE00")) {
      assertThat(writer.tryClaim()).isNotNull();
      writer.text("replaced");
      writer.text(text);
      writer.commit();
    }
    List<String> read = new ArrayList<>();
    while (reader.tryPoll()) {
      read.add(reader.text());
    }
    assertThat(read)
        .containsExactly("x".repeat(TEXT_BYTES - 1), "y".repeat(TEXT_BYTES), "\uD83D\uDE00 ?? ?");
  }

  // ---- limits ----

  @Test
  void limits_leaveRecordsOut_andCountThem() {
    TraceWriter<Trade> third =
        telemetry.newTraceWriter("w", "trade", Trade.TYPE, 3, Integer.MAX_VALUE);
    int written = 0;
    for (int i = 0; i < 10; i++) {
      if (third.tryClaim() != null) {
        third.abort();
        written++;
      }
    }
    assertThat(written).isEqualTo(4); // the first, and then every third
    assertThat(third.leftOutCount()).isEqualTo(6);

    TraceWriter<Trade> twoASecond = telemetry.newTraceWriter("w", "trade", Trade.TYPE, 1, 2);
    long now = System.nanoTime();
    written = 0;
    for (int i = 0; i < 10; i++) {
      if (twoASecond.tryClaimAt(now + i * 250_000_000L) != null) {
        twoASecond.abort();
        written++;
      }
    }
    assertThat(written).as("in three begun seconds").isEqualTo(6);
    assertThat(log.traceClaimedCount()).isEqualTo(4 + 6);
    Throws.illegalArgument(
        "every must be in 1..2147483647: every=0",
        () -> telemetry.newTraceWriter("w", "trade", Trade.TYPE, 0, 1));
    Throws.illegalArgument(
        "perSecond must be in 1..2147483647: perSecond=0",
        () -> telemetry.newTraceWriter("w", "trade", Trade.TYPE, 1, 0));
  }

  // ---- misuse ----

  @Test
  void calls_withoutOrWithinAClaim_areRefused() {
    TraceWriter<Trade> writer = newWriter("w");
    Throws.illegalState("no open claim: a trace log", writer::commit);
    Throws.illegalState("...", writer::abort, () -> writer.text("t"));
    Trade kept = writer.tryClaim();
    Throws.illegalState(
        "a claim is already open, commit or abort it first: a trace log", writer::tryClaim);
    writer.commit();
    Throws.outOfBounds(() -> kept.id(1));
  }

  @Test
  void writer_ofAFlyweightElsewhere_isRefused() {
    try (NativeMemory elsewhere = NativeMemory.allocate(64)) {
      Flyweight trade = (Flyweight) Trade.TYPE.newFlyweight(elsewhere.segment());
      FlyweightType<Flyweight> strayed = FlyweightType.of(_ -> trade);
      Throws.illegalArgument(
          "flyweight must be on the memory that it was given: ...",
          () -> telemetry.newTraceWriter("w", "trade", strayed));
    }
    write(newWriter("first"), 1);
    assertThat(reader.tryPoll()).isTrue();
    assertThat(reader.writer()).isEqualTo("first");
  }

  @Test
  void writer_ofARecordThatDoesNotFit_isRefused() {
    Telemetry small = Telemetry.inMemory(Options.defaults().withTrace(RECORDS, 24));
    Throws.illegalArgument(
        "size of trade must be in 1..8: size of trade=16",
        () -> small.newTraceWriter("w", "trade", Trade.TYPE));
    Throws.illegalArgument(
        "field of a trace record must not begin with a digit or }, nor have a blank: field=a"
            + " b",
        () -> telemetry.newTraceWriter("w", "odd", FlyweightType.of(Odd::new)));
    Throws.illegalArgument(
        "bytes of writer, type and layout must be in 1..1008: ...",
        () -> newWriter("w".repeat(1100)));
    small.close();
  }

  @Test
  void reader_ofADamagedFile_saysWhatIsWrong(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("damaged.telemetry");
    Telemetry written = Telemetry.create(file, Options.defaults().withTrace(RECORDS, RECORD_BYTES));
    write(written.newTraceWriter("w", "trade", Trade.TYPE), 1);
    written.close();
    byte[] whole = Files.readAllBytes(file);
    int section = 4_096 + 256 * 384;
    int entry = section + 16; // behind state and info
    int layout = entry + "w_trade_".length();
    int writer = section + 256 * 1_024 + 256 + 16; // behind stamp and time
    String of = "writer of a record must be one of the log: ";
    String struct = "layout must be a struct in the form of a trace log: ";
    assertRefused(file, whole, writer, 9, of + "entry=9, generation=1");
    assertRefused(file, whole, writer + 1, 2, of + "entry=0, generation=2"); // not there yet
    assertRefused(
        file, whole, writer + 6, 17, "text of a record must fit it: textBytes=17, room=16");
    assertRefused(file, whole, layout, '(', struct + "layout=( id <j8 price <d8 } (no type: ()");
    assertRefused(file, whole, layout + "{ id <".length(), 'k', struct + "...(no type: <k8)");
    assertRefused(file, whole, layout + "{ id <j8 price <d8 ".length(), ' ', struct + "...");
    assertRefused(
        file,
        whole,
        entry + 1,
        'x',
        "entry of a writer must have its name, type and layout: entry=0");
    assertRefused(file, whole, section + 8 + 7, 1, "entry of a writer must ...");
  }

  /** What a reader says of a file in which one byte is another. */
  private static void assertRefused(Path file, byte[] whole, int at, int damage, String message)
      throws IOException {
    byte[] damaged = whole.clone();
    damaged[at] = (byte) damage;
    Files.write(file, damaged);
    try (TelemetryReader opened = TelemetryReader.open(file);
        TraceReader reader = opened.newTraceReader()) {
      Throws.illegalState("reader must be on a record...", reader::text);
      Throws.illegalState(message, reader::tryPoll);
    }
  }

  @Test
  void writers_moreThanThereIsRoomFor_areRefused() {
    for (int i = 0; i < 256; i++) {
      newWriter("w" + i);
    }
    Throws.illegalState(
        "writers must not be more than 256, counting closed ones with records in the log:"
            + " writer=one more",
        () -> newWriter("one more"));
  }

  @Test
  void names_withNul_areRefused() {
    Throws.illegalArgument(
        "writer, type and fields must have names without NUL: writer=a\\u0000b, type=trade",
        () -> newWriter("a\0b"));
  }

  // ---- the end ----

  @Test
  void reads_afterClose_sayWhatIsClosed() {
    TraceWriter<Trade> writer = newWriter("w");
    write(writer, 1);
    assertThat(reader.tryPoll()).isTrue();
    Trade claimed = writer.tryClaim();
    telemetry.close();
    assertThat(trade.id()).as("a copy").isEqualTo(1);
    Throws.illegalState(
        "telemetry is closed: TraceReader[read=1, lost=0]",
        reader::tryPoll,
        reader::skipUnfinished,
        () -> reader.seek(0),
        () -> reader.seek(Instant.EPOCH));
    Throws.illegalState(
        "view of Trade may no longer be used: its memory was freed by close() of Telemetry[in"
            + " memory]",
        () -> claimed.id(2));
    Throws.illegalState("closed, so the text is lost: a trace log", () -> writer.text("late"));
    Throws.illegalState("closed, so the record is lost: a trace log", writer::commit);
    Throws.illegalState("closed, it takes no more records: a trace log", writer::tryClaim);
    reader.close();
    Throws.illegalState(
        "view of Trade may no longer be used: its memory was freed by close() of"
            + " TraceReader[read=1, lost=0]",
        trade::id);
    Throws.illegalState("reader is closed: TraceReader[read=1, lost=0]", reader::text);
  }

  @Test
  void names_thatAreLong_areShownShortly() {
    String flood = Throws.FLOOD;
    Throws.readably(
        () -> newWriter(flood),
        () -> newWriter(flood + "\0"),
        () -> telemetry.newTraceWriter("w", flood + "\0", Trade.TYPE),
        () -> telemetry.counter(flood),
        () -> telemetry.counter(flood, 2),
        () -> telemetry.soleWriterCounter(flood),
        () -> telemetry.gauge(flood),
        () -> telemetry.report(flood, () -> 1),
        () -> telemetry.newTraceWriter("w", "long", FlyweightType.of(Flooded::new)));
    String label = "line\nline";
    var _ = telemetry.counter(label);
    Throws.readably(() -> telemetry.counter(label));
    Throws.readably(() -> LayoutText.parse("{" + flood));
  }

  /** A field with a name that floods. */
  private static final class Flooded extends Flyweight {
    Flooded(MemorySegment memory) {
      super(RecordLayout.of(ValueLayout.JAVA_INT.withName(Throws.FLOOD)), memory);
    }
  }

  @Test
  void close_ofAWriter_abortsItsClaimAndEndsIt() {
    TraceWriter<Trade> writer = newWriter("w");
    write(writer, 1);
    Trade kept = writer.tryClaim();
    writer.close();
    writer.close();
    assertThat(log.traceRefusedCount()).isEqualTo(1);
    Throws.illegalState("writer is closed", writer::tryClaim);
    Throws.illegalState("no open claim: a trace log", writer::commit);
    Throws.outOfBounds(() -> writer.at(0), () -> kept.id(2));
    assertThat(reader.tryPoll()).isTrue();
    assertThat(reader.writer()).as("a record outlives its writer").isEqualTo("w");
    assertThat(reader.tryPoll()).isFalse();
  }

  @Test
  void close_ofAWriterAfterTheTelemetry_doesNothing() {
    Telemetry closed = Telemetry.inMemory(Options.defaults().withTrace(RECORDS, RECORD_BYTES));
    TraceWriter<Trade> writer = closed.newTraceWriter("w", "trade", Trade.TYPE);
    assertThat(writer.tryClaim()).isNotNull();
    closed.close();
    writer.close();
    writer.close();
  }

  @Test
  void entries_ofClosedWriters_areUsedAgainOnceTheirRecordsAreOverwritten() {
    TraceWriter<Trade> open = newWriter("open");
    List<TraceWriter<Trade>> writers =
        IntStream.range(1, 256).mapToObj(i -> newWriter("w" + i)).toList();
    for (TraceWriter<Trade> writer : writers) {
      write(writer, 0);
      writer.close();
    }
    try (TraceReader former = log.newTraceReader()) {
      assertThat(former.tryPoll()).isTrue();
      assertThat(former.writer()).isEqualTo("w252");
      for (int i = 0; i < 3; i++) {
        assertThat(former.tryPoll()).isTrue();
      }
      for (int i = 1; i <= 251; i++) { // the records of the last four are in the log
        telemetry.newTraceWriter("again" + i, "tick", TICKS);
      }
      Throws.illegalState("...", () -> newWriter("one more"));
      write(open, 1_000);
      TraceWriter<Tick> tick = telemetry.newTraceWriter("252nd", "tick", TICKS);
      tick.tryClaim().count(7);
      tick.commit();

      assertThat(former.tryPoll()).isTrue();
      assertThat(former.writer()).isEqualTo("open");
      assertThat(former.tryPoll()).isTrue();
      assertThat(former.writer()).isEqualTo("252nd");
      assertThat(former.layout()).isEqualTo(TICKS.layout());
    }
    try (TraceReader reader = log.newTraceReader()) {
      List<String> names = new ArrayList<>();
      while (reader.tryPoll()) {
        names.add(reader.writer());
      }
      assertThat(names).containsExactly("w254", "w255", "open", "252nd");
    }
  }

  @Test
  void record_ofAWriterWhoseEntryIsUsedAgain_isLost(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("again.telemetry");
    Telemetry written = Telemetry.create(file, Options.defaults().withTrace(RECORDS, RECORD_BYTES));
    write(written.newTraceWriter("w", "trade", Trade.TYPE), 1);
    write(written.newTraceWriter("v", "trade", Trade.TYPE), 2);
    written.close();
    byte[] bytes = Files.readAllBytes(file);
    bytes[4_096 + 256 * 384] = 2 << 2 | 2; // the state of the first entry is of its second writer
    Files.write(file, bytes);
    try (TelemetryReader opened = TelemetryReader.open(file);
        TraceReader reader = opened.newTraceReader()) {
      assertThat(reader.tryPoll()).isTrue();
      assertThat(reader.writer()).isEqualTo("v");
      assertThat(reader.lostCount()).isEqualTo(1);
      assertThat(reader.readCount()).isEqualTo(1);
    }
  }

  // ---- elsewhere ----

  @Test
  void seek_toASequence_readsOnFromThere() {
    TraceWriter<Trade> writer = newWriter("w");
    for (long id = 0; id < 10; id++) {
      write(writer, id);
    }
    assertThat(reader.sequence()).isNegative();
    reader.seek(8);
    Throws.illegalState("...", reader::text);
    assertThat(reader.tryPoll()).isTrue();
    assertThat(trade.id()).isEqualTo(8);
    assertThat(reader.sequence()).isEqualTo(8);
    reader.seek(2);
    assertThat(reader.tryPoll()).isTrue();
    assertThat(trade.id()).as("the oldest that is kept").isEqualTo(6);
    assertThat(reader.lostCount()).isEqualTo(4);
    Throws.illegalArgument("sequence must be in 0..10: sequence=11", () -> reader.seek(11));
  }

  @Test
  void seek_toATime_readsAWindow() {
    TraceWriter<Trade> writer = newWriter("w");
    long now = System.nanoTime();
    for (long id = 0; id < RECORDS; id++) {
      writer.tryClaimAt(now + id * 1_000_000_000).id(id);
      writer.commit();
    }
    Instant from = log.timeOf(now).plusMillis(500);
    Instant to = from.plusSeconds(2);
    reader.seek(from);
    List<Long> read = new ArrayList<>();
    while (reader.tryPoll() && reader.time().isBefore(to)) {
      read.add(trade.id());
    }
    assertThat(read).containsExactly(1L, 2L);
    reader.seek(log.timeOf(now + 1_000_000_000));
    assertThat(reader.position()).as("a time is in its own window").isEqualTo(1);
    reader.seek(Instant.MIN);
    assertThat(reader.position()).isZero();
    reader.seek(Instant.MAX);
    assertThat(reader.tryPoll()).isFalse();
    assertThat(reader.position()).isEqualTo(RECORDS);
    Throws.a(NullPointerException.class, () -> reader.seek(null));
  }

  @Test
  void claims_inAnyForm_areOfOneRecord() {
    TraceWriter<Trade> writer = newWriter("w");
    writer.claim().id(1);
    writer.commit();
    writer.claim(Duration.ofSeconds(1)).id(2);
    writer.commit();
    assertThat(writer.tryClaim(5)).isEqualTo(1);
    writer.at(0).id(3);
    Throws.outOfBounds(() -> writer.at(1));
    writer.commit();
    assertThat(writer.claim(5)).isEqualTo(1);
    writer.at(0).id(4);
    writer.commit();
    Throws.illegalArgument("limit must be in 1..2147483647: limit=0", () -> writer.tryClaim(0));
    assertThat(readAll()).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void reader_whenClosed_throws() {
    reader.close();
    reader.close();
    Throws.illegalState("...", reader::tryPoll, () -> reader.seek(0), reader::skipUnfinished);
  }

  @Test
  void traceLog_whereThereIsNone_isRefused() {
    Telemetry without = Telemetry.inMemory(Options.defaults());
    Throws.illegalState(
        "telemetry must be made with a trace log: ...",
        () -> without.newTraceWriter("w", "trade", Trade.TYPE));
    Throws.illegalState("...", () -> without.newReader().newTraceReader());
    without.close();
  }
}

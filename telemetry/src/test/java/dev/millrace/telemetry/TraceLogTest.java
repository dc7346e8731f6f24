package dev.millrace.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.core.NativeMemory;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.telemetry.Telemetry.Options;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A trace log in memory. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TraceLogTest {
  private static final int RECORDS = 4;
  private static final int RECORD_BYTES = 48;
  private static final int TEXT_BYTES = RECORD_BYTES - 16 - 16;

  private final Telemetry telemetry =
      Telemetry.inMemory(Options.defaults().withTrace(RECORDS, RECORD_BYTES));
  private final TraceLog log = telemetry.traceLog();

  /** Two fields. */
  static final class Trade extends Flyweight {
    static final RecordLayout LAYOUT =
        RecordLayout.of(
            ValueLayout.JAVA_LONG.withName("id"), ValueLayout.JAVA_DOUBLE.withName("price"));
    private static final RecordLayout.Field ID = LAYOUT.field("id");
    private static final RecordLayout.Field PRICE = LAYOUT.field("price");

    Trade(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    Trade id(long id) {
      putLong(ID, id);
      return this;
    }

    long id() {
      return getLong(ID);
    }

    Trade price(double price) {
      putDouble(PRICE, price);
      return this;
    }

    double price() {
      return getDouble(PRICE);
    }
  }

  /** One field. */
  private static final class Tick extends Flyweight {
    private static final RecordLayout LAYOUT =
        RecordLayout.of(ValueLayout.JAVA_INT.withName("count"));
    private static final RecordLayout.Field COUNT = LAYOUT.field("count");

    Tick(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    void count(int count) {
      putInt(COUNT, count);
    }

    int count() {
      return getInt(COUNT);
    }
  }

  /** A field that the layout's text cannot name. */
  private static final class Odd extends Flyweight {
    Odd(MemorySegment memory) {
      super(RecordLayout.of(ValueLayout.JAVA_INT.withName("a:b")), memory);
    }
  }

  @AfterEach
  void close() {
    telemetry.close();
  }

  private TraceLog.Reader newReader() {
    return telemetry.newReader().newTraceReader();
  }

  private static void write(TraceLog.Writer<Trade> writer, long id) {
    assertThat(writer.tryClaim()).isTrue();
    writer.record().id(id).price(id / 4.0);
    assertThat(writer.commit()).isTrue();
  }

  // ---- records ----

  @Test
  void record_isReadBack_withItsHead() {
    TraceLog.Writer<Trade> trades = log.newWriter("feed-1", "trade", Trade::new);
    TraceLog.Writer<Tick> ticks = log.newWriter("feed-2", "tick", Tick::new);
    Instant before = Instant.now();
    long from = System.nanoTime();
    assertThat(trades.tryClaim()).isTrue();
    trades.record().id(7).price(2.5);
    trades.text("a “fill”");
    assertThat(trades.commit()).isTrue();
    assertThat(ticks.tryClaim(from)).isTrue();
    ticks.record().count(3);
    assertThat(ticks.commit()).isTrue();

    try (TraceLog.Reader reader = newReader()) {
      Trade trade = reader.newView(Trade::new);
      Tick tick = reader.newView(Tick::new);
      assertThat(reader.next()).isTrue();
      assertThat(reader.writer()).isEqualTo("feed-1");
      assertThat(reader.type()).isEqualTo("trade");
      assertThat(reader.layout()).isEqualTo(Trade.LAYOUT);
      assertThat(reader.text()).isEqualTo("a “fill”");
      assertThat(reader.nanoTime()).isBetween(from, System.nanoTime());
      assertThat(reader.time()).isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
      assertThat(trade.id()).isEqualTo(7);
      assertThat(trade.price()).isEqualTo(2.5);

      assertThat(reader.next()).isTrue();
      assertThat(reader.writerId()).isEqualTo(1);
      assertThat(reader.type()).isEqualTo("tick");
      assertThat(reader.text()).isEmpty();
      assertThat(reader.nanoTime()).isEqualTo(from);
      assertThat(tick.count()).isEqualTo(3);

      assertThat(reader.next()).isFalse();
      assertThatThrownBy(reader::time)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("reader must be on a record: next() has returned none");
    }
  }

  @Test
  void records_thatAreOverwritten_areCountedAsLost() {
    TraceLog.Writer<Trade> writer = log.newWriter("w", "trade", Trade::new);
    try (TraceLog.Reader reader = newReader()) {
      Trade trade = reader.newView(Trade::new);
      for (long id = 0; id < 10; id++) {
        write(writer, id);
      }
      List<Long> read = new ArrayList<>();
      while (reader.next()) {
        read.add(trade.id());
      }
      assertThat(read).containsExactly(6L, 7L, 8L, 9L);
      assertThat(reader.lostCount()).isEqualTo(6);
      assertThat(reader.readCount()).isEqualTo(4);
      assertThat(log.claimedCount()).isEqualTo(10);
    }
  }

  @Test
  void record_thatIsAborted_isCountedAsRefused() {
    TraceLog.Writer<Trade> writer = log.newWriter("w", "trade", Trade::new);
    assertThat(writer.tryClaim()).isTrue();
    writer.abort();
    write(writer, 1);
    try (TraceLog.Reader reader = newReader()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.refusedCount()).isEqualTo(1);
      assertThat(log.refusedCount()).isEqualTo(1);
    }
  }

  @Test
  void record_whoseSlotIsStillWritten_isRefused() {
    TraceLog.Writer<Trade> slow = log.newWriter("slow", "trade", Trade::new);
    TraceLog.Writer<Trade> writer = log.newWriter("w", "trade", Trade::new);
    assertThat(slow.tryClaim()).isTrue();
    for (long id = 1; id < RECORDS; id++) {
      write(writer, id);
    }
    assertThat(writer.tryClaim()).as("of the slot that is written").isFalse();
    write(writer, 5);
    assertThat(slow.commit()).as("overtaken").isFalse();
    assertThat(log.refusedCount()).isEqualTo(2);
  }

  @Test
  void reader_beforeAnUnfinishedRecord_waitsUntilItIsToldToSkip() {
    TraceLog.Writer<Trade> slow = log.newWriter("slow", "trade", Trade::new);
    TraceLog.Writer<Trade> writer = log.newWriter("w", "trade", Trade::new);
    assertThat(slow.tryClaim()).isTrue();
    write(writer, 1);
    try (TraceLog.Reader reader = newReader()) {
      Trade trade = reader.newView(Trade::new);
      assertThat(reader.next()).isFalse();
      assertThat(reader.skipUnfinished()).isEqualTo(1);
      assertThat(reader.next()).isTrue();
      assertThat(trade.id()).isEqualTo(1);
      assertThat(reader.unfinishedCount()).isEqualTo(1);
    }
    assertThat(slow.commit()).isTrue();
  }

  @Test
  void position_ofAReader_countsAllClaimsBeforeIt() {
    TraceLog.Writer<Trade> writer = log.newWriter("w", "trade", Trade::new);
    for (long id = 0; id < 6; id++) {
      write(writer, id);
    }
    assertThat(writer.tryClaim()).isTrue();
    writer.abort();
    TelemetryReader telemetryReader = telemetry.newReader();
    assertThat(telemetryReader.traceReading())
        .contains(new TelemetryReader.TraceReading(RECORDS, RECORD_BYTES, 7, 1));
    try (TraceLog.Reader reader = telemetryReader.newTraceReader()) {
      assertThat(reader.position()).as("the oldest that is there").isEqualTo(3);
      while (reader.next()) {
        assertThat(reader.position()).isEqualTo(3 + reader.readCount());
      }
      assertThat(reader.position()).isEqualTo(7);
      assertThat(writer.tryClaim()).isTrue();
      assertThat(reader.next()).isFalse();
      assertThat(reader.position()).as("before the unfinished one").isEqualTo(7);
      assertThat(telemetryReader.traceReading().orElseThrow().claimed()).isEqualTo(8);
      writer.abort();
    }
  }

  @Test
  void traceReading_withoutALog_isEmpty() {
    try (Telemetry without = Telemetry.inMemory(Options.defaults())) {
      assertThat(without.newReader().traceReading()).isEmpty();
    }
  }

  // ---- text ----

  @Test
  void text_thatDoesNotFit_isCutAtAWholeCharacter() {
    TraceLog.Writer<Trade> writer = log.newWriter("w", "trade", Trade::new);
    assertThat(writer.tryClaim()).isTrue();
    writer.text("x".repeat(TEXT_BYTES - 1) + "é");
    assertThat(writer.commit()).isTrue();
    assertThat(writer.tryClaim()).isTrue();
    writer.text("replaced");
    writer.text("y".repeat(TEXT_BYTES) + "z");
    assertThat(writer.commit()).isTrue();
    assertThat(writer.tryClaim()).isTrue();
    writer.text("\uD83D\uDE00 \uD83D? \uDE00");
    assertThat(writer.commit()).isTrue();
    try (TraceLog.Reader reader = newReader()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.text()).isEqualTo("x".repeat(TEXT_BYTES - 1));
      assertThat(reader.next()).isTrue();
      assertThat(reader.text()).isEqualTo("y".repeat(TEXT_BYTES));
      assertThat(reader.next()).isTrue();
      assertThat(reader.text()).isEqualTo("\uD83D\uDE00 ?? ?");
    }
  }

  // ---- limits ----

  @Test
  void limits_leaveRecordsOut_andCountThem() {
    TraceLog.Writer<Trade> third =
        log.newWriter("w", "trade", Trade::new, new TraceLog.Limits(3, Integer.MAX_VALUE));
    int written = 0;
    for (int i = 0; i < 10; i++) {
      if (third.tryClaim()) {
        third.abort();
        written++;
      }
    }
    assertThat(written).isEqualTo(4); // the first, and then every third
    assertThat(third.leftOutCount()).isEqualTo(6);

    TraceLog.Writer<Trade> twoASecond =
        log.newWriter("w", "trade", Trade::new, new TraceLog.Limits(1, 2));
    long now = System.nanoTime();
    written = 0;
    for (int i = 0; i < 10; i++) {
      if (twoASecond.tryClaim(now + i * 250_000_000L)) {
        twoASecond.abort();
        written++;
      }
    }
    assertThat(written).as("in three begun seconds").isEqualTo(6);
    assertThat(log.claimedCount()).isEqualTo(4 + 6);
  }

  // ---- misuse ----

  @Test
  void calls_withoutOrWithinAClaim_areRefused() {
    TraceLog.Writer<Trade> writer = log.newWriter("w", "trade", Trade::new);
    assertThatThrownBy(writer::commit)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("claim must be open: none is");
    assertThatThrownBy(writer::abort).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> writer.text("t")).isInstanceOf(IllegalStateException.class);
    assertThat(writer.tryClaim()).isTrue();
    assertThatThrownBy(writer::tryClaim)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("record must be committed or aborted before the next");
    assertThat(writer.commit()).isTrue();
    assertThatThrownBy(() -> writer.record().id(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void writer_ofAFlyweightElsewhere_isRefusedAndTakesNoNumber() {
    try (NativeMemory elsewhere = NativeMemory.allocate(64)) {
      assertThatThrownBy(() -> log.newWriter("w", "trade", _ -> new Trade(elsewhere.segment())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("flyweight must be on the memory that it was given: ");
    }
    write(log.newWriter("first", "trade", Trade::new), 1);
    try (TraceLog.Reader reader = newReader()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.writerId()).isZero();
    }
  }

  @Test
  void writer_ofARecordThatDoesNotFit_isRefused() {
    Telemetry small = Telemetry.inMemory(Options.defaults().withTrace(RECORDS, 24));
    assertThatThrownBy(() -> small.traceLog().newWriter("w", "trade", Trade::new))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("size of trade must be in 1..8: size of trade=16");
    assertThatThrownBy(() -> log.newWriter("w", "odd", Odd::new))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "field of a trace record must not begin with a digit, nor have a colon: field=a:b");
    assertThatThrownBy(() -> log.newWriter("w".repeat(1100), "trade", Trade::new))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("bytes of writer, type and layout must be in 8..1024: ");
    small.close();
  }

  @Test
  void reader_ofADamagedFile_saysWhatIsWrong(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("damaged.telemetry");
    Telemetry written = Telemetry.create(file, Options.defaults().withTrace(RECORDS, RECORD_BYTES));
    write(written.traceLog().newWriter("w", "trade", Trade::new), 1);
    written.close();
    byte[] whole = Files.readAllBytes(file);
    int section = ByteBuffer.wrap(whole).order(ByteOrder.nativeOrder()).getInt(64);
    int writer = section + (int) TraceStreams.SIZE_BYTES + 256 + 16; // behind stamp and time
    int layout = section + 128 + 8 + "wtrade".length();
    assertThat(refusal(file, whole, writer, (byte) 9))
        .isEqualTo("writer of a record must be one of the log: writer=9, writers=1");
    assertThat(refusal(file, whole, writer + 4, (byte) 17))
        .isEqualTo("text of a record must fit it: textBytes=17, room=16");
    assertThat(refusal(file, whole, layout, (byte) '('))
        .startsWith("layout must have '{' at character 0: layout=(id:<j8");
    assertThat(refusal(file, whole, section + 128, (byte) 0xff)).startsWith("layout must have ");
    assertThat(refusal(file, whole, section + 129, (byte) 0xff))
        .startsWith("lengths of writer 0 must fit its entry: lengths=0x");
  }

  /** What a reader says of a file in which one byte is another. */
  private static String refusal(Path file, byte[] whole, int at, byte damage) throws IOException {
    byte[] damaged = whole.clone();
    damaged[at] = damage;
    Files.write(file, damaged);
    try (TelemetryReader opened = TelemetryReader.open(file);
        TraceLog.Reader reader = opened.newTraceReader()) {
      assertThatThrownBy(reader::text).hasMessageStartingWith("reader must be on a record");
      return assertThrows(IllegalStateException.class, reader::next).getMessage();
    }
  }

  @Test
  void writers_moreThanThereIsRoomFor_areRefused() {
    for (int i = 0; i < TraceStreams.CAPACITY; i++) {
      log.newWriter("w" + i, "trade", Trade::new);
    }
    assertThatThrownBy(() -> log.newWriter("one more", "trade", Trade::new))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("writers must not be more than 256 in a log's life: writer=one more");
  }

  @Test
  void traceLog_whereThereIsNone_isRefused() {
    Telemetry without = Telemetry.inMemory(Options.defaults());
    assertThatThrownBy(without::traceLog)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("telemetry must be made with a trace log: ");
    assertThatThrownBy(() -> without.newReader().newTraceReader())
        .isInstanceOf(IllegalStateException.class);
    without.close();
  }
}

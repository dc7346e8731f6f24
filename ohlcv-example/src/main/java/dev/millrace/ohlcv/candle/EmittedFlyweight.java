package dev.millrace.ohlcv.candle;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * What a trade has made a shard emit, in native memory: a copy of a candle that left for it, or
 * word that the trade itself was refused. 184 bytes.
 */
final class EmittedFlyweight extends Flyweight {
  static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("number"),
          JAVA_LONG.withName("line"),
          CandleFlyweight.LAYOUT.layout().withName("candle"),
          JAVA_BYTE.withName("what"));

  private static final byte CANDLE = 0;
  private static final byte VOLUME_REFUSED = 1;
  private static final byte QUOTE_VOLUME_REFUSED = 2;

  private static final RecordLayout.Field NUMBER = LAYOUT.field("number");
  private static final RecordLayout.Field LINE = LAYOUT.field("line");
  private static final RecordLayout.Field WHAT = LAYOUT.field("what");
  private static final long CANDLE_OFFSET = LAYOUT.offsetOf("candle");
  private static final long CANDLE_BYTES = CandleFlyweight.LAYOUT.sizeBytes();

  private final CandleFlyweight candle;

  EmittedFlyweight(MemorySegment memory) {
    super(LAYOUT, memory);
    this.candle = new CandleFlyweight(memory);
  }

  /** Writes that a candle left for a trade. */
  void setCandle(long number, CandleFlyweight left) {
    putLong(NUMBER, number);
    putByte(WHAT, CANDLE);
    MemorySegment.copy(
        left.memory(), left.offset(), memory(), offset() + CANDLE_OFFSET, CANDLE_BYTES);
  }

  /** Writes that a trade was refused. */
  void setRefused(long number, long line, String field) {
    putLong(NUMBER, number);
    putByte(WHAT, field.equals("volume") ? VOLUME_REFUSED : QUOTE_VOLUME_REFUSED);
    putLong(LINE, line);
  }

  /** The number of the trade. */
  long number() {
    return getLong(NUMBER);
  }

  /** Tells the sink. */
  void giveTo(CandleSink sink) throws IOException {
    byte what = getByte(WHAT);
    if (what == CANDLE) {
      candle.moveTo(offset() + CANDLE_OFFSET);
      sink.candle(candle);
    } else {
      sink.refused(getLong(LINE), what == VOLUME_REFUSED ? "volume" : "quote_volume");
    }
  }
}

package dev.millrace.flyweight;

import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.flyweight.outside.OutsideFlyweightTest.TradeFlyweight;
import dev.millrace.testkit.Throws;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Finds a view that reads beyond its memory, at no position or by a field of another layout instead
 * of refusing. What the accessors read and write is tested elsewhere.
 */
class FlyweightTest {
  private static final long SIZE = TradeFlyweight.LAYOUT.sizeBytes();

  private final MemorySegment memory = Arena.ofAuto().allocate(10 * SIZE, 8);
  private final TradeFlyweight trade = new TradeFlyweight(memory);

  @Test
  void new_whenMemoryIsNativeOrEmpty_knowsLayoutAndMemory() {
    assertThat(trade.memory()).isSameAs(memory);
    for (TradeFlyweight one : List.of(trade, new TradeFlyweight(MemorySegment.NULL))) {
      assertThat(one.layout()).isSameAs(TradeFlyweight.LAYOUT);
      assertThat(one.offset()).isNegative();
    }
  }

  @Test
  void new_whenMemoryIsHeap_isRefused() {
    MemorySegment heap = MemorySegment.ofArray(new byte[64]);
    Throws.illegalArgument("memory must be native: memory=" + heap, () -> new TradeFlyweight(heap));
  }

  @Test
  void new_whenArgumentIsNull_isRefused() {
    Throws.a(NullPointerException.class, "layout", () -> new DynamicFlyweight(null, memory));
    Throws.a(NullPointerException.class, () -> new TradeFlyweight(null));
  }

  @Test
  void access_whenNotPositionedOrMovedOutside_throws() {
    Throws.outOfBounds(trade::timestamp, () -> trade.price(1.0));
    trade.moveTo(10 * SIZE);
    Throws.outOfBounds(trade::timestamp);
    trade.moveTo(-1);
    Throws.outOfBounds(trade::timestamp);
  }

  @Test
  void moveTo_whenInside_viewsThatRecord() {
    trade.moveTo(3 * SIZE);
    trade.timestamp(7).price(-2.0);

    assertThat(trade.offset()).isEqualTo(3 * SIZE);
    TradeFlyweight other = new TradeFlyweight(memory);
    other.moveTo(3 * SIZE);
    assertThat(other.timestamp()).isEqualTo(7);
    assertThat(other.price()).isEqualTo(-2.0);
    other.moveTo(2 * SIZE);
    assertThat(other.price()).isZero();
    other.moveTo(4 * SIZE);
    assertThat(other.timestamp()).isZero();
  }

  @Test
  void access_whenMemoryIsClosed_throws() {
    TradeFlyweight late;
    try (Arena arena = Arena.ofShared()) {
      late = new TradeFlyweight(arena.allocate(SIZE, 8));
      late.moveTo(0);
      late.timestamp(1);
    }
    Throws.illegalState("...", late::timestamp, () -> late.price(1.0));
  }

  @Test
  void put_whenMemoryIsReadOnly_throws() {
    TradeFlyweight reader = new TradeFlyweight(memory.asReadOnly());
    reader.moveTo(0);
    assertThat(reader.timestamp()).isZero();
    Throws.illegalArgument("...", () -> reader.timestamp(1));
    assertThat(reader.timestamp()).isZero();
  }

  @Test
  void access_whenFieldIsMisused_throwsAndSaysHow() {
    RecordLayout layout =
        RecordLayout.of(
            JAVA_LONG.withName("id"),
            sequenceLayout(8, JAVA_BYTE).withName("symbol"),
            sequenceLayout(3, structLayout(JAVA_INT.withName("size"))).withName("levels"));
    Field id = layout.field("id");
    Field size = layout.field("levels[].size");
    Field symbol = layout.field("symbol");
    DynamicFlyweight flyweight = new DynamicFlyweight(layout, memory);
    flyweight.moveTo(0);

    Throws.illegalArgument(
        "field id must be accessed as long: type=double", () -> flyweight.putDouble(id, 1.0));
    Throws.illegalArgument(
        "field id must be accessed as long: type=bytes", () -> flyweight.getUtf8(id));
    Throws.illegalArgument(
        "field symbol must be accessed as bytes: type=int", () -> flyweight.getInt(symbol));
    Throws.illegalArgument(
        "field levels[].size must be accessed with an index:"
            + " field=levels[].size: int at 16, 3 times every 4 bytes",
        () -> flyweight.getInt(size));
    Throws.illegalArgument(
        "field id must be accessed without an index: field=id: long at 0",
        () -> flyweight.getLong(id, 0));
    Throws.illegalArgument(
        "field timestamp must be of the flyweight's own layout: field=timestamp: long at 0",
        () -> flyweight.getLong(TradeFlyweight.LAYOUT.field("timestamp")));
    String rule = "index of levels[].size must be in 0..2: index=";
    Throws.outOfBounds(rule + 3, () -> flyweight.getInt(size, 3));
    Throws.outOfBounds(rule + -1, () -> flyweight.putInt(size, -1, 5));
  }
}

package dev.millrace.flyweight;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.outside.OutsideFlyweightTest.TradeFlyweight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Finds a record that is printed with a field missing or wrong, or that throws when it is printed
 * because its memory is gone.
 */
class FlyweightPrinterTest {
  private static final RecordLayout ORDER =
      RecordLayout.of(
          JAVA_BYTE.withName("kind"),
          JAVA_BOOLEAN.withName("live"),
          JAVA_SHORT.withName("lot"),
          JAVA_CHAR.withName("side"),
          JAVA_CHAR.withName("control"),
          structLayout(
                  JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN).withName("version"),
                  JAVA_FLOAT.withName("scale"))
              .withName("header"),
          sequenceLayout(2, structLayout(JAVA_DOUBLE.withName("price"), JAVA_LONG.withName("size")))
              .withName("levels"),
          sequenceLayout(3, JAVA_SHORT).withName("flags"),
          sequenceLayout(8, JAVA_BYTE).withName("symbol"),
          sequenceLayout(2, JAVA_BYTE).withName("raw"));

  @Test
  void toString_whenPlain_showsFields() {
    TradeFlyweight trade = new TradeFlyweight(Arena.ofAuto().allocate(100, 8));
    trade.moveTo(64);
    trade.timestamp(1).price(-0.5).symbol("A");
    assertThat(trade).hasToString("TradeFlyweight@64{timestamp=1, price=-0.5, symbol=\"A\"}");
  }

  @Test
  void toString_whenNestedAndRepeated_showsAll() {
    DynamicFlyweight order = order();
    assertThat(order)
        .hasToString(
            "DynamicFlyweight@8{kind=-1, live=true, lot=100, side='B', control=0x0007,"
                + " header={version=3, scale=0.5},"
                + " levels=[{price=1.5, size=10}, {price=0.0, size=0}],"
                + " flags=[0, 0, 9], symbol=\"Z\u00FCrich\", raw=0x00ff}");
  }

  @Test
  void toString_whenRepeatedOften_showsTheFirst() {
    RecordLayout layout = RecordLayout.of(sequenceLayout(40, JAVA_INT).withName("values"));
    assertThat(DynamicFlyweight.of(layout))
        .hasToString("DynamicFlyweight@0{values=[" + "0, ".repeat(32) + "and 8 more]}");
  }

  @Test
  void toString_whenStructIsEmptyOfFields_showsBraces() {
    RecordLayout layout =
        RecordLayout.of(
            JAVA_LONG.withName("id"), structLayout(paddingLayout(8)).withName("reserved"));
    assertThat(DynamicFlyweight.of(layout)).hasToString("DynamicFlyweight@0{id=0, reserved={}}");
  }

  @Test
  void hexDump_showsSixteenBytesPerLine() {
    RecordLayout layout =
        RecordLayout.of(
            JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN).withName("id"),
            sequenceLayout(13, JAVA_BYTE).withName("text"));
    DynamicFlyweight flyweight = new DynamicFlyweight(layout, Arena.ofAuto().allocate(1024, 8));
    flyweight.moveTo(512);
    flyweight.putLong(layout.field("id"), 0x0102030405060741L);
    flyweight.putUtf8(layout.field("text"), "Hello, you ~!");
    assertThat(flyweight.hexDump())
        .isEqualTo(
            """
            00000200  01 02 03 04 05 06 07 41 48 65 6c 6c 6f 2c 20 79  |.......AHello, y|
            00000210  6f 75 20 7e 21 00 00 00                          |ou ~!...|\
            """);
  }

  @Test
  void print_whenUnreadable_saysWhy() throws InterruptedException {
    TradeFlyweight trade = new TradeFlyweight(MemorySegment.NULL);
    assertPrinted(trade, "TradeFlyweight{not positioned}");
    trade.moveTo(64);
    assertPrinted(
        trade, "TradeFlyweight@64{view of TradeFlyweight must be within its memory: offset=64, ");

    TradeFlyweight late;
    AtomicReference<String> seenElsewhere = new AtomicReference<>();
    try (Arena arena = Arena.ofConfined()) {
      late = new TradeFlyweight(arena.allocate(100, 8));
      late.moveTo(0);
      Thread other = new Thread(() -> seenElsewhere.set(late + late.hexDump()));
      other.start();
      other.join();
    }
    assertThat(seenElsewhere.get())
        .isEqualTo("TradeFlyweight@0{Attempted access outside owning thread}".repeat(2));
    assertPrinted(
        late,
        "TradeFlyweight@0{view of TradeFlyweight may no longer be used: its memory is closed}");
  }

  private static void assertPrinted(Flyweight flyweight, String expected) {
    assertThat(flyweight.toString()).startsWith(expected);
    assertThat(flyweight.hexDump()).startsWith(expected);
  }

  private static DynamicFlyweight order() {
    DynamicFlyweight order =
        new DynamicFlyweight(ORDER, Arena.ofAuto().allocate(8 + ORDER.sizeBytes(), 8));
    order.moveTo(8);
    order.putByte(ORDER.field("kind"), (byte) -1);
    order.putBoolean(ORDER.field("live"), true);
    order.putShort(ORDER.field("lot"), (short) 100);
    order.putChar(ORDER.field("side"), 'B');
    order.putChar(ORDER.field("control"), '\u0007');
    order.putInt(ORDER.field("header.version"), 3);
    order.putFloat(ORDER.field("header.scale"), 0.5f);
    order.putDouble(ORDER.field("levels[].price"), 0, 1.5);
    order.putLong(ORDER.field("levels[0].size"), 10);
    order.putShort(ORDER.field("flags[]"), 2, (short) 9);
    order.putUtf8(ORDER.field("symbol"), "Z\u00FCrich");
    order.putBytes(ORDER.field("raw"), new byte[] {0, (byte) 0xFF});
    return order;
  }
}

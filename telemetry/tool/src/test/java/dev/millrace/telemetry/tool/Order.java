package dev.millrace.telemetry.tool;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** A record with fields of every type, nested and repeated. */
final class Order extends Flyweight {
  static final RecordLayout LAYOUT =
      RecordLayout.of(
          ValueLayout.JAVA_LONG.withName("id"),
          ValueLayout.JAVA_DOUBLE.withName("price"),
          ValueLayout.JAVA_FLOAT.withName("share"),
          ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN).withName("count"),
          ValueLayout.JAVA_SHORT.withName("flags"),
          ValueLayout.JAVA_CHAR.withName("side"),
          ValueLayout.JAVA_BYTE.withName("version"),
          ValueLayout.JAVA_BOOLEAN.withName("live"),
          MemoryLayout.sequenceLayout(6, ValueLayout.JAVA_BYTE).withName("symbol"),
          MemoryLayout.sequenceLayout(
                  2,
                  MemoryLayout.structLayout(
                      ValueLayout.JAVA_INT.withName("bid"), ValueLayout.JAVA_INT.withName("ask")))
              .withName("levels"),
          MemoryLayout.structLayout(
                  MemoryLayout.sequenceLayout(2, ValueLayout.JAVA_SHORT).withName("legs"))
              .withName("route"));

  private static final RecordLayout.Field ID = LAYOUT.field("id");
  private static final RecordLayout.Field PRICE = LAYOUT.field("price");
  private static final RecordLayout.Field SHARE = LAYOUT.field("share");
  private static final RecordLayout.Field COUNT = LAYOUT.field("count");
  private static final RecordLayout.Field FLAGS = LAYOUT.field("flags");
  private static final RecordLayout.Field SIDE = LAYOUT.field("side");
  private static final RecordLayout.Field VERSION = LAYOUT.field("version");
  private static final RecordLayout.Field LIVE = LAYOUT.field("live");
  private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");
  private static final RecordLayout.Field BID = LAYOUT.field("levels[].bid");
  private static final RecordLayout.Field ASK = LAYOUT.field("levels[].ask");
  private static final RecordLayout.Field LEGS = LAYOUT.field("route.legs[]");

  Order(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  /** Sets all fields, to values that tell them apart. */
  void fill(long id, double price) {
    putLong(ID, id);
    putDouble(PRICE, price);
    putFloat(SHARE, 0.1f);
    putInt(COUNT, -7);
    putShort(FLAGS, (short) 300);
    putChar(SIDE, 'b');
    putByte(VERSION, (byte) -1);
    putBoolean(LIVE, true);
    putUtf8(SYMBOL, "A\"é");
    putInt(BID, 0, 1);
    putInt(ASK, 0, 2);
    putInt(BID, 1, 3);
    putInt(ASK, 1, 4);
    putShort(LEGS, 0, (short) 5);
    putShort(LEGS, 1, (short) 6);
  }

  /** Sets what is text to what is none. */
  void spoil() {
    putChar(SIDE, '\u0007');
    putBytes(SYMBOL, new byte[] {'A', 0, 'B', (byte) 0xff, 0, 0});
  }
}

package dev.millrace.flyweight;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.Text;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.StringJoiner;

/** Formats a record for people, or says why it cannot be read. */
final class FlyweightPrinter {
  private static final int MAX_ELEMENTS = 32;
  private static final int MAX_BYTES = 64;
  private static final int BYTES_PER_LINE = 16;

  private final MemorySegment memory;

  private FlyweightPrinter(MemorySegment memory) {
    this.memory = memory;
  }

  /**
   * Formats the record that {@code flyweight} views.
   *
   * @param hex whether to show the record's bytes, 16 per line, instead of its fields in one line
   */
  static String print(FlyweightCursor flyweight, boolean hex) {
    String name = FlyweightCursor.nameOf(flyweight);
    long offset = flyweight.offset;
    if (offset < 0) {
      return name + "{not positioned}";
    }
    String place = name + "@" + offset;
    FlyweightPrinter printer = new FlyweightPrinter(flyweight.memory);
    try {
      return hex
          ? printer.dump(offset, flyweight.layout.sizeBytes())
          : place + printer.show(flyweight.layout.layout(), offset);
    } catch (IllegalStateException | IndexOutOfBoundsException | WrongThreadException unreadable) {
      return place + "{" + flyweight.explained(unreadable).getMessage() + "}";
    }
  }

  private String show(MemoryLayout layout, long at) {
    return switch (layout) {
      case StructLayout struct -> members(struct, at);
      case ValueLayout value -> value(value.withByteAlignment(1), at);
      case SequenceLayout bytes when LayoutTable.isBytes(bytes) ->
          bytes((int) bytes.byteSize(), at);
      case SequenceLayout sequence -> elements(sequence, at);
      default -> throw new AssertionError(layout); // a record layout has no other members
    };
  }

  private String members(StructLayout struct, long at) {
    StringJoiner members = new StringJoiner(", ", "{", "}");
    long memberAt = at;
    for (MemoryLayout member : struct.memberLayouts()) {
      if (!(member instanceof PaddingLayout)) {
        members.add(Checks.shown(member.name().orElseThrow()) + "=" + show(member, memberAt));
      }
      memberAt += member.byteSize();
    }
    return members.toString();
  }

  private String elements(SequenceLayout sequence, long at) {
    StringJoiner elements = new StringJoiner(", ", "[", "]");
    long count = sequence.elementCount();
    for (long i = 0; i < Math.min(count, MAX_ELEMENTS); i++) {
      elements.add(show(sequence.elementLayout(), at + i * sequence.elementLayout().byteSize()));
    }
    if (count > MAX_ELEMENTS) {
      elements.add("and " + (count - MAX_ELEMENTS) + " more");
    }
    return elements.toString();
  }

  private String value(ValueLayout layout, long at) {
    return switch (layout) {
      case ValueLayout.OfBoolean type -> String.valueOf(memory.get(type, at));
      case ValueLayout.OfByte type -> String.valueOf(memory.get(type, at));
      case ValueLayout.OfShort type -> String.valueOf(memory.get(type, at));
      case ValueLayout.OfChar type -> character(memory.get(type, at));
      case ValueLayout.OfInt type -> String.valueOf(memory.get(type, at));
      case ValueLayout.OfLong type -> String.valueOf(memory.get(type, at));
      case ValueLayout.OfFloat type -> String.valueOf(memory.get(type, at));
      case ValueLayout.OfDouble type -> String.valueOf(memory.get(type, at));
      default -> throw new AssertionError(layout); // a record layout has no addresses
    };
  }

  private static String character(char value) {
    return isPrintable(value) ? "'" + value + "'" : "0x" + HexFormat.of().toHexDigits(value);
  }

  /**
   * Shows {@code sizeBytes} bytes as text if they are valid text followed only by zeros, and
   * otherwise in hex.
   */
  private String bytes(int sizeBytes, long at) {
    byte[] all = memory.asSlice(at, sizeBytes).toArray(ValueLayout.JAVA_BYTE);
    byte[] content = Text.content(memory, at, sizeBytes);
    String text = new String(content, UTF_8);
    boolean isText =
        Arrays.equals(Arrays.copyOf(content, sizeBytes), all)
            && text.codePoints().allMatch(FlyweightPrinter::isPrintable);
    return isText ? '"' + Checks.shown(text) + '"' : "0x" + hex(all);
  }

  private static String hex(byte[] bytes) {
    String hex = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, MAX_BYTES));
    return bytes.length > MAX_BYTES ? hex + "... (" + bytes.length + " bytes)" : hex;
  }

  private static boolean isPrintable(int codePoint) {
    return !Character.isISOControl(codePoint)
        && codePoint != Text.REPLACEMENT
        && Character.isDefined(codePoint)
        && Character.getType(codePoint) != Character.SURROGATE;
  }

  private String dump(long offset, long sizeBytes) {
    StringJoiner lines = new StringJoiner("\n");
    for (long line = 0; line < sizeBytes; line += BYTES_PER_LINE) {
      long count = Math.min(BYTES_PER_LINE, sizeBytes - line);
      byte[] bytes = memory.asSlice(offset + line, count).toArray(ValueLayout.JAVA_BYTE);
      String hex = HexFormat.ofDelimiter(" ").formatHex(bytes);
      String ascii = new String(bytes, ISO_8859_1).replaceAll("[^ -~]", ".");
      lines.add("%08x  %-47s  |%s|".formatted(offset + line, hex, ascii));
    }
    return lines.toString();
  }
}

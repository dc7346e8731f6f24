package dev.millrace.flyweight;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;

/** Shows a record to people, and says why where it cannot be read. */
final class FlyweightPrinter {
  private static final int MAX_ELEMENTS = 32;
  private static final int BYTES_PER_LINE = 16;

  private final MemorySegment memory;
  private final StringBuilder out = new StringBuilder();

  private FlyweightPrinter(MemorySegment memory) {
    this.memory = memory;
  }

  /** Returns the fields in one line. */
  static String fields(FlyweightCursor flyweight) {
    return printed(flyweight, false);
  }

  /** Returns the bytes, 16 per line with their offset in memory and what they are in ASCII. */
  static String hexDump(FlyweightCursor flyweight) {
    return printed(flyweight, true);
  }

  private static String printed(FlyweightCursor flyweight, boolean hex) {
    String name = flyweight.getClass().getSimpleName();
    long offset = flyweight.offset;
    if (offset < 0) {
      return name + "{not positioned}";
    }
    FlyweightPrinter printer = new FlyweightPrinter(flyweight.memory);
    try {
      if (hex) {
        printer.appendDump(offset, flyweight.layout.sizeBytes());
      } else {
        printer.out.append(name).append('@').append(offset);
        printer.append(flyweight.layout.layout(), offset);
      }
      return printer.out.toString();
    } catch (IllegalStateException closed) {
      return name + "@" + offset + "{memory is closed}";
    } catch (IndexOutOfBoundsException outside) {
      return name + "@" + offset + "{outside the memory}";
    } catch (WrongThreadException confined) {
      return name + "@" + offset + "{memory belongs to another thread}";
    }
  }

  private void append(MemoryLayout layout, long at) {
    switch (layout) {
      case StructLayout struct -> appendMembers(struct, at);
      case ValueLayout value -> appendValue(value.withByteAlignment(1), at);
      case SequenceLayout bytes when LayoutTable.isBytes(bytes) -> appendBytes(bytes, at);
      case SequenceLayout sequence -> appendElements(sequence, at);
      default -> throw new AssertionError(layout); // a record layout has no others
    }
  }

  private void appendMembers(StructLayout struct, long at) {
    long memberAt = at;
    String separator = "{";
    for (MemoryLayout member : struct.memberLayouts()) {
      if (!(member instanceof PaddingLayout)) {
        out.append(separator).append(member.name().orElseThrow()).append('=');
        append(member, memberAt);
        separator = ", ";
      }
      memberAt += member.byteSize();
    }
    out.append(separator.equals("{") ? "{}" : "}");
  }

  private void appendElements(SequenceLayout sequence, long at) {
    long count = sequence.elementCount();
    for (long i = 0; i < Math.min(count, MAX_ELEMENTS); i++) {
      out.append(i == 0 ? "[" : ", ");
      append(sequence.elementLayout(), at + i * sequence.elementLayout().byteSize());
    }
    out.append(count > MAX_ELEMENTS ? ", and " + (count - MAX_ELEMENTS) + " more]" : "]");
  }

  private void appendValue(ValueLayout layout, long at) {
    switch (layout) {
      case ValueLayout.OfBoolean type -> out.append(memory.get(type, at));
      case ValueLayout.OfByte type -> out.append(memory.get(type, at));
      case ValueLayout.OfShort type -> out.append(memory.get(type, at));
      case ValueLayout.OfChar type -> appendChar(memory.get(type, at));
      case ValueLayout.OfInt type -> out.append(memory.get(type, at));
      case ValueLayout.OfLong type -> out.append(memory.get(type, at));
      case ValueLayout.OfFloat type -> out.append(memory.get(type, at));
      case ValueLayout.OfDouble type -> out.append(memory.get(type, at));
      default -> throw new AssertionError(layout); // a record layout has no addresses
    }
  }

  private void appendChar(char value) {
    if (isPrintable(value)) {
      out.append('\'').append(value).append('\'');
    } else {
      out.append("0x").append(HexFormat.of().toHexDigits(value));
    }
  }

  /** Appends bytes as text if they are such and nothing but zeros follows, otherwise in hex. */
  private void appendBytes(SequenceLayout layout, long at) {
    int sizeBytes = (int) layout.byteSize();
    byte[] all = memory.asSlice(at, sizeBytes).toArray(ValueLayout.JAVA_BYTE);
    byte[] content = Text.content(memory, at, sizeBytes);
    String text = new String(content, UTF_8);
    boolean isText =
        Arrays.equals(Arrays.copyOf(content, sizeBytes), all)
            && text.codePoints().allMatch(FlyweightPrinter::isPrintable);
    if (isText) {
      out.append('"').append(text).append('"');
    } else {
      out.append("0x").append(HexFormat.of().formatHex(all));
    }
  }

  private static boolean isPrintable(int codePoint) {
    return !Character.isISOControl(codePoint)
        && codePoint != Text.REPLACEMENT
        && Character.isDefined(codePoint)
        && Character.getType(codePoint) != Character.SURROGATE;
  }

  private void appendDump(long offset, long sizeBytes) {
    String separator = "";
    for (long line = 0; line < sizeBytes; line += BYTES_PER_LINE) {
      long count = Math.min(BYTES_PER_LINE, sizeBytes - line);
      byte[] bytes = memory.asSlice(offset + line, count).toArray(ValueLayout.JAVA_BYTE);
      out.append(separator).append(dumped(offset + line, bytes));
      separator = "\n";
    }
  }

  private static String dumped(long at, byte[] bytes) {
    StringBuilder hex = new StringBuilder();
    StringBuilder ascii = new StringBuilder();
    for (int i = 0; i < bytes.length; i++) {
      hex.append(i == BYTES_PER_LINE / 2 ? "  " : " ");
      hex.append(HexFormat.of().toHexDigits(bytes[i]));
      ascii.append(bytes[i] >= 0x20 && bytes[i] < 0x7F ? (char) bytes[i] : '.');
    }
    return "%08x %-49s  |%s|".formatted(at, hex, ascii);
  }
}

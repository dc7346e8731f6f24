package dev.millrace.telemetry.tool;

import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * Reads the fields of a record whose layout is known only at run time.
 *
 * <table>
 *   <caption>What a field becomes</caption>
 *   <tr><th>in the layout</th><th>value</th></tr>
 *   <tr><td>boolean, a number</td><td>the same value, boxed</td></tr>
 *   <tr><td>char</td><td>a {@link Character}, or {@link Raw} if it cannot be printed</td></tr>
 *   <tr><td>a sequence of bytes</td><td>a {@link String} if the bytes are text, padded with zeros;
 *   otherwise {@link Raw}</td></tr>
 *   <tr><td>another sequence</td><td>a {@link List}</td></tr>
 *   <tr><td>a struct</td><td>a {@link Map} by name, in order</td></tr>
 * </table>
 */
public final class RecordFields {
  private RecordFields() {}

  /**
   * Bytes that are not text.
   *
   * @param hex two digits for each byte
   */
  public record Raw(String hex) {
    /** Returns {@code 0x} and the digits. */
    @Override
    public String toString() {
      return "0x" + hex;
    }
  }

  /**
   * Reads all fields.
   *
   * @param layout the record's layout
   * @param memory the memory that holds the record
   * @param offset the offset of the record in that memory
   * @return the fields by name, in order
   */
  public static Map<String, Object> read(RecordLayout layout, MemorySegment memory, long offset) {
    return struct(layout.layout(), memory, offset);
  }

  private static Object value(MemoryLayout layout, MemorySegment memory, long at) {
    return switch (layout) {
      case GroupLayout struct -> struct(struct, memory, at);
      case SequenceLayout bytes when bytes.elementLayout() instanceof ValueLayout.OfByte ->
          bytes(memory.asSlice(at, bytes.byteSize()).toArray(ValueLayout.JAVA_BYTE));
      case SequenceLayout sequence -> elements(sequence, memory, at);
      case ValueLayout value -> number(value.withByteAlignment(1), memory, at);
      case PaddingLayout _ -> throw new AssertionError(layout); // padding was skipped above
    };
  }

  private static Map<String, Object> struct(GroupLayout struct, MemorySegment memory, long at) {
    Map<String, Object> fields = new LinkedHashMap<>();
    long memberAt = at;
    for (MemoryLayout member : struct.memberLayouts()) {
      if (!(member instanceof PaddingLayout)) {
        fields.put(member.name().orElseThrow(), value(member, memory, memberAt));
      }
      memberAt += member.byteSize();
    }
    return Collections.unmodifiableMap(fields);
  }

  private static List<Object> elements(SequenceLayout sequence, MemorySegment memory, long at) {
    List<Object> elements = new ArrayList<>();
    long stride = sequence.elementLayout().byteSize();
    for (long i = 0; i < sequence.elementCount(); i++) {
      elements.add(value(sequence.elementLayout(), memory, at + i * stride));
    }
    return List.copyOf(elements);
  }

  private static Object number(ValueLayout layout, MemorySegment memory, long at) {
    return switch (layout) {
      case ValueLayout.OfBoolean type -> memory.get(type, at);
      case ValueLayout.OfByte type -> memory.get(type, at);
      case ValueLayout.OfShort type -> memory.get(type, at);
      case ValueLayout.OfChar type -> character(memory.get(type, at));
      case ValueLayout.OfInt type -> memory.get(type, at);
      case ValueLayout.OfLong type -> memory.get(type, at);
      case ValueLayout.OfFloat type -> memory.get(type, at);
      case ValueLayout.OfDouble type -> memory.get(type, at);
      default -> throw new AssertionError(layout); // a record layout has no addresses
    };
  }

  private static Object character(char value) {
    return Escapes.isPrintable(value) ? value : new Raw(HexFormat.of().toHexDigits(value));
  }

  private static Object bytes(byte[] all) {
    int length = all.length;
    while (length > 0 && all[length - 1] == 0) {
      length--;
    }
    return textOrRaw(all, length, Escapes::isPrintable);
  }

  /**
   * Returns the first {@code length} bytes as a string if they are text whose characters all match
   * {@code isOfText}. Otherwise returns all bytes as {@link Raw}.
   */
  static Object textOrRaw(byte[] all, int length, IntPredicate isOfText) {
    try {
      String text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(all, 0, length)).toString();
      if (text.codePoints().allMatch(isOfText)) {
        return text;
      }
    } catch (CharacterCodingException e) {
      // not text: see below
    }
    return new Raw(HexFormat.of().formatHex(all));
  }
}

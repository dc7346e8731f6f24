package dev.millrace.queues.internal.shared;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The layout of a record as text that a file can hold, for people and for programs in other
 * languages. Two records have the same text only if their fields have the same names, types and
 * places: {@code 0 id: long, 8 price: double, 16 levels: 4 x {0 size: int}}.
 */
public final class LayoutText {
  private LayoutText() {}

  /**
   * Describes a record. A text that is too long is cut, and ends with a checksum of all of it.
   *
   * @param before what comes before the description
   */
  public static String of(String before, GroupLayout record) {
    StringBuilder text = new StringBuilder(before);
    appendMembers(text, record);
    String all = escaped(text);
    if (all.length() <= FileLayout.LAYOUT_BYTES) {
      return all;
    }
    CRC32C checksum = new CRC32C();
    checksum.update(all.getBytes(UTF_8));
    String end = "... 0x%08x".formatted(checksum.getValue());
    return all.substring(0, FileLayout.LAYOUT_BYTES - end.length()) + end;
  }

  private static void appendMembers(StringBuilder text, GroupLayout group) {
    String separator = "";
    long offset = 0;
    for (MemoryLayout member : group.memberLayouts()) {
      if (!(member instanceof PaddingLayout)) {
        text.append(separator).append(offset).append(' ').append(member.name().orElse("?"));
        append(text.append(": "), member);
        separator = ", ";
      }
      offset += member.byteSize();
    }
  }

  private static void append(StringBuilder text, MemoryLayout layout) {
    switch (layout) {
      case ValueLayout value -> {
        boolean isSwapped = value.byteSize() > 1 && value.order() != ByteOrder.nativeOrder();
        text.append(value.carrier().getSimpleName()).append(isSwapped ? " swapped" : "");
      }
      case SequenceLayout sequence -> {
        text.append(sequence.elementCount()).append(" x ");
        append(text, sequence.elementLayout());
      }
      case GroupLayout group -> {
        appendMembers(text.append('{'), group);
        text.append("} of ").append(group.byteSize());
      }
      case PaddingLayout padding -> text.append("padding of ").append(padding.byteSize());
    }
  }

  private static String escaped(CharSequence text) {
    StringBuilder ascii = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7F && c != '\\') {
        ascii.append(c);
      } else {
        ascii.append("\\u%04x".formatted((int) c));
      }
    }
    return ascii.toString();
  }
}

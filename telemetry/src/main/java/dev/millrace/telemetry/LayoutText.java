package dev.millrace.telemetry;

import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A record's layout as text, so that who reads a log from outside knows what is in its records.
 *
 * <pre>
 *   struct := '{' [member {',' member}] '}'
 *   member := name ':' type | count                  so many bytes of padding
 *   type   := order letter alignment | count '*' type | struct
 *   order  := '&lt;' little endian | '&gt;' big endian
 *   letter := 'z' boolean | 'b' byte | 's' short | 'c' char | 'i' int | 'j' long | 'f' float | 'd' double
 * </pre>
 *
 * <p>A long, then four bytes of text: {@code {id:<j8,venue:4*<b1}}.
 */
final class LayoutText {
  private static final Map<Character, ValueLayout> TYPES =
      Map.of(
          'z', ValueLayout.JAVA_BOOLEAN,
          'b', ValueLayout.JAVA_BYTE,
          's', ValueLayout.JAVA_SHORT,
          'c', ValueLayout.JAVA_CHAR,
          'i', ValueLayout.JAVA_INT,
          'j', ValueLayout.JAVA_LONG,
          'f', ValueLayout.JAVA_FLOAT,
          'd', ValueLayout.JAVA_DOUBLE);
  private static final Map<Class<?>, Character> LETTERS =
      TYPES.entrySet().stream()
          .collect(Collectors.toMap(entry -> entry.getValue().carrier(), Map.Entry::getKey));

  private final String text;
  private int at;

  private LayoutText(String text) {
    this.text = text;
  }

  // ---- to text ----

  static String of(RecordLayout layout) {
    StringBuilder out = new StringBuilder();
    append(layout.layout(), out);
    return out.toString();
  }

  private static void append(MemoryLayout layout, StringBuilder out) {
    switch (layout) {
      case GroupLayout struct -> appendMembers(struct, out);
      case ValueLayout value ->
          out.append(value.order() == ByteOrder.LITTLE_ENDIAN ? '<' : '>')
              .append(LETTERS.get(value.carrier()))
              .append(value.byteAlignment());
      case SequenceLayout sequence -> {
        out.append(sequence.elementCount()).append('*');
        append(sequence.elementLayout(), out);
      }
      default -> throw new AssertionError(layout); // a record layout has no others
    }
  }

  private static void appendMembers(GroupLayout struct, StringBuilder out) {
    out.append('{');
    String separator = "";
    for (MemoryLayout member : struct.memberLayouts()) {
      out.append(separator);
      if (member instanceof PaddingLayout) {
        out.append(member.byteSize());
      } else {
        out.append(checkedName(member.name().orElseThrow())).append(':');
        append(member, out);
      }
      separator = ",";
    }
    out.append('}');
  }

  private static String checkedName(String name) {
    if (name.isEmpty() || isDigit(name.charAt(0)) || name.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "field of a trace record must not begin with a digit, nor have a colon: field=" + name);
    }
    return name;
  }

  // ---- from text ----

  /**
   * Reads a layout.
   *
   * @param text what {@link #of} made
   * @return the layout
   * @throws IllegalArgumentException if the text is none, naming the place
   */
  static RecordLayout parse(String text) {
    LayoutText parser = new LayoutText(text);
    GroupLayout struct = parser.struct();
    if (parser.at != text.length()) {
      throw parser.refusal("the end");
    }
    return RecordLayout.of(struct);
  }

  private GroupLayout struct() {
    take('{');
    List<MemoryLayout> members = new ArrayList<>();
    while (peek() != '}') {
      if (!members.isEmpty()) {
        take(',');
      }
      members.add(member());
    }
    take('}');
    return MemoryLayout.structLayout(members.toArray(MemoryLayout[]::new));
  }

  private MemoryLayout member() {
    if (isDigit(peek())) {
      return MemoryLayout.paddingLayout(number());
    }
    int colon = text.indexOf(':', at);
    if (colon <= at) {
      throw refusal("a name and a colon");
    }
    String name = text.substring(at, colon);
    at = colon + 1;
    return type().withName(name);
  }

  private MemoryLayout type() {
    char first = peek();
    if (first == '{') {
      return struct();
    }
    if (isDigit(first)) {
      long count = number();
      take('*');
      return MemoryLayout.sequenceLayout(count, type());
    }
    return value();
  }

  private ValueLayout value() {
    ByteOrder order = peek() == '<' ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    if (order == ByteOrder.BIG_ENDIAN) {
      take('>');
    } else {
      take('<');
    }
    ValueLayout type = TYPES.get(peek());
    if (type == null) {
      throw refusal("one of the letters " + TYPES.keySet().stream().sorted().toList());
    }
    at++;
    return type.withOrder(order).withByteAlignment(number());
  }

  // ---- characters ----

  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private static boolean isDigit(char one) {
    return one >= '0' && one <= '9';
  }

  private void take(char wanted) {
    if (peek() != wanted) {
      throw refusal("'" + wanted + "'");
    }
    at++;
  }

  private long number() {
    int from = at;
    while (isDigit(peek())) {
      at++;
    }
    if (from == at || at - from > 9) {
      throw refusal("a number of at most nine digits");
    }
    return Long.parseLong(text, from, at, 10);
  }

  private IllegalArgumentException refusal(String wanted) {
    return new IllegalArgumentException(
        "layout must have " + wanted + " at character " + at + ": layout=" + text);
  }
}

package dev.millrace.telemetry;

import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A record's layout as text, so that a reader of the log knows the fields of a record without the
 * classes of the program that wrote it. The text is words with a blank between them:
 *
 * <pre>
 *   struct := '{' member ... '}'
 *   member := name type | count                       that many bytes of padding
 *   type   := value | count'*' type | struct
 *   value  := order letter alignment, in one word
 *   order  := '&lt;' little endian | '&gt;' big endian
 *   letter := 'z' boolean | 'b' byte | 's' short | 'c' char | 'i' int | 'j' long | 'f' float | 'd' double
 * </pre>
 *
 * <p>A long, then four bytes of text: <code>{ id &lt;j8 venue 4* &lt;b1 }</code>.
 */
final class LayoutText {
  /** By letter, which is that of class files, but in lower case. */
  private static final Map<String, ValueLayout> TYPES =
      Stream.of(
              ValueLayout.JAVA_BOOLEAN,
              ValueLayout.JAVA_BYTE,
              ValueLayout.JAVA_SHORT,
              ValueLayout.JAVA_CHAR,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_FLOAT,
              ValueLayout.JAVA_DOUBLE)
          .collect(Collectors.toMap(LayoutText::letter, Function.identity()));

  private static final Pattern NAME = Pattern.compile("[^ 0-9}][^ ]*");
  private static final Pattern VALUE = Pattern.compile("([<>])([zbscijfd])(\\d{1,9})");

  private LayoutText() {}

  private static String letter(ValueLayout value) {
    return value.carrier().descriptorString().toLowerCase(Locale.ROOT);
  }

  // ---- to text ----

  /**
   * Writes a layout.
   *
   * @throws IllegalArgumentException if the name of a field cannot be written
   */
  static String of(RecordLayout layout) {
    return text(layout.layout());
  }

  private static String text(MemoryLayout layout) {
    return switch (layout) {
      case GroupLayout struct ->
          struct.memberLayouts().stream()
              .map(LayoutText::member)
              .collect(Collectors.joining(" ", "{ ", " }"));
      case SequenceLayout array -> array.elementCount() + "* " + text(array.elementLayout());
      case ValueLayout value ->
          (value.order() == ByteOrder.LITTLE_ENDIAN ? "<" : ">")
              + letter(value)
              + value.byteAlignment();
      default -> throw new AssertionError(layout); // a record layout has no others
    };
  }

  private static String member(MemoryLayout member) {
    if (member instanceof PaddingLayout) {
      return Long.toString(member.byteSize());
    }
    String name = member.name().orElseThrow();
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "field of a trace record must not begin with a digit or }, nor have a blank: field="
              + name);
    }
    return name + " " + text(member);
  }

  // ---- from text ----

  /**
   * Reads a layout.
   *
   * @param text what {@link #of} made
   * @return the layout
   * @throws IllegalArgumentException if the text is none
   */
  static RecordLayout parse(String text) {
    Iterator<String> words = Arrays.asList(text.split(" ")).iterator();
    try {
      if (type(words) instanceof GroupLayout struct && !words.hasNext()) {
        return RecordLayout.of(struct);
      }
    } catch (NoSuchElementException | IllegalArgumentException e) {
      throw new IllegalArgumentException(rule(text) + " (" + e.getMessage() + ")", e);
    }
    throw new IllegalArgumentException(rule(text));
  }

  private static String rule(String text) {
    return "layout must be a struct in the form of a trace log: layout=" + text;
  }

  private static MemoryLayout type(Iterator<String> words) {
    String word = words.next();
    if (word.equals("{")) {
      return struct(words);
    }
    if (word.endsWith("*")) {
      return MemoryLayout.sequenceLayout(number(word.substring(0, word.length() - 1)), type(words));
    }
    Matcher value = VALUE.matcher(word);
    if (!value.matches()) {
      throw new IllegalArgumentException("no type: " + word);
    }
    boolean isLittle = value.group(1).equals("<");
    return TYPES
        .get(value.group(2))
        .withOrder(isLittle ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
        .withByteAlignment(number(value.group(3)));
  }

  private static GroupLayout struct(Iterator<String> words) {
    List<MemoryLayout> members = new ArrayList<>();
    for (String word = words.next(); !word.equals("}"); word = words.next()) {
      members.add(
          NAME.matcher(word).matches()
              ? type(words).withName(word)
              : MemoryLayout.paddingLayout(number(word)));
    }
    return MemoryLayout.structLayout(members.toArray(MemoryLayout[]::new));
  }

  private static long number(String word) {
    return Integer.parseInt(word);
  }
}

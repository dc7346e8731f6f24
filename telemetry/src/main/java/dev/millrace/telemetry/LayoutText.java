package dev.millrace.telemetry;

import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.internal.Checks;
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
import org.jspecify.annotations.NullUnmarked;

/**
 * A record's layout as text. From it, a reader of the log knows the fields of a record without the
 * classes of the program that wrote it. The text consists of words separated by blanks:
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
 * <p>For example, a long followed by four bytes of text is <code>{ id &lt;j8 venue 4* &lt;b1
 * }</code>.
 */
@NullUnmarked // a pattern admits only keys that the map has
final class LayoutText {
  /** Layouts by letter. The letters are those of class files, but in lower case. */
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
              .map(member -> name(member) + text(member))
              .collect(Collectors.joining(" ", "{ ", " }"));
      case SequenceLayout array -> array.elementCount() + "* " + text(array.elementLayout());
      case PaddingLayout padding -> Long.toString(padding.byteSize());
      case ValueLayout value ->
          (value.order() == ByteOrder.LITTLE_ENDIAN ? "<" : ">")
              + letter(value)
              + value.byteAlignment();
    };
  }

  /** Returns the name of a struct's member and a blank, or nothing for padding. */
  private static String name(MemoryLayout member) {
    if (member instanceof PaddingLayout) {
      return "";
    }
    String name = member.name().orElseThrow();
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "field of a trace record must not begin with a digit or }, nor have a blank: field="
              + Checks.shown(name));
    }
    return name + " ";
  }

  // ---- from text ----

  /**
   * Reads a layout.
   *
   * @param text a text that {@link #of} returned
   * @return the layout
   * @throws IllegalArgumentException if the text is not a layout
   */
  static RecordLayout parse(String text) {
    Iterator<String> words = Arrays.asList(text.split(" ")).iterator();
    try {
      if (type(words) instanceof GroupLayout struct && !words.hasNext()) {
        return RecordLayout.of(struct);
      }
      throw new IllegalArgumentException("not one struct");
    } catch (NoSuchElementException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "layout must be a struct in the form of a trace log: layout=%s (%s)"
              .formatted(Checks.shown(text), e.getMessage()),
          e);
    }
  }

  private static MemoryLayout type(Iterator<String> words) {
    String word = words.next();
    if (word.equals("{")) {
      List<MemoryLayout> members = new ArrayList<>();
      for (String next = words.next(); !next.equals("}"); next = words.next()) {
        members.add(
            NAME.matcher(next).matches()
                ? type(words).withName(next)
                : MemoryLayout.paddingLayout(Long.parseLong(next)));
      }
      return MemoryLayout.structLayout(members.toArray(MemoryLayout[]::new));
    }
    if (word.endsWith("*")) {
      long count = Long.parseLong(word.substring(0, word.length() - 1));
      return MemoryLayout.sequenceLayout(count, type(words));
    }
    Matcher value = VALUE.matcher(word);
    if (!value.matches()) {
      throw new IllegalArgumentException("no type: " + Checks.shown(word));
    }
    return TYPES
        .get(value.group(2))
        .withOrder(value.group(1).equals("<") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
        .withByteAlignment(Long.parseLong(value.group(3)));
  }
}

package dev.millrace.flyweight;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.Text;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.UnionLayout;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The members of a record layout by their paths. The constructor walks the layout and rejects any
 * member that a record cannot hold.
 */
final class LayoutTable {
  /** Slots start at multiples of 8 bytes, so a member cannot have a stricter alignment. */
  private static final long MAX_ALIGNMENT_BYTES = 8;

  private static final Pattern INDEX = Pattern.compile("\\[([^\\]]*)\\]");

  /** The number and distance of the elements that one pair of brackets in a path stands for. */
  private record Repeat(long count, long strideBytes) {}

  /** A member; {@code offset} is the offset of its first element. */
  private record Member(long offset, MemoryLayout layout, String path, List<Repeat> repeats) {
    @Nullable Class<?> type() {
      return layout instanceof ValueLayout value
          ? value.carrier()
          : isBytes(layout) ? byte[].class : null;
    }
  }

  private final Map<String, Member> members = new HashMap<>(); // by path, with all indices open
  private final List<String> fields = new ArrayList<>(); // the paths of fields, in order of offset

  /**
   * Walks a struct.
   *
   * @param struct the layout of a record
   * @throws IllegalArgumentException if a member cannot be part of a record
   */
  LayoutTable(GroupLayout struct) {
    if (struct instanceof UnionLayout) {
      throw new IllegalArgumentException("layout must not be a union: layout=" + struct);
    }
    visitMembers((StructLayout) struct, "", 0, List.of());
    checkAlignment("layout", struct);
    if (fields.isEmpty()) {
      throw new IllegalArgumentException("layout must have a field: layout=" + struct);
    }
  }

  /** Returns the paths of all fields in order of offset, with all indices open. */
  List<String> paths() {
    return fields;
  }

  /** Returns whether {@code layout} is a sequence of bytes, which may hold text. */
  static boolean isBytes(MemoryLayout layout) {
    return layout instanceof SequenceLayout bytes
        && bytes.elementLayout() instanceof ValueLayout.OfByte;
  }

  // ---- the walk ----

  private void visitMembers(StructLayout parent, String path, long offset, List<Repeat> repeats) {
    String prefix = path.isEmpty() ? "" : path + ".";
    long memberOffset = offset;
    int position = 0;
    for (MemoryLayout member : parent.memberLayouts()) {
      if (!(member instanceof PaddingLayout)) {
        String name = member.name().orElse("");
        if (name.isEmpty()) {
          throw refused("must have a name", prefix + "#" + position);
        }
        if (name.contains(".") || name.contains("[") || name.contains("]")) {
          throw refused("must have a name without . [ and ]", prefix + name);
        }
        if (members.containsKey(prefix + name)) {
          throw refused("must have a unique name", prefix + name);
        }
        visit(new Member(memberOffset, member, prefix + name, repeats));
      }
      memberOffset += member.byteSize();
      position++;
    }
  }

  private void visit(Member member) {
    checkAlignment("member " + member.path, member.layout);
    members.put(member.path, member);
    if (member.type() != null) {
      fields.add(member.path);
    }
    switch (member.layout) {
      case AddressLayout _ -> throw refused("must not be an address", member.path);
      case UnionLayout _ -> throw refused("must not be a union", member.path);
      case PaddingLayout _ -> throw refused("must not repeat padding", member.path);
      case ValueLayout _ -> {}
      case StructLayout nested -> visitMembers(nested, member.path, member.offset, member.repeats);
      case SequenceLayout sequence -> visitElements(member, sequence);
    }
  }

  private void visitElements(Member member, SequenceLayout sequence) {
    if (sequence.elementCount() == 0) {
      throw refused("must have at least one element", member.path);
    }
    MemoryLayout element = sequence.elementLayout();
    List<Repeat> repeats = new ArrayList<>(member.repeats);
    repeats.add(new Repeat(sequence.elementCount(), element.byteSize()));
    Member elements = new Member(member.offset, element, member.path + "[]", List.copyOf(repeats));
    if (isBytes(sequence)) {
      members.put(elements.path, elements); // the whole sequence is the field
    } else {
      visit(elements);
    }
  }

  private static void checkAlignment(String what, MemoryLayout layout) {
    if (layout.byteAlignment() > MAX_ALIGNMENT_BYTES) {
      throw new IllegalArgumentException(
          what + " must be aligned to at most 8 bytes: alignment=" + layout.byteAlignment());
    }
  }

  private static IllegalArgumentException refused(String rule, String path) {
    return new IllegalArgumentException("member " + rule + ": member=" + Checks.shown(path));
  }

  // ---- paths ----

  /**
   * Follows a path.
   *
   * @param owner the layout that this table belongs to
   * @param path names joined by dots; a name that repeats is followed by an index in brackets
   * @return the member, or null if there is none
   * @throws IllegalArgumentException if an index is out of range, or more than one is open
   */
  @Nullable FieldAt find(RecordLayout owner, String path) {
    Member member = members.get(INDEX.matcher(path).replaceAll("[]"));
    if (member == null) {
      return null;
    }
    long offset = member.offset;
    Repeat open = new Repeat(1, 0);
    Matcher indices = INDEX.matcher(path);
    for (Repeat repeat : member.repeats) {
      String index = indices.find() ? indices.group(1) : "";
      if (!index.isEmpty()) {
        offset += parsed(index, repeat.count, path) * repeat.strideBytes;
      } else if (open.strideBytes == 0) {
        open = repeat;
      } else {
        throw new IllegalArgumentException(
            "path must have at most one open index: path=" + Checks.shown(path));
      }
    }
    Class<?> type = member.type();
    ValueLayout access =
        member.layout instanceof ValueLayout value ? value.withByteAlignment(1) : null;
    Text text = type == byte[].class ? new Text((int) member.layout.byteSize(), path) : null;
    int count = (int) open.count; // the cast is safe, because the whole record fits an int
    return new FieldAt(owner, path, offset, type, access, open.strideBytes, count, text);
  }

  private static long parsed(String index, long elements, String path) {
    long value;
    try {
      value = Long.parseLong(index);
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          "index must be a number: index=" + Checks.shown(index) + ", path=" + Checks.shown(path),
          notANumber);
    }
    if (value < 0 || value >= elements) {
      throw new IllegalArgumentException(
          "index must be in 0.."
              + (elements - 1)
              + ": index="
              + Checks.shown(index)
              + ", path="
              + Checks.shown(path));
    }
    return value;
  }
}

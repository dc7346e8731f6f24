package dev.millrace.flyweight;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.UnionLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rows of a record layout, one per field or padding, found by a walk through its members that
 * refuses what a record cannot hold.
 */
final class LayoutTable {
  /** Slots start at multiples of 8 bytes; a stricter member could not keep its promise there. */
  private static final long MAX_ALIGNMENT_BYTES = 8;

  /** So often, at such a distance: what one pair of brackets in a path stands for. */
  private record Repeat(long count, long strideBytes) {
    @Override
    public String toString() {
      return count + " times every " + strideBytes + " bytes";
    }
  }

  /** One line of the table; a padding has no path. */
  private record Row(long offset, MemoryLayout layout, String path, List<Repeat> repeats) {
    String[] cells() {
      String size = Long.toString(layout.byteSize());
      String often = repeats.stream().map(Repeat::toString).collect(Collectors.joining(", "));
      return new String[] {Long.toString(offset), size, typeName(layout), path, often};
    }
  }

  private final GroupLayout struct;
  private final List<Row> rows = new ArrayList<>();

  /**
   * Walks a struct.
   *
   * @param struct what a record looks like
   * @throws IllegalArgumentException if a member cannot be part of a record
   */
  LayoutTable(GroupLayout struct) {
    this.struct = struct;
    if (struct instanceof UnionLayout) {
      throw new IllegalArgumentException("layout must not be a union: layout=" + struct);
    }
    visitMembers((StructLayout) struct, "", 0, List.of());
    checkAlignment("layout", struct);
    if (paths().isEmpty()) {
      throw new IllegalArgumentException("layout must have a field: layout=" + struct);
    }
  }

  /** Returns the paths of all fields, with open indices, in order of offset. */
  List<String> paths() {
    return rows.stream().map(Row::path).filter(path -> !path.isEmpty()).toList();
  }

  /** Returns whether a member is a fixed number of bytes, which may hold text. */
  static boolean isBytes(MemoryLayout layout) {
    return layout instanceof SequenceLayout bytes
        && bytes.elementLayout() instanceof ValueLayout.OfByte;
  }

  private void visit(MemoryLayout layout, String path, long offset, List<Repeat> repeats) {
    checkAlignment("member " + path, layout);
    switch (layout) {
      case AddressLayout _ -> throw refused("must not be an address", path);
      case UnionLayout _ -> throw refused("must not be a union", path);
      case PaddingLayout _ -> throw refused("must not repeat padding", path);
      case ValueLayout _ -> rows.add(new Row(offset, layout, path, repeats));
      case StructLayout nested -> visitMembers(nested, path, offset, repeats);
      case SequenceLayout sequence -> {
        if (sequence.elementCount() == 0) {
          throw refused("must have at least one element", path);
        }
        if (isBytes(sequence)) {
          rows.add(new Row(offset, layout, path, repeats));
        } else {
          List<Repeat> all = new ArrayList<>(repeats);
          all.add(new Repeat(sequence.elementCount(), sequence.elementLayout().byteSize()));
          visit(sequence.elementLayout(), path + "[]", offset, List.copyOf(all));
        }
      }
    }
  }

  private void visitMembers(StructLayout parent, String path, long offset, List<Repeat> repeats) {
    Set<String> names = new HashSet<>();
    String prefix = path.isEmpty() ? "" : path + ".";
    long memberOffset = offset;
    int position = 0;
    for (MemoryLayout member : parent.memberLayouts()) {
      if (member instanceof PaddingLayout) {
        rows.add(new Row(memberOffset, member, "", repeats));
      } else {
        String name = member.name().orElse("");
        if (name.isEmpty()) {
          throw refused("must have a name", prefix + "#" + position);
        }
        if (name.contains(".") || name.contains("[") || name.contains("]")) {
          throw refused("must have a name without . [ and ]", prefix + name);
        }
        if (!names.add(name)) {
          throw refused("must have a unique name", prefix + name);
        }
        visit(member, prefix + name, memberOffset, repeats);
      }
      memberOffset += member.byteSize();
      position++;
    }
  }

  private static void checkAlignment(String what, MemoryLayout layout) {
    if (layout.byteAlignment() > MAX_ALIGNMENT_BYTES) {
      throw new IllegalArgumentException(
          what + " must be aligned to at most 8 bytes: alignment=" + layout.byteAlignment());
    }
  }

  private static IllegalArgumentException refused(String rule, String path) {
    return new IllegalArgumentException("member " + rule + ": member=" + path);
  }

  private static String typeName(MemoryLayout layout) {
    return switch (layout) {
      case PaddingLayout _ -> "padding";
      case ValueLayout value when RecordLayout.isSwapped(value) ->
          value.carrier()
              + (value.order() == ByteOrder.BIG_ENDIAN ? " big" : " little")
              + "-endian";
      case ValueLayout value -> value.carrier().toString();
      default -> "bytes";
    };
  }

  /** Draws the table: a line per row, columns as wide as needed, the total last. */
  @Override
  public String toString() {
    List<String[]> lines = new ArrayList<>();
    lines.add(new String[] {"offset", "size", "type", "name", ""});
    rows.forEach(row -> lines.add(row.cells()));
    String total = Long.toString(struct.byteSize());
    lines.add(new String[] {total, "", "total", "", "aligned to " + struct.byteAlignment()});

    int[] widths = new int[lines.getFirst().length];
    for (String[] line : lines) {
      for (int column = 0; column < line.length; column++) {
        widths[column] = Math.max(widths[column], line[column].length());
      }
    }
    StringBuilder table = new StringBuilder();
    for (String[] line : lines) {
      StringBuilder drawn = new StringBuilder();
      for (int column = 0; column < line.length; column++) {
        String blanks = " ".repeat(widths[column] - line[column].length());
        boolean isNumber = column < 2;
        drawn.append(isNumber ? blanks + line[column] : line[column] + blanks).append("  ");
      }
      table.append(drawn.toString().stripTrailing()).append('\n');
    }
    return table.substring(0, table.length() - 1);
  }
}

package dev.millrace.flyweight;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;

/**
 * A path followed through a layout, one name or pair of brackets after the other: where it leads,
 * how far into the record that is, and over what its open index runs.
 */
final class FieldPath {
  private final String path;
  private MemoryLayout layout;
  private long offset;
  private long stride;
  private long count = 1;

  /**
   * Follows a path.
   *
   * @param struct where it starts
   * @param path names joined by dots, each with indices in brackets where it repeats
   * @throws IllegalArgumentException if it leads nowhere, or out of a sequence
   */
  FieldPath(GroupLayout struct, String path) {
    this.path = path;
    this.layout = struct;
    int next = 0;
    while (next < path.length() && layout != null) {
      if (path.charAt(next) == '[') {
        next = followIndex(next);
      } else {
        boolean dot = path.charAt(next) == '.' && next > 0;
        next = followName(dot ? next + 1 : next);
      }
    }
  }

  /** Returns what the path leads to, or null if it leads nowhere. */
  MemoryLayout layout() {
    return path.isEmpty() ? null : layout;
  }

  /** Returns the offset of what the path leads to; with an open index, of its first element. */
  long offset() {
    return offset;
  }

  /** Returns the distance between the elements of the open index, or 0 if there is none. */
  long stride() {
    return stride;
  }

  /** Returns the number of elements of the open index, or 1 if there is none. */
  long count() {
    return count;
  }

  private int followName(int from) {
    int to = from;
    while (to < path.length() && path.charAt(to) != '.' && path.charAt(to) != '[') {
      to++;
    }
    String name = path.substring(from, to);
    MemoryLayout found = null;
    if (layout instanceof StructLayout struct) {
      long memberOffset = offset;
      for (MemoryLayout member : struct.memberLayouts()) {
        if (!(member instanceof PaddingLayout) && member.name().orElse("").equals(name)) {
          found = member;
          offset = memberOffset;
          break;
        }
        memberOffset += member.byteSize();
      }
    }
    layout = found;
    return to;
  }

  private int followIndex(int from) {
    int close = path.indexOf(']', from);
    boolean whole = close + 1 == path.length() || (close > 0 && isJoint(path.charAt(close + 1)));
    if (!(layout instanceof SequenceLayout sequence) || close < 0 || !whole) {
      layout = null;
      return from;
    }
    long elementBytes = sequence.elementLayout().byteSize();
    String index = path.substring(from + 1, close);
    if (index.isEmpty()) {
      if (stride != 0) {
        throw new IllegalArgumentException("path must have at most one open index: path=" + path);
      }
      stride = elementBytes;
      count = sequence.elementCount();
    } else {
      offset += parsed(index, sequence.elementCount()) * elementBytes;
    }
    layout = sequence.elementLayout();
    return close + 1;
  }

  private static boolean isJoint(char character) {
    return character == '.' || character == '[';
  }

  private long parsed(String index, long elements) {
    long value;
    try {
      value = Long.parseLong(index);
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          "index must be a number: index=" + index + ", path=" + path, notANumber);
    }
    if (value < 0 || value >= elements) {
      throw new IllegalArgumentException(
          "index must be in 0.." + (elements - 1) + ": index=" + index + ", path=" + path);
    }
    return value;
  }
}

package dev.millrace.queues.messages;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.flyweight.internal.ClosedMemory;
import dev.millrace.flyweight.internal.Text;
import dev.millrace.queues.internal.MovableMessage;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Keeps the fields of whatever object lies before a {@link Message} off its cache-line pair. */
class MessageLeftPad {
  @SuppressWarnings("unused") // padding
  private long l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15;
}

/** The words between the pads; a superclass's fields are laid out before a subclass's. */
class MessagePlace extends MessageLeftPad {
  long start;
  int length = Message.NONE;
  int type;
  boolean hasTime;
  boolean isRepeated; // stays false unless several processes share the queue
}

/**
 * A message in a {@link MessageQueue} or a {@link dev.millrace.queues.log.MessageLog}: its type,
 * and bytes that are written or read in place, at offsets from its first one.
 *
 * {@snippet file="Examples.java" region="message"}
 *
 * <p><b>Roles.</b> Belongs to the end that handed it out, hence to one thread at a time. Each end
 * has one, and moves it from message to message.
 *
 * <p><b>Ordering.</b> All access is plain; the commit and the poll order it.
 *
 * <p><b>Bytes</b> of a claim that were not written hold whatever was in memory. Numbers can be at
 * any offset, in the machine's byte order; for the other one, swap their bytes, as with {@link
 * Integer#reverseBytes}, or use {@link #as} to lay a view over them whose type states the order.
 *
 * <p><b>Failure.</b> An access that is not within the message, or after the end has left it, throws
 * {@link IndexOutOfBoundsException} and touches nothing; one after the queue was closed throws
 * {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> An access is one load or store and a comparison with the length. Only methods
 * that return a string allocate, and {@link #as} the first time for a type.
 *
 * @since 0.1.0
 */
public sealed class Message extends MessagePlace permits MovableMessage {
  static final int NONE = -1; // the length where there is no message
  static final int TIME_BYTES = Long.BYTES; // before the bytes of a message that has a time
  private static final long TYPE = 0xFFFF_FFFFL;

  @SuppressWarnings("unused") // padding
  private long r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;

  private MemorySegment memory; // that of a log changes from segment to segment
  private final MessageCursor cursor = new MessageCursor(this);
  private List<Overlay<?>> overlays; // null until there are some

  /**
   * For the ends of this library.
   *
   * @param memory what its bytes are in
   */
  protected Message(MemorySegment memory) {
    this.memory = memory;
  }

  /** What its bytes are in. */
  MemorySegment memory() {
    return memory;
  }

  /**
   * For the ends of this library: goes to other memory, in which it is on no message.
   *
   * @param memory what its bytes are in from now on
   */
  protected final void lay(MemorySegment memory) {
    leave();
    this.memory = memory;
    overlays = null; // they are of the memory before
  }

  /**
   * For the ends of this library: moves to a message whose time lies right before its bytes.
   *
   * @param start where its bytes begin
   * @param type what kind of message it is
   * @param length how many bytes it has
   */
  protected final void moveToTimed(long start, int type, int length) {
    moveTo(start - TIME_BYTES, type, length, true);
  }

  /** Moves to where the cells of a message begin, which may have a time before its bytes. */
  void moveTo(long cells, int type, int length, boolean hasTime) {
    if (overlays != null) {
      leaveOverlays();
    }
    this.start = hasTime ? cells + TIME_BYTES : cells;
    this.type = type;
    this.length = length;
    this.hasTime = hasTime;
  }

  /** The same, for what a header says. */
  void moveTo(long cells, long header) {
    int word = (int) (header >> Integer.SIZE);
    moveTo(cells, (int) header, word & Integer.MAX_VALUE, word < 0);
  }

  /** Says whether the message that it is on was handed out before. */
  void repeat(boolean isRepeated) {
    this.isRepeated = isRepeated;
  }

  /** How many bytes a header says that there are from the first cell on. */
  static long bytesIn(long header) {
    int word = (int) (header >> Integer.SIZE);
    return (long) (word & Integer.MAX_VALUE) + (word < 0 ? TIME_BYTES : 0);
  }

  /** The header of a message of this length. */
  long header(int length) {
    int word = hasTime ? length | Integer.MIN_VALUE : length;
    return ((long) word << Integer.SIZE) | (type & TYPE);
  }

  /** Writes the time of a message, by where its cells begin. */
  void putTime(long cells, long time) {
    memory.set(JAVA_LONG_UNALIGNED, cells, time);
  }

  /** For the ends of this library: leaves the message it is on. */
  protected final void leave() {
    length = NONE;
    if (overlays != null) {
      leaveOverlays();
    }
  }

  private void leaveOverlays() {
    for (int i = 0; i < overlays.size(); i++) { // by index: an iterator would be allocated
      ((Flyweight) overlays.get(i).view).leave();
    }
  }

  // ---- what it is ----

  /**
   * What kind of message it is, for its reader.
   *
   * @return the number that the claim was given
   * @throws IndexOutOfBoundsException if the end is on no message
   */
  public int type() {
    at(0, 0);
    return type;
  }

  /**
   * How long it is.
   *
   * @return bytes
   * @throws IndexOutOfBoundsException if the end is on no message
   */
  public int length() {
    at(0, 0);
    return length;
  }

  /**
   * When it was committed, by its producer's clock.
   *
   * @return what the clock said
   * @throws IllegalStateException if its producer has no clock: see {@link
   *     MessageQueue#newProducer(java.util.function.LongSupplier)}
   * @throws IndexOutOfBoundsException if the end is on no message
   */
  public long time() {
    long at = at(0, 0) - TIME_BYTES;
    if (!hasTime) {
      throw new IllegalStateException(
          "message has no time, because its producer has no clock: " + this);
    }
    try {
      return memory.get(JAVA_LONG_UNALIGNED, at);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Whether the message was handed out before, to a consumer of a queue that several processes
   * share which died before it released the message. It may have handled the message, or a part of
   * it.
   *
   * @return false also for messages of a log, and of a queue of one process
   * @throws IndexOutOfBoundsException if the end is on no message
   */
  public boolean isRepeated() {
    at(0, 0);
    return isRepeated;
  }

  /**
   * A cursor at the first byte, which reads or writes one value after the other.
   *
   * @return the cursor, the same each time
   */
  public MessageCursor cursor() {
    return cursor.to(0);
  }

  private long at(int offset, int size) {
    if (offset < 0 || offset > length - size) {
      throw outside(offset, size);
    }
    return start + offset;
  }

  private IndexOutOfBoundsException outside(int offset, long size) {
    return new IndexOutOfBoundsException(
        length == NONE
            ? "no message in hand: claim or poll one first"
            : "access must be within the message: offset=%d, bytes=%d, length=%d"
                .formatted(offset, size, length));
  }

  /** Says whose memory it was, if that is why an access failed. */
  private IllegalStateException explained(IllegalStateException failure) {
    return memory.scope().isAlive()
        ? failure
        : new IllegalStateException(
            "message may no longer be used: " + ClosedMemory.whyClosed(memory), failure);
  }

  // ---- numbers ----

  /**
   * Reads a {@code byte}.
   *
   * @param offset of its first byte, from 0
   * @return its value
   */
  public byte getByte(int offset) {
    try {
      return memory.get(JAVA_BYTE, at(offset, 1));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code byte}.
   *
   * @param offset of its first byte, from 0
   * @param value what to write
   * @return this
   */
  public Message putByte(int offset, byte value) {
    try {
      memory.set(JAVA_BYTE, at(offset, 1), value);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code short}.
   *
   * @param offset of its first byte, from 0
   * @return its value
   */
  public short getShort(int offset) {
    try {
      return memory.get(JAVA_SHORT_UNALIGNED, at(offset, 2));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code short}.
   *
   * @param offset of its first byte, from 0
   * @param value what to write
   * @return this
   */
  public Message putShort(int offset, short value) {
    try {
      memory.set(JAVA_SHORT_UNALIGNED, at(offset, 2), value);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code char}.
   *
   * @param offset of its first byte, from 0
   * @return its value
   */
  public char getChar(int offset) {
    try {
      return memory.get(JAVA_CHAR_UNALIGNED, at(offset, 2));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code char}.
   *
   * @param offset of its first byte, from 0
   * @param value what to write
   * @return this
   */
  public Message putChar(int offset, char value) {
    try {
      memory.set(JAVA_CHAR_UNALIGNED, at(offset, 2), value);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Reads an {@code int}.
   *
   * @param offset of its first byte, from 0
   * @return its value
   */
  public int getInt(int offset) {
    try {
      return memory.get(JAVA_INT_UNALIGNED, at(offset, 4));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes an {@code int}.
   *
   * @param offset of its first byte, from 0
   * @param value what to write
   * @return this
   */
  public Message putInt(int offset, int value) {
    try {
      memory.set(JAVA_INT_UNALIGNED, at(offset, 4), value);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code long}.
   *
   * @param offset of its first byte, from 0
   * @return its value
   */
  public long getLong(int offset) {
    try {
      return memory.get(JAVA_LONG_UNALIGNED, at(offset, 8));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code long}.
   *
   * @param offset of its first byte, from 0
   * @param value what to write
   * @return this
   */
  public Message putLong(int offset, long value) {
    try {
      memory.set(JAVA_LONG_UNALIGNED, at(offset, 8), value);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code float}.
   *
   * @param offset of its first byte, from 0
   * @return its value
   */
  public float getFloat(int offset) {
    try {
      return memory.get(JAVA_FLOAT_UNALIGNED, at(offset, 4));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code float}.
   *
   * @param offset of its first byte, from 0
   * @param value what to write
   * @return this
   */
  public Message putFloat(int offset, float value) {
    try {
      memory.set(JAVA_FLOAT_UNALIGNED, at(offset, 4), value);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code double}.
   *
   * @param offset of its first byte, from 0
   * @return its value
   */
  public double getDouble(int offset) {
    try {
      return memory.get(JAVA_DOUBLE_UNALIGNED, at(offset, 8));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code double}.
   *
   * @param offset of its first byte, from 0
   * @param value what to write
   * @return this
   */
  public Message putDouble(int offset, double value) {
    try {
      memory.set(JAVA_DOUBLE_UNALIGNED, at(offset, 8), value);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  // ---- bytes ----

  /**
   * Copies bytes out.
   *
   * @param offset of the first
   * @param target receives them
   * @param from the first index of the target to write
   * @param count how many
   */
  public void getBytes(int offset, byte[] target, int from, int count) {
    try {
      copyOut(offset, target, from, count);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  private void copyOut(int offset, byte[] target, int from, int count) {
    Objects.checkFromIndexSize(from, count, target.length);
    MemorySegment.copy(memory, JAVA_BYTE, at(offset, count), target, from, count);
  }

  /**
   * Copies bytes in.
   *
   * @param offset of the first
   * @param source has them
   * @param from the first index of the source to read
   * @param count how many
   * @return this
   */
  public Message putBytes(int offset, byte[] source, int from, int count) {
    try {
      copyIn(offset, source, from, count);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  private void copyIn(int offset, byte[] source, int from, int count) {
    Objects.checkFromIndexSize(from, count, source.length);
    MemorySegment.copy(source, from, memory, JAVA_BYTE, at(offset, count), count);
  }

  /**
   * Copies bytes out, as many as the target has.
   *
   * @param offset of the first
   * @param target receives them
   */
  public void getBytes(int offset, MemorySegment target) {
    try {
      MemorySegment.copy(memory, at(offset, size(offset, target)), target, 0, target.byteSize());
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Copies bytes in, all that the source has.
   *
   * @param offset of the first
   * @param source has them
   * @return this
   */
  public Message putBytes(int offset, MemorySegment source) {
    try {
      MemorySegment.copy(source, 0, memory, at(offset, size(offset, source)), source.byteSize());
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  private int size(int offset, MemorySegment segment) {
    long size = segment.byteSize();
    if (size > length) {
      throw outside(offset, size);
    }
    return (int) size;
  }

  // ---- text ----

  /**
   * How many bytes a string takes in UTF-8.
   *
   * @param text with no unpaired surrogate
   * @return the number of bytes that {@link #putUtf8} writes
   * @throws IllegalArgumentException if it has an unpaired surrogate, or is longer than an {@code
   *     int} can express
   */
  public static int utf8Length(CharSequence text) {
    return Text.encodedBytes(text);
  }

  /**
   * Writes text in UTF-8, without its length or an end.
   *
   * @param offset of its first byte
   * @param text with no unpaired surrogate
   * @return this
   * @throws IllegalArgumentException if it has an unpaired surrogate; then nothing is written
   */
  public Message putUtf8(int offset, CharSequence text) {
    try {
      int size = utf8Length(text);
      Text.write(text, memory, at(offset, size), size);
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Reads UTF-8 text. Bytes that cannot be decoded are read as U+FFFD.
   *
   * @param offset of its first byte
   * @param size how many bytes it has
   * @return a new string
   */
  public String getUtf8(int offset, int size) {
    try {
      long at = at(offset, checked(offset, size));
      byte[] bytes = new byte[size];
      MemorySegment.copy(memory, JAVA_BYTE, at, bytes, 0, size);
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Reads UTF-8 text up to the end of the message.
   *
   * @param offset of its first byte
   * @return a new string
   */
  public String getUtf8(int offset) {
    at(offset, 0);
    return getUtf8(offset, length - offset);
  }

  /**
   * Appends UTF-8 text, without making a string. Bytes that cannot be decoded become U+FFFD.
   *
   * @param offset of its first byte
   * @param size how many bytes it has
   * @param target what it is appended to
   */
  public void getUtf8(int offset, int size, StringBuilder target) {
    try {
      Checks.notNull("target", target);
      Text.append(memory, at(offset, checked(offset, size)), size, false, target);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes ASCII text, one byte for each character.
   *
   * @param offset of its first byte
   * @param text of characters below 128
   * @return this
   * @throws IllegalArgumentException if it has others; then nothing is written
   */
  public Message putAscii(int offset, CharSequence text) {
    try {
      int size = text.length();
      for (int i = 0; i < size; i++) {
        if (text.charAt(i) > '\u007f') {
          throw new IllegalArgumentException(
              "text must be ASCII: index=" + i + ", text=" + Checks.shown(text));
        }
      }
      long at = at(offset, size);
      for (int i = 0; i < size; i++) {
        memory.set(JAVA_BYTE, at + i, (byte) text.charAt(i));
      }
      return this;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Appends ASCII text, without making a string. Bytes of 128 and more become U+FFFD.
   *
   * @param offset of its first byte
   * @param size how many bytes it has
   * @param target what it is appended to
   */
  public void getAscii(int offset, int size, StringBuilder target) {
    try {
      Checks.notNull("target", target);
      long at = at(offset, checked(offset, size));
      for (int i = 0; i < size; i++) {
        byte read = memory.get(JAVA_BYTE, at + i);
        target.append(read < 0 ? Text.REPLACEMENT : (char) read);
      }
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /** Checks a size that may come out of a message. */
  private int checked(int offset, int size) {
    if (size < 0) {
      throw outside(offset, size);
    }
    return size;
  }

  // ---- records ----

  /**
   * Lays a view onto the message, at its first byte: see {@link #as(FlyweightType, int)}.
   *
   * @param <T> the view of a record
   * @param type the type of the record
   * @return the view
   */
  public <T> T as(FlyweightType<T> type) {
    return as(type, 0);
  }

  /**
   * Lays a view onto the message.
   *
   * @param <T> the view of a record
   * @param type the type of the record
   * @param offset of its first byte
   * @return the view, one per type and reused; it becomes invalid together with the message
   * @throws IndexOutOfBoundsException if the record is not within the message
   */
  public <T> T as(FlyweightType<T> type, int offset) {
    Checks.notNull("type", type);
    long size = type.layout().sizeBytes();
    if (size > length) {
      throw outside(offset, size);
    }
    long at = at(offset, (int) size);
    T view = overlay(type);
    ((Flyweight) view).moveTo(at);
    return view;
  }

  @SuppressWarnings("unchecked") // an overlay's view is of its type
  private <T> T overlay(FlyweightType<T> type) {
    if (overlays == null) {
      overlays = new ArrayList<>(1);
    }
    for (int i = 0; i < overlays.size(); i++) { // by index: an iterator would be allocated
      if (overlays.get(i).type == type) {
        return (T) overlays.get(i).view;
      }
    }
    Overlay<T> added = new Overlay<>(type, type.newFlyweight(memory));
    overlays.add(added);
    return added.view;
  }

  private record Overlay<T>(FlyweightType<T> type, T view) {}

  /** Returns type and length, for debugging. */
  @Override
  public String toString() {
    return length == NONE ? "Message[none]" : "Message[type=" + type + ", length=" + length + "]";
  }
}

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
import dev.millrace.queues.internal.ChannelBuffer;
import dev.millrace.queues.internal.MovableMessage;
import dev.millrace.queues.internal.Transfers;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Keeps the fields of whatever object lies before a {@link Message} off its cache-line pair. */
class MessageLeftPad {
  @SuppressWarnings("unused") // padding
  private long l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15;
}

/** Holds the words between the pads. HotSpot lays out a superclass's fields before a subclass's. */
class MessagePlace extends MessageLeftPad {
  long start;
  int length = Message.NONE;
  int type;
  boolean hasTime;
  boolean isRepeated; // stays false unless several processes share the queue
}

/**
 * A message in a {@link MessageQueue} or a {@link dev.millrace.queues.log.MessageLog}. A message
 * has a type and bytes. You write or read the bytes in place, at offsets from the first byte.
 *
 * {@snippet file="Examples.java" region="message"}
 *
 * <p><b>Roles.</b> A message object belongs to the producer, consumer or reader that handed it out,
 * and therefore to one thread at a time. Each producer, consumer or reader has one message object,
 * and moves the object from message to message.
 *
 * <p><b>Ordering.</b> All accesses are plain. What a producer wrote before it committed the message
 * is visible to a thread that has polled the message.
 *
 * <p><b>Bytes.</b> In a queue, the bytes of a claim hold whatever was in memory before, until the
 * caller writes them. In a log, the bytes of a claim are zero until the caller writes them. Numbers
 * can be at any offset, and are in the machine's byte order. For the other byte order, swap the
 * bytes of each number, for example with {@link Integer#reverseBytes}, or use {@link #as} with a
 * type that states the order.
 *
 * <p><b>Failure.</b> An access outside the message throws {@link IndexOutOfBoundsException} and
 * touches nothing. Once the message is committed, aborted or released, every access throws an
 * {@code IndexOutOfBoundsException}. An access after the queue is closed throws {@link
 * IllegalStateException}.
 *
 * <p><b>Channels.</b> {@link #readFrom} and {@link #writeTo} let a channel read or write the bytes
 * in place, without a copy on the Java heap. No buffer is handed out, because a buffer that is kept
 * would show the bytes of later messages. So this holds for the JDK's own channels: files, sockets,
 * datagrams and pipes. Any other channel, such as one that encrypts, gets a copy of at most 64 KiB
 * for each call. One call of a method is one call of the channel, whose short transfers, end and
 * exceptions it passes on. Closing the channel or interrupting the thread ends a blocked call; the
 * message stays in hand, and can be committed, aborted or released. Closing the queue or log ends
 * it too: {@code close()} closes the channel that a message is being read from or written to, waits
 * until that thread has left the memory, and frees the memory. The thread gets an {@code
 * IllegalStateException} that names the queue or log. A call of a channel that is not the JDK's is
 * not ended. It throws the same when the channel returns.
 *
 * <p><b>Cost.</b> An access is one load or store and a comparison with the length. Methods that
 * return a string allocate. {@link #as} allocates when it is first called for a type and, in a log,
 * again after each change of segment. {@code readFrom} and {@code writeTo} allocate when they are
 * first called and, in a log, again after each change of segment. In memory of more than 1.5 GiB,
 * they allocate again for each GiB. No other method allocates.
 *
 * @since 0.1.0
 */
public sealed class Message extends MessagePlace permits MovableMessage {
  static final int NONE = -1; // the length where there is no message
  static final int TIME_BYTES = Long.BYTES; // before the bytes of a message that has a time
  private static final long TYPE = 0xFFFF_FFFFL;

  @SuppressWarnings("unused") // padding
  private long r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;

  private static final int COPIED = 1 << 16; // most bytes at a time for a channel not of the JDK

  private MemorySegment memory; // that of a log changes from segment to segment
  // null if only the thread of this object frees the memory
  private final @Nullable Transfers transfers;
  private @Nullable ChannelBuffer buffer; // null until bytes go from or to a channel
  private final MessageCursor cursor = new MessageCursor(this);
  private @Nullable List<Overlay<?>> overlays; // null until there are some

  /**
   * For subclasses in this library.
   *
   * @param memory the memory that holds the bytes
   */
  protected Message(MemorySegment memory) {
    this(memory, null);
  }

  /**
   * For subclasses in this library.
   *
   * @param memory the memory that holds the bytes
   * @param transfers the transfers that end before the memory is freed; null if only the thread
   *     that uses this object frees the memory
   */
  @SuppressWarnings("exports") // only subclasses in this library can call it
  protected Message(MemorySegment memory, @Nullable Transfers transfers) {
    this.memory = memory;
    this.transfers = transfers;
  }

  /** Returns the memory that holds the bytes. */
  MemorySegment memory() {
    return memory;
  }

  /**
   * Moves to different memory. After the call, this object is on no message. Only subclasses in
   * this library call this method.
   *
   * @param memory the memory that holds the bytes from now on
   */
  protected final void lay(MemorySegment memory) {
    leave();
    this.memory = memory;
    overlays = null; // they are of the memory before
    buffer = null;
  }

  /**
   * Moves to a message whose time lies right before its bytes. Only subclasses in this library call
   * this method.
   *
   * @param start the offset of the message's bytes
   * @param type the kind of message
   * @param length how many bytes the message has
   */
  protected final void moveToTimed(long start, int type, int length) {
    moveTo(start - TIME_BYTES, type, length, true);
  }

  /** Moves to the message that begins at {@code cells}, which may have a time before its bytes. */
  void moveTo(long cells, int type, int length, boolean hasTime) {
    if (overlays != null) {
      leaveOverlays();
    }
    this.start = hasTime ? cells + TIME_BYTES : cells;
    this.type = type;
    this.length = length;
    this.hasTime = hasTime;
  }

  /** Moves to the message that begins at {@code cells} and has {@code header}. */
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

  /** Returns the header of this message, with the given length. */
  long header(int length) {
    int word = hasTime ? length | Integer.MIN_VALUE : length;
    return ((long) word << Integer.SIZE) | (type & TYPE);
  }

  /** Writes the time of a message, by where its cells begin. */
  void putTime(long cells, long time) {
    memory.set(JAVA_LONG_UNALIGNED, cells, time);
  }

  /**
   * Leaves the message, so that every access throws. Only subclasses in this library call this
   * method.
   */
  protected final void leave() {
    length = NONE;
    if (overlays != null) {
      leaveOverlays();
    }
  }

  @SuppressWarnings("NullAway") // called only where there are some
  private void leaveOverlays() {
    for (int i = 0; i < overlays.size(); i++) { // by index: an iterator would be allocated
      ((Flyweight) overlays.get(i).view).leave();
    }
  }

  // ---- what it is ----

  /**
   * Returns the type number of the message. Producers and readers must agree on what the number
   * means.
   *
   * @return the number that was passed to the claim
   * @throws IndexOutOfBoundsException if this object is on no message
   */
  public int type() {
    at(0, 0);
    return type;
  }

  /**
   * Returns the length of the message.
   *
   * @return the length in bytes
   * @throws IndexOutOfBoundsException if this object is on no message
   */
  public int length() {
    at(0, 0);
    return length;
  }

  /**
   * Returns whether the message has a time, because its producer has a clock.
   *
   * @return whether {@link #time} returns one
   * @throws IndexOutOfBoundsException if this object is on no message
   */
  public boolean hasTime() {
    at(0, 0);
    return hasTime;
  }

  /**
   * Returns when the message was committed, according to its producer's clock.
   *
   * @return the clock's time
   * @throws IllegalStateException if its producer has no clock: see {@link
   *     MessageQueue#newProducer(java.util.function.LongSupplier)}
   * @throws IndexOutOfBoundsException if this object is on no message
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
   * Returns whether the message was handed out before. In a queue between processes, a message is
   * handed out again if the previous consumer did not release the message before that consumer's
   * process died or closed the queue, unless the file was made {@linkplain
   * dev.millrace.queues.QueueOptions#withoutRepeats without repeats}. The previous consumer may
   * have handled all or part of the message.
   *
   * @return whether the message was handed out before; always false in a log or in a queue within
   *     one process
   * @throws IndexOutOfBoundsException if this object is on no message
   */
  public boolean isRepeated() {
    at(0, 0);
    return isRepeated;
  }

  /**
   * Returns a cursor that reads or writes one value after the other, starting at the first byte.
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

  /**
   * Returns an exception that says whose memory was closed if the access failed for that reason, or
   * {@code failure} itself otherwise.
   */
  private IllegalStateException explained(IllegalStateException failure) {
    return memory.scope().isAlive() || failure instanceof Transfers.EndedException
        ? failure
        : new IllegalStateException(
            "message may no longer be used: " + ClosedMemory.whyClosed(memory), failure);
  }

  // ---- numbers ----

  /**
   * Reads a {@code byte}.
   *
   * @param offset the offset of the value's first byte, from 0
   * @return the value
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
   * @param offset the offset of the value's first byte, from 0
   * @param value the value to write
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
   * @param offset the offset of the value's first byte, from 0
   * @return the value
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
   * @param offset the offset of the value's first byte, from 0
   * @param value the value to write
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
   * @param offset the offset of the value's first byte, from 0
   * @return the value
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
   * @param offset the offset of the value's first byte, from 0
   * @param value the value to write
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
   * @param offset the offset of the value's first byte, from 0
   * @return the value
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
   * @param offset the offset of the value's first byte, from 0
   * @param value the value to write
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
   * @param offset the offset of the value's first byte, from 0
   * @return the value
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
   * @param offset the offset of the value's first byte, from 0
   * @param value the value to write
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
   * @param offset the offset of the value's first byte, from 0
   * @return the value
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
   * @param offset the offset of the value's first byte, from 0
   * @param value the value to write
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
   * @param offset the offset of the value's first byte, from 0
   * @return the value
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
   * @param offset the offset of the value's first byte, from 0
   * @param value the value to write
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
   * Copies bytes from the message into an array.
   *
   * @param offset the offset of the first byte
   * @param target receives the bytes
   * @param from the first index of the target to write
   * @param count the number of bytes
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
   * Copies bytes from an array into the message.
   *
   * @param offset the offset of the first byte
   * @param source holds the bytes
   * @param from the first index of the source to read
   * @param count the number of bytes
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
   * Fills a segment with bytes from the message.
   *
   * @param offset the offset of the first byte
   * @param target receives the bytes
   */
  public void getBytes(int offset, MemorySegment target) {
    try {
      MemorySegment.copy(memory, at(offset, size(offset, target)), target, 0, target.byteSize());
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Copies all bytes of a segment to the message.
   *
   * @param offset the offset of the first byte
   * @param source holds the bytes
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

  // ---- channels ----

  /**
   * Reads bytes from a channel to the start of the message, with one call of the channel: see
   * {@link #readFrom(ReadableByteChannel, int, int)}.
   *
   * @param channel the channel to read from
   * @param most the most bytes to read, from 1 to the length of the message
   * @return how many bytes were read; 0 if a non-blocking channel has none; -1 at the end
   * @throws IOException if the channel throws it
   */
  public int readFrom(ReadableByteChannel channel, int most) throws IOException {
    return readFrom(channel, 0, most);
  }

  /**
   * Reads bytes from a channel into the message, with one call of the channel. The channel may give
   * fewer bytes than it could. To fill the message, call again with a higher offset. To end it
   * there, commit the bytes that it has:
   *
   * {@snippet file="Examples.java" region="message-read"}
   *
   * @param channel the channel to read from, in blocking or non-blocking mode
   * @param offset where the first byte goes
   * @param most the most bytes to read, at least 1
   * @return how many bytes were read; 0 if a non-blocking channel has none at the moment; -1 at the
   *     end of the channel
   * @throws IllegalArgumentException if {@code most} is less than 1, or if the message was read
   *     from a log, whose memory is read-only
   * @throws IOException if the channel throws it, for example {@link
   *     java.nio.channels.AsynchronousCloseException} because another thread closed the channel, or
   *     {@link java.nio.channels.ClosedByInterruptException}. The claim is still open
   */
  public int readFrom(ReadableByteChannel channel, int offset, int most) throws IOException {
    Checks.notNull("channel", channel);
    Checks.inRange("most", most, 1, Integer.MAX_VALUE);
    if (memory.isReadOnly()) {
      throw new IllegalArgumentException("message of a log is read-only: " + this);
    }
    try {
      return ChannelBuffer.isFor(channel)
          ? buffer().read(channel, at(offset, most), most, transfers)
          : readCopied(channel, offset, most);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Writes the whole message to a channel, with one call of the channel: see {@link
   * #writeTo(WritableByteChannel, int)}.
   *
   * @param channel the channel to write to
   * @return how many bytes were written, which may be fewer than the message has
   * @throws IOException if the channel throws it
   */
  public int writeTo(WritableByteChannel channel) throws IOException {
    return writeTo(channel, 0);
  }

  /**
   * Writes the bytes from an offset to the end of the message to a channel, with one call of the
   * channel. The channel may take fewer bytes. To write the rest, call again with a higher offset:
   *
   * {@snippet file="Examples.java" region="message-write"}
   *
   * @param channel the channel to write to, in blocking or non-blocking mode
   * @param offset the offset of the first byte to write, from 0 to the length of the message
   * @return how many bytes were written; 0 if a non-blocking channel takes none at the moment, or
   *     if the offset is the length
   * @throws IOException if the channel throws it, for example {@link
   *     java.nio.channels.AsynchronousCloseException} because another thread closed the channel, or
   *     {@link java.nio.channels.ClosedByInterruptException}. The poll is still open
   */
  public int writeTo(WritableByteChannel channel, int offset) throws IOException {
    Checks.notNull("channel", channel);
    long at = at(offset, 0);
    try {
      return ChannelBuffer.isFor(channel)
          ? buffer().write(channel, at, length - offset, transfers)
          : writeCopied(channel, offset);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  private ChannelBuffer buffer() {
    if (buffer == null) {
      buffer = new ChannelBuffer(memory);
    }
    return buffer;
  }

  /** Reads through a copy. The channel may use this message, or keep what it is given. */
  private int readCopied(ReadableByteChannel channel, int offset, int most) throws IOException {
    long _ = at(offset, most);
    byte[] copy = new byte[Math.min(most, COPIED)];
    int count = channel.read(ByteBuffer.wrap(copy));
    if (count > 0) {
      copyIn(offset, copy, 0, count);
    }
    return count;
  }

  private int writeCopied(WritableByteChannel channel, int offset) throws IOException {
    byte[] copy = new byte[Math.min(length - offset, COPIED)];
    copyOut(offset, copy, 0, copy.length);
    return channel.write(ByteBuffer.wrap(copy));
  }

  // ---- text ----

  /**
   * Returns how many bytes the text takes in UTF-8.
   *
   * @param text the text, with no unpaired surrogate
   * @return the number of bytes that {@link #putUtf8} writes
   * @throws IllegalArgumentException if the text has an unpaired surrogate, or if the number of
   *     bytes exceeds the range of {@code int}
   */
  public static int utf8Length(CharSequence text) {
    return Text.encodedBytes(text);
  }

  /**
   * Writes text in UTF-8, without a length or a terminator.
   *
   * @param offset the offset of the text's first byte
   * @param text the text, with no unpaired surrogate
   * @return this
   * @throws IllegalArgumentException if the text has an unpaired surrogate, in which case nothing
   *     is written
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
   * @param offset the offset of the text's first byte
   * @param size how many bytes the text has
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
   * @param offset the offset of the text's first byte
   * @return a new string
   */
  public String getUtf8(int offset) {
    at(offset, 0);
    return getUtf8(offset, length - offset);
  }

  /**
   * Appends UTF-8 text to a builder, without making a string. Bytes that cannot be decoded become
   * U+FFFD.
   *
   * @param offset the offset of the text's first byte
   * @param size how many bytes the text has
   * @param target the builder to append to
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
   * @param offset the offset of the text's first byte
   * @param text the text, whose characters are all below 128
   * @return this
   * @throws IllegalArgumentException if the text has a character above 127, in which case nothing
   *     is written
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
   * Appends ASCII text to a builder, without making a string. Bytes above 127 become U+FFFD.
   *
   * @param offset the offset of the text's first byte
   * @param size how many bytes the text has
   * @param target the builder to append to
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

  /** Checks a size that may have been read from a message. */
  private int checked(int offset, int size) {
    if (size < 0) {
      throw outside(offset, size);
    }
    return size;
  }

  // ---- records ----

  /**
   * Returns a view of a record that starts at the message's first byte: see {@link
   * #as(FlyweightType, int)}.
   *
   * @param <T> the view of a record
   * @param type the type of the record
   * @return the view
   */
  public <T> T as(FlyweightType<T> type) {
    return as(type, 0);
  }

  /**
   * Returns a view of a record within the message.
   *
   * @param <T> the view of a record
   * @param type the type of the record
   * @param offset the offset of the record's first byte
   * @return the view, which is reused for the same type and becomes invalid together with the
   *     message
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

  /** Returns the type and the length, for debugging. */
  @Override
  public String toString() {
    return length == NONE ? "Message[none]" : "Message[type=" + type + ", length=" + length + "]";
  }
}

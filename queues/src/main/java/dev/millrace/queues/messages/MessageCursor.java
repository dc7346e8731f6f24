package dev.millrace.queues.messages;

import dev.millrace.flyweight.internal.Checks;

/**
 * Reads or writes the bytes of a {@link Message}, one value after the other. The values are in the
 * machine's byte order.
 *
 * {@snippet file="Examples.java" region="message-cursor"}
 *
 * <p><b>Failure.</b> Reads and writes throw the same exceptions as those of {@link Message}. A
 * failure leaves the cursor where it was.
 *
 * @since 0.1.0
 */
public final class MessageCursor {
  private final Message message;
  private int position;

  MessageCursor(Message message) {
    this.message = message;
  }

  /**
   * Returns the position of the cursor.
   *
   * @return the offset of the next byte
   */
  public int position() {
    return position;
  }

  /**
   * Moves the cursor.
   *
   * @param offset the offset of the next byte, from 0 to the length of the message
   * @return this
   */
  public MessageCursor to(int offset) {
    position = (int) Checks.inRange("offset", offset, 0, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Returns how many bytes follow the cursor.
   *
   * @return the length of the message less the position
   */
  public int remaining() {
    return message.length() - position;
  }

  /**
   * Reads a {@code byte} and moves past it.
   *
   * @return the value
   */
  public byte getByte() {
    byte value = message.getByte(position);
    position += 1;
    return value;
  }

  /**
   * Writes a {@code byte} and moves past it.
   *
   * @param value the value to write
   * @return this
   */
  public MessageCursor putByte(byte value) {
    message.putByte(position, value);
    position += 1;
    return this;
  }

  /**
   * Reads a {@code short} and moves past it.
   *
   * @return the value
   */
  public short getShort() {
    short value = message.getShort(position);
    position += 2;
    return value;
  }

  /**
   * Writes a {@code short} and moves past it.
   *
   * @param value the value to write
   * @return this
   */
  public MessageCursor putShort(short value) {
    message.putShort(position, value);
    position += 2;
    return this;
  }

  /**
   * Reads a {@code char} and moves past it.
   *
   * @return the value
   */
  public char getChar() {
    char value = message.getChar(position);
    position += 2;
    return value;
  }

  /**
   * Writes a {@code char} and moves past it.
   *
   * @param value the value to write
   * @return this
   */
  public MessageCursor putChar(char value) {
    message.putChar(position, value);
    position += 2;
    return this;
  }

  /**
   * Reads an {@code int} and moves past it.
   *
   * @return the value
   */
  public int getInt() {
    int value = message.getInt(position);
    position += 4;
    return value;
  }

  /**
   * Writes an {@code int} and moves past it.
   *
   * @param value the value to write
   * @return this
   */
  public MessageCursor putInt(int value) {
    message.putInt(position, value);
    position += 4;
    return this;
  }

  /**
   * Reads a {@code long} and moves past it.
   *
   * @return the value
   */
  public long getLong() {
    long value = message.getLong(position);
    position += 8;
    return value;
  }

  /**
   * Writes a {@code long} and moves past it.
   *
   * @param value the value to write
   * @return this
   */
  public MessageCursor putLong(long value) {
    message.putLong(position, value);
    position += 8;
    return this;
  }

  /**
   * Reads a {@code float} and moves past it.
   *
   * @return the value
   */
  public float getFloat() {
    float value = message.getFloat(position);
    position += 4;
    return value;
  }

  /**
   * Writes a {@code float} and moves past it.
   *
   * @param value the value to write
   * @return this
   */
  public MessageCursor putFloat(float value) {
    message.putFloat(position, value);
    position += 4;
    return this;
  }

  /**
   * Reads a {@code double} and moves past it.
   *
   * @return the value
   */
  public double getDouble() {
    double value = message.getDouble(position);
    position += 8;
    return value;
  }

  /**
   * Writes a {@code double} and moves past it.
   *
   * @param value the value to write
   * @return this
   */
  public MessageCursor putDouble(double value) {
    message.putDouble(position, value);
    position += 8;
    return this;
  }

  /**
   * Reads text that {@link #putUtf8} wrote, and moves past it.
   *
   * @return a new string
   */
  public String getUtf8() {
    int size = message.getInt(position);
    String text = message.getUtf8(position + Integer.BYTES, size);
    position += Integer.BYTES + size;
    return text;
  }

  /**
   * Writes an {@code int} with the number of bytes that the text takes in UTF-8, then the text, and
   * moves past both.
   *
   * @param text the text, with no unpaired surrogate
   * @return this
   * @throws IllegalArgumentException if the text has an unpaired surrogate, in which case nothing
   *     is written
   */
  public MessageCursor putUtf8(CharSequence text) {
    int size = Message.utf8Length(text);
    message.putUtf8(position + Integer.BYTES, text);
    message.putInt(position, size);
    position += Integer.BYTES + size;
    return this;
  }
}

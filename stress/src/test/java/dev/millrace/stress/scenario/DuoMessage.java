package dev.millrace.stress.scenario;

import dev.millrace.queues.messages.Message;
import dev.millrace.stress.trial.MessageRecords;

/**
 * A message as a record of two numbers, in its first and in its last cell. Its length is in it too,
 * so that a header of another message shows.
 */
record DuoMessage(Message message) implements Duo {
  /** In place of the first number: the header is not that of the message. */
  static final long TORN = -99;

  @Override
  public long first() {
    boolean isWhole =
        message.type() == MessageRecords.TYPE && message.getLong(Long.BYTES) == message.length();
    return isWhole ? message.getLong(0) : TORN;
  }

  @Override
  public Duo first(long value) {
    message.putLong(0, value).putLong(Long.BYTES, message.length());
    return this;
  }

  @Override
  public long second() {
    return message.getLong(last());
  }

  @Override
  public Duo second(long value) {
    message.putLong(last(), value);
    return this;
  }

  private int last() {
    return message.length() - Long.BYTES;
  }
}

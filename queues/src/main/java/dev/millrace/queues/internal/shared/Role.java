package dev.millrace.queues.internal.shared;

import java.util.Locale;

/** What a participant of a shared file does. */
public enum Role {
  /** Writes into the ring. */
  PRODUCER(1),
  /** Reads from the ring and frees what it has read. */
  CONSUMER(2),
  /** Reads from the ring under a name, and frees nothing. */
  READER(3);

  private static final Role[] BY_CODE = {null, PRODUCER, CONSUMER, READER};

  private final int code;

  Role(int code) {
    this.code = code;
  }

  /** What stands for it in the file; never 0. */
  int code() {
    return code;
  }

  /** In messages. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The role of a code; null if there is none. */
  static Role of(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }
}

package dev.millrace.queues.internal;

import dev.millrace.queues.messages.Message;
import java.lang.foreign.MemorySegment;

/**
 * A message that an end in another package moves: from message to message, and from memory to
 * memory. Its users have it as a {@link Message}, which cannot be moved.
 */
public final class MovableMessage extends Message {
  /**
   * Makes one that is on no message.
   *
   * @param memory what its bytes are in
   */
  public MovableMessage(MemorySegment memory) {
    super(memory);
  }

  /**
   * Goes to other memory, in which it is on no message.
   *
   * @param memory what its bytes are in from now on
   */
  public void switchTo(MemorySegment memory) {
    lay(memory);
  }

  /**
   * Moves to a message whose time lies right before its bytes.
   *
   * @param start where its bytes begin
   * @param type what kind of message it is
   * @param length how many bytes it has
   */
  public void enter(long start, int type, int length) {
    moveToTimed(start, type, length);
  }

  /** Leaves the message it is on. */
  public void exit() {
    leave();
  }
}

package dev.millrace.queues.internal;

import dev.millrace.queues.messages.Message;
import java.lang.foreign.MemorySegment;

/**
 * A message that an end in another package moves: from message to message, and from memory to
 * memory. Its users have it as a {@link Message}, which cannot be moved.
 */
public final class MovableMessage extends Message {
  /** Makes one in this memory that is on no message yet. */
  public MovableMessage(MemorySegment memory) {
    super(memory);
  }

  /** Switches to other memory, in which it is on no message yet. */
  public void switchTo(MemorySegment memory) {
    lay(memory);
  }

  /** Moves to a message whose time lies right before its bytes, which begin at {@code start}. */
  public void enter(long start, int type, int length) {
    moveToTimed(start, type, length);
  }

  /** Leaves the message it is on. */
  public void exit() {
    leave();
  }
}

package dev.millrace.queues.internal;

import dev.millrace.queues.messages.Message;
import java.lang.foreign.MemorySegment;

/**
 * A view that an end in another package moves from message to message and from memory to memory.
 * Users see it as a {@link Message}, which they cannot move.
 */
public final class MovableMessage extends Message {
  /** Makes a view of {@code memory} that is not on a message yet. */
  public MovableMessage(MemorySegment memory) {
    super(memory);
  }

  /** Makes a view of {@code memory}, which is freed once the {@code transfers} have ended. */
  public MovableMessage(MemorySegment memory, Transfers transfers) {
    super(memory, transfers);
  }

  /** Switches to {@code memory}, where the view is not on a message yet. */
  public void switchTo(MemorySegment memory) {
    lay(memory);
  }

  /** Moves to a message whose time lies right before its bytes, which begin at {@code start}. */
  public void enter(long start, int type, int length) {
    moveToTimed(start, type, length);
  }

  /** Leaves the message that the view is on. */
  public void exit() {
    leave();
  }
}

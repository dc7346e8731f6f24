package dev.millrace.queues.internal;

import java.io.IOException;
import java.io.Serial;
import java.nio.channels.Channel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The transfers under way between the memory of a queue or a log and channels. While a system call
 * reads or writes the memory, the JDK refuses to free it, and a read from a socket may block
 * forever. So close() ends the transfers before it frees the memory. Any thread may call any
 * method.
 */
public final class Transfers {
  /** Thrown because the memory is being freed or was freed. */
  public static final class EndedException extends IllegalStateException {
    @Serial private static final long serialVersionUID = 1;

    private EndedException(String message, IOException cause) {
      super(message, cause);
    }
  }

  private static final String CLOSED = "message may no longer be used: it was ended by close() of ";

  private final Object owner;
  private final ReentrantLock lock = new ReentrantLock(); // guards what follows
  private final Condition ended = lock.newCondition();
  private final List<Channel> channels = new ArrayList<>(); // one for each transfer under way
  private boolean isClosed;

  /** Makes the list of a queue or a log, which messages name {@code owner}. */
  public Transfers(Object owner) {
    this.owner = owner;
  }

  /**
   * Notes that a transfer begins. {@link #end} must follow.
   *
   * @throws EndedException if the memory is being freed
   */
  public void begin(Channel channel) {
    lock.lock();
    try {
      if (isClosed) {
        throw new EndedException(CLOSED + owner, null);
      }
      channels.add(channel);
    } finally {
      lock.unlock();
    }
  }

  /** Notes that a transfer has ended, whether or not it succeeded. */
  public void end(Channel channel) {
    lock.lock();
    try {
      boolean _ = channels.remove(channel);
      if (isClosed) {
        ended.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns what to throw for a transfer that failed because its channel was closed: an exception
   * that names the owner if {@link #endAll} closed it, or {@code failure} otherwise.
   */
  public IOException explained(IOException failure) {
    lock.lock();
    try {
      if (isClosed) {
        throw new EndedException(CLOSED + owner + ", which closed the channel", failure);
      }
      return failure;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the channels of all transfers under way, and waits until the transfers have ended. No
   * transfer can begin any more. Further calls do nothing.
   */
  public void endAll() {
    for (Channel channel : refuseFromNowOn()) {
      try {
        channel.close();
      } catch (IOException e) {
        // it is closed nevertheless, and what could not be written is its user's concern
      }
    }
    lock.lock();
    try {
      while (!channels.isEmpty()) {
        ended.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private List<Channel> refuseFromNowOn() {
    lock.lock();
    try {
      isClosed = true;
      return List.copyOf(channels);
    } finally {
      lock.unlock();
    }
  }
}

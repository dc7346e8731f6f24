package dev.millrace.queues.messages;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.shared.Presence;
import dev.millrace.queues.internal.shared.SharedFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the file of a {@link MessageQueue} without taking part. It shows the messages that have not
 * been released yet, the participants, and the positions of both ends. It consumes nothing, and
 * works whether the processes that use the queue are running or have died.
 *
 * {@snippet file="Examples.java" region="observer"}
 *
 * <p><b>Roles.</b> An observer belongs to one thread at a time. A queue may have any number of
 * observers. The file is mapped read-only, so the permission to read it is enough.
 *
 * <p><b>Progress.</b> No method waits, and no participant waits for an observer. {@link
 * #participants} takes a shared lock on the byte of each participant that seems to have died, and
 * releases it at once. A process that wants to take the place of a dead participant in this moment
 * tries again a millisecond later.
 *
 * <p><b>Ordering.</b> Messages are shown in the order of the claims, each at most once. Each is
 * copied first and shown only if the consumer had not released it when the copy was complete, so
 * what is shown is never torn. A message that is released before the observer copies it is not
 * shown. {@link #unseenCells} counts the cells of such messages.
 *
 * <p><b>Failure.</b> {@link #open} refuses a file that is not a queue of messages, or is damaged,
 * with one sentence that says why. If another process overwrites the file later, methods may throw
 * {@link java.io.UncheckedIOException}, and numbers may be wrong, but nothing is read outside the
 * file. If another process truncates the file, they throw {@link InternalError}.
 *
 * <p><b>Cost.</b> An observer has memory for one message of the maximum length. {@link #tryPoll}
 * allocates nothing. {@link #openCells} and the metrics take time proportional to the number of
 * cells in use.
 *
 * @since 0.1.0
 */
public final class MessageObserver implements Measured, AutoCloseable {
  /*
   * A producer writes to a cell again only after it, or a producer that it has met, has acquired
   * a head behind the cell's message. So if a copy has bytes of a later message, the head that is
   * read after the copy is behind the message: see firstInUseNow. This needs a processor on which
   * a store that is visible to one other core is visible to all: x86-64, AArch64 and RISC-V are of
   * this kind. Within one process, snapshots have a fence in all threads instead.
   *
   * Where many consumers share the messages, the same holds for freed instead of the head. A
   * message that is released though one before it is not has a stamp of the next turn then.
   *
   * A stamp that says that its cells hold no message may also be of a later turn, because cells
   * that are out of use are stamped again in each. It counts only while the head has not passed it.
   */
  private final SharedFile file;
  private final MessageQueue queue;
  private final Ring ring;
  private final Stamps stamps;
  private final MemorySegment copy;
  private final Message view;

  private long next; // the sequence of the next message
  private long sequence = -1; // that of the message in the copy
  private long unseen;

  private MessageObserver(SharedFile file, MessageQueue queue) {
    this.file = file;
    this.queue = queue;
    this.ring = queue.ring;
    this.stamps = queue.stamps;
    this.copy = Arena.ofAuto().allocate(queue.maxLength());
    this.view = new Message(copy);
    this.next = queue.words.firstInUse();
  }

  /**
   * Opens a queue for reading. Its first message is the oldest one that is not released.
   *
   * @param file the file of a queue that {@link MessageQueue#spsc(dev.millrace.queues.QueueOptions,
   *     Path)}, {@link MessageQueue#mpsc(dev.millrace.queues.QueueOptions, Path)} or {@link
   *     MessageQueue#mpmc(dev.millrace.queues.QueueOptions, Path)} has made
   * @return an observer, which must be closed
   * @throws IOException if there is no such file, or if it cannot be read or is not a queue
   */
  public static MessageObserver open(Path file) throws IOException {
    Checks.notNull("file", file);
    SharedFile observed = QueueFile.observe(file);
    MessageQueue queue = QueueFile.queue(observed);
    boolean isOpen = false;
    try {
      MessageObserver observer = new MessageObserver(observed, queue);
      isOpen = true;
      return observer;
    } finally {
      if (!isOpen) {
        queue.close(); // it is damaged
      }
    }
  }

  // ---- messages ----

  /**
   * Copies the next message, if there is one that is committed and not released.
   *
   * @return the copy, which stays until the next call and may be written to; null if there is no
   *     such message, if an open claim is before it, or if the consumer has overtaken the observer
   *     again and again
   */
  public @Nullable Message tryPoll() {
    view.leave();
    for (long steps = queue.capacity(); steps >= 0; steps--) { // whatever another process writes
      long first = queue.words.firstInUse();
      if (next < first) {
        unseen += first - next;
        next = first;
      }
      long end = queue.end();
      if (next >= end) {
        return null;
      }
      long cells = stamps.recordsAt(next); // acquires the header and the bytes
      if (cells <= 0 && queue.words.firstInUseNow() > next) {
        continue; // it was released, and its stamp may be of a later turn
      }
      long released = cells == 0 ? queue.words.releasedAt(next) : 0;
      if (released > 0) {
        unseen += released;
        next += released;
        continue;
      }
      if (cells == 0) {
        return null; // its claim is open
      }
      if (cells < 0) {
        next += Math.min(-cells, end - next);
      } else if (tryCopy(cells)) {
        sequence = next;
        next += cells;
        return view;
      }
    }
    return null;
  }

  /** Copies the next message; returns false if the consumer has released it by then. */
  private boolean tryCopy(long cells) {
    long header = racyHeader();
    long bytes = Message.bytesIn(header);
    boolean fits =
        cells <= ring.contiguous(next)
            && bytes <= cells << MessageQueue.CELL_SHIFT
            && bytes <= copy.byteSize();
    if (fits) {
      copyBytes(bytes);
    }
    if (queue.words.firstInUseNow() > next || queue.words.releasedAt(next) > 0) {
      return false;
    }
    if (!fits) {
      long word = stamps.word(next, cells, Stamps.COMMITTED);
      long _ = queue.words.checkMessage(next, next, word, header); // throws
      return false;
    }
    view.moveTo(0, header);
    return true;
  }

  @Speculative
  private long racyHeader() {
    return MessageQueue.header(ring.memory(), queue.entry(next));
  }

  @Speculative
  private void copyBytes(long bytes) {
    MemorySegment.copy(ring.memory(), queue.start(next), copy, 0, bytes);
  }

  /**
   * Returns the sequence of the first cell of the last message that {@link #tryPoll} returned.
   * Sequences count the cells that were ever claimed.
   *
   * @return the sequence of its first cell, or -1 if there was none yet
   */
  public long sequence() {
    return sequence;
  }

  /**
   * Returns how many cells were released since this observer was made, before it could copy their
   * messages. Aborted claims among them count too.
   *
   * @return the number of cells
   */
  public long unseenCells() {
    return unseen;
  }

  /**
   * Returns whether the queue is completed and this observer is past its last message.
   *
   * @return whether no more messages will come
   */
  public boolean isDrained() {
    return isCompleted() && next >= queue.end();
  }

  // ---- the queue ----

  /**
   * Returns the kind of queue.
   *
   * @return the name of the factory, such as {@code MessageQueue.spsc}
   */
  public String kind() {
    return file.spec().kind();
  }

  /**
   * Returns whether messages that a consumer had in hand when it died are handed out again.
   *
   * @return false if they are counted as lost instead
   */
  public boolean isRepeating() {
    return file.spec().setting(QueueFile.REPEATS) != 0;
  }

  /**
   * Returns the number of cells, of {@value MessageQueue#CELL_BYTES} bytes each.
   *
   * @return the capacity in cells
   */
  public int capacity() {
    return queue.capacity();
  }

  /**
   * Returns the length of the longest possible message.
   *
   * @return the length in bytes
   */
  public int maxLength() {
    return queue.maxLength();
  }

  /**
   * Returns the size of the file.
   *
   * @return the size in bytes
   */
  public long sizeBytes() {
    return file.sizeBytes();
  }

  /**
   * Returns when the file was made.
   *
   * @return the time, according to its creator's clock
   */
  public Instant created() {
    return file.created();
  }

  /**
   * Returns which process made the file.
   *
   * @return the process id, in that process's namespace
   */
  public long creator() {
    return file.creator();
  }

  /**
   * Returns whether the path still leads to this file. It does not once the file was removed, or
   * replaced by a new one.
   *
   * @return false if a process that opens the path now does not find this queue
   * @throws IOException if the file system cannot say
   */
  public boolean isInPlace() throws IOException {
    return file.isInPlace();
  }

  /**
   * Returns where the consumer has released up to. With many consumers, the number lags behind: it
   * grows when a producer or an idle consumer needs it.
   *
   * @return the sequence of the first cell that is not released, or of an earlier one
   */
  public long head() {
    return queue.words.firstInUse();
  }

  /**
   * Returns where the messages end that consumers were ever handed.
   *
   * @return a sequence from the head to the tail
   */
  public long taken() {
    return queue.words.takenEnd();
  }

  /**
   * Returns where the last claim ends.
   *
   * @return the sequence after its last cell
   */
  public long tail() {
    return queue.end();
  }

  /**
   * Returns how many cells there are from the oldest open claim on. Its producer may have died.
   *
   * @return the number of cells, 0 if no claim is open
   */
  public long openCells() {
    long at = queue.words.untaken();
    long end = Math.min(queue.end(), at + capacity());
    while (at < end) {
      long cells = stamps.recordsAt(at);
      if (cells == 0) {
        return end - at;
      }
      at += Math.abs(cells);
    }
    return 0;
  }

  /**
   * Returns whether the queue is completed, so that no claim succeeds any more.
   *
   * @return whether it is completed
   */
  public boolean isCompleted() {
    return queue.words.isClosed();
  }

  /** {@inheritDoc} They are those of {@link MessageQueue#counters}. */
  @Override
  public List<String> counters() {
    return queue.counters();
  }

  /** {@inheritDoc} They are those of {@link MessageQueue#gauges}. */
  @Override
  public List<String> gauges() {
    return queue.gauges();
  }

  /**
   * {@inheritDoc} Those that a process keeps to itself are 0 here: {@code dropped}. {@code
   * highWater} is the largest size that this observer has found.
   */
  @Override
  public void readMetrics(long[] values) {
    queue.readMetrics(values);
  }

  // ---- participants ----

  /**
   * A process's place at one end of the queue.
   *
   * @param entry the number of its entry in the file
   * @param role {@code producer} or {@code consumer}
   * @param pid the process id, in that process's namespace
   * @param isAlive whether it holds the lock that the kernel drops when it dies, and no process has
   *     taken it for dead
   * @param started when its process started
   * @param name the name of the thread that has taken the place
   */
  public record Participant(
      int entry, String role, long pid, boolean isAlive, Instant started, String name) {}

  /**
   * Returns the participants. They include those that have died, until another participant takes
   * their place.
   *
   * @return the participants, by entry
   * @throws java.io.UncheckedIOException if the table of participants is damaged
   */
  public List<Participant> participants() {
    return file.presences().stream().map(MessageObserver::participant).toList();
  }

  private static Participant participant(Presence one) {
    String role = one.role().name().toLowerCase(Locale.ROOT);
    return new Participant(one.entry(), role, one.pid(), one.isAlive(), one.started(), one.name());
  }

  // ---- the end ----

  /** Unmaps the file. Repeated calls are allowed. */
  @Override
  public void close() {
    view.leave();
    queue.close();
  }

  /** Returns the file's name and the kind of queue, for debugging. */
  @Override
  public String toString() {
    return "MessageObserver[%s, %s]".formatted(file.path(), kind());
  }
}

package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.NullUnmarked;

/**
 * The next segment. A thread of the log makes it ahead, full of zeros, and it gets its name when it
 * is begun.
 */
@NullUnmarked // which fields are null follows from the state
final class SegmentSupply {
  /*
   * While a spare segment is being made or begun, its files have names that belong to this opening.
   * While it is ready, they have names under which a later opening may take it. LogOpening explains
   * why. A failure leaves each file under one of these names, and the fields say which one, so
   * everything can be tried again.
   */
  private final LogFiles files;
  private final LogOptions options;
  private final LogSegments segments;
  private final LogOpening opening;

  private final ReentrantLock making = new ReentrantLock(); // guards the fields below
  private final Condition wanted = making.newCondition();
  private SegmentMapping spare; // null while there is no spare segment
  private String indexName = SegmentNames.SPARE_INDEX;
  private boolean isReady; // whether the spare segment has the ready names
  private Throwable failure; // of the last attempt to make one ahead
  private boolean isWanted = true;
  private boolean isStopped;

  SegmentSupply(LogFiles files, LogOptions options, LogSegments segments, LogOpening opening) {
    this.files = files;
    this.options = options;
    this.segments = segments;
    this.opening = opening;
  }

  // ---- beginning ----

  /**
   * Begins the next segment.
   *
   * @param number the number of its first message
   * @param least the earliest time that a message may have
   * @param waits whether to make the segment if it is not ready yet
   * @return the segment, or null if it is not ready yet
   */
  LogSegment begin(long number, long least, boolean waits) throws IOException {
    if (waits) {
      making.lock();
    } else if (!making.tryLock()) {
      return null;
    }
    try {
      opening.checkOpen();
      if (spare == null && !waits) {
        want();
        throwFailure();
        return null;
      }
      if (spare == null) {
        spare = makeSpare();
      }
      long clock = options.clock().getAsLong();
      long created = Math.max(least, clock);
      int salt = ThreadLocalRandom.current().nextInt();
      takeReady();
      long bytes = spare.memory().byteSize();
      SegmentHeader header = new SegmentHeader(bytes, number, created, clock, salt);
      LogSegment begun = LogSegment.begin(files, spare, header, opening.number());
      segments.checkOwn(); // after the segment got its name
      String index = SegmentNames.index(number);
      if (!indexName.equals(index)) {
        files.rename(indexName, index);
        indexName = index;
      }
      nameSpare(number);
      want();
      return begun;
    } finally {
      making.unlock();
    }
  }

  /** Throws the failure of the log's thread to make a segment, once for each failure. */
  private void throwFailure() throws IOException {
    Throwable failed = failure;
    failure = null;
    if (failed != null) {
      throw failed instanceof IOException e ? e : new IOException(failed.toString(), failed);
    }
  }

  /**
   * Replaces the last segment with a copy of it. Called before the log has threads, while there is
   * a spare segment.
   *
   * @param position the position where its messages end
   * @param end one past the number of its last message
   */
  LogSegment replace(LogSegment last, long position, long end) throws IOException {
    LogSegment copy = last.copy(files, spare, position, end, opening.number());
    segments.checkOwn(); // after the copy got its name
    files.rename(SegmentNames.SPARE_INDEX, SegmentNames.index(last.first())); // fits both
    nameSpare(last.first());
    return copy;
  }

  private void nameSpare(long first) throws IOException {
    files.rename(SegmentNames.SPARE, SegmentNames.segment(first));
    indexName = SegmentNames.SPARE_INDEX;
    spare = null;
  }

  /**
   * Takes back the ready names, under which a later opening may take the segment, so that this
   * opening may write to it.
   */
  private void takeReady() throws IOException {
    if (isReady) {
      files.rename(SegmentNames.READY, SegmentNames.SPARE);
      isReady = false;
    }
    if (indexName.equals(SegmentNames.READY_INDEX)) {
      files.rename(SegmentNames.READY_INDEX, SegmentNames.SPARE_INDEX);
      indexName = SegmentNames.SPARE_INDEX;
    }
  }

  // ---- making ----

  /** Makes a spare segment. Called before the log has threads. */
  void make() throws IOException {
    spare = makeSpare();
  }

  private SegmentMapping makeSpare() throws IOException {
    LogFiles.Mapped log = zeros(SegmentNames.SPARE, options.segmentBytes());
    LogFiles.Mapped index = null;
    try {
      index = zeros(SegmentNames.SPARE_INDEX, SegmentIndex.bytes(options.segmentBytes()));
      SegmentMapping made = new SegmentMapping(log, index);
      // takes the page faults of the first writes now; each lasts microseconds
      made.touch(0, log.memory().byteSize());
      made.touchIndex();
      return made;
    } catch (Throwable e) {
      new SegmentMapping(log, index).close();
      files.delete(SegmentNames.SPARE);
      throw e;
    }
  }

  /** Makes a file of zeros, unless a log that was not closed has left one behind. */
  private LogFiles.Mapped zeros(String name, long bytes) throws IOException {
    LogFiles.Mapped left;
    try {
      left = files.map(name, true);
    } catch (NoSuchFileException e) {
      return files.create(name, bytes);
    }
    MemorySegment memory = left.memory();
    if (memory.byteSize() == bytes && Zeros.firstOther(memory, 0, bytes) < 0) {
      left.force(0, bytes); // it may not have reached the disk
      return left;
    }
    left.close();
    return files.create(name, bytes);
  }

  private void want() {
    isWanted = true;
    wanted.signal();
  }

  /** Makes a segment each time one is wanted, until stopped. This is the body of a thread. */
  void run() {
    making.lock();
    try {
      while (!isStopped) {
        makeIfWanted();
        while (!isWanted && !isStopped) {
          wanted.awaitUninterruptibly();
        }
      }
    } finally {
      making.unlock();
    }
  }

  /** Makes a segment ahead if one is wanted. */
  void makeIfWanted() {
    making.lock();
    try {
      if (isWanted) {
        isWanted = false;
        prepare();
      }
    } finally {
      making.unlock();
    }
  }

  private void prepare() {
    try {
      if (spare == null && !opening.isClosed()) {
        spare = makeSpare();
        makeReady();
      }
      failure = null;
    } catch (Throwable e) {
      failure = e; // for claims that do not wait; those that do try by themselves
    }
  }

  /** Gives the finished spare segment the ready names, under which a later opening may take it. */
  private void makeReady() throws IOException {
    segments.checkOwn();
    files.rename(SegmentNames.SPARE, SegmentNames.READY);
    isReady = true;
    files.rename(SegmentNames.SPARE_INDEX, SegmentNames.READY_INDEX);
    indexName = SegmentNames.READY_INDEX;
  }

  // ---- the end ----

  /** Ends {@link #run}. */
  void stop() {
    making.lock();
    try {
      isStopped = true;
      wanted.signal();
    } finally {
      making.unlock();
    }
  }

  /** Unmaps and deletes the spare segment. */
  void close() {
    making.lock();
    try {
      if (spare != null) {
        spare.close();
        spare = null;
        files.delete(isReady ? SegmentNames.READY : SegmentNames.SPARE);
        files.delete(indexName);
      }
    } catch (IOException e) {
      // the next opening takes the file or replaces it
    } finally {
      making.unlock();
    }
  }
}

package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The segment that comes next: made ahead, full of zeros, by a thread of the log, and named once it
 * is begun.
 */
final class SegmentSupply {
  /*
   * A spare segment has names of this opening while it is made or begun, and waits under names from
   * which a later opening may take it: LogOpening says why. A failure leaves each file under one of
   * these names, and the fields say which; so all can be tried again.
   */
  private final LogFiles files;
  private final LogOptions options;
  private final LogSegments segments;
  private final LogOpening opening;

  private final ReentrantLock making = new ReentrantLock(); // guards what follows
  private final Condition wanted = making.newCondition();
  private SegmentMapping spare; // null while there is none
  private String indexName = SegmentNames.SPARE_INDEX;
  private boolean isReady; // whether the spare segment has that name
  private Throwable failure; // when it was last made ahead
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
   * @param number of its first message
   * @param least no message may be earlier
   * @param waits whether to make the segment if it is not there yet
   * @return the segment; null if it is not there yet
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
      segments.checkOwn(); // behind the name that the segment has now
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

  /** Why the thread of the log could not make a segment, once each time. */
  private void throwFailure() throws IOException {
    Throwable failed = failure;
    failure = null;
    if (failed != null) {
      throw failed instanceof IOException e ? e : new IOException(failed.toString(), failed);
    }
  }

  /**
   * Puts a copy of a segment in its place, before the log has threads; there is a spare one.
   *
   * @param position where its messages end
   * @param end the number behind the last one
   */
  LogSegment replace(LogSegment last, long position, long end) throws IOException {
    LogSegment copy = last.copy(files, spare, position, end, opening.number());
    segments.checkOwn(); // behind the name that the copy has now
    files.rename(SegmentNames.SPARE_INDEX, SegmentNames.index(last.first())); // right for either
    nameSpare(last.first());
    return copy;
  }

  private void nameSpare(long first) throws IOException {
    files.rename(SegmentNames.SPARE, SegmentNames.segment(first));
    indexName = SegmentNames.SPARE_INDEX;
    spare = null;
  }

  /** Takes back the name under which a later opening may take it, so that this one may write. */
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

  /** Makes a spare segment, before the log has threads. */
  void make() throws IOException {
    spare = makeSpare();
  }

  private SegmentMapping makeSpare() throws IOException {
    LogFiles.Mapped log = zeros(SegmentNames.SPARE, options.segmentBytes());
    LogFiles.Mapped index = null;
    try {
      index = zeros(SegmentNames.SPARE_INDEX, SegmentIndex.bytes(options.segmentBytes()));
      SegmentMapping made = new SegmentMapping(log, index);
      // takes the page faults of the first writes, each of which lasts microseconds
      made.touch(0, log.memory().byteSize());
      made.touchIndex();
      return made;
    } catch (Throwable e) {
      new SegmentMapping(log, index).close();
      files.delete(SegmentNames.SPARE);
      throw e;
    }
  }

  /** Makes a file of zeros, unless a log that was not closed has left one. */
  private LogFiles.Mapped zeros(String name, long bytes) throws IOException {
    LogFiles.Mapped left;
    try {
      left = files.map(name, true);
    } catch (NoSuchFileException e) {
      return files.create(name, bytes);
    }
    MemorySegment memory = left.memory();
    if (memory.byteSize() == bytes && Zeros.firstOther(memory, 0, bytes) < 0) {
      left.force(0, bytes); // it may have been left before it was on the disk
      return left;
    }
    left.close();
    return files.create(name, bytes);
  }

  private void want() {
    isWanted = true;
    wanted.signal();
  }

  /** Makes a segment each time one is wanted, until it is stopped: the body of a thread. */
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
      failure = e; // for a claim that does not wait; one that does tries itself
    }
  }

  /** Gives the spare segment, which is made, the names under which a later opening may take it. */
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
      // the next log takes it, or replaces it
    } finally {
      making.unlock();
    }
  }
}

package dev.millrace.bench.articles;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The article's log, in its first version and off the heap: files, locks, calls of the file system
 * and what is allocated are as its text and its source have them. A segment that is full is forced
 * in the append that finds it so. Reads and the search are mended, or they would not read what was
 * appended.
 */
final class ArticleLog implements Partition {
  /** The segments' size in its benchmark. */
  static final long SEGMENT_BYTES = 1_000_000;

  private static final int HEADER_BYTES = 12; // the length, and the number
  private static final int ENTRY_BYTES = 16; // of the index: the number, and the position

  private final Path directory;
  private final long segmentBytes;
  private final boolean offHeap;
  private final TreeMap<Long, Segment> segments = new TreeMap<>();
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final ByteBuffer data = ByteBuffer.allocate(BYTES);
  private long next;

  ArticleLog(Path directory, long segmentBytes, boolean offHeap) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.segmentBytes = segmentBytes;
    this.offHeap = offHeap;
    begin();
  }

  private void begin() throws IOException {
    Path name = directory.resolve("%020d".formatted(next));
    segments.put(next, offHeap ? new OffHeap(name, segmentBytes) : new OnHeap(name));
  }

  @Override
  public void append(long first, long second) throws IOException {
    data.putLong(0, first).putLong(8, second);
    lock.writeLock().lock();
    try {
      Segment segment = segments.lastEntry().getValue();
      if (segment.log.size() > segmentBytes) {
        segment.force();
        begin();
        segment = segments.lastEntry().getValue();
      }
      segment.append(next, data.array());
      next++;
    } finally {
      lock.writeLock().unlock();
    }
  }

  @Override
  public long read(long number) throws IOException {
    lock.readLock().lock();
    try {
      ByteBuffer read = segments.floorEntry(number).getValue().read(number);
      return Partition.fold(read.getLong(), read.getLong());
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void force() throws IOException {
    segments.lastEntry().getValue().force(); // those before are
  }

  @Override
  public void close() throws IOException {
    for (Segment segment : segments.values()) {
      segment.close();
    }
  }

  /** A segment's two files. */
  private abstract static class Segment implements Closeable {
    final FileChannel log;
    final FileChannel index;
    final ReentrantLock lock = new ReentrantLock();

    Segment(Path name) throws IOException {
      log = open(name + ".log");
      index = open(name + ".index");
    }

    private static FileChannel open(String name) throws IOException {
      return FileChannel.open(
          Path.of(name),
          StandardOpenOption.CREATE_NEW,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE);
    }

    final void append(long number, byte[] data) throws IOException {
      lock.lock();
      try {
        append(number, data, log.size());
      } finally {
        lock.unlock();
      }
    }

    abstract void append(long number, byte[] data, long position) throws IOException;

    /** Reads a message; returns its bytes. */
    abstract ByteBuffer read(long number) throws IOException;

    final void force() throws IOException {
      log.force(true);
      index.force(true);
    }

    @Override
    public void close() throws IOException {
      log.close();
      index.close();
    }
  }

  /** The first version: new buffers for each message, and a map of boxed numbers. */
  private static final class OnHeap extends Segment {
    private final Map<Long, Long> positions = new HashMap<>();

    OnHeap(Path name) throws IOException {
      super(name);
    }

    @Override
    void append(long number, byte[] data, long position) throws IOException {
      ByteBuffer message = ByteBuffer.allocate(HEADER_BYTES + data.length);
      log.write(message.putInt(data.length).putLong(number).put(data).flip(), position);
      index.write(ByteBuffer.allocate(ENTRY_BYTES).putLong(number).putLong(position).flip());
      positions.put(number, position);
    }

    @Override
    ByteBuffer read(long number) throws IOException {
      long position = positions.get(number);
      ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
      log.read(length, position);
      ByteBuffer bytes = ByteBuffer.allocate(length.getInt(0));
      log.read(bytes, position + HEADER_BYTES);
      byte[] message = new byte[bytes.flip().remaining()];
      bytes.get(message);
      return ByteBuffer.wrap(message);
    }
  }

  /** The last version: one gathering write, a flat index, reads into the caller's buffer. */
  private static final class OffHeap extends Segment {
    private final Arena arena = Arena.ofShared();
    private final ByteBuffer header = arena.allocate(HEADER_BYTES).asByteBuffer();
    private final ByteBuffer entry = arena.allocate(ENTRY_BYTES).asByteBuffer();
    private final ByteBuffer callers = ByteBuffer.allocate(HEADER_BYTES + BYTES);
    private final MemorySegment entries;
    private long count;

    OffHeap(Path name, long segmentBytes) throws IOException {
      super(name);
      entries = arena.allocate((segmentBytes / HEADER_BYTES + 1) * ENTRY_BYTES, Long.BYTES);
    }

    @Override
    void append(long number, byte[] data, long position) throws IOException {
      ByteBuffer[] parts = {
        header.clear().putInt(data.length).putLong(number).flip(), ByteBuffer.wrap(data)
      };
      log.position(position);
      while (parts[1].hasRemaining()) {
        log.write(parts, 0, 2);
      }
      index.write(entry.clear().putLong(number).putLong(position).flip(), index.size());
      entries.set(JAVA_LONG, count * ENTRY_BYTES, number);
      entries.set(JAVA_LONG, count * ENTRY_BYTES + Long.BYTES, position);
      count++;
    }

    @Override
    ByteBuffer read(long number) throws IOException {
      log.read(callers.clear(), position(number));
      return callers.flip().position(HEADER_BYTES);
    }

    private long position(long number) {
      long low = 0;
      long high = count - 1;
      while (low < high) {
        long middle = (low + high) >>> 1;
        if (entries.get(JAVA_LONG, middle * ENTRY_BYTES) < number) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return entries.get(JAVA_LONG, low * ENTRY_BYTES + Long.BYTES);
    }

    @Override
    public void close() throws IOException {
      super.close();
      arena.close();
    }
  }
}

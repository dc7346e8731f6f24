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
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The article's log, in its first version and with any of its {@linkplain Step steps}: files,
 * locks, calls of the file system and what is allocated are as its text and its source have them. A
 * segment that is full is forced in the append that finds it so. Reads and the search are mended,
 * or they would not read what was appended.
 */
final class ArticleLog implements Partition {
  /** The segments' size in its benchmark. */
  static final long SEGMENT_BYTES = 1_000_000;

  private static final int HEADER_BYTES = 12; // the length, and the number
  private static final int ENTRY_BYTES = 16; // of the index: the number, and the position

  /** What the article changes, one after the other. */
  enum Step {
    /**
     * Headers and entries of the index's file are written from buffers off the heap that are made
     * once; header and message by one gathering write.
     */
    HEADER_SLAB,
    /** Positions are in an array off the heap, not in a map of boxed numbers. */
    FLAT_INDEX,
    /**
     * The length is read into one buffer, which all readers share. The article takes this back: two
     * readers at a time would take each other's length.
     */
    SHARED_LENGTH,
    /** A read is one call, into the caller's buffer. */
    CALLERS_BUFFER
  }

  /** What is left of them in the article's last version. */
  static final Set<Step> LAST = Set.of(Step.HEADER_SLAB, Step.FLAT_INDEX, Step.CALLERS_BUFFER);

  private final Path directory;
  private final long segmentBytes;
  private final Set<Step> steps;
  private final TreeMap<Long, Segment> segments = new TreeMap<>();
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final ByteBuffer data = ByteBuffer.allocate(BYTES);
  private final ByteBuffer callers = ByteBuffer.allocate(HEADER_BYTES + BYTES);
  private long next;

  ArticleLog(Path directory, long segmentBytes, Set<Step> steps) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.segmentBytes = segmentBytes;
    this.steps = steps;
    begin();
  }

  private void begin() throws IOException {
    segments.put(next, new Segment(directory.resolve("%020d".formatted(next))));
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

  /** A segment's two files, and where its messages are. */
  private final class Segment implements Closeable {
    final FileChannel log;
    private final FileChannel index;
    private final ReentrantLock lock = new ReentrantLock();
    private final Arena arena = Arena.ofShared();
    private final Writer writer;
    private final Index positions;
    private final Reader reader;

    Segment(Path name) throws IOException {
      log = open(name + ".log");
      index = open(name + ".index");
      writer = steps.contains(Step.HEADER_SLAB) ? new SlabWriter(arena) : new Writer();
      positions =
          steps.contains(Step.FLAT_INDEX) ? new FlatIndex(arena, segmentBytes) : new Index();
      reader =
          steps.contains(Step.CALLERS_BUFFER)
              ? this::readAtOnce
              : steps.contains(Step.SHARED_LENGTH) ? sharedLength() : this::readTwice;
    }

    private static FileChannel open(String name) throws IOException {
      return FileChannel.open(
          Path.of(name),
          StandardOpenOption.CREATE_NEW,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE);
    }

    void append(long number, byte[] message) throws IOException {
      lock.lock();
      try {
        long position = log.size();
        writer.write(log, number, message, position);
        index.write(writer.entry(number, position), index.size());
        positions.put(number, position);
      } finally {
        lock.unlock();
      }
    }

    /** Reads a message; returns its bytes. */
    ByteBuffer read(long number) throws IOException {
      return reader.read(positions.get(number));
    }

    private ByteBuffer readAtOnce(long position) throws IOException {
      log.read(callers.clear(), position);
      return callers.flip().position(HEADER_BYTES);
    }

    private Reader sharedLength() {
      ByteBuffer length = arena.allocate(Integer.BYTES).asByteBuffer();
      return position -> readTwice(position, length.clear());
    }

    private ByteBuffer readTwice(long position) throws IOException {
      return readTwice(position, ByteBuffer.allocate(Integer.BYTES));
    }

    private ByteBuffer readTwice(long position, ByteBuffer length) throws IOException {
      log.read(length, position);
      ByteBuffer bytes = ByteBuffer.allocate(length.getInt(0));
      log.read(bytes, position + HEADER_BYTES);
      byte[] message = new byte[bytes.flip().remaining()];
      bytes.get(message);
      return ByteBuffer.wrap(message);
    }

    void force() throws IOException {
      log.force(true);
      index.force(true);
    }

    @Override
    public void close() throws IOException {
      log.close();
      index.close();
      arena.close();
    }
  }

  /** Reads the message at a position, and returns its bytes. */
  private interface Reader {
    ByteBuffer read(long position) throws IOException;
  }

  /** Writes what is in a new buffer each time. */
  private static class Writer {
    void write(FileChannel log, long number, byte[] message, long position) throws IOException {
      ByteBuffer whole = ByteBuffer.allocate(HEADER_BYTES + message.length);
      log.write(whole.putInt(message.length).putLong(number).put(message).flip(), position);
    }

    /** What goes into the index's file. */
    ByteBuffer entry(long number, long position) {
      return ByteBuffer.allocate(ENTRY_BYTES).putLong(number).putLong(position).flip();
    }
  }

  /** Writes from buffers that stay. */
  private static final class SlabWriter extends Writer {
    private final ByteBuffer header;
    private final ByteBuffer entry;

    SlabWriter(Arena arena) {
      header = arena.allocate(HEADER_BYTES).asByteBuffer();
      entry = arena.allocate(ENTRY_BYTES).asByteBuffer();
    }

    @Override
    void write(FileChannel log, long number, byte[] message, long position) throws IOException {
      ByteBuffer[] parts = {
        header.clear().putInt(message.length).putLong(number).flip(), ByteBuffer.wrap(message)
      };
      log.position(position);
      while (parts[1].hasRemaining()) {
        log.write(parts, 0, 2);
      }
    }

    @Override
    ByteBuffer entry(long number, long position) {
      return entry.clear().putLong(number).putLong(position).flip();
    }
  }

  /** A map of boxed numbers. */
  private static class Index {
    private final Map<Long, Long> positions = new HashMap<>();

    void put(long number, long position) {
      positions.put(number, position);
    }

    long get(long number) {
      return positions.get(number);
    }
  }

  /** An array off the heap, in the order of the numbers. */
  private static final class FlatIndex extends Index {
    private final MemorySegment entries;
    private long count;

    FlatIndex(Arena arena, long segmentBytes) {
      entries = arena.allocate((segmentBytes / HEADER_BYTES + 1) * ENTRY_BYTES, Long.BYTES);
    }

    @Override
    void put(long number, long position) {
      entries.set(JAVA_LONG, count * ENTRY_BYTES, number);
      entries.set(JAVA_LONG, count * ENTRY_BYTES + Long.BYTES, position);
      count++;
    }

    @Override
    long get(long number) {
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
  }
}

package dev.millrace.stress.scenario;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Speculative;
import dev.millrace.queues.internal.LogAccess;
import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.LogWords;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The files of a log, in memory: as they are, and as a crash leaves them that loses all that was
 * not forced. A file system orders what is done to names, and a force what its thread knows.
 */
final class LogDisk implements LogFiles {
  static final LogAccess ACCESS = LogAccess.SECRET.get();

  /** Where the messages of a segment begin. */
  static final int START = 4096;

  private static final Path DIRECTORY = Path.of("disk");
  private static final int END_BYTES = 64;
  private static final int SEALED = 1024;

  private final Arena arena = Arena.ofShared();
  private final long segmentBytes;
  private final boolean keepsForced;
  private final Map<String, Stored> names = new LinkedHashMap<>();
  private Map<String, Stored> forcedNames = new LinkedHashMap<>();
  private final Set<String> held = new HashSet<>();

  /** A file; what was forced of it is null if that is not kept. */
  private record Stored(MemorySegment memory, MemorySegment forced) implements Mapped {
    @Override
    public void touch(long from, long to) {
      // no force fails
    }

    @Override
    @Speculative // others may write, and then either may be on the disk
    public void force(long from, long to) {
      if (forced != null) {
        MemorySegment.copy(memory, from, forced, from, to - from);
      }
    }

    @Override
    public void close() {
      // there is memory enough
    }
  }

  /**
   * Makes an empty disk.
   *
   * @param messages how many fit a segment
   * @param length of each, in bytes
   * @param keepsForced whether a crash is possible
   */
  LogDisk(int messages, int length, boolean keepsForced) {
    this.segmentBytes = ACCESS.segmentBytes(messages, length);
    this.keepsForced = keepsForced;
  }

  /** Options of a log whose clock stands still. */
  static LogOptions options() {
    return new LogOptions(
        1 << 16, // the least; what a segment really has this class decides
        WaitStrategy.FOREVER,
        Long.MAX_VALUE,
        Long.MAX_VALUE,
        () -> 0,
        WaitStrategy.busySpin());
  }

  MessageLog open() throws IOException {
    return open(options());
  }

  MessageLog open(LogOptions options) throws IOException {
    return ACCESS.open(this, options);
  }

  /** A reader as another process has it. */
  LogReader newReader() {
    return ACCESS.newReader(this, WaitStrategy.busySpin());
  }

  /** A reader with a name. */
  LogReader newReader(String name) throws IOException {
    return ACCESS.newReader(this, WaitStrategy.busySpin(), name);
  }

  long releasedBy(String name) throws IOException {
    return ACCESS.releasedBy(this, name);
  }

  /** A reader of what a crash would leave. */
  LogReader newReaderOfForced() {
    return ACCESS.newReader(new AfterCrash(), WaitStrategy.busySpin());
  }

  // ---- to look into files, and to damage them ----

  /** The name of the last segment. */
  synchronized String last() {
    return names.keySet().stream()
        .filter(name -> name.length() == 24 && name.endsWith(".log"))
        .max(String::compareTo)
        .orElseThrow();
  }

  synchronized long countAside() {
    return names.keySet().stream().filter(name -> name.contains(".aside")).count();
  }

  private synchronized Stored stored(String name) {
    return names.get(name);
  }

  /** Whether the last segment is sealed, though none follows it. */
  boolean isLastSealed() {
    String last = last();
    return LogWords.read(stored(last).memory, SEALED) != 0 && last.equals(last());
  }

  /** Whether there are only zeros in the last segment, from a position on. */
  boolean isLastEmptyFrom(long position) {
    MemorySegment memory = stored(last()).memory;
    for (long at = position; at < memory.byteSize() - END_BYTES; at += Long.BYTES) {
      if (memory.get(ValueLayout.JAVA_LONG, at) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Loses a word of the last segment. */
  void loseWord(long position) {
    LogWords.publish(stored(last()).memory, position, 0);
  }

  /** Loses the index of the last segment, for those who open it from now on. */
  void loseIndex() {
    delete(last().replace(".log", ".index"));
  }

  /** Loses both headers of the last segment, with its marks. */
  void loseHeaders() {
    MemorySegment memory = stored(last()).memory;
    memory.asSlice(0, START).fill((byte) 0);
    memory.asSlice(memory.byteSize() - END_BYTES).fill((byte) 0);
  }

  // ---- the files of the log ----

  @Override
  public Path directory() {
    return DIRECTORY;
  }

  @Override
  public Path path(String name) {
    return DIRECTORY;
  }

  @Override
  public synchronized List<String> names() {
    return new ArrayList<>(names.keySet());
  }

  @Override
  public synchronized Mapped create(String name, long bytes) {
    long own = name.endsWith(".index") ? ACCESS.indexBytes(segmentBytes) : segmentBytes;
    MemorySegment forced = keepsForced ? arena.allocate(own, Long.BYTES) : null;
    Stored stored = new Stored(arena.allocate(own, Long.BYTES), forced);
    names.put(name, stored);
    return stored;
  }

  @Override
  public synchronized Mapped map(String name, boolean isWritten) throws IOException {
    return find(names, name);
  }

  private static Stored find(Map<String, Stored> names, String name) throws NoSuchFileException {
    Stored stored = names.get(name);
    if (stored == null) {
      throw new NoSuchFileException(name);
    }
    return stored;
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    names.put(to, find(names, from));
    names.remove(from);
  }

  @Override
  public synchronized void delete(String name) {
    names.remove(name);
  }

  @Override
  public synchronized void force() {
    if (keepsForced) {
      forcedNames = new LinkedHashMap<>(names);
    }
  }

  @Override
  public synchronized Mapped hold(String name, byte[] contents) {
    Stored stored =
        names.computeIfAbsent(
            name,
            _ -> {
              MemorySegment memory = arena.allocate(contents.length, Long.BYTES);
              ByteBuffer words = ByteBuffer.wrap(contents).order(ByteOrder.nativeOrder());
              for (int at = 0; at < contents.length; at += Long.BYTES) {
                memory.set(ValueLayout.JAVA_LONG, at, words.getLong(at));
              }
              return new Stored(memory, null);
            });
    return held.add(name) ? new Held(stored, () -> letGo(name)) : null;
  }

  private synchronized void letGo(String name) {
    held.remove(name);
  }

  /** A file while it is held. */
  private record Held(Stored stored, Runnable end) implements Mapped {
    @Override
    public MemorySegment memory() {
      return stored.memory;
    }

    @Override
    public void touch(long from, long to) {
      // no force fails
    }

    @Override
    public void force(long from, long to) {
      // no crash loses it
    }

    @Override
    public void close() {
      end.run();
    }
  }

  @Override
  public Mapped observe(String name) throws IOException {
    return map(name, false);
  }

  /** There may be two writers: what keeps others out can be lost. */
  @Override
  public Closeable lock() {
    return () -> {};
  }

  /** The files that a crash would leave, which are only read. */
  private final class AfterCrash implements LogFiles {
    @Override
    public Path directory() {
      return DIRECTORY;
    }

    @Override
    public List<String> names() {
      synchronized (LogDisk.this) {
        return new ArrayList<>(forcedNames.keySet());
      }
    }

    @Override
    public Mapped map(String name, boolean isWritten) throws IOException {
      synchronized (LogDisk.this) {
        return new Stored(find(forcedNames, name).forced, null);
      }
    }

    @Override
    public Mapped create(String name, long bytes) {
      throw readOnly();
    }

    @Override
    public void rename(String from, String to) {
      throw readOnly();
    }

    @Override
    public void delete(String name) {
      throw readOnly();
    }

    @Override
    public void force() {
      throw readOnly();
    }

    @Override
    public Closeable lock() {
      throw readOnly();
    }

    private UnsupportedOperationException readOnly() {
      return new UnsupportedOperationException("files that a crash has left are only read");
    }
  }
}

package dev.millrace.stress.trial;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.internal.LogAccess;
import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@link MessageLog} for trials: in memory, without a thread of its own, and with segments that
 * hold few messages, so that most trials begin one. Files that are removed are used again once
 * nobody has them mapped, so that millions of trials need no more memory than the first.
 *
 * <p>What was forced is kept apart, and can be read as it would be after a crash.
 */
public final class SmallLog {
  private static final LogAccess ACCESS = LogAccess.SECRET.get();
  private static final Path IN_MEMORY = Path.of("in memory");

  private final Files files;
  private MessageLog log;

  /**
   * Makes an empty log.
   *
   * @param messages how many fit a segment
   * @param length of each, in bytes
   * @param keepsForced whether there will be readers of what was forced
   * @param arena where its files are
   */
  public SmallLog(int messages, int length, boolean keepsForced, Arena arena) {
    files = new Files(ACCESS.segmentBytes(messages, length), keepsForced, arena);
    open();
  }

  /** Opens the log, once more after it was closed, and removes all segments but the last. */
  public void open() {
    // The least that options allow; what a segment really has is the affair of its files.
    LogOptions options =
        LogOptions.ofSegmentBytes(1 << 16)
            .withClock(() -> 0)
            .withReaderWaits(WaitStrategy.busySpin());
    try {
      log = ACCESS.open(files, options);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    tidy();
  }

  /** Forces all, and removes all segments but the last. */
  public void tidy() {
    log.sync();
    log.removeBefore(log.endNumber());
  }

  /**
   * The log.
   *
   * @return it, as it was opened last
   */
  public MessageLog log() {
    return log;
  }

  /**
   * Makes a reader as another process has it, which knows nothing of the log but its files.
   *
   * @return the reader
   */
  public LogReader newReader() {
    return ACCESS.newReader(files, WaitStrategy.busySpin());
  }

  /**
   * Makes a reader of what was forced.
   *
   * @return the reader
   */
  public LogReader newReaderOfForced() {
    return ACCESS.newReader(files.new Forced(), WaitStrategy.busySpin());
  }

  /** A file: as it is, and as it was forced. */
  private static final class Stored {
    final MemorySegment memory;
    final MemorySegment forced; // null if nobody reads it
    int mapped;
    int named;

    Stored(Arena arena, long bytes, boolean keepsForced) {
      memory = arena.allocate(bytes, Long.BYTES);
      forced = keepsForced ? arena.allocate(bytes, Long.BYTES) : null;
    }
  }

  private static final class Files implements LogFiles {
    private final Arena arena;
    private final long segmentBytes;
    private final boolean keepsForced;
    private final Map<String, Stored> names = new HashMap<>();
    private Map<String, Stored> forcedNames = Map.of();
    private final ArrayDeque<Stored> freeSegments = new ArrayDeque<>();
    private final ArrayDeque<Stored> freeIndexes = new ArrayDeque<>();

    Files(long segmentBytes, boolean keepsForced, Arena arena) {
      this.arena = arena;
      this.segmentBytes = segmentBytes;
      this.keepsForced = keepsForced;
    }

    // ---- use ----

    private ArrayDeque<Stored> free(boolean isIndex) {
      return isIndex ? freeIndexes : freeSegments;
    }

    private void freeIfUnused(Stored stored) {
      if (stored.mapped == 0 && stored.named == 0) {
        free(stored.memory.byteSize() != segmentBytes).add(stored);
      }
    }

    private Mapped mapped(Stored stored, MemorySegment memory) {
      stored.mapped++;
      return new Mapped() {
        @Override
        public MemorySegment memory() {
          return memory;
        }

        @Override
        public void touch(long from, long to) {
          // a force here never fails
        }

        @Override
        public void force(long from, long to) {
          if (stored.forced != null) {
            MemorySegment.copy(stored.memory, from, stored.forced, from, to - from);
          }
        }

        @Override
        public void close() {
          synchronized (Files.this) {
            stored.mapped--;
            freeIfUnused(stored);
          }
        }
      };
    }

    private static Stored find(Map<String, Stored> names, String name) throws NoSuchFileException {
      Stored stored = names.get(name);
      if (stored == null) {
        throw new NoSuchFileException(name);
      }
      return stored;
    }

    private void put(String name, Stored stored) {
      stored.named++;
      unname(names.put(name, stored));
    }

    private void unname(Stored stored) {
      if (stored != null) {
        stored.named--;
        freeIfUnused(stored);
      }
    }

    // ---- files ----

    @Override
    public Path directory() {
      return IN_MEMORY;
    }

    /** Made once: to Lincheck, making a path is a call of the file system. */
    @Override
    public Path path(String name) {
      return IN_MEMORY;
    }

    @Override
    public synchronized List<String> names() {
      return new ArrayList<>(names.keySet());
    }

    @Override
    public synchronized Mapped create(String name, long bytes) {
      boolean isIndex = name.endsWith(".index");
      Stored stored = free(isIndex).poll();
      if (stored == null) {
        long own = isIndex ? ACCESS.indexBytes(segmentBytes) : segmentBytes;
        stored = new Stored(arena, own, keepsForced);
      } else {
        stored.memory.fill((byte) 0);
      }
      if (stored.forced != null) {
        stored.forced.fill((byte) 0);
      }
      put(name, stored);
      return mapped(stored, stored.memory);
    }

    @Override
    public synchronized Mapped map(String name, boolean isWritten) throws IOException {
      Stored stored = find(names, name);
      return mapped(stored, stored.memory);
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
      Stored stored = find(names, from);
      put(to, stored);
      names.remove(from);
      unname(stored);
    }

    @Override
    public synchronized void delete(String name) {
      unname(names.remove(name));
    }

    @Override
    public synchronized void force() {
      if (keepsForced) {
        Map<String, Stored> before = forcedNames;
        forcedNames = Map.copyOf(names);
        forcedNames.values().forEach(stored -> stored.named++);
        before.values().forEach(this::unname);
      }
    }

    @Override
    public Closeable lock() {
      return () -> {};
    }

    /** The files as a crash would leave them that loses all that was not forced. */
    final class Forced implements LogFiles {
      @Override
      public Path directory() {
        return IN_MEMORY;
      }

      @Override
      public List<String> names() {
        synchronized (Files.this) {
          return new ArrayList<>(forcedNames.keySet());
        }
      }

      @Override
      public Mapped map(String name, boolean isWritten) throws IOException {
        synchronized (Files.this) {
          Stored stored = find(forcedNames, name);
          return mapped(stored, stored.forced);
        }
      }

      @Override
      public Mapped create(String name, long bytes) {
        throw new UnsupportedOperationException("it is read only");
      }

      @Override
      public void rename(String from, String to) {
        throw new UnsupportedOperationException("it is read only");
      }

      @Override
      public void delete(String name) {
        throw new UnsupportedOperationException("it is read only");
      }

      @Override
      public void force() {
        throw new UnsupportedOperationException("it is read only");
      }

      @Override
      public Closeable lock() {
        throw new UnsupportedOperationException("it is read only");
      }
    }
  }
}

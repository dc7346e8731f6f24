package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The directory of a log in memory, which knows what is on the disk: of each file the pages as they
 * were forced last, and the names as they were forced last. What a crash leaves is that, and any
 * part of what was written since.
 */
final class MemoryFiles implements LogFiles {
  /** Called for each operation, before it and in the middle of it. */
  interface Observer {
    void reached() throws IOException;
  }

  private static final class Stored {
    final MemorySegment memory;
    final MemorySegment disk;

    /** By its offset, each page that is clean though it is not on the disk, as it was then. */
    final Map<Long, byte[]> dropped = new ConcurrentHashMap<>(); // recovery touches in two threads

    Stored(long bytes) {
      memory = Arena.ofAuto().allocate(bytes, 8);
      disk = Arena.ofAuto().allocate(bytes, 8);
    }
  }

  private final int pageBytes;
  private final Map<String, Stored> names = new LinkedHashMap<>();

  /** The names as of the last force, and after each change since: a crash leaves one of them. */
  private final List<Map<String, Stored>> versions = new ArrayList<>(List.of(Map.of()));

  private String unforcedRemoval; // of a segment; null if there is none
  private boolean isLocked;
  private final Set<String> held = new HashSet<>();

  /** How much more can be made. */
  long freeBytes = Long.MAX_VALUE;

  Observer observer = () -> {};

  /** Called for each file that is mapped, before it is. */
  Observer mapping = () -> {};

  /** Is told each time a log checks that the directory is its own. */
  Observer checking = () -> {};

  int mapped;
  int mostMapped;

  boolean forcesBytes = true;
  boolean touches = true;

  /** Whether a page that is clean is dropped from memory at the last moment: as it is touched. */
  boolean evictsLate;

  /** Runs each time before pages are touched. */
  Runnable touching = () -> {};

  /** How many forces of bytes succeed before those that fail. */
  int forcesLeft = Integer.MAX_VALUE;

  boolean forcesIndexFirst;

  MemoryFiles(int pageBytes) {
    this.pageBytes = pageBytes;
  }

  // ---- crashing ----

  /** What is on the disk after a crash that happens now. */
  MemoryFiles crash(Random random) {
    return crash(random, random.nextInt(5));
  }

  /** The same, with a share of the pages, in quarters, that were written since they were forced. */
  synchronized MemoryFiles crash(Random random, int share) {
    MemoryFiles left = new MemoryFiles(pageBytes);
    versions
        .get(random.nextInt(versions.size()))
        .forEach(
            (name, found) -> {
              Stored copy = new Stored(found.memory.byteSize());
              copy.disk.copyFrom(found.disk);
              for (long page = 0; page < copy.disk.byteSize(); page += pageBytes) {
                if (random.nextInt(4) < share) {
                  writeBack(found, page, copy.disk);
                }
              }
              copy.memory.copyFrom(copy.disk);
              left.names.put(name, copy);
            });
    left.versions.set(0, new LinkedHashMap<>(left.names));
    return left;
  }

  /** Writes some pages to the disk, as a system does when it likes. */
  void writeBack(Random random) {
    for (Stored stored : names.values()) {
      if (random.nextBoolean()) {
        for (long page = 0; page < stored.disk.byteSize(); page += pageBytes) {
          if (random.nextInt(8) == 0) {
            writeBack(stored, page, stored.disk);
          }
        }
      }
    }
  }

  /** Writes a page if it is dirty. */
  private void writeBack(Stored stored, long page, MemorySegment disk) {
    if (!Arrays.equals(stored.dropped.get(page), page(stored, page))) {
      MemorySegment from = stored.memory;
      MemorySegment.copy(from, page, disk, page, Math.min(pageBytes, from.byteSize() - page));
    }
  }

  private byte[] page(Stored stored, long page) {
    MemorySegment memory = stored.memory;
    long count = Math.min(pageBytes, memory.byteSize() - page);
    return memory.asSlice(page, count).toArray(ValueLayout.JAVA_BYTE);
  }

  /** Fails to write a page, which becomes clean. */
  private void drop(Stored stored, long page) {
    byte[] bytes = page(stored, page);
    MemorySegment disk = stored.disk.asSlice(page, bytes.length);
    if (disk.mismatch(MemorySegment.ofArray(bytes)) >= 0) {
      stored.dropped.put(page, bytes);
    }
  }

  /** Drops some pages from memory that are clean, so that what is on the disk shows. */
  void evict(Random random) {
    for (Stored stored : names.values()) {
      stored
          .dropped
          .entrySet()
          .removeIf(
              page -> {
                if (!Arrays.equals(page.getValue(), page(stored, page.getKey()))) {
                  return true; // it was written since, so it is dirty
                }
                boolean isEvicted = random.nextBoolean();
                if (isEvicted) {
                  long at = page.getKey();
                  MemorySegment.copy(stored.disk, at, stored.memory, at, page.getValue().length);
                }
                return isEvicted;
              });
    }
  }

  /** What is in a file. */
  byte[] bytes(String name) throws IOException {
    return find(name).memory.toArray(ValueLayout.JAVA_BYTE);
  }

  /** Replaces a file, or makes one. */
  void write(String name, byte[] bytes) {
    Stored stored = new Stored(bytes.length);
    stored.memory.copyFrom(MemorySegment.ofArray(bytes));
    stored.disk.copyFrom(stored.memory);
    put(name, stored);
  }

  // ---- files ----

  @Override
  public Path directory() {
    return Path.of("in memory");
  }

  @Override
  public synchronized List<String> names() {
    return List.copyOf(names.keySet());
  }

  @Override
  public Mapped create(String name, long bytes) throws IOException {
    observer.reached();
    return made(name, bytes);
  }

  private synchronized Mapped made(String name, long bytes) throws IOException {
    if (bytes > freeBytes) {
      throw new IOException(path(name) + ": cannot be made: bytes=" + bytes);
    }
    freeBytes -= freeBytes == Long.MAX_VALUE ? 0 : bytes;
    Stored stored = new Stored(bytes);
    put(name, stored);
    return mapped(stored);
  }

  private void put(String name, Stored stored) {
    names.put(name, stored);
    versions.add(new LinkedHashMap<>(names));
  }

  @Override
  public Mapped map(String name, boolean isWritten) throws IOException {
    mapping.reached();
    synchronized (this) {
      return mapped(find(name));
    }
  }

  private Stored find(String name) throws NoSuchFileException {
    Stored stored = names.get(name);
    if (stored == null) {
      throw new NoSuchFileException(path(name).toString());
    }
    return stored;
  }

  private synchronized Mapped mapped(Stored stored) {
    mapped++;
    mostMapped = Math.max(mostMapped, mapped);
    return new Mapped() {
      @Override
      public MemorySegment memory() {
        return stored.memory;
      }

      @Override
      public void touch(long from, long to) {
        touching.run();
        if (touches) {
          for (long page = from / pageBytes * pageBytes; page < to; page += pageBytes) {
            byte[] was = stored.dropped.remove(page);
            if (evictsLate && was != null && Arrays.equals(was, page(stored, page))) {
              MemorySegment.copy(stored.disk, page, stored.memory, page, was.length);
            }
          }
        }
      }

      @Override
      public void force(long from, long to) {
        reach();
        boolean fails = forcesLeft <= 0;
        forcesLeft -= forcesLeft == Integer.MAX_VALUE ? 0 : 1;
        if (forcesIndexFirst) {
          for (Map.Entry<String, Stored> entry : names.entrySet()) {
            if (entry.getKey().endsWith(".index")) {
              entry.getValue().disk.copyFrom(entry.getValue().memory);
            }
          }
          reach();
        }
        if (forcesBytes) {
          for (long page = from / pageBytes * pageBytes; page < to; page += pageBytes) {
            if (fails) {
              drop(stored, page);
            } else {
              writeBack(stored, page, stored.disk);
            }
          }
        }
        reach();
        if (fails) {
          throw new UncheckedIOException(new IOException("force fails"));
        }
      }

      private void reach() {
        try {
          observer.reached();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public void close() {
        synchronized (MemoryFiles.this) {
          mapped--;
        }
      }
    };
  }

  @Override
  public void rename(String from, String to) throws IOException {
    observer.reached();
    synchronized (this) {
      if (to.contains(".aside") && names.containsKey(to)) {
        throw new AssertionError("what was set aside must be kept: " + to);
      }
      Stored stored = find(from);
      names.remove(from);
      put(to, stored);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    observer.reached();
    synchronized (this) {
      if (name.matches("\\d+\\.log")) { // or a crash might leave this one, and not the one behind
        if (unforcedRemoval != null) {
          throw new AssertionError("removal must be forced before the next: " + unforcedRemoval);
        }
        unforcedRemoval = name;
      }
      Stored removed = names.remove(name);
      if (removed != null) {
        freeBytes += freeBytes == Long.MAX_VALUE ? 0 : removed.memory.byteSize();
        versions.add(new LinkedHashMap<>(names));
      }
    }
  }

  @Override
  public void force() throws IOException {
    observer.reached();
    synchronized (this) {
      versions.clear();
      versions.add(new LinkedHashMap<>(names));
      unforcedRemoval = null;
    }
  }

  @Override
  public Mapped hold(String name, byte[] contents) throws IOException {
    observer.reached();
    synchronized (this) {
      if (!held.add(name)) {
        return null;
      }
      if (!names.containsKey(name)) {
        write(name, contents);
        versions.clear(); // its name is on the disk, and with it all others
        versions.add(new LinkedHashMap<>(names));
      }
      Mapped mapped = mapped(find(name));
      return new Mapped() {
        @Override
        public MemorySegment memory() {
          return mapped.memory();
        }

        @Override
        public void touch(long from, long to) {
          mapped.touch(from, to);
        }

        @Override
        public void force(long from, long to) {
          mapped.force(from, to);
        }

        @Override
        public void close() {
          mapped.close();
          synchronized (MemoryFiles.this) {
            held.remove(name);
          }
        }
      };
    }
  }

  @Override
  public Mapped observe(String name) throws IOException {
    return map(name, false);
  }

  @Override
  public boolean isInPlace() throws IOException {
    checking.reached();
    return true;
  }

  @Override
  public Closeable lock() throws IOException {
    if (isLocked) {
      throw new IOException("is locked");
    }
    isLocked = true;
    return () -> isLocked = false;
  }
}

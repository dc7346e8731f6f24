package dev.millrace.bench.cache;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * S3-FIFO of entries that are all of the same size, after its authors' code: Yang, Zhang, Qiu, Yue,
 * Vigfusson, <a href="https://doi.org/10.1145/3600006.3613147">FIFO Queues Are All You Need for
 * Cache Eviction</a> (2023), {@code S3FIFO.c} in libCacheSim. Written to be read, not to be fast.
 */
final class S3Fifo implements LongPredicate {
  private static final double SMALL = 0.1;
  private static final double GHOSTS = 0.9;
  private static final int READ_OFTEN = 2;
  private static final int MOST_READS = 3;

  private final int size;
  private final int mostInSmall;
  private final int mostInMain;
  private final int mostGhosts;
  private boolean hasEvicted;
  private final Map<Long, Entry> entries = new HashMap<>();
  private final Queue<Entry> small = new ArrayDeque<>();
  private final Queue<Entry> main = new ArrayDeque<>();
  private final Set<Long> ghosts =
      new LinkedHashSet<>(); // keys that left the small queue, in order

  private static final class Entry {
    final long key;
    int reads;

    Entry(long key) {
      this.key = key;
    }
  }

  S3Fifo(int size) {
    this.size = size;
    this.mostInSmall = (int) (size * SMALL);
    this.mostInMain = size - mostInSmall;
    this.mostGhosts = (int) (size * GHOSTS);
  }

  /** Requests a key: returns whether it was there, and stores it if not. */
  @Override
  public boolean test(long key) {
    Entry entry = entries.get(key);
    if (entry != null) {
      entry.reads++;
      return true;
    }
    boolean wasGhost = ghosts.remove(key);
    while (entries.size() >= size) {
      evict();
    }
    boolean isForMain = wasGhost || (!hasEvicted && small.size() >= mostInSmall);
    entry = new Entry(key);
    entries.put(key, entry);
    (isForMain ? main : small).add(entry);
    return false;
  }

  private void evict() {
    hasEvicted = true;
    if (main.size() > mostInMain || small.isEmpty()) {
      evictFromMain();
    } else {
      evictFromSmall();
    }
  }

  /** Drops one, unless all in the queue have been read often enough to move. */
  private void evictFromSmall() {
    while (!small.isEmpty()) {
      Entry oldest = small.remove();
      if (oldest.reads < READ_OFTEN) {
        entries.remove(oldest.key);
        addGhost(oldest.key);
        return;
      }
      oldest.reads = 0;
      main.add(oldest);
    }
  }

  private void addGhost(long key) {
    if (ghosts.size() >= mostGhosts) {
      Iterator<Long> oldest = ghosts.iterator();
      oldest.next();
      oldest.remove();
    }
    ghosts.add(key);
  }

  private void evictFromMain() {
    while (true) {
      Entry oldest = main.remove();
      if (oldest.reads == 0) {
        entries.remove(oldest.key);
        return;
      }
      oldest.reads = Math.min(oldest.reads, MOST_READS) - 1;
      main.add(oldest);
    }
  }
}

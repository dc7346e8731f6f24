package dev.millrace.bench.cache;

import dev.millrace.cache.Codec;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ForkJoinPool;
import org.caffinitas.ohc.Eviction;

/** What is compared. No contender needs other options of its JVM than all JVMs get. */
enum CacheContender {
  MILLRACE,
  /** Reads values in place. */
  MILLRACE_READ,
  CAFFEINE,
  OHC,
  OHC_TINY_LFU,
  /** Reads values in place. */
  OHC_DIRECT,
  EHCACHE,
  MAPDB,
  INFINISPAN,
  /** Is not bounded. */
  MAP;

  static final List<CacheContender> OF_OFFERS =
      List.of(MILLRACE, CAFFEINE, OHC, OHC_TINY_LFU, EHCACHE, MAPDB, INFINISPAN);

  static final List<CacheContender> OF_SPEED =
      List.of(MILLRACE, MILLRACE_READ, CAFFEINE, OHC, OHC_TINY_LFU, OHC_DIRECT, EHCACHE, MAP);

  /**
   * How large a cache is made.
   *
   * @param entries how many it must hold
   * @param valueBytes of each
   */
  record Room(int entries, int valueBytes) {
    private static final int OVERHEAD = 72; // OHC's; Ehcache needs less

    /** In which a cache that is bounded by bytes holds them. */
    long bytes() {
      return (long) entries * (Long.BYTES + valueBytes + OVERHEAD);
    }
  }

  boolean isOurs() {
    return this == MILLRACE || this == MILLRACE_READ;
  }

  Cached<byte[]> open(Room room) {
    return switch (this) {
      case MILLRACE, MILLRACE_READ ->
          Peers.millrace(Codec.bytes(), Peers.options(room), this == MILLRACE_READ);
      case CAFFEINE -> Peers.caffeine(room.entries(), ForkJoinPool.commonPool());
      case OHC, OHC_DIRECT -> Peers.ohc(room, Eviction.LRU, this == OHC_DIRECT);
      case OHC_TINY_LFU -> Peers.ohc(room, Eviction.W_TINY_LFU, false);
      case EHCACHE -> Peers.ehcache(room);
      case MAPDB -> Peers.mapDb(room);
      case INFINISPAN -> Peers.infinispan(room);
      case MAP -> Peers.map();
    };
  }

  /** The same of texts. Whatever is off the heap is UTF-8. */
  Cached<String> openTexts(Room room) {
    return switch (this) {
      case MILLRACE -> Peers.millrace(Codec.utf8(), Peers.options(room), false);
      case CAFFEINE -> Peers.caffeine(room.entries(), ForkJoinPool.commonPool());
      default -> Cached.texts(open(room));
    };
  }

  /** Its name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

package dev.millrace.bench.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.millrace.bench.cache.CacheContender.Room;
import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import dev.millrace.cache.OffHeapCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.StreamSupport;
import org.caffinitas.ohc.CacheSerializer;
import org.caffinitas.ohc.DirectValueAccess;
import org.caffinitas.ohc.Eviction;
import org.caffinitas.ohc.OHCache;
import org.caffinitas.ohc.OHCacheBuilder;
import org.ehcache.CacheManager;
import org.ehcache.config.builders.CacheConfigurationBuilder;
import org.ehcache.config.builders.CacheManagerBuilder;
import org.ehcache.config.builders.ResourcePoolsBuilder;
import org.ehcache.config.units.MemoryUnit;
import org.ehcache.spi.serialization.Serializer;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.StorageType;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.container.offheap.OffHeapMemoryAllocator;
import org.infinispan.eviction.EvictionStrategy;
import org.infinispan.factories.ComponentRegistry;
import org.infinispan.manager.DefaultCacheManager;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.HTreeMap;

/** How each cache is made and used. */
final class Peers {
  private static final int OHC_OVERHEAD = 128; // at least, of the largest entry
  private static final long LEAST_BYTES = 1 << 20;

  private Peers() {}

  /** Bounded both ways: an eighth more than OHC needs, because large entries leave gaps. */
  static CacheOptions options(Room room) {
    return CacheOptions.ofBytes(Math.max(LEAST_BYTES, room.bytes() * 9 / 8))
        .withTypicalEntryBytes(Long.BYTES + room.valueBytes())
        .withMaxEntries(room.entries());
  }

  static <V> Cached<V> millrace(Codec<V> values, CacheOptions options, boolean isInPlace) {
    OffHeapCache<Long, V> cache = OffHeapCache.of(Codec.longs(), values, options);
    ToIntFunction<Long> ends =
        isInPlace
            ? key -> {
              Byte sum = cache.read(key, Peers::sumOfEnds);
              return sum == null ? SpeedFork.ABSENT : sum;
            }
            : key -> SpeedFork.ends((byte[]) cache.get(key));
    return new Cached<>(
        cache::get,
        cache::put,
        (key, loader) -> load(cache, key, loader),
        ends,
        cache::size,
        () -> gauge(cache, "capacityBytes"),
        cache::close);
  }

  /** Allocates nothing: there is an object of every byte already. */
  private static Byte sumOfEnds(MemorySegment memory, long offset, long size) {
    byte first = memory.get(ValueLayout.JAVA_BYTE, offset);
    return (byte) (first + memory.get(ValueLayout.JAVA_BYTE, offset + size - 1));
  }

  private static <V> V load(OffHeapCache<Long, V> cache, Long key, Function<Long, V> loader) {
    try {
      return cache.get(key, loader);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static long gauge(OffHeapCache<?, ?> cache, String name) {
    int counters = cache.counters().size();
    long[] values = new long[counters + cache.gauges().size()];
    cache.readMetrics(values);
    return values[counters + cache.gauges().indexOf(name)];
  }

  /**
   * Caffeine.
   *
   * @param executor of evictions
   */
  static <V> Cached<V> caffeine(long entries, Executor executor) {
    Cache<Long, V> cache = Caffeine.newBuilder().maximumSize(entries).executor(executor).build();
    return new Cached<>(
        cache::getIfPresent,
        cache::put,
        cache::get,
        key -> SpeedFork.ends((byte[]) cache.getIfPresent(key)),
        () -> {
          cache.cleanUp();
          return cache.estimatedSize();
        },
        () -> 0,
        () -> {});
  }

  static Cached<byte[]> map() {
    ConcurrentHashMap<Long, byte[]> map = new ConcurrentHashMap<>();
    return Cached.of(map::get, map::put, map::mappingCount, () -> 0, () -> {});
  }

  /** OHC. Its loading get leaves the load to another thread, so it is not used. */
  static Cached<byte[]> ohc(Room room, Eviction eviction, boolean isInPlace) {
    OHCache<Long, byte[]> cache =
        OHCacheBuilder.<Long, byte[]>newBuilder()
            .keySerializer(new OhcLongs())
            .valueSerializer(new OhcBytes())
            .capacity(room.bytes())
            .maxEntrySize(room.valueBytes() + OHC_OVERHEAD)
            .eviction(eviction)
            .build();
    Cached<byte[]> cached = Cached.of(cache::get, cache::put, cache::size, cache::memUsed, cache);
    return !isInPlace
        ? cached
        : new Cached<>(
            cached.get(),
            cached.put(),
            cached.load(),
            key -> endsInPlace(cache, key),
            cached.entries(),
            cached.nativeBytes(),
            cache);
  }

  private static int endsInPlace(OHCache<Long, byte[]> cache, Long key) {
    try (DirectValueAccess value = cache.getDirect(key)) {
      if (value == null) {
        return SpeedFork.ABSENT;
      }
      ByteBuffer bytes = value.buffer();
      return (byte) (bytes.get(0) + bytes.get(bytes.limit() - 1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class OhcLongs implements CacheSerializer<Long> {
    @Override
    public void serialize(Long value, ByteBuffer buffer) {
      buffer.putLong(value);
    }

    @Override
    public Long deserialize(ByteBuffer buffer) {
      return buffer.getLong();
    }

    @Override
    public int serializedSize(Long value) {
      return Long.BYTES;
    }
  }

  private static final class OhcBytes implements CacheSerializer<byte[]> {
    @Override
    public void serialize(byte[] value, ByteBuffer buffer) {
      buffer.put(value);
    }

    @Override
    public byte[] deserialize(ByteBuffer buffer) {
      return bytes(buffer);
    }

    @Override
    public int serializedSize(byte[] value) {
      return value.length;
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] value = new byte[buffer.remaining()];
    buffer.get(value);
    return value;
  }

  /** Ehcache with nothing but its tier off the heap. */
  static Cached<byte[]> ehcache(Room room) {
    CacheManager manager = CacheManagerBuilder.newCacheManagerBuilder().build(true);
    ResourcePoolsBuilder pools =
        ResourcePoolsBuilder.newResourcePoolsBuilder()
            .offheap(Math.ceilDiv(room.bytes(), 1 << 20), MemoryUnit.MB);
    org.ehcache.Cache<Long, byte[]> cache =
        manager.createCache(
            "bench",
            CacheConfigurationBuilder.newCacheConfigurationBuilder(Long.class, byte[].class, pools)
                .withValueSerializer(new EhcacheBytes()));
    return Cached.of(
        cache::get,
        cache::put,
        () -> StreamSupport.stream(cache.spliterator(), false).count(),
        Peers::directBytes,
        manager);
  }

  private static final class EhcacheBytes implements Serializer<byte[]> {
    @Override
    public ByteBuffer serialize(byte[] value) {
      return ByteBuffer.wrap(value);
    }

    @Override
    public byte[] read(ByteBuffer buffer) {
      return bytes(buffer);
    }

    @Override
    public boolean equals(byte[] value, ByteBuffer buffer) {
      return ByteBuffer.wrap(value).equals(buffer);
    }
  }

  /** What all direct buffers of this JVM take. */
  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  /** MapDB's hash map in direct buffers, which evicts the entry that was stored first. */
  static Cached<byte[]> mapDb(Room room) {
    DB db = DBMaker.memoryDirectDB().make();
    HTreeMap<Long, byte[]> map =
        db.hashMap("bench", org.mapdb.Serializer.LONG, org.mapdb.Serializer.BYTE_ARRAY_NOSIZE)
            .counterEnable()
            .expireAfterCreate()
            .expireMaxSize(room.entries())
            .create();
    return Cached.of(map::get, map::put, map::sizeLong, Peers::directBytes, db);
  }

  /** Infinispan's local cache, which stores bytes off the heap. */
  static Cached<byte[]> infinispan(Room room) {
    DefaultCacheManager manager =
        new DefaultCacheManager(new GlobalConfigurationBuilder().nonClusteredDefault().build());
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.memory().storage(StorageType.OFF_HEAP).maxCount(room.entries());
    builder.memory().whenFull(EvictionStrategy.REMOVE);
    builder.encoding().mediaType(MediaType.APPLICATION_OCTET_STREAM_TYPE);
    org.infinispan.Cache<byte[], byte[]> cache =
        manager
            .administration()
            .withFlags(AdminFlag.VOLATILE)
            .getOrCreateCache("bench", builder.build());
    OffHeapMemoryAllocator memory =
        ComponentRegistry.componentOf(cache, OffHeapMemoryAllocator.class);
    return Cached.of(
        key -> cache.get(bytes(key)),
        (key, value) -> cache.put(bytes(key), value),
        cache::size,
        memory::getAllocatedAmount,
        manager);
  }

  private static byte[] bytes(Long key) {
    return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
  }
}

package dev.millrace.cache;

import dev.millrace.cache.Part.Load;
import dev.millrace.cache.internal.EntryTable;
import dev.millrace.cache.internal.Hash;
import dev.millrace.cache.internal.Probe;
import dev.millrace.cache.internal.Probes;
import dev.millrace.core.Measured;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cache in native memory, bounded in bytes. However much the cache holds, the garbage collector
 * sees only a few objects.
 *
 * {@snippet file="Examples.java" region="cache"}
 *
 * <p>The cache stores keys and values as bytes, which a {@link Codec} writes and reads, so each
 * call to {@link #get} returns a new object. {@link #read} reads a value in place. Neither keys nor
 * values may be null.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 *
 * <p><b>Progress.</b> {@code get} without a loader and {@code read} are lock-free: they try again
 * only if a writer has moved, replaced or evicted the entry that they were reading. A reader that
 * stops does not hold up other threads. A method that stores or removes a key locks the key's
 * shard, but only while the method copies an entry and evicts or moves a few other entries. {@link
 * #clear} and the methods that return numbers lock one shard after the other. {@code clear} holds
 * each lock while it empties the shard. Waiting for a lock cannot be interrupted. The cache holds
 * no lock while it calls a codec, a loader, a listener or a reader.
 *
 * <p><b>Ordering.</b> For each key, the cache is linearizable. The cache behaves like a map whose
 * entries may disappear at any time: a lookup returns the value stored last, or nothing. Everything
 * that a thread did before it stored a value happens-before everything that another thread does
 * after a lookup has returned that value. Methods that affect several keys are not atomic.
 *
 * <p><b>Eviction.</b> The policy is S3-FIFO. New entries go to a small queue, which has a tenth of
 * the memory. Once the small queue is full, new entries go to the main queue until the cache first
 * evicts an entry. An entry moves from the small queue to the main queue if it is read twice before
 * its turn to leave. An entry that is stored again soon after it left the small queue goes directly
 * to the main queue. When an entry's turn to leave the main queue comes, the entry stays if it has
 * been read. In the main queue, each read keeps an entry for one more turn, and at most three reads
 * count. If an entry finds no free slot in the index, it takes the slot of another entry, and the
 * other entry counts as evicted and as crowded out: see {@link CacheOptions#withTypicalEntryBytes}.
 *
 * <p><b>Expiry.</b> An expired entry is never returned, but keeps its memory until the cache needs
 * that memory.
 *
 * <p><b>Limits.</b> A key has at most 1,048,575 bytes. An entry takes 16 bytes plus its key and its
 * value. The key and the value are each rounded up to a multiple of 8 bytes. {@link
 * #maxEntryBytes()} returns the largest size that an entry may have. This limit is usually between
 * a 128th and a 64th of the memory that a shard has for entries, but can be as much as a 16th if
 * typical entries are large. Storing an entry above the limit throws {@link
 * IllegalArgumentException}. With {@link CacheOptions#skippingTooLarge}, the cache instead skips
 * and counts an entry above the limit.
 *
 * <p><b>Failure.</b> If a codec or a loader throws an exception, the cache passes it on to the
 * caller and stays unchanged. After {@link #close()} every call throws {@link
 * IllegalStateException}, and calls in progress may throw it too.
 *
 * <p><b>Cost.</b> A lookup hashes the key and reads one or two cache lines of the index. With a
 * codec of your own or {@link Codec#records}, {@code get} also copies the value. The library's
 * other codecs read the value in place. {@code get} allocates only what the codec returns and, with
 * a codec of your own, a view of the memory. {@code read} allocates nothing. Storing copies the
 * entry once or twice. In addition to the bytes set in its options, the cache has at least four 16
 * KiB buffers per processor. Each concurrent call uses one buffer. If a call finds no free buffer,
 * or its entry is larger than a buffer, the call allocates native memory, and frees it before the
 * call returns.
 *
 * <p><b>Source.</b> Eviction follows Yang, Zhang, Qiu, Yue, Vigfusson, <a
 * href="https://doi.org/10.1145/3600006.3613147">FIFO Queues Are All You Need for Cache
 * Eviction</a> (2023). Readers use a sequence lock for each segment of a log, as in {@code
 * HistoryRing}.
 *
 * @param <K> the keys
 * @param <V> the values
 * @since 0.1.0
 */
public final class OffHeapCache<K, V>
    implements Iterable<Map.Entry<K, V>>, Measured, AutoCloseable {
  private static final Metrics<OffHeapCache<?, ?>> METRICS =
      Metrics.<OffHeapCache<?, ?>>none()
          .counter("hits", cache -> cache.probes.hits())
          .counter("misses", cache -> cache.probes.misses())
          .gauge("capacityBytes", cache -> cache.capacityBytes)
          .gauge("indexBytes", cache -> cache.indexBytes);
  private static final List<String> COUNTERS = concat(METRICS.counters(), Part.METRICS.counters());
  private static final List<String> GAUGES = concat(METRICS.gauges(), Part.METRICS.gauges());
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Codec<K> keys;
  private final Codec<V> values;
  private final ReadyCodec<V> readAnyhow; // the values' codec if it can read garbage, or null
  private final CacheOptions options;
  private final EvictionListener<? super K, ? super V> listener; // or null
  private final long maxEntryBytes;
  private final long indexBytes;
  private final long capacityBytes;
  private final NativeMemory owned;
  private final MemorySegment readOnly;
  private final Part<V>[] parts;
  private final Hash hash = new Hash();
  private final Probes probes;
  private final long startNanos;

  @SuppressWarnings("NullAway") // readAnyhow and listener stay null where there is none
  private OffHeapCache(
      Codec<K> keys,
      Codec<V> values,
      CacheOptions options,
      @Nullable EvictionListener<? super K, ? super V> listener) {
    this.keys = Checks.notNull("keys", keys);
    this.values = Checks.notNull("values", values);
    this.options = Checks.notNull("options", options);
    this.listener = listener;
    this.readAnyhow =
        values instanceof ReadyCodec<V> ready && ready.canReadAnything() ? ready : null;
    Geometry geometry = Geometry.of(options, Runtime.getRuntime().availableProcessors());
    int count = geometry.shards();
    this.maxEntryBytes = geometry.maxEntryBytes();
    this.indexBytes = count * EntryTable.overheadBytes(geometry.buckets(), geometry.segments());
    this.startNanos = options.clock().getAsLong();
    this.capacityBytes = count * geometry.shardBytes();
    this.owned = NativeMemory.allocate(capacityBytes);
    this.probes = new Probes(); // last, so that a rejected cache leaves no memory behind
    this.readOnly = owned.segment().asReadOnly();
    @SuppressWarnings({"unchecked", "rawtypes"})
    Part<V>[] made = new Part[count];
    for (int i = 0; i < count; i++) {
      long most = options.maxEntries() / count + (i < options.maxEntries() % count ? 1 : 0);
      boolean isBounded = options.maxEntries() != Long.MAX_VALUE;
      made[i] =
          new Part<>(
              owned.segment(), i, geometry, isBounded ? most : Long.MAX_VALUE, listener != null);
    }
    this.parts = made;
  }

  /**
   * Makes a cache.
   *
   * @param <K> the keys
   * @param <V> the values
   * @param keys writes and reads keys
   * @param values writes and reads values
   * @param options how much the cache holds, and for how long
   * @return the cache, which must be closed to free its memory
   * @throws IllegalArgumentException if the bytes are too few for the other options
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <K, V> OffHeapCache<K, V> of(Codec<K> keys, Codec<V> values, CacheOptions options) {
    return new OffHeapCache<>(keys, values, options, null);
  }

  /**
   * Makes a cache that reports the entries that leave it.
   *
   * @param <K> the keys
   * @param <V> the values
   * @param keys writes and reads keys
   * @param values writes and reads values
   * @param options how much the cache holds, and for how long
   * @param listener receives every entry that leaves the cache
   * @return the cache, which must be closed to free its memory
   * @throws IllegalArgumentException if the bytes are too few for the other options
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <K, V> OffHeapCache<K, V> of(
      Codec<K> keys,
      Codec<V> values,
      CacheOptions options,
      EvictionListener<? super K, ? super V> listener) {
    return new OffHeapCache<>(keys, values, options, Checks.notNull("listener", listener));
  }

  // ---- reading ----

  /**
   * Looks up a key.
   *
   * @param key the key
   * @return a new object with its value, or null if the key is absent
   */
  public @Nullable V get(K key) {
    Probe probe = take();
    try {
      Part<V> part = part(key, probe);
      V value = find(part, probe);
      probes.count(probe, value != null);
      return value;
    } catch (IllegalStateException e) {
      throw reason(e);
    } finally {
      probes.give(probe);
    }
  }

  /** Finds the probe's key and reads its value. Returns null if the key is absent. */
  private @Nullable V find(Part<V> part, Probe probe) {
    EntryTable table = part.table;
    while (table.find(probe, now())) {
      V value = readAnyhow != null ? readInPlace(table, probe) : readCopy(table, probe);
      if (value != null) {
        table.touch(probe);
        return value;
      }
    }
    return null;
  }

  /** Reads the value that {@code probe} has found. Returns null if a writer has overwritten it. */
  private @Nullable V readInPlace(EntryTable table, Probe probe) {
    try {
      V value = readAnyhow.read(table.memory(), probe.valueAt(), probe.foundBytes());
      return table.isValid(probe) ? value : null;
    } catch (RuntimeException e) {
      if (table.isValid(probe)) {
        throw e;
      }
      return null;
    }
  }

  /**
   * Reads the value from a copy, for a codec that must not see bytes that are being overwritten.
   * Returns null if a writer has overwritten the value.
   */
  private @Nullable V readCopy(EntryTable table, Probe probe) {
    long size = probe.foundBytes();
    long at = probe.copy(table.memory(), probe.valueAt(), size);
    return table.isValid(probe) ? decode(values, probe.memory(), at, size) : null;
  }

  static <T> T decode(Codec<T> codec, MemorySegment memory, long at, long size) {
    T value =
        codec instanceof ReadyCodec<T> ready
            ? ready.read(memory, at, size)
            : codec.read(memory.asSlice(at, size));
    if (value == null) {
      throw new IllegalStateException("codec returned null: codec=" + Checks.shown(codec));
    }
    return value;
  }

  /**
   * Reads a value in place, without a copy.
   *
   * @param <R> what the reader returns
   * @param key the key
   * @param reader reads the value, perhaps several times: see {@link ValueReader}
   * @return what the reader returned from its last call, or null if the key is absent
   */
  public <R extends @Nullable Object> @Nullable R read(K key, ValueReader<R> reader) {
    Checks.notNull("reader", reader);
    Probe probe = take();
    try {
      Part<V> part = part(key, probe);
      EntryTable table = part.table;
      while (table.find(probe, now())) {
        R result = null;
        Throwable failure = null;
        try {
          result = reader.read(readOnly, part.offset + probe.valueAt(), probe.foundBytes());
        } catch (Throwable e) { // any exception may come from garbage
          failure = e;
        }
        if (table.isValid(probe)) {
          table.touch(probe);
          probes.count(probe, true);
          throwIfFailed(failure);
          return result;
        }
      }
      probes.count(probe, false);
      return null;
    } catch (IllegalStateException e) {
      throw reason(e);
    } finally {
      probes.give(probe);
    }
  }

  @SuppressWarnings("unchecked") // foreign code may throw even checked exceptions
  private static <E extends Throwable> void throwIfFailed(@Nullable Throwable failure) throws E {
    if (failure != null) {
      throw (E) failure;
    }
  }

  /**
   * Looks up a key, and loads the key's value if the key is absent. Only one thread at a time loads
   * a key. Other threads that call this method for the same key wait for the result. If another
   * call stores or removes the key or clears the cache during the load, the callers still get the
   * loaded value, but the cache does not store it.
   *
   * @param key the key
   * @param loader returns the value, or null for none. The loader must not ask for the same key,
   *     not even through the loaders of other keys. The cache holds no lock while it calls the
   *     loader, so the loader may take as long as it likes
   * @return the value, or null if the loader returned null
   * @throws InterruptedException if the thread was interrupted while it waited for another thread's
   *     load, which continues
   * @throws CompletionException if the loader threw in another thread, with the loader's exception
   *     as its cause. The loading thread gets the loader's exception itself. When a loader throws,
   *     nothing is stored
   * @throws IllegalStateException if the loader asks for the key that it is loading
   */
  public @Nullable V get(K key, Function<? super K, ? extends @Nullable V> loader)
      throws InterruptedException {
    Checks.notNull("loader", loader);
    V value = get(key);
    return value != null ? value : load(key, loader);
  }

  private @Nullable V load(K key, Function<? super K, ? extends @Nullable V> loader)
      throws InterruptedException {
    Load<V> mine = new Load<>();
    Load<V> other = null;
    Part<V> part;
    Probe probe = take();
    try {
      part = part(key, probe);
      boolean isThere = true;
      while (isThere) {
        lock(part);
        try {
          isThere = part.shard.contains(probe, now());
          other = isThere ? null : part.begin(mine, probe);
        } finally {
          unlock(part);
        }
        V value = isThere ? find(part, probe) : null;
        if (value != null) {
          return value; // another thread has just stored the value
        }
      }
    } catch (IllegalStateException e) {
      throw reason(e);
    } finally {
      probes.give(probe);
    }
    return other == null ? loadNow(part, key, mine, loader) : await(key, other);
  }

  private @Nullable V loadNow(
      Part<V> part, K key, Load<V> load, Function<? super K, ? extends @Nullable V> loader) {
    Probe probe = null;
    V value;
    boolean fits;
    try {
      value = loader.apply(key);
      probe = take();
      part.useKey(probe, load);
      fits = value != null && encode(value, probe, part);
    } catch (Throwable e) { // other threads must not wait forever, whatever was thrown
      part.shard.lock();
      part.end(load, false);
      part.shard.unlock();
      load.end(null, e);
      if (probe != null) {
        probes.give(probe);
      }
      if (!owned.isOpen() && e instanceof IllegalStateException) {
        throw closed();
      }
      throw e;
    }
    try {
      lock(part);
      try {
        if (part.end(load, true) && fits) {
          part.shard.put(probe, expiry(), now());
        }
      } finally {
        unlock(part);
      }
      return value;
    } finally {
      load.end(value, null);
      probes.give(probe);
    }
  }

  private @Nullable V await(K key, Load<V> load) throws InterruptedException {
    if (load.thread.equals(Thread.currentThread())) {
      throw new IllegalStateException(
          "loader asked for the key that it is loading: " + Checks.shown(key));
    }
    Load.Result<V> result = load.await();
    if (!owned.isOpen()) {
      throw closed();
    }
    if (result.failure() != null) {
      throw new CompletionException(
          "loading failed in another thread: key=" + Checks.shown(key), result.failure());
    }
    return result.value();
  }

  // ---- writing ----

  /**
   * Stores a value for a key, replacing any previous value.
   *
   * @param key the key
   * @param value the value
   * @return false if the entry is too large and was skipped, as {@link
   *     CacheOptions#skippingTooLarge} says; the key is then absent
   * @throws IllegalArgumentException if the key or the entry is too large
   */
  public boolean put(K key, V value) {
    Checks.notNull("value", value);
    Probe probe = take();
    try {
      Part<V> part = part(key, probe);
      boolean fits = encode(value, probe, part);
      lock(part);
      try {
        store(part, probe, fits);
      } finally {
        unlock(part);
      }
      return fits;
    } catch (IllegalStateException e) {
      throw reason(e);
    } finally {
      probes.give(probe);
    }
  }

  private void store(Part<V> part, Probe probe, boolean fits) {
    part.supersede(probe);
    if (fits) {
      part.shard.put(probe, expiry(), now());
    } else {
      part.shard.remove(probe, now()); // otherwise an older value could still be found
    }
  }

  /**
   * Stores a value unless the key already has one.
   *
   * @param key the key
   * @param value the value
   * @return the value that the key already had, or null if it had none
   * @throws IllegalArgumentException if the key or the entry is too large
   */
  public @Nullable V putIfAbsent(K key, V value) {
    Checks.notNull("value", value);
    Probe probe = take();
    try {
      Part<V> part = part(key, probe);
      while (true) {
        V present = find(part, probe);
        if (present != null) {
          return present;
        }
        boolean fits = encode(value, probe, part);
        lock(part);
        try {
          if (!part.shard.contains(probe, now())) {
            store(part, probe, fits);
            return null;
          }
        } finally {
          unlock(part);
        }
      }
    } catch (IllegalStateException e) {
      throw reason(e);
    } finally {
      probes.give(probe);
    }
  }

  /**
   * Removes a key.
   *
   * @param key the key
   * @return whether the key was present
   */
  public boolean remove(K key) {
    Probe probe = take();
    try {
      Part<V> part = part(key, probe);
      lock(part);
      try {
        part.supersede(probe);
        return part.shard.remove(probe, now());
      } finally {
        unlock(part);
      }
    } catch (IllegalStateException e) {
      throw reason(e);
    } finally {
      probes.give(probe);
    }
  }

  /** Removes all entries, one shard after the other. */
  public void clear() {
    Throwable failure = null;
    for (Part<V> part : parts) {
      lock(part);
      Left left;
      try {
        part.clear(now());
      } finally {
        left = part.takeLeft();
        failure = failure == null ? part.takeFailure() : failure;
        part.shard.unlock();
      }
      failure = report(left, failure);
    }
    throwIfFailed(failure);
  }

  private void lock(Part<V> part) {
    part.shard.lock();
    if (!owned.isOpen()) {
      part.shard.unlock();
      throw closed();
    }
  }

  /** Unlocks {@code part}, then reports the entries that have left it. */
  private void unlock(Part<V> part) {
    Left left = part.takeLeft();
    Throwable failure = part.takeFailure();
    part.shard.unlock();
    throwIfFailed(report(left, failure));
  }

  /** Reports the entries that have left, if there are any. Returns the first failure, or null. */
  private @Nullable Throwable report(@Nullable Left left, @Nullable Throwable before) {
    return left == null ? before : left.report(keys, values, listener, before);
  }

  // ---- bytes ----

  private Probe take() {
    if (!owned.isOpen()) {
      throw closed();
    }
    return probes.take();
  }

  /** Writes {@code key} to {@code probe}. Returns the part to which the key belongs. */
  private Part<V> part(K key, Probe probe) {
    Checks.notNull("key", key);
    long size = checked(keys, key, keys.size(key));
    if (size > EntryTable.MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "key must have 0..%d bytes: bytes=%d, key=%s"
              .formatted(EntryTable.MAX_KEY_BYTES, size, Checks.shown(key)));
    }
    long at = probe.startKey(size);
    encode(keys, key, probe.memory(), at, size);
    probe.endKey(hash.of(probe.memory(), at, size));
    return parts[(int) Math.unsignedMultiplyHigh(probe.hash(), parts.length)];
  }

  /**
   * Writes {@code value} to {@code probe}, which already has the key. Returns false if the entry is
   * to be skipped.
   */
  private boolean encode(V value, Probe probe, Part<V> part) {
    byte[] array = values instanceof ReadyCodec<V> ready ? ready.array(value) : null;
    long size = array != null ? array.length : checked(values, value, values.size(value));
    if (size > maxEntryBytes || EntryTable.entryBytes(probe.keyBytes(), size) > maxEntryBytes) {
      return reject(probe, size, part);
    }
    if (array != null) {
      probe.useArray(array);
    } else {
      long at = probe.startValue(size);
      encode(values, value, probe.memory(), at, size);
    }
    return true;
  }

  private static long checked(Codec<?> codec, Object value, long size) {
    if (size < 0) {
      throw new IllegalStateException(wrong(codec, value, "said that it takes " + size + " bytes"));
    }
    return size;
  }

  private boolean reject(Probe probe, long size, Part<V> part) {
    lock(part);
    part.reject();
    unlock(part);
    if (options.skipsTooLarge()) {
      return false;
    }
    throw new IllegalArgumentException(
        "entry is too large for this cache: keyBytes=%d, valueBytes=%d, maxEntryBytes=%d"
            .formatted(probe.keyBytes(), size, maxEntryBytes));
  }

  private static <T> void encode(
      Codec<T> codec, T value, MemorySegment memory, long at, long size) {
    if (codec instanceof ReadyCodec<T> ready) {
      ready.write(value, memory, at);
      return;
    }
    long written;
    try {
      written = codec.write(value, memory.asSlice(at, size));
    } catch (IndexOutOfBoundsException e) {
      throw new IllegalStateException(
          wrong(codec, value, "wrote beyond its " + size + " bytes"), e);
    }
    if (written != size) {
      throw new IllegalStateException(
          wrong(codec, value, "wrote " + written + " bytes instead of " + size));
    }
  }

  private static String wrong(Codec<?> codec, Object value, String what) {
    return "codec %s: type=%s, codec=%s"
        .formatted(what, value.getClass().getTypeName(), Checks.shown(codec));
  }

  // ---- time ----

  private boolean mayExpire() {
    return options.expireAfterWriteNanos() != WaitStrategy.FOREVER;
  }

  /** Returns the time in milliseconds since the cache was made, or 0 if entries do not expire. */
  private long now() {
    return mayExpire()
        ? Math.min((options.clock().getAsLong() - startNanos) / TICK_NANOS, EntryTable.NEVER - 1)
        : 0;
  }

  /** Returns when an entry that is stored now will expire. */
  private long expiry() {
    if (!mayExpire()) {
      return EntryTable.NEVER;
    }
    long age = options.clock().getAsLong() - startNanos;
    long latest = Math.min(Long.MAX_VALUE - age, options.expireAfterWriteNanos());
    return Math.min(Math.ceilDiv(age + latest, TICK_NANOS), EntryTable.NEVER);
  }

  // ---- all entries ----

  /**
   * Returns an iterator over the entries, in no particular order. The iterator is weakly
   * consistent. The iterator returns exactly once each entry that stays in the cache throughout the
   * iteration. If an entry is added or leaves during the iteration, the iterator may or may not
   * return that entry. Iterating over an entry does not count as reading it. The entries that the
   * iterator returns are immutable.
   */
  @Override
  public Iterator<Map.Entry<K, V>> iterator() {
    if (!owned.isOpen()) {
      throw closed();
    }
    return new Entries();
  }

  private final class Entries implements Iterator<Map.Entry<K, V>> {
    private int part;
    private long slot;
    private Map.@Nullable Entry<K, V> next;

    @Override
    public boolean hasNext() {
      if (next == null && part < parts.length) {
        Probe probe = take();
        try {
          find(probe);
        } catch (IllegalStateException e) {
          throw reason(e);
        } finally {
          probes.give(probe);
        }
      }
      return next != null;
    }

    private void find(Probe probe) {
      while (next == null && part < parts.length) {
        EntryTable table = parts[part].table;
        slot = table.findFrom(slot, probe, now());
        if (slot < 0) {
          part++;
          slot = 0;
        } else {
          next = read(table, probe);
          slot += next == null ? 0 : 1;
        }
      }
    }

    /**
     * Reads the entry that {@code probe} has found. Returns null if a writer has overwritten it.
     */
    private Map.@Nullable Entry<K, V> read(EntryTable table, Probe probe) {
      long keyAt = probe.keyAt();
      long keyBytes = probe.foundKeyBytes();
      long valueAt = probe.valueAt() - keyAt;
      long bytes = probe.foundBytes();
      long at = probe.copy(table.memory(), keyAt, valueAt + bytes);
      if (!table.isValid(probe)) {
        return null;
      }
      MemorySegment copy = probe.memory();
      return Map.entry(decode(keys, copy, at, keyBytes), decode(values, copy, at + valueAt, bytes));
    }

    @Override
    @SuppressWarnings("NullAway") // hasNext has found an entry
    public Map.Entry<K, V> next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no more entries");
      }
      Map.Entry<K, V> entry = next;
      next = null;
      return entry;
    }
  }

  // ---- numbers ----

  /**
   * Returns how many entries there are, including expired entries that still have their memory. The
   * number is exact while no thread writes.
   *
   * @return the number
   */
  public long size() {
    return sum(part -> part.shard.entries());
  }

  /**
   * Returns how much memory the entries take, including their headers and padding. The index does
   * not count. Memory that is lost to removed entries or at the ends of segments does not count
   * either. The number is exact while no thread writes.
   *
   * @return the size in bytes
   */
  public long bytes() {
    return sum(part -> part.shard.liveBytes());
  }

  private long sum(ToLongFunction<Part<V>> number) {
    if (!owned.isOpen()) {
      throw closed();
    }
    long sum = 0;
    for (Part<V> part : parts) {
      part.shard.lock();
      sum += number.applyAsLong(part);
      part.shard.unlock();
    }
    return sum;
  }

  /**
   * Returns the most memory that an entry may take. An entry takes 16 bytes plus its key and its
   * value. The key and the value are each rounded up to a multiple of 8 bytes.
   *
   * @return the size in bytes, a power of two
   */
  public long maxEntryBytes() {
    return maxEntryBytes;
  }

  @Override
  public List<String> counters() {
    return COUNTERS;
  }

  @Override
  public List<String> gauges() {
    return GAUGES;
  }

  @Override
  public void readMetrics(long[] values) {
    Objects.checkFromIndexSize(0, COUNTERS.size() + GAUGES.size(), values.length);
    Arrays.fill(values, 0, COUNTERS.size() + GAUGES.size(), 0);
    METRICS.addTo(this, values, 0, COUNTERS.size());
    int counter = METRICS.counters().size();
    int gauge = COUNTERS.size() + METRICS.gauges().size();
    for (Part<V> part : parts) {
      part.shard.lock();
      Part.METRICS.addTo(part, values, counter, gauge);
      part.shard.unlock();
    }
  }

  private static List<String> concat(List<String> some, List<String> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  // ---- the end ----

  /**
   * Frees the memory. All later calls throw {@link IllegalStateException}. Calls in progress may
   * throw it, too, and may leave their thread interrupted. A call that is loading a value throws
   * the exception when its loader returns. Closing a cache again has no effect.
   *
   * @throws IllegalStateException if a {@link ValueReader} has passed the memory to an I/O
   *     operation that is still in progress. If this exception is thrown, the cache stays open
   */
  @Override
  public void close() {
    for (Part<V> part : parts) {
      part.shard.lock();
    }
    try {
      if (owned.isOpen()) {
        owned.close(this);
        probes.close(this);
      }
    } finally {
      for (Part<V> part : parts) {
        part.shard.unlock();
      }
    }
  }

  /**
   * Returns the exception to throw. If the cache was closed during the call, the exception says so.
   */
  private IllegalStateException reason(IllegalStateException e) {
    return owned.isOpen() ? e : closed();
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("cache is closed");
  }

  /** Returns the class's name, and how much the cache may hold. */
  @Override
  public String toString() {
    return "OffHeapCache[shards=%d, bytes=%d]".formatted(parts.length, options.bytes());
  }
}

package dev.millrace.ohlcv.serve;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.millrace.cache.CacheOptions;
import dev.millrace.cache.Codec;
import dev.millrace.cache.OffHeapCache;
import dev.millrace.core.Measured;
import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSnapshot;
import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.output.Columns;
import dev.millrace.ohlcv.output.CsvOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Answers queries from an engine while it makes candles, and keeps what was rendered in a cache off
 * the heap.
 *
 * <p>A cached answer's key ends with the version of the candles in its range. So an answer is found
 * as long as none of them has changed, and what has become old is never asked for again; the cache
 * evicts it.
 */
final class CandleQueries implements AutoCloseable {
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN).build();
  private static final int AT_A_TIME = 2 * Runtime.getRuntime().availableProcessors();
  private static final int TYPICAL_ANSWER_BYTES = 20_000;

  private final CandleEngine engine;
  private final CandleEngine.Options options;
  private final Symbols symbols;
  private final Columns columns;
  private final OffHeapCache<String, byte[]> cache; // null without
  private final Semaphore free = new Semaphore(AT_A_TIME);
  private final Queue<CandleSnapshot> snapshots = new ConcurrentLinkedQueue<>();

  /**
   * Candles of one moment.
   *
   * @param trades how many of the symbol's trades are in them
   */
  record Answer(List<Candle> candles, long trades) {}

  /**
   * Begins to answer.
   *
   * @param cacheBytes how much the cache takes; 0 for none
   */
  CandleQueries(
      CandleEngine engine,
      CandleEngine.Options options,
      Symbols symbols,
      Columns columns,
      long cacheBytes) {
    this.engine = engine;
    this.options = options;
    this.symbols = symbols;
    this.columns = columns;
    CacheOptions room =
        CacheOptions.ofBytes(Math.max(1 << 20, cacheBytes))
            .withTypicalEntryBytes(TYPICAL_ANSWER_BYTES)
            .skippingTooLarge();
    this.cache = cacheBytes == 0 ? null : OffHeapCache.of(Codec.utf8(), Codec.bytes(), room);
  }

  /** The cache, if there is one. */
  Optional<Measured> cache() {
    return Optional.ofNullable(cache);
  }

  /** Tells whether candles that a query is about have changed. */
  CandleEngine.Version version(Query query) {
    Interval base = options.interval();
    long to = query.toNanos() == Long.MAX_VALUE ? query.toNanos() : query.endNanos() - 1;
    return engine.version(query.symbol(), base.bucket(query.fromNanos()), base.bucket(to));
  }

  /** Answers as a client gets it. */
  byte[] render(Query query) throws InterruptedException {
    if (cache == null) {
      return rendered(query);
    }
    String key = query + "@" + version(query); // before the candles are read
    return cache.get(key, _ -> rendered(query));
  }

  private byte[] rendered(Query query) {
    Answer answer = answer(query);
    return switch (query.format()) {
      case JSON -> json(query, answer);
      case CSV -> csv(query, answer);
    };
  }

  private byte[] json(Query query, Answer answer) {
    return json(
        query,
        answer.trades(),
        json -> {
          json.writeArrayFieldStart("candles");
          for (Candle candle : answer.candles()) {
            columns.write(candle, "", json);
          }
          json.writeEndArray();
        });
  }

  /** One candle as a stream sends it. */
  byte[] json(Query query, Candle candle, long trades) {
    return json(
        query,
        trades,
        json -> {
          json.writeFieldName("candle");
          columns.write(candle, "", json);
        });
  }

  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private byte[] json(Query query, long trades, Fields fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("symbol", symbols.name(query.symbol()));
      json.writeStringField("interval", query.interval().text());
      json.writeNumberField("last_trade", trades);
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return bytes.toByteArray();
  }

  static byte[] json(Object values) {
    try {
      return JSON.writeValueAsBytes(values);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private byte[] csv(Query query, Answer answer) {
    StringWriter text = new StringWriter();
    try {
      CsvOutput output = new CsvOutput(new Columns(columns.sides(), true), text);
      for (Candle candle : answer.candles()) {
        output.candle(candle, symbols.name(query.symbol()));
      }
      output.end();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Reads the candles. Waits while too many others do. */
  Answer answer(Query query) {
    free.acquireUninterruptibly();
    CandleSnapshot snapshot = null;
    try {
      snapshot = snapshots.poll();
      if (snapshot == null) {
        snapshot = engine.newSnapshot(capacity());
      }
      return answer(query, snapshot);
    } finally {
      if (snapshot != null) {
        snapshots.add(snapshot);
      }
      free.release();
    }
  }

  private int capacity() {
    return options.windowCandles() + options.historyCandles();
  }

  private Answer answer(Query query, CandleSnapshot snapshot) {
    boolean isOfAnyTime = query.fromNanos() == Query.EARLIEST && query.toNanos() == Long.MAX_VALUE;
    long each = query.interval().nanos() / options.interval().nanos();
    long asked = isOfAnyTime ? (query.limit() + 1L) * each : capacity();
    int first = (int) Math.min(asked, capacity());
    Answer answer = answer(query, snapshot, first);
    return answer.candles().size() < query.limit() && first < capacity()
        ? answer(query, snapshot, capacity()) // nothing was traded in some of them
        : answer;
  }

  private Answer answer(Query query, CandleSnapshot snapshot, int intervals) {
    int end = snapshot.take(query.symbol(), intervals);
    while (end > 0 && openTime(query, snapshot, end - 1) > query.toNanos()) {
      end--;
    }
    List<Candle> candles = new ArrayList<>();
    while (end > 0 && candles.size() < query.limit()) {
      long openTimeNanos = openTime(query, snapshot, end - 1);
      int from = end - 1;
      while (from > 0 && openTime(query, snapshot, from - 1) == openTimeNanos) {
        from--;
      }
      boolean isWhole =
          from > 0 || snapshot.isAll() || snapshot.openTimeNanos(from) == openTimeNanos;
      if (openTimeNanos < query.fromNanos() || !isWhole) {
        break;
      }
      candles.add(joined(openTimeNanos, snapshot, from, end));
      end = from;
    }
    return new Answer(candles.reversed(), snapshot.trades());
  }

  /** When the candle that is asked for starts which has one of the engine's. */
  private static long openTime(Query query, CandleSnapshot snapshot, int index) {
    Interval interval = query.interval();
    return interval.openTimeNanos(interval.bucket(snapshot.openTimeNanos(index)));
  }

  private static Candle joined(long openTimeNanos, CandleSnapshot snapshot, int from, int end) {
    Candle first = snapshot.candle(from);
    Candle last = first;
    BigDecimal high = first.high();
    BigDecimal low = first.low();
    BigDecimal volume = first.volume();
    long count = first.count();
    BigDecimal quoteVolume = first.quoteVolume();
    BigDecimal takerBuyVolume = first.takerBuyVolume();
    BigDecimal takerBuyQuoteVolume = first.takerBuyQuoteVolume();
    for (int i = from + 1; i < end; i++) {
      last = snapshot.candle(i);
      high = high.max(last.high());
      low = low.min(last.low());
      volume = volume.add(last.volume());
      count += last.count();
      quoteVolume = quoteVolume.add(last.quoteVolume());
      takerBuyVolume = takerBuyVolume.add(last.takerBuyVolume());
      takerBuyQuoteVolume = takerBuyQuoteVolume.add(last.takerBuyQuoteVolume());
    }
    return new Candle(
        first.symbol(),
        openTimeNanos,
        first.open(),
        high,
        low,
        last.close(),
        Decimals.shortest(volume),
        count,
        Decimals.shortest(quoteVolume),
        Decimals.shortest(takerBuyVolume),
        Decimals.shortest(takerBuyQuoteVolume));
  }

  /** Waits for answers under way, if the server has left any. */
  @Override
  public void close() {
    free.acquireUninterruptibly(AT_A_TIME);
    snapshots.forEach(CandleSnapshot::close);
    if (cache != null) {
      cache.close();
    }
  }
}

package dev.millrace.ohlcv.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.millrace.core.Measured;
import dev.millrace.queues.log.LogReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.math.BigDecimal;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds an answer that mixes two moments, a range or limit that is off by a candle, a stream that
 * loses a change between two connections, and an end that leaves threads or memory behind.
 */
@Timeout(120)
final class ServeTest {
  private static final long START = 1_700_000_040; // the beginning of a minute
  private static final String HEAD = "time,symbol,price,volume\n";
  private static final int TRADES = 5_000;
  private static final int COMING = 1_500; // of them, those that come in during a test

  private static final List<String> ROWS = drawn();
  private static Served shared; // of all trades, with no options

  @BeforeAll
  static void serve() throws Exception {
    shared = Served.text(csv(TRADES), "");
    shared.awaitTrades(TRADES);
  }

  @AfterAll
  static void stopServing() throws Exception {
    shared.close();
  }

  private static List<String> rows(int count) {
    return ROWS.subList(0, count);
  }

  /** Trades of two symbols, some seconds apart, now and then none for some minutes. */
  private static List<String> drawn() {
    SplittableRandom random = new SplittableRandom(1);
    List<String> rows = new ArrayList<>();
    long second = START;
    for (int i = 0; i < TRADES; i++) {
      second += random.nextInt(500) == 0 ? 400 : random.nextInt(20);
      rows.add(
          "%d,%s,%d.%d,%d\n"
              .formatted(
                  second,
                  random.nextInt(3) == 0 ? "B" : "A",
                  100 + random.nextInt(10),
                  random.nextInt(10),
                  1 + random.nextInt(5)));
    }
    return rows;
  }

  private static String csv(int trades) {
    return HEAD + String.join("", rows(trades));
  }

  /** The candles of a symbol's first trades, one by one from the rows. */
  private static List<String> expected(int trades, String symbol, int minutes) {
    record Bar(long time, List<BigDecimal> prices, BigDecimal volume, int count) {}
    List<Bar> bars = new ArrayList<>();
    for (String row : rows(trades)) {
      String[] fields = row.strip().split(",", -1);
      if (fields[1].equals(symbol)) {
        long time = Math.floorDiv(Long.parseLong(fields[0]), 60L * minutes) * 60_000 * minutes;
        BigDecimal price = new BigDecimal(fields[2]);
        BigDecimal volume = new BigDecimal(fields[3]);
        Bar last = bars.isEmpty() ? null : bars.getLast();
        if (last == null || last.time != time) {
          bars.add(new Bar(time, List.of(price, price, price, price), volume, 1));
        } else {
          List<BigDecimal> before = last.prices;
          List<BigDecimal> prices =
              List.of(before.get(0), before.get(1).max(price), before.get(2).min(price), price);
          bars.set(bars.size() - 1, new Bar(time, prices, last.volume.add(volume), last.count + 1));
        }
      }
    }
    return bars.stream().map(bar -> text(bar.time, bar.prices, bar.volume, bar.count)).toList();
  }

  private static String text(long time, List<BigDecimal> prices, BigDecimal volume, int count) {
    StringBuilder text = new StringBuilder().append(time);
    for (BigDecimal price : prices) {
      text.append(' ').append(price.stripTrailingZeros().toPlainString());
    }
    return text + " " + volume.stripTrailingZeros().toPlainString() + " " + count;
  }

  private static List<String> shown(JsonNode answer) {
    List<String> all = new ArrayList<>();
    answer.get("candles").forEach(candle -> all.add(shownOne(candle)));
    return all;
  }

  private static String shownOne(JsonNode candle) {
    List<BigDecimal> prices =
        Stream.of("open", "high", "low", "close")
            .map(name -> candle.get(name).decimalValue())
            .toList();
    return text(
        candle.get("open_time").asLong(),
        prices,
        candle.get("volume").decimalValue(),
        candle.get("count").asInt());
  }

  // ---- answers ----

  @ParameterizedTest
  @CsvSource({"--no-cache, 1", "--window 5 --shards 3, 1", "--window 1, 5"})
  void candles_withOptions_areThoseOfTheTrades(String options, int minutes) throws Exception {
    try (Served served = Served.text(csv(TRADES), options)) {
      served.awaitTrades(TRADES);
      assertCandles(served, minutes);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 60})
  void candles_areThoseOfTheTrades(int minutes) throws Exception {
    assertCandles(shared, minutes);
  }

  private static void assertCandles(Served served, int minutes) throws Exception {
    for (String symbol : List.of("A", "B")) {
      for (int again = 0; again < 2; again++) { // from the cache
        List<String> expected = expected(TRADES, symbol, minutes);
        assertThat(expected).hasSizeGreaterThan(10);
        String path = "/candles?symbol=%s&limit=10000&interval=%dm".formatted(symbol, minutes);
        assertThat(shown(served.json(path))).isEqualTo(expected);
      }
    }
  }

  /** What the history has no more room for is left out, and no candle is half there. */
  @ParameterizedTest
  @CsvSource({"1, 50", "7, 50", "60, 500"})
  void candles_beyondTheHistory_areLeftOut(int minutes, int history) throws Exception {
    String options = "--window 20 --history " + history;
    try (Served served = Served.text(csv(TRADES), options)) {
      served.awaitTrades(TRADES);
      List<String> all = expected(TRADES, "A", minutes);
      List<String> shown =
          shown(served.json("/candles?symbol=A&limit=10000&interval=" + minutes + "m"));
      assertThat(shown).isNotEmpty().hasSizeLessThan(all.size());
      assertThat(shown).isEqualTo(all.subList(all.size() - shown.size(), all.size()));
    }
  }

  @Test
  void ranges_andLimits_selectByOpenTime() throws Exception {
    SplittableRandom random = new SplittableRandom(2);
    Map<Integer, List<String>> all = new HashMap<>(); // candles by their minutes
    for (int i = 0; i < 200; i++) {
      int minutes = 1 + random.nextInt(7);
      long from = START * 1_000 + random.nextLong(50_000_000);
      long to = from + random.nextLong(20_000_000);
      int limit = 1 + random.nextInt(100);
      List<String> expected = new ArrayList<>();
      for (String candle : all.computeIfAbsent(minutes, each -> expected(TRADES, "A", each))) {
        long time = Long.parseLong(candle.substring(0, candle.indexOf(' ')));
        if (time >= from && time <= to) {
          expected.add(candle);
        }
      }
      String path =
          "/candles?symbol=A&interval=%dm&from=%d&to=%d&limit=%d"
              .formatted(minutes, from, to, limit);
      assertThat(shown(shared.json(path)))
          .as(path)
          .isEqualTo(expected.subList(Math.max(0, expected.size() - limit), expected.size()));
    }
  }

  /** Each answer is of the trades up to the one that it names, while others come in. */
  @ParameterizedTest
  @CsvSource({"''", "--no-cache", "--window 1 --shards 2"})
  void answers_whileTradesComeIn_areOfOneMoment(String options) throws Exception {
    PipedInputStream in = new PipedInputStream(1 << 16);
    try (PipedOutputStream out = new PipedOutputStream(in)) {
      out.write((HEAD + rows(1).getFirst()).getBytes(StandardCharsets.UTF_8));
      out.flush();
      try (Served served = Served.stream(in, options + " -")) {
        Thread writer =
            Thread.ofPlatform()
                .start(
                    () -> {
                      try (out) { // a pipe whose writer has gone without it is broken
                        for (String row : rows(COMING).subList(1, COMING)) {
                          out.write(row.getBytes(StandardCharsets.UTF_8));
                          out.flush();
                          Thread.sleep(0, 200_000);
                        }
                      } catch (Exception e) {
                        throw new IllegalStateException(e);
                      }
                    });
        Set<Integer> seen = new HashSet<>();
        int last = 0;
        while (last < count(COMING, "A")) {
          JsonNode answer = served.json("/candles?symbol=A&limit=10000");
          int trades = answer.get("last_trade").asInt();
          assertThat(trades).isGreaterThanOrEqualTo(last);
          if (seen.add(trades)) {
            assertThat(shown(answer)).isEqualTo(expected(rowOf(trades, "A"), "A", 1));
          }
          last = trades;
        }
        assertThat(seen).hasSizeGreaterThan(10);
        writer.join();
      }
    }
  }

  private static int count(int trades, String symbol) {
    return (int) rows(trades).stream().filter(row -> row.contains("," + symbol + ",")).count();
  }

  /** How many rows there are up to a symbol's trade. */
  private static int rowOf(int trade, String symbol) {
    int row = 0;
    int left = trade;
    for (String each : rows(TRADES)) {
      if (left == 0) {
        break;
      }
      left -= each.contains("," + symbol + ",") ? 1 : 0;
      row++;
    }
    return row;
  }

  @Test
  void csv_hasTheColumnsOfTheCommand() throws Exception {
    HttpResponse<String> response = shared.get("/candles?format=csv");
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/csv");
    assertThat(response.body()).startsWith("open_time,open,high,low,close,volume,count,symbol\n");
  }

  @Test
  void symbols_health_andMetrics() throws Exception {
    try (Served served = Served.text(csv(TRADES), "")) {
      served.awaitTrades(TRADES);
      JsonNode symbols = served.json("/symbols");
      assertThat(symbols.get("interval").asText()).isEqualTo("1m");
      assertThat(symbols.get("symbols").findValuesAsText("symbol")).containsExactly("A", "B");
      assertThat(symbols.get("symbols").get(0).get("trades").asInt()).isEqualTo(count(TRADES, "A"));
      served.get("/candles");
      served.get("/candles");
      String metrics = served.get("/metrics").body();
      assertThat(metrics)
          .contains("ohlcv_trades_total " + TRADES + "\n", "millrace_cache_hits_total 1\n")
          .contains("millrace_pipeline_aggregate_lag 0\n", "jvm_collections_total ")
          .contains("# TYPE millrace_pipeline_free_slots gauge\n");
      for (String line : metrics.lines().toList()) {
        assertThat(line).matches("# TYPE [a-z0-9_]+ (counter|gauge)|[a-z0-9_]+ -?\\d+");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/candles?symbol=C|400|symbol must be one of /symbols: symbol=C",
        "/candles?limit=0|400|limit must be in 1..10000: limit=0",
        "/candles?limit=99999999999|400|limit must be in 1..10000: limit=99999999999",
        "/candles?interval=30s|400|interval must be a multiple of 1m, such as 15m, 1h or 1d:"
            + " interval=30s",
        "/candles?interval=1w3|400|interval must be a multiple of 1m, such as 15m, 1h or 1d:"
            + " interval=1w3",
        "/candles?from=yesterday|400|from must be milliseconds since 1970, or a time such as"
            + " 2013-11-25T00:00:00Z: from=yesterday",
        "/candles?from=2&to=1|400|from must not be after to: from=2",
        "/candles?format=xml|400|format must be json or csv: format=xml",
        "/candles?limit=1&limit=2|400|limit must be given once: limit=[1, 2]",
        "/candles?colour=red|400|parameter must be symbol, interval, from, to, limit or format:"
            + " parameter=colour",
        "/stream?interval=7s|400|interval must be a multiple of 1m, such as 15m, 1h or 1d:"
            + " interval=7s",
        "/none|404|path must be /, /candles, /symbols, /stream, /health or /metrics",
      })
  void badRequests_areExplained(String path, int status, String error) throws Exception {
    HttpResponse<String> response = shared.get(path);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(Served.parse(response.body()).get("error").asText()).isEqualTo(error);
  }

  // ---- logs ----

  /** A log that another run writes is followed beyond the trades that it has. */
  @Test
  void logThatGrows_isFollowed(@TempDir Path folder) throws Exception {
    String kept = folder.resolve("kept").toString();
    PipedInputStream in = new PipedInputStream(1 << 16);
    try (PipedOutputStream out = new PipedOutputStream(in)) {
      give(out, csv(2));
      try (Served keeping = Served.stream(in, "- --log " + kept)) {
        keeping.awaitTrades(2);
        try (Served following = Served.stream(InputStream.nullInputStream(), kept)) {
          following.awaitTrades(2);
          give(out, String.join("", rows(TRADES).subList(2, TRADES)));
          following.awaitTrades(TRADES);
          assertServes(following, TRADES);
        }
      }
    }
  }

  private static void assertServes(Served served, int trades) throws Exception {
    for (String symbol : List.of("A", "B")) {
      assertThat(shown(served.json("/candles?limit=10000&symbol=" + symbol)))
          .isEqualTo(expected(trades, symbol, 1));
    }
  }

  /** What is served after a kill and a restart is what one run would serve. */
  @Test
  void killedWithLog_servesAllAgain(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("trades.csv"), csv(TRADES));
    String options = "%s --log %s --speed ".formatted(file, folder.resolve("kept"));
    try (Served killed = Served.process(options + 10_000)) { // about five seconds
      killed.awaitTrades(TRADES / 3);
      killed.kill();
    }
    try (LogReader log = LogReader.open(folder.resolve("kept"))) {
      assertThat(log.endNumber()).isBetween(TRADES / 3L, TRADES - 1L);
    }
    try (Served again = Served.process(options + "max")) {
      again.awaitTrades(TRADES);
      assertServes(again, TRADES);
    }
  }

  // ---- streams ----

  /** The events of a stream: id, then the candle. */
  private static final class Events implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader lines;
    private String id;

    Events(Served served, String path, String lastId) throws Exception {
      socket = served.connect();
      socket.setSoTimeout(10_000);
      String header = lastId == null ? "" : "Last-Event-ID: " + lastId + "\r\n";
      write(socket, "GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n".formatted(path, header));
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    JsonNode next() throws Exception {
      for (String line; (line = lines.readLine()) != null; ) {
        if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("data: ")) {
          return Served.parse(line.substring(6));
        }
      }
      throw new AssertionError("stream has ended");
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static void write(Socket socket, String text) throws Exception {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  @Test
  void stream_sendsChanges_andResumes() throws Exception {
    PipedInputStream in = new PipedInputStream(1 << 16);
    try (PipedOutputStream out = new PipedOutputStream(in)) {
      give(out, HEAD + START + ",A,1,1\n");
      try (Served served = Served.stream(in, "-")) {
        String lastId;
        try (Events events = new Events(served, "/stream?symbol=A", null)) {
          assertThat(events.next().get("candle").get("count").asInt()).isEqualTo(1);
          give(out, START + ",A,2,1\n");
          long begin = System.nanoTime();
          JsonNode event = events.next();
          assertThat(System.nanoTime() - begin).isLessThan(1_000_000_000L);
          assertThat(event.get("candle").get("high").asInt()).isEqualTo(2);
          assertThat(event.get("last_trade").asInt()).isEqualTo(2);
          lastId = events.id;
          assertThat(lastId).isEqualTo(START * 1_000 + "-2");
        }
        give(out, START + 1 + ",A,3,1\n" + (START + 60) + ",A,4,1\n" + (START + 120) + ",A,5,1\n");
        served.awaitTrades(5);
        try (Events events = new Events(served, "/stream?symbol=A", lastId)) {
          assertThat(events.next().get("candle").get("high").asInt()).isEqualTo(3);
          assertThat(events.next().get("candle").get("high").asInt()).isEqualTo(4);
          assertThat(events.next().get("candle").get("high").asInt()).isEqualTo(5);
        }
      }
    }
  }

  private static void give(OutputStream out, String text) throws Exception {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  // ---- the ends ----

  @Test
  void portInUse_isOneSentence() throws Exception {
    try (ServerSocket taken = new ServerSocket(0);
        Served served = Served.text(csv(3), "--host 0.0.0.0 --port " + taken.getLocalPort())) {
      assertThat(served.exitCode()).isEqualTo(1);
      assertThat(served.said())
          .startsWith("ohlcv serve: address must be free to listen on: --host=0.0.0.0, --port=")
          .hasLineCount(1);
    }
  }

  @Test
  void badRow_followsOnError() throws Exception {
    try (Served served = Served.text(csv(3) + "x,A,1,1\n", "")) {
      assertThat(served.exitCode()).isEqualTo(1);
      assertThat(served.said()).contains("stdin:5: time must be");
    }
    try (Served served =
        Served.text(csv(3) + "x,A,1,1\n" + START + ",A,1,1\n", "--on-error skip")) {
      served.awaitTrades(4);
    }
  }

  @Test
  void close_withStreamsOpen_isWithinTwoSeconds() throws Exception {
    long before = Measured.nativeBytesInUse();
    Served served = Served.text(csv(TRADES), "");
    served.awaitTrades(TRADES);
    List<Events> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(new Events(served, "/stream?symbol=A", null));
      all.getLast().next();
    }
    long begin = System.nanoTime();
    served.close();
    assertThat(System.nanoTime() - begin).isLessThan(2_000_000_000L);
    for (Events events : all) {
      events.close();
    }
    assertThat(Measured.nativeBytesInUse()).isEqualTo(before);
  }
}

package dev.millrace.ohlcv.serve;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Symbols;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Semaphore;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.server.handler.SizeLimitHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.thread.VirtualThreadPool;

/**
 * Candles over HTTP: each request in a virtual thread of its own.
 *
 * <p>What a client can take is bounded: headers, bodies, connections, streams, and the time without
 * a byte from it or to it. Only its own thread waits for a slow client.
 */
final class CandleServer implements AutoCloseable {
  private static final int MOST_CONNECTIONS = 2_048;
  private static final int MOST_STREAMS = 1_024;
  private static final int MOST_HEADER_BYTES = 8_192;
  private static final int MOST_BODY_BYTES = 1_024;
  private static final long IDLE_MILLIS = 15_000;
  private static final long STOP_MILLIS = 1_000;
  private static final long CHANGES_MILLIS = 100; // between looks for a change
  private static final long HEARTBEAT_MILLIS = 5_000;
  private static final Pattern EVENT_ID = Pattern.compile("(-?\\d{1,18})-(\\d{1,18})");
  private static final String JSON = "application/json";
  private static final String LIBRARY = "/lib/chart.js";
  private static final Logger JETTY = Logger.getLogger("org.eclipse.jetty"); // held: its level too

  private final CandleQueries queries;
  private final CandleEngine engine;
  private final Symbols symbols;
  private final Interval base;
  private final Metrics metrics;
  private final Map<String, Page> pages = pages();
  private final Semaphore streams = new Semaphore(MOST_STREAMS);
  // As many tasks as there are connections: its own limit, 200, would let streams keep out
  // requests.
  private final Server server = new Server(new VirtualThreadPool(2 * MOST_CONNECTIONS));
  private final ServerConnector connector;
  private volatile boolean isStopping;

  /** Something that does not change. */
  private record Page(String type, ByteBuffer bytes) {}

  /**
   * Begins to serve.
   *
   * @param host the address to listen on
   * @param port the port; 0 for any
   * @throws BindException if it is in use, or the address is not this machine's
   */
  CandleServer(
      CandleQueries queries,
      CandleEngine engine,
      Symbols symbols,
      Interval base,
      Metrics metrics,
      String host,
      int port)
      throws IOException {
    this.queries = queries;
    this.engine = engine;
    this.symbols = symbols;
    this.base = base;
    this.metrics = metrics;
    JETTY.setLevel(Level.WARNING); // not that it has started
    HttpConfiguration http = new HttpConfiguration();
    http.setRequestHeaderSize(MOST_HEADER_BYTES);
    http.setSendServerVersion(false);
    this.connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(host);
    connector.setPort(port);
    connector.setIdleTimeout(IDLE_MILLIS);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, server));
    server.setErrorHandler(new Errors());
    SizeLimitHandler limited = new SizeLimitHandler(MOST_BODY_BYTES, -1);
    limited.setHandler(new Router());
    server.setHandler(limited);
    server.setStopTimeout(STOP_MILLIS);
    try {
      server.start();
    } catch (IOException e) {
      close();
      throw e.getCause() instanceof BindException bind ? bind : e;
    } catch (Exception e) {
      close();
      throw new IllegalStateException(e);
    }
  }

  int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    isStopping = true; // streams end by themselves
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private final class Router extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback)
        throws IOException, InterruptedException {
      response.getHeaders().put("Content-Security-Policy", "default-src 'self'");
      response.getHeaders().put("X-Content-Type-Options", "nosniff");
      String path = Request.getPathInContext(request);
      Page page = pages.get(path);
      try {
        if (!HttpMethod.GET.is(request.getMethod()) && !HttpMethod.HEAD.is(request.getMethod())) {
          response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
          error(
              response, callback, HttpStatus.METHOD_NOT_ALLOWED_405, "method must be GET or HEAD");
        } else if (page != null) {
          send(response, callback, page.type(), page.bytes().duplicate());
        } else {
          route(path, request, response, callback);
        }
      } catch (BadRequestException e) {
        error(response, callback, HttpStatus.BAD_REQUEST_400, e.getMessage());
      }
      return true;
    }

    private void route(String path, Request request, Response response, Callback callback)
        throws BadRequestException, IOException, InterruptedException {
      switch (path) {
        case "/candles" -> candles(request, response, callback);
        case "/stream" -> stream(request, response, callback);
        case "/symbols" -> sendJson(response, callback, symbols());
        case "/health" ->
            sendJson(
                response, callback, ordered("status", "ok", "trades", engine.counts().trades()));
        case "/metrics" ->
            send(
                response,
                callback,
                "text/plain; version=0.0.4",
                metrics.text().getBytes(StandardCharsets.UTF_8));
        default ->
            error(
                response,
                callback,
                HttpStatus.NOT_FOUND_404,
                "path must be /, /candles, /symbols, /stream, /health or /metrics");
      }
    }
  }

  // ---- answers ----

  private void candles(Request request, Response response, Callback callback)
      throws BadRequestException, InterruptedException {
    Query query = query(request);
    String type = query.format() == Query.Format.JSON ? JSON : "text/csv";
    send(response, callback, type, queries.render(query));
  }

  private Query query(Request request) throws BadRequestException {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    try {
      Fields fields = Request.extractQueryParameters(request, StandardCharsets.UTF_8);
      fields.forEach(field -> parameters.put(field.getName(), field.getValues()));
    } catch (RuntimeException e) { // such as of half an escape
      throw new BadRequestException(
          "query", "must be names and values", request.getHttpURI().getQuery());
    }
    if (symbols.count() == 0) {
      throw new BadRequestException("symbol", "must be one of /symbols, which has none yet", "");
    }
    return Query.parse(parameters, symbols, base);
  }

  private Map<String, Object> symbols() {
    List<Object> all = new ArrayList<>();
    for (int number = 0; number < symbols.count(); number++) {
      CandleQueries.Answer answer = queries.answer(Query.newest(number, base));
      if (!answer.candles().isEmpty()) {
        long time = answer.candles().getLast().openTimeNanos();
        all.add(
            ordered(
                "symbol",
                symbols.name(number),
                "trades",
                answer.trades(),
                "last_time",
                Math.floorDiv(time, Query.MILLI_NANOS)));
      }
    }
    return ordered("interval", base.text(), "symbols", all);
  }

  private static Map<String, Object> ordered(Object... namesAndValues) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      values.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
    }
    return values;
  }

  private static void sendJson(Response response, Callback callback, Object values) {
    send(response, callback, JSON, CandleQueries.json(values));
  }

  private static void send(Response response, Callback callback, String type, byte[] bytes) {
    send(response, callback, type, ByteBuffer.wrap(bytes));
  }

  private static void send(Response response, Callback callback, String type, ByteBuffer bytes) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.remaining());
    response.write(true, bytes, callback);
  }

  private static void error(Response response, Callback callback, int status, String message) {
    response.setStatus(status);
    sendJson(response, callback, ordered("error", message));
  }

  /** What Jetty itself refuses, in the same form. */
  private static final class Errors extends ErrorHandler {
    @Override
    protected void generateResponse(
        Request request,
        Response response,
        int status,
        String message,
        Throwable cause,
        Callback callback) {
      error(response, callback, status, message == null ? HttpStatus.getMessage(status) : message);
    }
  }

  // ---- streams ----

  private void stream(Request request, Response response, Callback callback)
      throws BadRequestException, InterruptedException {
    Query query = query(request);
    String id = request.getHeaders().get("Last-Event-ID");
    Matcher last = EVENT_ID.matcher(id == null ? "" : id);
    if (id != null && !last.matches()) {
      throw new BadRequestException("Last-Event-ID", "must be the id of an event", id);
    }
    if (!streams.tryAcquire()) {
      error(
          response,
          callback,
          HttpStatus.TOO_MANY_REQUESTS_429,
          "streams must be at most " + MOST_STREAMS);
      return;
    }
    try {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
      response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
      new Stream(query, id == null ? null : Long.parseLong(last.group(1)), response).run();
      callback.succeeded();
    } catch (IOException e) {
      callback.failed(e); // the client has gone, or takes too long
    } finally {
      streams.release();
    }
  }

  /** Sends a candle each time it has changed; of changes in quick succession the last. */
  private final class Stream {
    private final Query query;
    private final Response response;
    private long fromNanos; // when the last candle that was sent starts
    private Candle sent; // or null
    private CandleEngine.Version version;

    Stream(Query query, Long fromMillis, Response response) {
      this.query = query;
      this.response = response;
      this.fromNanos = fromMillis == null ? Query.EARLIEST : fromMillis * Query.MILLI_NANOS;
    }

    void run() throws IOException, InterruptedException {
      long quietMillis = HEARTBEAT_MILLIS; // so that the first check sends something
      while (!isStopping) {
        boolean isSent = sendChanges();
        quietMillis = isSent ? 0 : quietMillis + CHANGES_MILLIS;
        if (quietMillis >= HEARTBEAT_MILLIS) {
          write(":\n\n".getBytes(StandardCharsets.UTF_8));
          quietMillis = 0;
        }
        Thread.sleep(CHANGES_MILLIS);
      }
    }

    private boolean sendChanges() throws IOException {
      Query changes = query.from(fromNanos, fromNanos == Query.EARLIEST ? 1 : Query.MOST);
      CandleEngine.Version now = queries.version(changes);
      if (now.equals(version)) {
        return false;
      }
      version = now;
      CandleQueries.Answer answer = queries.answer(changes);
      boolean isSent = false;
      for (Candle candle : answer.candles()) {
        if (!candle.equals(sent)) {
          sent = candle;
          fromNanos = candle.openTimeNanos();
          send(candle, answer.trades());
          isSent = true;
        }
      }
      return isSent;
    }

    private void send(Candle candle, long trades) throws IOException {
      String head =
          "event: candle\nid: %d-%d\ndata: "
              .formatted(Math.floorDiv(candle.openTimeNanos(), Query.MILLI_NANOS), trades);
      String data = new String(queries.json(query, candle, trades), StandardCharsets.UTF_8);
      write((head + data + "\n\n").getBytes(StandardCharsets.UTF_8));
    }

    private void write(byte[] bytes) throws IOException {
      Content.Sink.write(response, false, ByteBuffer.wrap(bytes)); // waits for a slow client
    }
  }

  // ---- the page ----

  private static Map<String, Page> pages() {
    Map<String, Page> pages = new HashMap<>();
    pages.put("/", page("text/html; charset=utf-8", "page/index.html"));
    pages.put("/page.js", page("text/javascript; charset=utf-8", "page/page.js"));
    pages.put("/page.css", page("text/css; charset=utf-8", "page/page.css"));
    pages.put("/icon.svg", page("image/svg+xml", "page/icon.svg"));
    Properties library = new Properties();
    try (InputStream in = CandleServer.class.getResourceAsStream("library.properties")) {
      library.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    pages.put(LIBRARY, page("text/javascript; charset=utf-8", library.getProperty("chart.js")));
    return pages;
  }

  private static Page page(String type, String resource) {
    try (InputStream in = CandleServer.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("resource must be in the jar: " + resource);
      }
      return new Page(type, ByteBuffer.wrap(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

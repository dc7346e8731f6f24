package dev.millrace.ohlcv.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.ohlcv.Ohlcv;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.testkit.OtherJvm;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code ohlcv serve} at work: in a thread, or in a process that can be killed. */
final class Served implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)/");
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final StringWriter err = new StringWriter();
  private final FutureTask<Integer> exitCode;
  private final Runnable end;
  private final Process process; // or null
  private final HttpClient client = HttpClient.newHttpClient();

  /** In a thread. */
  private Served(InputStream in, String options) throws Exception {
    PrintWriter writer = new PrintWriter(err, true);
    exitCode =
        new FutureTask<>(
            () -> ServeCommand.of(in, writer, CandleEngine.Kind.PIPELINE).execute(words(options)));
    Thread thread = Thread.ofPlatform().name("serve").start(exitCode);
    end = thread::interrupt;
    process = null;
    awaitPort();
  }

  /** In a process. */
  private Served(String options) throws Exception {
    process = OtherJvm.of(Ohlcv.class, (Object[]) words("serve " + options)).start();
    end = process::destroy;
    exitCode = new FutureTask<>(process::waitFor);
    Thread.ofPlatform().daemon().start(exitCode);
    Thread.ofPlatform().daemon().start(this::readErrors);
    awaitPort();
  }

  private void readErrors() {
    process.errorReader(StandardCharsets.UTF_8).lines().forEach(line -> err.write(line + "\n"));
  }

  private static String[] words(String options) {
    String port = options.contains("--port") ? "" : " --port 0";
    return (options + port).strip().split(" +", -1);
  }

  private void awaitPort() throws Exception {
    await(() -> exitCode.isDone() || port() > 0);
  }

  /** Serves a text as the standard input. */
  static Served text(String input, String options) throws Exception {
    return stream(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), options + " -");
  }

  static Served stream(InputStream in, String options) throws Exception {
    return new Served(in, options);
  }

  static Served process(String options) throws Exception {
    return new Served(options);
  }

  /** Kills the process. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  interface Condition {
    boolean holds() throws Exception;
  }

  void await(Condition condition) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("must happen within %s: %s", PATIENCE, err).isLessThan(end);
      Thread.sleep(10);
    }
  }

  int port() {
    Matcher address = ADDRESS.matcher(err.toString());
    return address.find() ? Integer.parseInt(address.group(1)) : 0;
  }

  /** A connection of its own. */
  Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port());
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  /** The answer to a request, which must be right. */
  JsonNode json(String path) throws IOException, InterruptedException {
    HttpResponse<String> response = get(path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  static JsonNode parse(String text) throws IOException {
    return JSON.readTree(text);
  }

  void awaitTrades(long trades) throws Exception {
    await(() -> json("/health").get("trades").asLong() >= trades);
  }

  /** What it says on the standard error. */
  String said() {
    return err.toString();
  }

  /** Waits for its end. */
  int exitCode() throws Exception {
    return exitCode.get();
  }

  @Override
  public void close() {
    end.run();
    try {
      exitCode.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
    client.close();
  }
}

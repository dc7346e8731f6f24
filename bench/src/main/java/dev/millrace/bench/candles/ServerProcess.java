package dev.millrace.bench.candles;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Pauses;
import dev.millrace.bench.harness.Pauses.Pause;
import dev.millrace.ohlcv.serve.ServeCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code ohlcv serve} in a process of its own, which reads trades from its standard input. */
final class ServerProcess implements AutoCloseable {
  private static final Pattern ADDRESS = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+)/");
  private static final Pattern METRIC = Pattern.compile("(?m)^(\\w+) (\\d+)$");
  private static final long END_SECONDS = 30;

  private final Process process;
  private final Path recording = Files.createTempFile("ohlcv-served", ".jfr");
  private final HttpClient client;
  private final CompletableFuture<String> address = new CompletableFuture<>();

  /**
   * What it has counted up to a moment.
   *
   * @param processorSeconds of all its threads
   */
  record Counts(Instant time, double processorSeconds, Map<String, Long> metrics) {
    /** How much a counter has grown since. */
    long since(Counts before, String name) {
      return metrics.getOrDefault(name, 0L) - before.metrics.getOrDefault(name, 0L);
    }
  }

  ServerProcess(ServeTrial trial, HttpClient client) throws IOException {
    this.client = client;
    List<String> arguments = new ArrayList<>();
    arguments.add(trial.load().engine().name());
    arguments.addAll(List.of("-", "--port=0", "--interval=1m"));
    if (!trial.caches()) {
      arguments.add("--no-cache");
    }
    List<String> flags = new ArrayList<>(trial.flags());
    flags.addAll(Pauses.flags(recording));
    this.process =
        new ProcessBuilder(
                Child.command(flags, ServerProcess.class, arguments.toArray(String[]::new)))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Thread.ofPlatform().daemon().start(this::readErrors);
  }

  /** Looks for the address; what else it says is shown. */
  private void readErrors() {
    try (BufferedReader err = process.errorReader(StandardCharsets.UTF_8)) {
      for (String line = err.readLine(); line != null; line = err.readLine()) {
        Matcher matcher = ADDRESS.matcher(line);
        if (matcher.find()) {
          address.complete(matcher.group(1));
        } else {
          System.err.println(line);
        }
      }
      address.completeExceptionally(new IOException("server must not end before it serves"));
    } catch (IOException e) {
      address.completeExceptionally(e);
    }
  }

  /**
   * The process's beginning.
   *
   * @param args the engine, and the arguments of {@code ohlcv serve}
   */
  public static void main(String[] args) {
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    String[] rest = List.of(args).subList(1, args.length).toArray(String[]::new);
    System.exit(ServeCommand.of(System.in, err, CandleContender.valueOf(args[0])).execute(rest));
  }

  /** Where its trades go. It serves once it has seen some. */
  OutputStream feed() {
    return process.getOutputStream();
  }

  HttpRequest request(String target) {
    return HttpRequest.newBuilder(URI.create(address.join() + target))
        .timeout(Duration.ofSeconds(END_SECONDS))
        .build();
  }

  Counts counts() throws IOException, InterruptedException {
    String text = client.send(request("/metrics"), BodyHandlers.ofString()).body();
    Map<String, Long> metrics = new HashMap<>();
    Matcher matcher = METRIC.matcher(text);
    while (matcher.find()) {
      metrics.put(matcher.group(1), Long.valueOf(matcher.group(2)));
    }
    Duration time = process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
    return new Counts(Instant.now(), time.toNanos() / 1e9, metrics);
  }

  /** Ends it, and returns when its collector stopped all threads between two moments. */
  List<Pause> end(Instant begin, Instant end) throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("server must end within " + END_SECONDS + " s");
    }
    return Pauses.in(recording, begin, end);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(recording);
  }
}

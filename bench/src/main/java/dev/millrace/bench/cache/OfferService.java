package dev.millrace.bench.cache;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.function.LongFunction;

/** The article's service: answers {@code GET /offers/NUMBER} with the offer's description. */
final class OfferService implements Closeable {
  private static final String PATH = "/offers/";

  /** Without which the JDK's server waits up to 40 ms for each answer's receipt. */
  static final String NO_DELAY = "-Dsun.net.httpserver.nodelay=true";

  private final HttpServer server;
  private final LongFunction<String> descriptions;

  /**
   * Begins to serve, on a port that is free.
   *
   * @param threads run what answers a request
   */
  OfferService(LongFunction<String> descriptions, Executor threads) throws IOException {
    this.descriptions = descriptions;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(PATH, this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String number = exchange.getRequestURI().getPath().substring(PATH.length());
      byte[] text = descriptions.apply(Long.parseLong(number)).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, text.length);
      exchange.getResponseBody().write(text);
    }
  }

  /** Where offers are, before their numbers. */
  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + PATH;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

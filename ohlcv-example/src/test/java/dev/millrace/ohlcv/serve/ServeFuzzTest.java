package dev.millrace.ohlcv.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.millrace.core.Measured;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Finds a request that the server answers with an error of its own, and a client that vanishes and
 * leaves a thread, a file or native memory behind.
 */
@Timeout(300)
final class ServeFuzzTest {
  private static final int REQUESTS = 3_000;
  private static final int STREAMS = 200;
  private static final int SERVER_ERROR = 500;
  private static final int VERSION_NOT_SUPPORTED = 505; // the one that is the client's fault
  private static final String TRADES = "time,price,volume\n1700000040,1,1\n1700000100,2,1\n";
  private static final List<String> PATHS =
      List.of(
          "/",
          "/candles",
          "/symbols",
          "/health",
          "/metrics",
          "/page.js",
          "/none",
          "/../x",
          "/%",
          "//");
  private static final List<String> NAMES =
      List.of("symbol", "interval", "from", "to", "limit", "format", "x", "%zz", "%ff", "");
  private static final List<String> VALUES =
      List.of(
          "",
          "trades",
          "1m",
          "5m",
          "0",
          "-1",
          "9223372036854775807",
          "-9223372036854775808",
          "99999999999999999999",
          "1e9",
          "json",
          "csv",
          "%00",
          "%",
          "%C3%28",
          "2013-11-25T00:00:00Z",
          "%2B1000000000-12-31T23:59:59.999999999Z",
          "\u00e9",
          "<script>",
          "1w",
          "520w",
          "3650d");
  private static final List<String> HEADERS =
      List.of(
          "Host: x\r\n",
          "Host: x\r\nHost: y\r\n",
          "",
          "Host: x\r\nContent-Length: 5\r\n",
          "Host: x\r\nContent-Length: -1\r\n",
          "Host: x\r\nTransfer-Encoding: chunked\r\n",
          "Host: x\r\nLast-Event-ID: x\r\n",
          "Host: x\r\n: y\r\n",
          "Host: x\r\nExpect: 100-continue\r\n",
          "Host: x\r\nRange: bytes=5-1\r\n",
          "Host: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n");
  private static final List<String> METHODS =
      List.of("GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE", "get", "G T", "");

  private final SplittableRandom random = new SplittableRandom(7);

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** Half of the time what a client sends, or few requests would get as far as their parameters. */
  private String oftenOr(String usual, List<String> of) {
    return random.nextBoolean() ? usual : one(of);
  }

  private String request() {
    StringBuilder query = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      query.append(query.isEmpty() ? "?" : "&").append(one(NAMES)).append('=').append(one(VALUES));
    }
    String head = oftenOr("Host: x\r\n", HEADERS);
    String version = random.nextInt(20) == 0 ? "HTTP/9.9" : "HTTP/1.1";
    String large = random.nextInt(50) == 0 ? "X: " + "y".repeat(20_000) + "\r\n" : "";
    String text =
        "%s %s%s %s\r\nConnection: close\r\n%s%s\r\n"
            .formatted(
                oftenOr("GET", METHODS), oftenOr("/candles", PATHS), query, version, head, large);
    return switch (random.nextInt(30)) {
      case 0 -> text.substring(0, random.nextInt(text.length()));
      case 1 -> text.replace("\r\n", "\n");
      case 2 -> text + "x".repeat(random.nextInt(5_000));
      default -> text;
    };
  }

  /** Returns the status; 0 if the connection was closed without an answer. */
  private static int status(Served served, String request) throws IOException {
    try (Socket socket = served.connect()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      socket.shutdownOutput();
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      String line = in.readLine();
      while (in.readLine() != null) {
        // to the end
      }
      return line == null ? 0 : Integer.parseInt(line.split(" ", -1)[1]);
    } catch (SocketException e) {
      return 0; // it had not read all of what it refused
    }
  }

  @Test
  void drawnRequests_areAnsweredOrRefused() throws Exception {
    TreeMap<Integer, Integer> statuses = new TreeMap<>();
    try (Served served = Served.text(TRADES, "")) {
      served.awaitTrades(2);
      for (int i = 0; i < REQUESTS; i++) {
        String request = request();
        int status = status(served, request);
        statuses.merge(status, 1, Integer::sum);
        if (status != VERSION_NOT_SUPPORTED || !request.contains(" HTTP/9.9")) {
          assertThat(status).as(request).isLessThan(SERVER_ERROR);
        }
      }
      assertThat(served.said().lines()).hasSize(1);
    }
    assertThat(statuses).containsKeys(200, 400, 404, 405);
  }

  @Test
  void abandonedConnections_leaveNothingBehind() throws Exception {
    UnixOperatingSystemMXBean system =
        (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long nativeBytes = Measured.nativeBytesInUse();
    try (Served served = Served.text(TRADES, "")) {
      served.awaitTrades(2);
      long files = system.getOpenFileDescriptorCount();
      int threads = ManagementFactory.getThreadMXBean().getThreadCount();
      List<Socket> sockets = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        Socket socket = served.connect();
        String request = "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n";
        String sent = i % 4 == 0 ? request.substring(0, i % request.length()) : request;
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.UTF_8));
        sockets.add(socket);
      }
      assertThat(served.get("/candles").statusCode()).isEqualTo(200);
      for (Socket socket : sockets) {
        socket.setSoLinger(true, 0); // a reset, as of a client that was killed
        socket.close();
      }
      served.await(() -> system.getOpenFileDescriptorCount() <= files + 10);
      served.await(() -> ManagementFactory.getThreadMXBean().getThreadCount() <= threads + 10);
    }
    assertThat(Measured.nativeBytesInUse()).isEqualTo(nativeBytes);
  }
}

package dev.millrace.queues;

import static dev.millrace.queues.CensusRecords.ID;
import static dev.millrace.queues.CensusRecords.NOW;
import static dev.millrace.queues.CensusRecords.OTHER;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** Log lines, audits of HTTP, telemetry and sensors: see {@link CensusTest}. */
final class CensusSignals {
  private CensusSignals() {}

  // ---- logs ----

  enum Level {
    INFO,
    ERROR
  }

  record Logged(
      Instant timestamp, Level level, String service, String message, Optional<String> userId) {}

  record Correlated(
      Instant timestamp, String service, String level, String message, String correlationId) {}

  record LoggedInContext(
      Instant instant,
      Level level,
      String logger,
      String template,
      String message,
      String thread,
      Map<String, String> context,
      Throwable thrown) {}

  record Replicated(long term, int index, String command) {}

  record Taxed(long time, String seller, String reason, double amount, double tax) {}

  record AuditRow(
      String actorId,
      String actorName,
      String action,
      String targetType,
      String targetId,
      String details) {}

  record Called(Long ruleId, String version, boolean succeeded, long millis) {}

  // ---- HTTP ----

  record Requested(
      String method, String path, String query, String authorization, String accept, int status) {}

  record Accessed(
      String bucketOwner,
      String bucket,
      ZonedDateTime time,
      String remoteAddress,
      String requester,
      String requestId,
      String operation,
      String key,
      String uri,
      int status,
      String errorCode,
      long bytesSent,
      long objectSize,
      long totalTime,
      long turnAroundTime,
      String referrer,
      String userAgent,
      String versionId) {}

  // ---- telemetry and sensors ----

  enum Trend {
    RISING,
    FALLING
  }

  enum Sensor {
    TEMPERATURE,
    HUMIDITY
  }

  record Measured(Instant time, double reading, Trend trend) {}

  record Brewed(
      UUID breweryId, UUID batchId, String kind, BigDecimal value, String unit, Instant at) {}

  record Climate(String sensorId, long timestamp, Sensor sensor, Float value) {}

  record Sample(
      String eventId,
      String type,
      String schemaVersion,
      String source,
      String cellId,
      String metric,
      Double value,
      String unit,
      Instant eventTime,
      Instant ingestedAt,
      Boolean isSynthetic) {}

  record Location(Double latitude, Double longitude) {}

  record Readings(Double temperature, Double humidity, Double batteryLevel) {}

  record Device(String firmware) {}

  record Report(
      String deviceId, Instant timestamp, Location location, Readings readings, Device device) {}

  record Moved(UUID unitId, double lat, double lon, long epochMs, double speed, int version) {}

  // ---- typical values ----

  static Stream<Record> inSlot() {
    return Stream.of(
        new Logged(NOW, Level.INFO, "checkout", "cart saved", Optional.of("u-1841")),
        new Replicated(3, 1_204, "PUT region eu-west-1"),
        new Taxed(1_700_000_000_000L, "alice", "shop sale", 64.0, 3.2),
        new AuditRow(ID.toString(), "alice", "TRADE", "player", OTHER.toString(), "12 diamonds"),
        new Called(12L, "v2", true, 31),
        new Requested("GET", "/api/orders/81", "expand=lines", "Bearer t0k3n", "*/*", 200),
        new Measured(NOW, 5.4, Trend.FALLING),
        new Brewed(ID, OTHER, "GRAVITY", new BigDecimal("1.048"), "SG", NOW),
        new Climate("greenhouse-3", 1_700_000_000_000L, Sensor.HUMIDITY, 61.5f),
        new Sample(
            ID.toString(),
            "KPI",
            "1.2",
            "ran-sim",
            "cell-0042",
            "rrc.success.ratio",
            0.987,
            "ratio",
            NOW,
            NOW.plusMillis(40),
            true),
        new Report(
            "dev-17",
            NOW,
            new Location(-23.5505, -46.6333),
            new Readings(21.5, null, 88.0),
            new Device("2.4.1")),
        new Moved(ID, 51.5074, -0.1278, 1_700_000_000_000L, 13.9, 1));
  }

  /** Those of which a text or an array is longer than the default. */
  static Stream<Record> tooLong() {
    return Stream.of(
        new Correlated(
            NOW,
            "payments",
            "ERROR",
            "Could not reach the acquirer at 10.2.0.14:8443 after 3 attempts: connection refused",
            ID.toString()));
  }

  /** Those of which something is only on the heap, or null. */
  static Stream<Record> onHeap() {
    ZonedDateTime time = NOW.atZone(ZoneId.of("UTC"));
    return Stream.of(
        new Accessed(
            "79a59df900b949e5",
            "assets",
            time,
            "192.0.2.3",
            "-",
            "3E57427F3EXAMPLE",
            "REST.GET.OBJECT",
            "img/logo.svg",
            "GET /assets/img/logo.svg HTTP/1.1",
            200,
            "-",
            2_662,
            2_662,
            14,
            12,
            "-",
            "curl/8.5.0",
            "-"));
  }

  static Stream<Record> refused() {
    return Stream.of(
        new LoggedInContext(
            NOW,
            Level.ERROR,
            "com.acme.Checkout",
            "order {} failed",
            "order 81 failed",
            "worker-1",
            Map.of("traceId", ID.toString()),
            new IllegalStateException("no stock")));
  }
}

package dev.millrace.queues;

import static dev.millrace.queues.CensusRecords.ID;
import static dev.millrace.queues.CensusRecords.NOW;
import static dev.millrace.queues.CensusRecords.OTHER;

import dev.millrace.queues.CensusRecords.Ordered;
import dev.millrace.queues.CensusRecords.Outcome;
import dev.millrace.queues.CensusRecords.Paid;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Audits, jobs, chats, notices and envelopes: see {@link CensusTest}. */
final class CensusMessages {
  private static final String JSON =
      "{\"orderId\":\"6f1c9e0a-3d52-4b8e-9f57-0c2a7d41b6e3\",\"total\":\"43251.1250\",\"items\":2}";

  private CensusMessages() {}

  // ---- audits ----

  enum Action {
    CREATED,
    DELETED
  }

  record Audited(
      UUID id,
      UUID workflowId,
      UUID revisionId,
      UUID taskId,
      String type,
      String actor,
      String details,
      Instant occurredAt) {}

  record Acted(
      UUID tenantId, UUID userId, Action action, String kind, UUID targetId, String detail) {}

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record Noted(Instant occurredAt, byte[] payload) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Noted(Instant its, byte[] itsPayload)
          && occurredAt.equals(its)
          && Arrays.equals(payload, itsPayload);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(payload);
    }
  }

  // ---- jobs ----

  enum State {
    QUEUED,
    RUNNING
  }

  enum Cost {
    CHEAP,
    DEAR
  }

  record Track(String artist, String title) {}

  record ArchiveJob(
      UUID id,
      UUID owner,
      String kind,
      String state,
      long version,
      String hash,
      String result,
      Instant expiresAt) {}

  record ChunkJob(UUID player, int chunkX, int chunkZ, int fromY, int toY, boolean renders) {}

  record Generation(UUID id, int attempt) {}

  record Work(long id, float seconds, Cost cost, int value) {}

  record Download(
      long id,
      Track track,
      String quality,
      State state,
      int progress,
      String errorKey,
      Path audio,
      int attempts) {}

  record Balance(UUID account, Long cents, Boolean isFrozen) {}

  record Visit(String url, int depth, Instant eligibleAt) {}

  record Alarm(String rule, String subject, Instant at) {}

  record Submitted(Alarm alarm, CompletableFuture<Void> completion, boolean isDurable) {}

  // ---- chats and notices ----

  enum Topic {
    CONNECTION,
    PLUGIN
  }

  enum Severity {
    INFO,
    WARN
  }

  record Said(UUID sender, String text, long time) {}

  record Posted(
      UUID id,
      UUID teamId,
      UUID userId,
      String content,
      String type,
      String fileUrl,
      String fileName,
      Instant createdAt) {}

  record Notice(
      UUID id,
      Topic topic,
      Severity severity,
      String title,
      String message,
      String subject,
      Instant createdAt,
      Instant expiresAt) {}

  record Batch(
      UUID id, long tenantId, int itemCount, int attempts, String lastError, Instant updatedAt) {}

  // ---- envelopes ----

  record Envelope<T>(
      UUID eventId,
      String type,
      Instant occurredAt,
      UUID correlationId,
      UUID causationId,
      int version,
      T payload) {}

  record Delivery(Envelope<Ordered> event, int attempt) {}

  record Tracked<T>(
      UUID eventId,
      String type,
      int version,
      Instant occurredAt,
      String aggregateType,
      String aggregateId,
      Long userId,
      String correlationId,
      T payload) {}

  record Redelivery(Tracked<Paid> event, Instant nextAttemptAt) {}

  enum Progress {
    PENDING,
    DELIVERED
  }

  record Outgoing(
      UUID id, String topic, UUID aggregateId, String payload, Instant occurredAt, int attempts) {}

  record Leased(
      UUID id,
      String aggregateType,
      String aggregateId,
      String type,
      String idempotencyKey,
      String payload,
      Progress progress,
      int attemptCount,
      Instant availableAt,
      Instant leasedUntil,
      Instant deliveredAt,
      String lastError,
      Instant createdAt) {}

  // ---- typical values ----

  static Stream<Record> inSlot() {
    Ordered ordered = new Ordered(ID, "Ada Lovelace");
    Paid paid = new Paid(ID, OTHER, "p-1841", "d-77", 2_350, "LKR", Outcome.CAPTURED, NOW);
    String id = ID.toString();
    return Stream.of(
        new Audited(ID, OTHER, ID, OTHER, "GATE_PASSED", "reviewer-2", "evidence accepted", NOW),
        new Acted(ID, OTHER, Action.DELETED, "MESSAGE", ID, "deleted by a moderator"),
        new Noted(NOW, "{\"role\":\"admin\"}".getBytes(StandardCharsets.UTF_8)),
        new ChunkJob(ID, -12, 407, -64, 319, true),
        new Generation(ID, 1),
        new Work(9, 0.25f, Cost.DEAR, 1_000),
        new Balance(ID, 129_000L, null),
        new Visit("https://example.org/docs/guide/queues.html", 3, NOW),
        new Said(ID, "gg, well played 👋", 1_700_000_000_000L),
        new Notice(
            ID,
            Topic.CONNECTION,
            Severity.WARN,
            "Connection lost",
            "No answer for 30 seconds; trying again",
            "db-primary",
            NOW,
            NOW.plusSeconds(8)),
        new Delivery(new Envelope<>(ID, "order.placed", NOW, ID, OTHER, 1, ordered), 2),
        new Redelivery(
            new Tracked<>(ID, "payment.completed", 1, NOW, "Payment", id, null, id, paid), NOW));
  }

  /** Those of which a text or an array is longer than the default. */
  static Stream<Record> tooLong() {
    return Stream.of(new Outgoing(ID, "orders", OTHER, JSON, NOW, 0));
  }

  /** Those of which something is only on the heap, or null. */
  static Stream<Record> onHeap() {
    String hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    return Stream.of(
        new ArchiveJob(ID, OTHER, "EXPORT", "PENDING", 4, hash, null, NOW),
        new Download(
            5,
            new Track("Nina Simone", "Sinnerman"),
            "lossless",
            State.RUNNING,
            60,
            null,
            Path.of("music", "5.part"),
            1),
        new Posted(ID, OTHER, ID, "Who takes the crypto tasks?", "TEXT", null, null, NOW),
        new Batch(ID, 12, 250, 0, null, NOW),
        new Leased(
            ID,
            "Order",
            OTHER.toString(),
            "order.placed",
            ID.toString(),
            JSON,
            Progress.PENDING,
            0,
            NOW,
            null,
            null,
            null,
            NOW));
  }

  static Stream<Record> refused() {
    return Stream.of(
        new Submitted(new Alarm("brute-force", "10.0.0.7", NOW), new CompletableFuture<>(), true));
  }
}

package dev.millrace.queues;

import static dev.millrace.queues.CensusRecords.ID;
import static dev.millrace.queues.CensusRecords.NOW;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Stream;

/** Packets, frames, and what else is handed from thread to thread: see {@link CensusTest}. */
final class CensusPackets {
  private CensusPackets() {}

  enum Input {
    KEY_DOWN,
    POINTER_MOVE
  }

  record Announcement(String message, boolean isHtml) {}

  record Pressed(Input input, int code, float x, float y) {}

  record Staged(String key, String runId, Instant startedAt, boolean isCurrent) {}

  record ChunkId(int x, int z) {}

  record ChunkFiles(Path newData, Path newChecksum, Path data, Path checksum, ChunkId chunk) {}

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record Stored(long id, byte[] value) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Stored(long itsId, byte[] its)
          && id == itsId
          && Arrays.equals(value, its);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(value);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record Webhook(String deliveryId, byte[] body) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Webhook(String itsId, byte[] its)
          && deliveryId.equals(itsId)
          && Arrays.equals(body, its);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(body);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record SectorWrite(int index, int offset, int count, byte[] entry) {
    @Override
    public boolean equals(Object other) {
      return other instanceof SectorWrite(int itsIndex, int itsOffset, int itsCount, byte[] its)
          && index == itsIndex
          && offset == itsOffset
          && count == itsCount
          && Arrays.equals(entry, its);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(entry);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record Packet(byte[] data, long checksum) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Packet(byte[] its, long itsChecksum)
          && checksum == itsChecksum
          && Arrays.equals(data, its);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(data);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record Typed(byte[] data, Class<?> type) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Typed(byte[] its, Class<?> itsType)
          && type.equals(itsType)
          && Arrays.equals(data, its);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(data);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record Encoded(byte[] payload, long timestamp, boolean isKeyframe) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Encoded(byte[] its, long itsTimestamp, boolean isItsKeyframe)
          && timestamp == itsTimestamp
          && isKeyframe == isItsKeyframe
          && Arrays.equals(payload, its);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(payload);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // as people write them
  record Features(double[] vector, double[] quantiles, long hash) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Features(double[] itsVector, double[] itsQuantiles, long itsHash)
          && hash == itsHash
          && Arrays.equals(vector, itsVector)
          && Arrays.equals(quantiles, itsQuantiles);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(hash);
    }
  }

  static Stream<Record> inSlot() {
    return Stream.of(
        new Announcement("<b>Daily report</b>: 3 signals, none blocked", true),
        new Pressed(Input.POINTER_MOVE, 0, 812.5f, 340f),
        new Staged("exports/2026-03.csv", "run-77", NOW, true),
        new Stored(1_204, "{\"count\":17}".getBytes(StandardCharsets.UTF_8)),
        new Packet(new byte[] {0x7f, 0x45, 0x4c, 0x46}, 0xcbf4_3926L),
        new Features(
            new double[] {0.12, -1.5, 0.003, 7}, new double[] {0.05, 0.5, 0.95}, -7_046_029L));
  }

  /** Those of which an array is longer than the default. */
  static Stream<Record> tooLong() {
    return Stream.of(
        new Webhook(ID.toString(), new byte[1_900]),
        new SectorWrite(11, 64, 1, new byte[512]),
        new Encoded(new byte[3_000], 90_000, false));
  }

  /** Those of which something is only on the heap. */
  static Stream<Record> onHeap() {
    Path files = Path.of("world", "chunks");
    return Stream.of(
        new ChunkFiles(
            files.resolve("a.tmp"),
            files.resolve("a.crc.tmp"),
            files.resolve("a"),
            files.resolve("a.crc"),
            new ChunkId(-3, 12)),
        new Typed(new byte[] {1, 2, 3}, Pressed.class));
  }
}

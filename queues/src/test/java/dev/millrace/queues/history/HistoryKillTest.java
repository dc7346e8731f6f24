package dev.millrace.queues.history;

import static dev.millrace.queues.messages.KilledPeer.BEGUN;
import static dev.millrace.queues.messages.KilledPeer.DONE;
import static dev.millrace.queues.messages.KilledPeer.note;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.Point;
import dev.millrace.queues.messages.KilledPeer;
import dev.millrace.testkit.OtherJvm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills producers of a history ring in a file at their steps, one after the other. Finds what a
 * kill leaves that the scenarios of shared histories do not model: the kernel's locks, stores of a
 * process that has ended, and a file that is mapped again.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HistoryKillTest {
  private static final int KILLS = Integer.getInteger("millrace.kills", 30); // of each kind
  private static final int STRIDE = 7; // steps; prime to how many a record takes
  private static final int STEPS = 200; // that a process takes, about
  private static final long OWN = 1_000_000; // values of this process begin here

  @TempDir Path folder;

  private Process start(boolean isSingle, int kill) throws IOException {
    return OtherJvm.of(
            KilledWriter.class,
            isSingle,
            folder.resolve("ring"),
            folder.resolve("notes"),
            1 + kill * STRIDE % STEPS)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void producer_whenKilledAtAnyStep_losesNothingThatItCommitted(boolean isSingle) throws Exception {
    try (Arena arena = Arena.ofShared();
        HistoryRing<Point> ring = KilledWriter.ring(isSingle, folder.resolve("ring"));
        HistoryReader<Point> reader = ring.newReader(1)) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      long[] next = new long[1];
      int ended = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        Process process = start(isSingle, kill);
        ended += KilledPeer.killWhenStopped(process, () -> readAll(reader, next)) ? 1 : 0;
        KilledWriter.producer(ring, isSingle).close(); // recovers what the process has left
        readAll(reader, next);
        assertThat(reader.position()).as("nothing is unfinished").isEqualTo(ring.claimedCount());
        assertThat(next[0]).isBetween(note(notes, DONE), note(notes, BEGUN));
        next[0] = note(notes, BEGUN); // where the next one goes on
        note(notes, DONE, next[0]);
      }
      assertThat(ended).as("that were not killed").isLessThan(KILLS / 4);
      assertThat(reader.lostCount()).isZero();
      assertThat(reader.refusedCount()).isPositive().isLessThanOrEqualTo(KILLS);
      assertThat(ring.refusedCount()).isBetween(0L, reader.refusedCount());
      writeLap(ring, isSingle);
    }
  }

  private static void readAll(HistoryReader<Point> reader, long[] next) {
    for (Point point = reader.tryPoll(); point != null; point = reader.tryPoll()) {
      assertThat(point.wholeValue()).isEqualTo(next[0]++);
    }
  }

  /** All slots can be used again. */
  private static void writeLap(HistoryRing<Point> ring, boolean isSingle) {
    HistoryProducer<Point> producer = KilledWriter.producer(ring, isSingle);
    for (int i = 0; i < 2 * KilledWriter.CAPACITY; i++) {
      producer.claim().value(OWN);
      producer.commit();
    }
    assertThat(producer.refusedCount()).isZero();
  }

  /** Others go round the ring while the process is stopped, and find its slot in use. */
  @Test
  void producer_whenKilledAfterItWasLapped_leavesNoSlotInUse() throws Exception {
    try (Arena arena = Arena.ofShared();
        HistoryRing<Point> ring = KilledWriter.ring(false, folder.resolve("ring"));
        HistoryReader<Point> reader = ring.newReader(1)) {
      MemorySegment _ = KilledPeer.notes(folder.resolve("notes"), arena);
      HistoryProducer<Point> own = ring.newProducer();
      for (int kill = 0; kill < KILLS; kill++) {
        Process process = start(false, kill);
        boolean _ = KilledPeer.killWhenStopped(process, () -> write(own, reader));
        ring.newProducer().close(); // recovers what the process has left
        long refused = own.refusedCount();
        for (int i = 0; i < 2 * KilledWriter.CAPACITY; i++) {
          write(own, reader);
        }
        assertThat(own.refusedCount()).isEqualTo(refused);
        assertThat(reader.position()).as("nothing is unfinished").isEqualTo(ring.claimedCount());
      }
      assertThat(reader.readCount() + reader.lostCount() + reader.refusedCount())
          .isEqualTo(ring.claimedCount());
    }
  }

  private static void write(HistoryProducer<Point> own, HistoryReader<Point> reader) {
    Point point = own.tryClaim();
    if (point != null) {
      point.value(OWN);
      own.commit();
    }
    for (Point read = reader.tryPoll(); read != null; read = reader.tryPoll()) {
      read.wholeValue();
    }
  }
}

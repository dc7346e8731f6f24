package dev.millrace.queues.log;

import static dev.millrace.queues.log.KilledReader.RELEASED;
import static dev.millrace.queues.log.KilledReader.RELEASING;
import static dev.millrace.queues.log.KilledReader.note;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.messages.SteppingJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills readers that have the same name at drawn steps, one after the other. Finds a position that
 * a kill tears, one that goes back by more than the release that was under way, and a name that
 * stays taken. {@code -Dmillrace.kills=} says how many are killed.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReaderKillTest {
  private static final int KILLS = Integer.getInteger("millrace.kills", 30) / 2;
  private static final int STEPS = 450; // that a process takes, about
  private static final int SEGMENT = 1 << 16;

  @TempDir Path folder;

  @Test
  void reader_killedAtAnyStep_isContinuedWhereItReleased() throws Exception {
    Path directory = folder.resolve("log");
    Random random = new Random(1);
    int stopped = 0;
    try (Arena arena = Arena.ofConfined();
        MessageLog log = MessageLog.open(directory, LogOptions.ofSegmentBytes(SEGMENT))) {
      MemorySegment notes = KilledReader.notes(folder.resolve("notes"), arena);
      LogProducer producer = log.newProducer();
      for (int kill = 0; kill < KILLS; kill++) {
        while (log.endNumber() < note(notes, RELEASING) + 3 * KilledReader.POLLS) {
          LogMessages.append(producer, LogMessages.length(random, 2_000));
        }
        int step = 1 + random.nextInt(STEPS);
        Process process =
            SteppingJvm.start(KilledReader.class, directory, folder.resolve("notes"), step);
        stopped += isStopped(process) ? 1 : 0;
        long kept = Math.max(0, MessageLog.releasedBy(directory, KilledReader.NAME)); // or none yet
        assertThat(kept)
            .as("killed at %d", step)
            .isBetween(note(notes, RELEASED), note(notes, RELEASING));
      }
      long released = MessageLog.releasedBy(directory, KilledReader.NAME);
      assertThat(released).isPositive();
      try (LogReader reader = log.newReader(KilledReader.NAME)) {
        LogMessages.take(reader, released, log.endNumber());
      }
    }
    assertThat(stopped).as("that were killed in between").isGreaterThan(KILLS / 2);
  }

  /** Kills a process once it has stopped or ended; returns whether it had stopped. */
  private static boolean isStopped(Process process) throws IOException, InterruptedException {
    try (BufferedReader lines = process.inputReader()) {
      String line = lines.readLine();
      assertThat(line).isIn("stopped", "ended");
      return line.equals("stopped");
    } finally {
      process.destroyForcibly();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}

package dev.millrace.queues.history;

import static dev.millrace.queues.messages.KilledPeer.BEGUN;
import static dev.millrace.queues.messages.KilledPeer.DONE;
import static dev.millrace.queues.messages.KilledPeer.RELEASED;
import static dev.millrace.queues.messages.KilledPeer.RELEASING;
import static dev.millrace.queues.messages.KilledPeer.note;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.Point;
import dev.millrace.queues.messages.KilledPeer;
import dev.millrace.queues.messages.SteppingJvm;
import dev.millrace.testkit.OtherJvm;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills producers and named readers of a history ring in a file at their steps, one after the
 * other, and suspends producers. Finds what the scenarios of shared histories do not model: the
 * kernel's locks, stores of a process that has ended, and a file that is mapped again.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HistoryKillTest {
  private static final int KILLS = Integer.getInteger("millrace.kills", 30); // of each kind
  private static final int STRIDE = 7; // steps; prime to how many a record takes
  private static final int STEPS = 200; // that a process takes, about
  private static final long OWN = 1_000_000; // values of this process begin here

  @TempDir Path folder;

  private Process start(boolean isSingle, int kill) throws IOException {
    return SteppingJvm.start(
        KilledWriter.class,
        isSingle,
        folder.resolve("ring"),
        folder.resolve("notes"),
        1 + kill * STRIDE % STEPS);
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
      for (int kill = 0; kill < KILLS / 2; kill++) {
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

  /** The value of each record is its sequence. */
  @Test
  void namedReader_whenKilledAtAnyStep_goesOnWhereItReleased() throws Exception {
    try (Arena arena = Arena.ofShared();
        HistoryRing<Point> ring = KilledWriter.ring(true, folder.resolve("ring"))) {
      MemorySegment notes = KilledPeer.notes(folder.resolve("notes"), arena);
      HistoryProducer<Point> own = ring.producer();
      ring.newReader(1, KilledReader.NAME).close();
      int ended = 0;
      for (int kill = 0; kill < KILLS / 2; kill++) {
        Process process =
            SteppingJvm.start(
                KilledReader.class,
                folder.resolve("ring"),
                folder.resolve("notes"),
                1 + kill * STRIDE % STEPS);
        ended += KilledPeer.killWhenStopped(process, () -> writeNext(ring, own)) ? 1 : 0;
        assertThat(ring.releasedBy(KilledReader.NAME))
            .isIn(note(notes, RELEASED), note(notes, RELEASING));
      }
      assertThat(ended).as("that were not killed").isLessThan(KILLS / 4);
      try (HistoryReader<Point> reader = ring.newReader(1, KilledReader.NAME)) {
        long begun = reader.position();
        assertThat(begun).isPositive();
        assertThat(reader.tryPoll().wholeValue()).isEqualTo(begun + reader.lostCount());
      }
    }
  }

  private static void writeNext(HistoryRing<Point> ring, HistoryProducer<Point> own) {
    own.claim().value(ring.claimedCount() - 1);
    own.commit();
  }

  // ---- other processes ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void producer_whenItsProcessIsSuspended_countsAsAlive(boolean isSingle) throws Exception {
    try (HistoryRing<Point> ring = KilledWriter.ring(isSingle, folder.resolve("ring"));
        HistoryReader<Point> reader = ring.newReader(1)) {
      Process writer = OtherJvm.start(Writing.class, isSingle, folder.resolve("ring"));
      readMore(reader);
      signal(writer, "STOP");
      if (isSingle) {
        Throws.illegalState("there is a producer already: pid=...", ring::producer);
      } else {
        HistoryProducer<Point> own = ring.newProducer();
        for (int i = 0; i < 3 * KilledWriter.CAPACITY; i++) {
          write(own, reader);
        }
        // one slot may be in use, once in each lap
        assertThat(own.refusedCount()).isLessThanOrEqualTo(3);
        own.close();
      }
      signal(writer, "CONT");
      readMore(reader);
      writer.getOutputStream().close();
      assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(writer.exitValue()).isZero();
      KilledWriter.producer(ring, isSingle).close();
      while (reader.tryPoll() != null) {
        reader.at(0).wholeValue();
      }
      assertThat(reader.position()).isEqualTo(ring.claimedCount());
    }
  }

  private static void signal(Process process, String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
  }

  private static void readMore(HistoryReader<Point> reader) {
    for (int count = 0; count < 10_000; ) {
      if (reader.tryPoll() != null) {
        reader.at(0).wholeValue();
        count++;
      }
    }
  }

  /** Another process, which writes records until its input ends. */
  static final class Writing {
    private Writing() {}

    public static void main(String[] args) throws IOException {
      boolean isSingle = Boolean.parseBoolean(args[0]);
      try (HistoryRing<Point> ring = KilledWriter.ring(isSingle, Path.of(args[1]));
          HistoryProducer<Point> producer = KilledWriter.producer(ring, isSingle)) {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread input =
            new Thread(
                () -> {
                  try {
                    isOver.set(System.in.read() < 0);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        input.start();
        for (long value = 0; !isOver.get(); value++) {
          Point point = producer.tryClaim();
          if (point != null) {
            point.value(value);
            producer.commit();
          }
        }
      }
    }
  }

  @Test
  void reader_ofAnotherProcess_seesNoTornRecord() throws Exception {
    Path path = folder.resolve("ring");
    try (HistoryRing<Point> ring = KilledWriter.ring(false, path);
        HistoryProducer<Point> first = ring.newProducer();
        HistoryProducer<Point> second = ring.newProducer()) {
      Process reader = OtherJvm.of(Reading.class, path).inheritIO().start();
      while (reader.isAlive()) {
        for (HistoryProducer<Point> producer : List.of(first, second)) {
          producer.claim().value(ring.claimedCount());
          producer.commit();
        }
      }
      assertThat(reader.exitValue()).isZero();
    }
  }

  /** Another process, which reads records while they are overwritten, in order and the latest. */
  static final class Reading {
    private static final int READS = 300_000;

    private Reading() {}

    public static void main(String[] args) throws IOException {
      FlyweightType<Point> type = FlyweightType.of(Point::new);
      try (HistoryRing<Point> ring = HistoryRing.observe(type, Path.of(args[0]));
          HistoryReader<Point> reader = ring.newReader(4)) {
        for (int i = 0; i < READS; i++) {
          int count = i % 2 == 0 ? reader.tryPoll(4) : reader.latest(4);
          for (int at = 0; at < count; at++) {
            reader.at(at).wholeValue(); // throws if it is torn
          }
        }
        if (reader.readCount() == 0 || reader.lostCount() == 0) {
          throw new IllegalStateException("not overtaken: lost=" + reader.lostCount());
        }
      }
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

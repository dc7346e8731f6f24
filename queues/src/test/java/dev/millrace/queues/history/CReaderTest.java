package dev.millrace.queues.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.CPeer;
import dev.millrace.queues.Point;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds where the C header and the Java library disagree about a history's file, torn records that
 * a reader in C does not notice, and damage that makes it hang or read outside the file. Skipped
 * where there is no C compiler.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CReaderTest {
  private static final FlyweightType<Point> POINTS = FlyweightType.of(Point::new);
  private static final String RECORD = "0 value: long, 8 negated: long, 16 mixed: long";
  private static final int CAPACITY = 5;
  private static final int RECORDS = 2_000_000;

  @TempDir Path folder;

  private Path file;

  @BeforeEach
  void resolve() throws Exception {
    CPeer.compile("peer");
    file = folder.resolve("ring");
  }

  private CPeer observe() throws Exception {
    CPeer peer = CPeer.start();
    peer.does("observe " + file + " 24 " + RECORD);
    return peer;
  }

  private static void put(HistoryProducer<Point> producer, long value) {
    producer.claim().value(value);
    producer.commit();
  }

  @Test
  void next_readsInOrder_andCountsWhatItPasses() throws Exception {
    try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, CAPACITY, file);
        HistoryProducer<Point> producer = ring.newProducer();
        CPeer peer = observe()) {
      assertThat(peer.ask("next")).isEqualTo("-2 0 position=0 lost=0 refused=0");
      put(producer, 10);
      producer.claim();
      assertThat(peer.ask("next")).isEqualTo("0 10 position=1 lost=0 refused=0");
      assertThat(peer.ask("next")).isEqualTo("-2 0 position=1 lost=0 refused=0");
      producer.abort();
      put(producer, 12);
      assertThat(peer.ask("next")).isEqualTo("0 12 position=3 lost=0 refused=1");
      for (int value = 13; value < 23; value++) {
        put(producer, value);
      }
      assertThat(peer.ask("next")).isEqualTo("0 18 position=9 lost=5 refused=1");
      try (CPeer late = observe()) {
        assertThat(late.ask("next")).isEqualTo("0 18 position=9 lost=0 refused=0");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void next_whileTheWriterLapsIt_neverReadsATornRecord(boolean isSingle) throws Exception {
    try (HistoryRing<Point> ring =
            isSingle
                ? HistoryRing.single(POINTS, CAPACITY, file)
                : HistoryRing.multi(POINTS, CAPACITY, file);
        HistoryProducer<Point> producer = isSingle ? ring.producer() : ring.newProducer();
        CPeer peer = observe()) {
      peer.tell("follow " + RECORDS);
      for (int value = 1; value <= RECORDS; value++) {
        put(producer, value);
      }
      String[] counts = peer.answer().split(" ?[a-z]*=| ");
      assertThat(Long.parseLong(counts[0])).isPositive();
      assertThat(Arrays.stream(counts).mapToLong(Long::parseLong).sum()).isEqualTo(RECORDS);
      assertThat(Long.parseLong(counts[1])).as("lost").isPositive();
    }
  }

  @Test
  void observe_whenTheRecordsAreOthers_isRefused() throws Exception {
    HistoryRing.single(POINTS, CAPACITY, file).close();
    try (CPeer peer = CPeer.start()) {
      assertThat(peer.ask("observe " + file + " 16 any"))
          .isEqualTo("-8 other records: recordBytes=24");
      assertThat(peer.ask("observe " + file + " 24 0 value: long"))
          .isEqualTo("-8 other records: recordBytes=24");
      assertThat(peer.ask("join " + file + " c-peer")).startsWith("-8 another kind: ");
      peer.does("observe " + file + " 24 any");
    }
  }

  @Test
  void next_whenTheFileIsDamaged_endsAndStaysInside() throws Exception {
    Path program = CPeer.compile("fuzz", "-fsanitize=address,undefined", "-fno-sanitize-recover");
    try (HistoryRing<Point> ring = HistoryRing.single(POINTS, CAPACITY, file);
        HistoryProducer<Point> producer = ring.producer()) {
      for (int value = 0; value < 3 * CAPACITY; value++) {
        put(producer, value);
      }
    }
    Process fuzz =
        new ProcessBuilder(
                program.toString(),
                file.toString(),
                folder.resolve("copy").toString(),
                "HistoryRing.",
                "55",
                "20000")
            .redirectErrorStream(true)
            .start();
    String output = new String(fuzz.getInputStream().readAllBytes(), UTF_8);
    assertThat(fuzz.waitFor()).as(output).isZero();
    assertThat(output).doesNotContain("code 0: 0 times", "code -2: 0 times", "code -9: 0 times");
    assertThat(Files.size(folder.resolve("copy"))).isEqualTo(Files.size(file));
  }
}

package dev.millrace.bench.articles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.harness.CommandCalls;
import dev.millrace.bench.harness.Latencies;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds a log of the comparison that reads back other bytes than were appended, a JVM that is
 * started without the options its log needs, and a figure that the tables leave out.
 */
class LogCommandTest extends CommandCalls {
  private static final int MESSAGES = 9_000; // of each log so many that it rolls its segments
  private static final int WARM_UP = 300;
  private static final int SEGMENT_BYTES = 1 << 16;

  LogCommandTest() {
    super(LogCommand::new);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--samples 2 | --samples must be in 3..1000000000: samples=2",
        "--warm-up -1 | --warm-up must be in 0..1000000000: warm-up=-1",
        "--rounds 0 | --rounds must be in 1..1000000: rounds=0",
        "--commits 0 | --commits must be in 1..1000000: commits=0",
        "--rest-millis -1 | --rest-millis must be in 0..1000000: rest-millis=-1",
        "--batches 4,65537 | --batches must be in 1..65536: batches=65537",
        "--segment-bytes 4096 | --segment-bytes must be in 65536..1073741824: segment-bytes=4096",
        "--segment-bytes 65537 | --segment-bytes must be a power of two: segment-bytes=65537",
        "--contender kafka | disk-as-many-bytes] (case-sensitive) but was 'kafka'",
      })
  void call_withBadUsage_saysWhatIsWrong(String arguments, String message) {
    assertRefused(arguments, message);
  }

  /** A log fails if a message is read that is not as it was appended. Segments are rolled. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"MILLRACE", "CHRONICLE", "DISK"})
  void run_ofALog_readsWhatItAppended(LogContender contender, @TempDir Path folder)
      throws Exception {
    LogFork fork =
        new LogFork(
            contender, folder.toString(), MESSAGES, WARM_UP, SEGMENT_BYTES, List.of(4, 100), 5, 0);
    assertTimed(contender, fork.run().times()::get);
  }

  /** Each step of the article takes away what it is meant to. */
  @Test
  void run_ofEachStep_allocatesLess(@TempDir Path folder) throws Exception {
    Map<LogContender, Map<String, Double>> bytes = new EnumMap<>(LogContender.class);
    for (LogContender contender :
        EnumSet.range(LogContender.ARTICLE_HEAP, LogContender.ARTICLE_OFF_HEAP)) {
      String directory = folder.resolve(contender.toString()).toString();
      bytes.put(
          contender,
          new LogFork(contender, directory, MESSAGES, WARM_UP, SEGMENT_BYTES, List.of(), 1, 0)
              .run()
              .figures());
    }
    assertThat(saved(bytes, "append", LogContender.ARTICLE_HEADER_SLAB)).isGreaterThan(20);
    assertThat(saved(bytes, "append", LogContender.ARTICLE_FLAT_INDEX)).isGreaterThan(40);
    assertThat(saved(bytes, "read in order", LogContender.ARTICLE_SHARED_LENGTH)).isGreaterThan(20);
    assertThat(saved(bytes, "read in order", LogContender.ARTICLE_CALLERS_BUFFER))
        .isGreaterThan(saved(bytes, "read in order", LogContender.ARTICLE_SHARED_LENGTH));
    assertThat(saved(bytes, "append", LogContender.ARTICLE_OFF_HEAP))
        .isGreaterThan(saved(bytes, "append", LogContender.ARTICLE_FLAT_INDEX));
  }

  /** How many bytes fewer a step allocates than the first version. */
  private static double saved(
      Map<LogContender, Map<String, Double>> bytes, String call, LogContender contender) {
    String name = call + ", bytes allocated";
    return bytes.get(LogContender.ARTICLE_HEAP).get(name) - bytes.get(contender).get(name);
  }

  private static void assertTimed(LogContender contender, Function<String, String> times) {
    List<String> expected = new ArrayList<>(List.of("commit of 4", "commit of 100"));
    expected.addAll(contender.isDisk() ? List.of() : LogFork.TIMED);
    for (String name : expected) {
      long count = name.startsWith("commit") ? 5 * LogFork.PARTITIONS : MESSAGES;
      assertThat(Latencies.decode(times.apply(name)).getTotalCount()).as(name).isEqualTo(count);
    }
  }

  /** Each in a JVM of its own: Millrace, the one that needs options, and one that is not read. */
  @Test
  void call_ofThree_showsWhatEachJvmFound(@TempDir Path folder) throws Exception {
    Path directory = folder.resolve("new/logs");
    int code =
        execute(
            "--samples=" + MESSAGES,
            "--warm-up=" + WARM_UP,
            "--rounds=1",
            "--commits=5",
            "--rest-millis=0",
            "--batches=4,100",
            "--segment-bytes=" + SEGMENT_BYTES,
            "--contender=millrace,chronicle,disk",
            "--directory=" + directory,
            "--out=" + folder.resolve("log.json"));
    assertThat(code).as(out + "\n" + err).isZero();
    assertThat(directory).isEmptyDirectory();
    assertThat(out.toString())
        .containsPattern("\\| append: p99\\.99, ns \\|( [0-9,.]+ \\|){2}  \\|")
        .containsPattern("\\| read at random, thousands/s \\|( [0-9,.]+ \\|){2}  \\|")
        .containsPattern("\\| commit of 4: p50, us \\|( [0-9,.]+ \\|){3}")
        .containsPattern("\\| append: p50, ns \\| chronicle \\|( [0-9,.]+ \\|){3} - \\|")
        .containsPattern("\\| commit of 100: p50, us \\| disk \\|( [0-9,.]+ \\|){3} - \\|")
        .contains("| allocated by timed appends | class | MB | objects an append |\n");
    JsonNode json = new ObjectMapper().readTree(folder.resolve("log.json").toFile());
    Set<LogContender> run = EnumSet.noneOf(LogContender.class);
    for (JsonNode sample : json.path("samples")) {
      LogContender contender = contender(sample.path("contender").asText());
      run.add(contender);
      JsonNode times = sample.path("found").path("times");
      assertTimed(contender, name -> times.path(name).asText());
    }
    assertThat(run)
        .containsExactlyInAnyOrder(
            LogContender.MILLRACE, LogContender.CHRONICLE, LogContender.DISK);
  }

  private static LogContender contender(String name) {
    for (LogContender one : LogContender.values()) {
      if (one.toString().equals(name)) {
        return one;
      }
    }
    throw new AssertionError(name);
  }

  @Test
  void check_ofAnotherMessage_fails() {
    long read = Partition.fold(Partition.first(7), Partition.second(7));
    Partition.check(7, read);
    assertThatThrownBy(() -> Partition.check(8, read))
        .isInstanceOf(AssertionError.class)
        .hasMessage("message must be as it was appended: number=8");
  }
}

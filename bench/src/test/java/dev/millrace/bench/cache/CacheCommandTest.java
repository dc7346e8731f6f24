package dev.millrace.bench.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.cache.Sample.Found;
import dev.millrace.bench.harness.CommandCalls;
import dev.millrace.bench.harness.Latencies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a cache of the comparison that holds another number of entries than it should, returns
 * another key's value, or has its hits counted wrong.
 */
class CacheCommandTest extends CommandCalls {

  CacheCommandTest() {
    super(CacheCommand::new);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "article --case 10x19x1 | --case must be like 10000x5000x100000, of 20 bytes or more:",
        "article --contender map | --contender must be some of [millrace, caffeine,",
        "article --spread 0.5 | --spread must be in 1..20: spread=0.5",
        "speed --contender mapdb | --contender must be some of [millrace, millrace-read,",
        "speed --value-bytes 8,0 | --value-bytes must be in 1..131072: value-bytes=0",
        "hits --data missing | not a directory: missing",
        "hits --requests 0 | --requests must be in 1..100000000: requests=0",
      })
  void call_withBadUsage_saysWhatIsWrong(String arguments, String message) {
    assertRefused(arguments, message);
  }

  /** A thread fails if a description is not that of its offer. */
  @ParameterizedTest
  @FieldSource("dev.millrace.bench.cache.CacheContender#OF_OFFERS")
  void run_ofOffers_hitsAsOftenAsTheCacheHolds(CacheContender contender) throws Exception {
    Offers offers = new Offers(1_000, 2_000, 2_000, 2);
    Found found = new OfferFork(contender, offers, 2, 1, false, 1).run();
    assertThat(Latencies.decode(found.times()).getTotalCount()).isEqualTo(4_000);
    assertThat(found.figures().get("entries")).isBetween(800.0, 1_200.0);
    assertThat(found.figures().get("hits, %")).isBetween(40.0, 65.0);
    boolean isOnHeap = contender == CacheContender.CAFFEINE;
    assertThat(found.figures().get("off heap, MB"))
        .isBetween(isOnHeap ? 0 : 1.6, isOnHeap ? 0 : 9.0);
  }

  /** A thread fails if a value is another key's. */
  @ParameterizedTest
  @FieldSource("dev.millrace.bench.cache.CacheContender#OF_SPEED")
  void run_ofHits_findsAll(CacheContender contender) throws Exception {
    Found found = new SpeedFork(contender, false, 100, 1_000, 2, 0, 1).run();
    assertThat(found.figures().get(SpeedFork.PER_SECOND)).isPositive();
    assertThat(found.figures().get(SpeedFork.HITS)).isEqualTo(100);
  }

  @Test
  void run_ofZipf_missesSome() throws Exception {
    Found found = new SpeedFork(CacheContender.MILLRACE_READ, true, 100, 1_000, 2, 0, 100).run();
    assertThat(found.figures().get(SpeedFork.HITS)).isBetween(50.0, 95.0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void call_ofArticle_showsACaseOfEachContender(boolean http, @TempDir Path folder)
      throws Exception {
    Path file = folder.resolve("article.json");
    // over HTTP each takes two JVMs, and which cache is behind the service makes no difference
    List<String> contenders = http ? List.of("millrace") : List.of("millrace", "caffeine");
    int code =
        execute(
            "article",
            http ? "--http" : "--prefill=1",
            "--rounds=1",
            "--threads=2",
            "--case=100x1000x100",
            "--collector=ZGC",
            "--contender=" + String.join(",", contenders),
            "--out=" + file);
    assertThat(code).as(out + "\n" + err).isZero();
    for (String contender : contenders) {
      assertThat(out.toString())
          .containsPattern(
              "\\| 100 x 1,000 B \\| 150 \\| -XX:\\+UseZGC, 768 MB \\| %s \\|( [0-9,.-]+ \\|){12}\n"
                  .formatted(contender));
    }
    JsonNode samples = new ObjectMapper().readTree(file.toFile()).path("samples");
    assertThat(samples).hasSameSizeAs(contenders);
    for (JsonNode sample : samples) {
      String times = sample.path("found").path("times").asText();
      assertThat(Latencies.decode(times).getTotalCount()).isEqualTo(200);
      assertThat(sample.path("found").path("figures").path("hits, %").asDouble()).isPositive();
    }
  }

  /** Five keys four times, and room for all: three of four requests are hits. */
  @Test
  void call_ofHits_countsThoseOfEachPolicy(@TempDir Path folder) throws Exception {
    Path trace = Files.createDirectory(folder.resolve("traces")).resolve("tiny.trace");
    Files.writeString(trace, "1\n2\n3\n4\n5\n".repeat(4));
    Path file = folder.resolve("hits.json");
    int code = execute("hits", "--requests=3000", "--data=" + folder, "--out=" + file);
    assertThat(code).as(out + "\n" + err).isZero();
    assertThat(out.toString())
        .contains("| tiny, 20 | 75.00 | 75.00 | 75.00 | 75.00 | 75.00 |")
        .containsPattern("\\| Zipf 0\\.9 of 100,000, [0-9,]+ \\|( [0-9.]+ \\|){5}\n");
    assertThat(new ObjectMapper().readTree(file.toFile()).path("command").asText())
        .isEqualTo("bench/compare hits --requests=3000 --data=" + folder.getFileName());
  }
}

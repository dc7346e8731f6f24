package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a mistake of a published pipeline that the simulator no longer shows, a mended listing that
 * is still wrong, and a page {@code docs/LISTINGS.md} that the code has left behind. If a trace has
 * changed, the failed test prints the new one.
 */
class ListingsTest {
  private static final int EXECUTIONS = 2_000;
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String PACKAGE = "dev.millrace.simulator.listings.";
  private static final Path SOURCES = Path.of("src/test/java", PACKAGE.replace('.', '/'));
  private static final Path PAGE = Path.of("../../docs/LISTINGS.md");

  /** A trace or mended lines, and the class that they are of. */
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(text|java) (\\w+)\n(.*?)^```$");

  private static final WovenLoader LOADER =
      new WovenLoader(ListingsTest.class.getClassLoader(), Weaving.of(PACKAGE));

  @ParameterizedTest
  @CsvSource({
    "FullRing, 24, data race: ",
    "LapFlag, 61, event 0 was read in place of event 2",
    "SharedStage, 235, event is not parsed: 0",
    "StageGate, 36, data race: ",
    "Barrier, 169, data race: ",
    "BlockingWait, 74, deadlock: ",
    "Shutdown, 83, 'events accepted: 1, handled: 0'",
    "FillLevel, 67, fill level is negative: -1"
  })
  void listing_failsAsOnThePage_andPassesMended(String listing, long seed, String complaint)
      throws Exception {
    assertThat(failsAsListed(listing, seed, complaint))
        .matches(shortened(blocks("text").get(listing)));
    assertPassesMended(listing);
  }

  /** The listing of another article, which is not on the page. */
  @ParameterizedTest
  @CsvSource({"8, 'buffer underflow: position=4, limit=4'", "2, length of record 1 is read as 2"})
  void sharedLength_failsAsListed_andPassesMended(long seed, String complaint) throws Exception {
    assertThat(failsAsListed("SharedLength", seed, complaint)).contains("other reader: ");
    assertPassesMended("SharedLength");
  }

  /** Returns the trace, which depends on no weak memory. */
  private static String failsAsListed(String listing, long seed, String complaint)
      throws Exception {
    Exploration.Failure failure = explorer(listing, "asListed").replay(seed).failure();

    assertThat(failure).as("the seed's execution fails").isNotNull();
    assertThat(failure.message()).startsWith(complaint);
    String trace = numbered(failure + "\n");
    assertThat(trace).doesNotContain("stale");
    return trace;
  }

  private static void assertPassesMended(String listing) throws Exception {
    Exploration mended = explorer(listing, "mended").random(EXECUTIONS, LIMIT, 1);

    assertThat(mended.failure()).isNull();
    assertThat(mended.executions()).isEqualTo(EXECUTIONS);
  }

  @Test
  void page_isShort_andHasTheMendedLines() throws IOException {
    String page = Files.readString(PAGE);
    assertThat(page.lines().count()).isLessThanOrEqualTo(150);
    assertThat(page).contains(String.format(Locale.ROOT, "%,d random executions", EXECUTIONS));
    Map<String, String> mended = blocks("java");
    assertThat(mended).hasSize(7); // what mends the shared stage mends its gate
    for (Map.Entry<String, String> block : mended.entrySet()) {
      String source = Files.readString(SOURCES.resolve(block.getKey() + ".java"));
      assertThat(unindented(source)).containsPattern(shortened(unindented(block.getValue())));
    }
  }

  private static Explorer explorer(String listing, String scenario) throws Exception {
    Class<?> type = LOADER.loadClass(PACKAGE + listing);
    return new Explorer(Scenario.of(type.getMethod(scenario, Simulation.class)));
  }

  private static Map<String, String> blocks(String kind) throws IOException {
    return BLOCK
        .matcher(Files.readString(PAGE))
        .results()
        .filter(block -> block.group(1).equals(kind))
        .collect(Collectors.toMap(block -> block.group(2), block -> block.group(3)));
  }

  /** Numbers the objects, because their hash codes differ from run to run. */
  private static String numbered(String trace) {
    Map<String, String> numbers = new HashMap<>();
    return Pattern.compile("@[0-9a-f]+")
        .matcher(trace)
        .replaceAll(
            (MatchResult hash) ->
                numbers.computeIfAbsent(hash.group(), _ -> "@" + (numbers.size() + 1)));
  }

  /** Matches a block with any lines in place of each "...". */
  private static Pattern shortened(String block) {
    return Pattern.compile(
        block
            .lines()
            .map(line -> line.equals("...") ? "(?:.*\n)+?" : Pattern.quote(line + "\n"))
            .collect(Collectors.joining()));
  }

  private static String unindented(String code) {
    return code.replaceAll("(?m)^ +", "");
  }
}

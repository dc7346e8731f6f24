package dev.millrace.stress.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.report.Results.Depth;
import dev.millrace.stress.report.Results.Jcstress;
import dev.millrace.stress.report.Results.Lincheck;
import dev.millrace.stress.report.Results.Litmus;
import dev.millrace.stress.report.Results.Mutant;
import dev.millrace.stress.report.Results.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReportTest {
  private static final Scenario SCENARIO =
      scenario("singles", 1_234_567, null, "head.setRelease to opaque", 1_000);
  private static final Litmus LITMUS =
      new Litmus("MP", "x = 1", "r1=1 r2=0", false, false, false, "JLS 17.4.5", 0, 100, null);
  private static final Mutant MUTANT = mutant("caught", "simulator: singles");
  private static final Lincheck LINCHECK = lincheck("passed", 100);
  private static final Jcstress JCSTRESS =
      jcstress(9_000, new Jcstress.Outcome("1, 0", "FORBIDDEN", 0, ""));

  @TempDir private Path directory;

  @Test
  void write_whenAllIsClear_tellsWhatWasRunAndNoMore() throws IOException {
    writeAll(SCENARIO, LITMUS, MUTANT, LINCHECK, JCSTRESS);
    Report report = report();
    assertThat(report.failures()).isEmpty();
    assertThat(report.gaps()).isEmpty();
    assertThat(textOf(report))
        .contains("no failure in 1,234,567 executions of 1 scenario")
        .contains("no survivor of 1: 1 caught")
        .contains("no failure in 1 test")
        .contains("no forbidden outcome in 9,000 samples of 1 test")
        .contains("none of 1 forbidden outcome seen")
        .contains("1,235×")
        .contains("2026-11-23, JDK 25.0.1")
        .doesNotContain("correct");
    assertThat(htmlOf(report)).doesNotContain(">not run<");
  }

  @Test
  void write_whenNothingWasRun_saysSoForEachTool() throws IOException {
    Files.createDirectories(proof());
    Files.createFile(proof().resolve("lincheck.json"));
    Results.write(proof(), "jcstress", List.of(), Run.endingNow(null));
    Report report = report();
    assertThat(report.gaps())
        .extracting(Finding::tool)
        .containsExactly("Ordering simulator", "Litmus tests", "Mutants", "Lincheck", "jcstress");
    assertThat(words(report.gaps())).containsOnly("not run");
    assertThat(textOf(report))
        .contains("Nothing was run, so nothing is shown.")
        .contains("All types not run not run not run not run")
        .doesNotContain("no failure,");
  }

  @Test
  void write_whenOneFileIsMissing_showsThatToolAsNotRun() throws IOException {
    writeAll(SCENARIO, LITMUS, MUTANT, LINCHECK, JCSTRESS);
    Files.delete(proof().resolve("lincheck.json"));
    Report report = report();
    assertThat(report.gaps()).extracting(Finding::tool).containsExactly("Lincheck");
    assertThat(textOf(report))
        .contains("1 caught not run no forbidden outcome")
        .contains("not run Lincheck: there are no results");
  }

  @Test
  void write_whenMutantSurvived_putsItBeforeAllElse() throws IOException {
    writeAll(
        scenario("runs", 10, "data race\n  at line 7", null, 0),
        LITMUS,
        mutant("survived", null),
        LINCHECK,
        JCSTRESS);
    Report report = report();
    assertThat(report.failures())
        .extracting(Finding::tool)
        .containsExactly("Mutants", "Ordering simulator");
    String text = textOf(report);
    assertThat(text)
        .startsWith("FAILURES")
        .contains("1 survived of 1: 0 caught")
        .contains("data race");
    assertThat(text.indexOf("survived SpscQueue, Mutants: STAMP. setRelease in commit, line 42"))
        .isBetween(0, text.indexOf("Summary"));
  }

  static Stream<Arguments> notClear() {
    return Stream.of(
        Arguments.of("FORBIDDEN, seen", true, LINCHECK, jcstress(9, outcome("FORBIDDEN")), LITMUS),
        Arguments.of("UNHEARD_OF", true, LINCHECK, jcstress(9, outcome("UNHEARD_OF")), LITMUS),
        Arguments.of("not run", false, LINCHECK, jcstress(0), LITMUS),
        Arguments.of("failed", true, lincheck("failed", 100), JCSTRESS, LITMUS),
        Arguments.of("not run", false, lincheck("passed", 0), JCSTRESS, LITMUS),
        Arguments.of("FORBIDDEN, seen", true, LINCHECK, JCSTRESS, litmus(false, 1, null)),
        Arguments.of("allowed, not seen", false, LINCHECK, JCSTRESS, litmus(true, 0, null)));
  }

  @ParameterizedTest
  @MethodSource("notClear")
  void findings_whenResultIsNotClear_tellIt(
      String word, boolean failure, Lincheck lincheck, Jcstress jcstress, Litmus litmus)
      throws IOException {
    writeAll(SCENARIO, litmus, MUTANT, lincheck, jcstress);
    Report report = report();
    assertThat(words(failure ? report.failures() : report.gaps())).containsExactly(word);
    assertThat(failure ? report.gaps() : report.failures()).isEmpty();
    assertThat(textOf(report)).contains(word);
  }

  @Test
  void gaps_whenScenarioShowsNothing_tellIt() {
    writeAll(scenario("short", 5, null, "m", 6), LITMUS, MUTANT, LINCHECK, JCSTRESS);
    assertThat(words(report().gaps())).containsExactly("run too short");
  }

  @Test
  void findings_ofTheProofAsAWhole_areTold() throws IOException {
    writeAll(SCENARIO, LITMUS, MUTANT, LINCHECK, JCSTRESS);
    Results.write(
        proof(),
        "notes",
        List.of(new Results.Note(true, "a wrong checksum"), new Results.Note(false, "a stale row")),
        Run.endingNow(null));
    Report report = report();
    assertThat(report.failures()).extracting(Finding::what).containsExactly("a wrong checksum");
    assertThat(report.gaps()).extracting(Finding::what).containsExactly("a stale row");
    assertThat(textOf(report)).contains("a wrong checksum", "a stale row");
  }

  @Test
  void gaps_whenADeepRunIsOfOtherCode_tellIt() {
    Depth depth = new Depth("30 scenarios", "2026-11-01", "25.0.1", false);
    Lincheck stale =
        new Lincheck("SpscQueue", "Test.fifo", "", "stress", 30, 9, 1, "passed", depth);
    writeAll(SCENARIO, LITMUS, MUTANT, stale, JCSTRESS);
    assertThat(report().gaps())
        .extracting(gap -> gap.verdict().word() + ", " + gap.verdict().why())
        .containsExactly("of other code, the code has changed since 2026-11-01");
  }

  @Test
  void write_whenCodeHasChangedSince_doesNotShowTheResultsAsItsOwn() throws IOException {
    writeAll(SCENARIO, LITMUS, MUTANT, LINCHECK, JCSTRESS);
    Run now = Run.endingNow(2.5);
    Results.write(
        proof(),
        "scenarios",
        List.of(SCENARIO),
        new Run(now.finished(), now.jdk(), now.system(), now.architecture(), 2, "other", 2.5));
    Report report = report();
    assertThat(words(report.gaps())).containsExactly("of other code");
    assertThat(textOf(report)).contains("SpscQueue of other code no failure in 1,234,567");
  }

  @Test
  void write_whenDataHoldsMarkup_escapesIt() throws IOException {
    writeAll(
        scenario("<script>a&b", 10, "<img src=x>\n</pre>", "\"<b>\"", 1),
        LITMUS,
        mutant("exempt", "sequence < tail"),
        LINCHECK,
        JCSTRESS);
    assertThat(htmlOf(report()))
        .contains("&lt;script&gt;a&amp;b")
        .contains("&lt;img src=x&gt;")
        .contains("sequence &lt; tail")
        .doesNotContain("<script")
        .doesNotContain("<img")
        .doesNotContain("<b>");
  }

  @Test
  void write_whenJcstressHasPages_linksToThemAndToNoOthers() throws IOException {
    writeAll(SCENARIO, LITMUS, MUTANT, LINCHECK, JCSTRESS);
    assertThat(htmlOf(report()))
        .doesNotContain("jcstress/")
        .contains("own page of it is not there");
    Path pages = Files.createDirectories(directory.resolve("jcstress/SpscQueue"));
    Files.createFile(pages.resolve("index.html"));
    Files.createFile(pages.resolve("a b$c.html"));
    assertThat(htmlOf(report()))
        .contains("href=\"../jcstress/SpscQueue/index.html\"")
        .contains("href=\"../jcstress/SpscQueue/a%20b$c.html\"");
    Files.createFile(directory.resolve("outside.html"));
    assertThat(report().jcstressLink("../outside.html")).isNull();
  }

  @Test
  void write_whenDone_hasNoPathOfThisMachineAndNeedsNothingBesideIt() throws IOException {
    writeAll(SCENARIO, LITMUS, MUTANT, LINCHECK, JCSTRESS);
    assertThat(htmlOf(report()))
        .doesNotContain(directory.toString())
        .doesNotContain(System.getProperty("user.dir"))
        .doesNotContain("<link")
        .doesNotContain("src=")
        .contains(Runtime.version().toString(), System.getProperty("os.arch"));
  }

  @Test
  void report_whenFileIsNotReadable_namesIt() throws IOException {
    Files.createDirectories(proof());
    Files.writeString(proof().resolve("mutants.json"), "[{");
    assertThatThrownBy(this::report).hasMessageContaining("mutants.json");
  }

  private static List<String> words(List<Finding> findings) {
    return findings.stream().map(finding -> finding.verdict().word()).toList();
  }

  private static Scenario scenario(
      String name, long executions, String failure, String hardest, long took) {
    return new Scenario(
        "SpscQueue", name, "", 2_000, 12.34, failure, hardest, took, executions, depth("deep"));
  }

  private static Depth depth(String how) {
    return new Depth(how, "2026-11-23", "25.0.1", true);
  }

  private static Mutant mutant(String verdict, String by) {
    return new Mutant(
        "SpscQueue",
        "commit",
        42,
        "STAMP.setRelease",
        "weaken to opaque",
        true,
        verdict,
        by,
        7,
        null);
  }

  private static Lincheck lincheck(String outcome, long iterations) {
    return new Lincheck(
        "SpscQueue", "Test.fifo", "", "stress", iterations, 1_000, 1, outcome, null);
  }

  private static Jcstress jcstress(long samples, Jcstress.Outcome... outcomes) {
    return new Jcstress(
        "SpscQueue", "Single", "", "SpscQueue/a b$c.html", samples, List.of(outcomes), null);
  }

  private static Jcstress.Outcome outcome(String expectation) {
    return new Jcstress.Outcome("1, 0", expectation, 1, "");
  }

  private static Litmus litmus(boolean allowed, long seen, String note) {
    return new Litmus("SB", "", "r1=0 r2=0", allowed, allowed, allowed, "", seen, 100, note);
  }

  private void writeAll(
      Scenario scenario, Litmus litmus, Mutant mutant, Lincheck lincheck, Jcstress jcstress) {
    Run run = Run.endingNow(null);
    Results.write(proof(), "scenarios", List.of(scenario), run);
    Results.write(proof(), "litmus", List.of(litmus), run);
    Results.write(proof(), "mutants", List.of(mutant), run);
    Results.write(proof(), "lincheck", List.of(lincheck), run);
    Results.write(proof(), "jcstress", List.of(jcstress), run);
  }

  private Path proof() {
    return directory.resolve("proof");
  }

  private Path page() {
    return directory.resolve("report").resolve("index.html");
  }

  private Report report() {
    return new Report(proof(), directory.resolve("jcstress"), page());
  }

  private String htmlOf(Report report) throws IOException {
    report.write();
    return Files.readString(page());
  }

  /** What a reader sees, from the title on. */
  private String textOf(Report report) throws IOException {
    String html = htmlOf(report);
    return html.substring(html.indexOf("<title>"))
        .replaceAll("(?s)<style>.*?</style>", " ")
        .replaceAll("<[^>]*>", " ")
        .replace("&nbsp;", " ")
        .replaceAll("\\s+", " ")
        .replace(" ,", ",")
        .trim();
  }
}

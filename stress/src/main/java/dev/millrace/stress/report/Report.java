package dev.millrace.stress.report;

import dev.millrace.report.Numbers;
import dev.millrace.report.Page;
import dev.millrace.report.Tone;
import dev.millrace.stress.report.Results.Jcstress;
import dev.millrace.stress.report.Results.Lincheck;
import dev.millrace.stress.report.Results.Litmus;
import dev.millrace.stress.report.Results.Mutant;
import dev.millrace.stress.report.Results.Note;
import dev.millrace.stress.report.Results.Result;
import dev.millrace.stress.report.Results.Scenario;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** What the proofs found, as one page of HTML that needs nothing beside it. */
public final class Report {
  private final String code;
  private final Path jcstressPages;
  private final Path page;
  private final Tool<Scenario> simulator;
  private final Tool<Litmus> litmusTests;
  private final Tool<Mutant> mutantGate;
  private final Tool<Lincheck> lincheckTests;
  private final Tool<Jcstress> jcstressTests;
  private final List<Note> notes;

  /**
   * Reads the results.
   *
   * @param proof the directory of their files
   * @param jcstressPages the directory of jcstress's own report, to which the page links
   * @param page the file to write
   */
  public Report(Path proof, Path jcstressPages, Path page) {
    this.code = Run.digestOfCode();
    this.jcstressPages = jcstressPages.toAbsolutePath().normalize();
    this.page = page.toAbsolutePath().normalize();
    this.simulator =
        tool(
            proof,
            "Ordering simulator",
            "scenarios",
            Scenario.class,
            Verdict::of,
            Scenario::seconds);
    this.litmusTests = tool(proof, "Litmus tests", "litmus", Litmus.class, Verdict::of, null);
    this.mutantGate = tool(proof, "Mutants", "mutants", Mutant.class, Verdict::of, null);
    this.lincheckTests =
        tool(proof, "Lincheck", "lincheck", Lincheck.class, Verdict::of, Lincheck::seconds);
    this.jcstressTests = tool(proof, "jcstress", "jcstress", Jcstress.class, Verdict::of, null);
    this.notes = Results.read(proof, "notes", Note.class);
  }

  /**
   * Writes the page.
   *
   * @throws IOException if it cannot be written
   */
  public void write() throws IOException {
    Page.write(Report.class, "report.ftlh", Map.of("report", this, "numbers", new Numbers()), page);
  }

  /**
   * The kinds of proof, in the order of the page.
   *
   * @return them all, also those that were not run
   */
  public List<Tool<?>> tools() {
    return List.of(simulator, litmusTests, mutantGate, lincheckTests, jcstressTests);
  }

  /**
   * Which code is beside this report.
   *
   * @return its digest, see {@link Run}
   */
  public String code() {
    return code;
  }

  /**
   * A test's outcomes, judged.
   *
   * @param test the test
   * @return a row for each
   */
  public List<Judged<Jcstress.Outcome>> outcomes(Jcstress test) {
    return Judged.all(Verdict.outcomes(test), Verdict::of);
  }

  /**
   * The types that there are results for.
   *
   * @return a section for each, by name
   */
  public List<TypeSection> types() {
    return tools().stream()
        .flatMap(tool -> tool.rows().stream())
        .map(row -> row.of().type())
        .filter(Objects::nonNull)
        .distinct()
        .sorted()
        .map(
            name ->
                new TypeSection(
                    name,
                    simulator.ofType(name),
                    mutantGate.ofType(name),
                    lincheckTests.ofType(name),
                    jcstressTests.ofType(name)))
        .toList();
  }

  /**
   * The outcomes of litmus tests.
   *
   * @return them all
   */
  public List<Judged<Litmus>> litmus() {
    return litmusTests.rows();
  }

  /**
   * The failures: survivors first, for a proof that notices nothing weighs more than one that does.
   *
   * @return a line for each
   */
  public List<Finding> failures() {
    return Stream.concat(findings(Tone.BAD), notes(true, new Verdict(Tone.BAD, "failed", null)))
        .toList();
  }

  /**
   * What should have been shown and was not.
   *
   * @return a line for each
   */
  public List<Finding> gaps() {
    return Stream.of(
            tools().stream().flatMap(Tool::gap),
            findings(Tone.GAP),
            notes(false, new Verdict(Tone.GAP, "stale", null)))
        .flatMap(Function.identity())
        .toList();
  }

  /**
   * What a type's row in the summary says of a tool.
   *
   * @param tool the tool
   * @param type the type
   * @return the verdict
   */
  public Verdict cell(Tool<?> tool, TypeSection type) {
    return tool.inSummary(
        switch (tool.kind()) {
          case "scenarios" -> type.simulatorCell();
          case "mutants" -> type.mutantCell();
          case "lincheck" -> type.lincheckCell();
          case "jcstress" -> type.jcstressCell();
          default -> throw new IllegalArgumentException("tool must have a column: " + tool.kind());
        });
  }

  /**
   * A link to jcstress's own report.
   *
   * @param name the page's name in it
   * @return relative to this page, or null if there is no such page
   */
  public String jcstressLink(String name) {
    Path target = jcstressPages.resolve(name).normalize();
    if (!target.startsWith(jcstressPages) || !Files.isRegularFile(target)) {
      return null;
    }
    try {
      String relative = page.getParent().relativize(target).toString().replace('\\', '/');
      return new URI(null, null, relative, null).getRawPath(); // escaped where a name needs it
    } catch (URISyntaxException e) {
      throw new IllegalStateException("page must be addressable: page=" + name, e);
    }
  }

  private Stream<Finding> notes(boolean areErrors, Verdict verdict) {
    return notes.stream()
        .filter(note -> note.isError() == areErrors)
        .map(note -> new Finding("Proof", null, note.text(), verdict, "runs"));
  }

  private Stream<Finding> findings(Tone tone) {
    return Stream.of(mutantGate, simulator, lincheckTests, jcstressTests, litmusTests)
        .flatMap(tool -> tool.findings(tone));
  }

  private <T extends Result> Tool<T> tool(
      Path proof,
      String name,
      String kind,
      Class<T> type,
      Function<T, Verdict> judge,
      ToDoubleFunction<T> seconds) {
    List<T> results = Results.read(proof, kind, type);
    Run run = Results.run(proof, kind);
    boolean stale = run != null && !run.code().equals(code);
    Double sum = seconds == null ? null : results.stream().mapToDouble(seconds).sum();
    Double measured = run == null || run.seconds() == null ? sum : run.seconds();
    return new Tool<>(name, kind, Judged.all(results, judge), run, stale, measured);
  }
}

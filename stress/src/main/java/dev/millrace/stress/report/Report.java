package dev.millrace.stress.report;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.millrace.report.Numbers;
import dev.millrace.report.Page;
import dev.millrace.report.Tone;
import dev.millrace.stress.report.Results.Jcstress;
import dev.millrace.stress.report.Results.Lincheck;
import dev.millrace.stress.report.Results.Litmus;
import dev.millrace.stress.report.Results.Mutant;
import dev.millrace.stress.report.Results.Note;
import dev.millrace.stress.report.Results.Scenario;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** What the proofs found, as one page of HTML that needs nothing beside it. */
public final class Report {
  private final String code;
  private final Path jcstressPages;
  private final Path page;
  private final Tool simulator;
  private final Tool litmusTests;
  private final Tool mutantGate;
  private final Tool lincheckTests;
  private final Tool jcstressTests;
  private final List<Judged<Scenario>> scenarios;
  private final List<Judged<Litmus>> litmus;
  private final List<Judged<Mutant>> mutants;
  private final List<Judged<Lincheck>> lincheck;
  private final List<Judged<Jcstress>> jcstress;
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
    this.scenarios =
        Judged.all(Results.read(proof, "scenarios", new TypeReference<>() {}), Verdict::of);
    this.litmus = Judged.all(Results.read(proof, "litmus", new TypeReference<>() {}), Verdict::of);
    this.mutants =
        Judged.all(Results.read(proof, "mutants", new TypeReference<>() {}), Verdict::of);
    this.lincheck =
        Judged.all(Results.read(proof, "lincheck", new TypeReference<>() {}), Verdict::of);
    this.jcstress =
        Judged.all(Results.read(proof, "jcstress", new TypeReference<>() {}), Verdict::of);
    this.notes = Results.read(proof, "notes", new TypeReference<>() {});
    this.simulator =
        tool(
            proof, "Ordering simulator", "scenarios", scenarios, sum(scenarios, Scenario::seconds));
    this.litmusTests = tool(proof, "Litmus tests", "litmus", litmus, null);
    this.mutantGate = tool(proof, "Mutants", "mutants", mutants, null);
    this.lincheckTests =
        tool(proof, "Lincheck", "lincheck", lincheck, sum(lincheck, Lincheck::seconds));
    this.jcstressTests = tool(proof, "jcstress", "jcstress", jcstress, null);
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
  public List<Tool> tools() {
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
    SortedSet<String> names = new TreeSet<>();
    scenarios.forEach(row -> names.add(row.of().type()));
    mutants.forEach(row -> names.add(row.of().type()));
    lincheck.forEach(row -> names.add(row.of().type()));
    jcstress.forEach(row -> names.add(row.of().type()));
    return names.stream()
        .map(
            name ->
                new TypeSection(
                    name,
                    anchor(name),
                    ofType(scenarios, Scenario::type, name),
                    ofType(mutants, Mutant::type, name),
                    ofType(lincheck, Lincheck::type, name),
                    ofType(jcstress, Jcstress::type, name)))
        .toList();
  }

  /**
   * The outcomes of litmus tests.
   *
   * @return them all
   */
  public List<Judged<Litmus>> litmus() {
    return litmus;
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
            tools().stream().flatMap(this::gap),
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
  public Verdict cell(Tool tool, TypeSection type) {
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

  private Stream<Finding> gap(Tool tool) {
    if (!tool.present()) {
      return Stream.of(
          new Finding(
              tool.name(), null, "all tests", new Verdict(Tone.GAP, "not run", null), "runs"));
    }
    return tool.stale()
        ? Stream.of(
            new Finding(
                tool.name(),
                null,
                "all results",
                new Verdict(Tone.GAP, "of other code", "the classes have changed since"),
                "runs"))
        : Stream.empty();
  }

  private Stream<Finding> notes(boolean areErrors, Verdict verdict) {
    return notes.stream()
        .filter(note -> note.isError() == areErrors)
        .map(note -> new Finding("Proof", null, note.text(), verdict, "runs"));
  }

  private Stream<Finding> findings(Tone tone) {
    return Stream.of(
            findings(mutantGate, mutants, tone, Mutant::type, Report::place),
            findings(simulator, scenarios, tone, Scenario::type, Scenario::name),
            findings(lincheckTests, lincheck, tone, Lincheck::type, Lincheck::test),
            findings(jcstressTests, jcstress, tone, Jcstress::type, Jcstress::test),
            findings(
                litmusTests,
                litmus,
                tone,
                row -> null,
                row -> row.test() + ", outcome " + row.outcome()))
        .flatMap(Function.identity());
  }

  private static <T> Stream<Finding> findings(
      Tool tool,
      List<Judged<T>> rows,
      Tone tone,
      Function<T, String> type,
      Function<T, String> what) {
    return rows.stream()
        .filter(row -> row.verdict().tone() == tone)
        .map(
            row -> {
              String name = type.apply(row.of());
              String anchor = name == null ? "litmus" : anchor(name);
              return new Finding(tool.name(), name, what.apply(row.of()), row.verdict(), anchor);
            });
  }

  private static String place(Mutant mutant) {
    return String.format(
        Locale.ROOT,
        "%s in %s, line %d: %s",
        mutant.access(),
        mutant.method(),
        mutant.line(),
        mutant.operator());
  }

  private static String anchor(String type) {
    return "type-" + type.replaceAll("[^A-Za-z0-9]", "-");
  }

  private static <T> List<Judged<T>> ofType(
      List<Judged<T>> rows, Function<T, String> type, String name) {
    return rows.stream().filter(row -> Objects.equals(type.apply(row.of()), name)).toList();
  }

  private static <T> Double sum(List<Judged<T>> rows, Function<T, Double> seconds) {
    return rows.stream().mapToDouble(row -> seconds.apply(row.of())).sum();
  }

  private Tool tool(Path proof, String name, String kind, List<?> rows, Double seconds) {
    Optional<Run> run = Results.run(proof, kind);
    Double measured = run.map(Run::seconds).orElse(seconds);
    boolean stale = run.isPresent() && !run.get().code().equals(code);
    return new Tool(name, kind, !rows.isEmpty(), run.orElse(null), stale, measured);
  }
}

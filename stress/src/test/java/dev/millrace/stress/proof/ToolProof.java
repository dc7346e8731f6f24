package dev.millrace.stress.proof;

import dev.millrace.stress.jcstress.JcstressCheck;
import dev.millrace.stress.proof.Ledger.State;
import dev.millrace.stress.proof.ToolTest.Tool;
import dev.millrace.stress.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tests of Lincheck and jcstress, in JVMs of their own. A brief run repeats a few, always the
 * same and less long, to see that the tools still work and still find what is planted; a deep one
 * those whose rows are of other code.
 */
final class ToolProof {
  /** What each build repeats, of one specification and of each way to break a real JVM. */
  private static final Set<String> SMOKE =
      Set.of(
          "MpmcQueueLincheckTest.relaxed_whenModelChecked_deliversInOrder",
          "MpmcQueueLincheckTest.record_whenCommittedFirst_isCaught",
          "SpscQueue_CompleteIsExact",
          "SpscQueue_ParkAndWake",
          "SpscQueue_RecordIsWhole");

  private static final double SMOKE_SCALE = 0.1;

  private static final double SECONDS_IF_UNKNOWN = 30;
  private static final int JVMS_AT_ONCE =
      2; // of the model checker, which runs one thread at a time
  private static final String LINCHECK_MODE = "Lincheck, ";
  private static final String MODE = "quick";
  private static final int MILLIS_EACH = 200;

  /** Options of jcstress for one JVM configuration instead of all. */
  private static final List<String> ONE_JVM =
      List.of("-sc", "false", "-jvmArgs", "-XX:-TieredCompilation");

  /** Where the simulator's own tests leave what its litmus tests have shown, if they were run. */
  private static final Path LITMUS = Path.of("simulator", "target", "litmus");

  private final Context context;
  private final Request request;
  private final Findings findings;
  private final Path folder;
  private final List<ToolTest> tests = ToolTest.all();
  private final Map<String, Results.Lincheck> lincheck = new ConcurrentHashMap<>(); // found now
  private final Map<String, Results.Jcstress> jcstress = new HashMap<>();
  private List<Results.Litmus> litmus = Results.read(LITMUS, "litmus", Results.Litmus.class);

  ToolProof(Context context, Path folder) throws IOException {
    this.context = context;
    this.request = context.request();
    this.findings = context.findings();
    this.folder = folder.toAbsolutePath();
  }

  /** The tests that this request runs. */
  List<ToolTest> chosen() {
    return tests.stream()
        .filter(test -> request.isBrief() ? SMOKE.contains(test.key()) : isWanted(test))
        .toList();
  }

  void run() throws Exception {
    if (!request.writes() && !request.isDry()) {
      tests.forEach(this::noteIfStale);
    }
    context.removeGone(
        context.ledger().tests,
        tests.stream().map(ToolTest::key).collect(Collectors.toSet()),
        key -> request.includes(key) || request.includes(ToolTest.typeOf(key)),
        key ->
            findings.error("the ledger has a test that is gone, or has another name now: " + key));
    List<ToolTest> chosen = chosen();
    if (request.isDry()) {
      chosen.forEach(test -> findings.plan(test.tool().plural, seconds(test)));
      return;
    }
    runJunit(chosen);
    runJcstress(chosen);
  }

  private Ledger.Test row(ToolTest test) {
    return context.ledger().tests.get(test.key());
  }

  private State state(ToolTest test) {
    return State.of(row(test), digest(test));
  }

  private boolean isWanted(ToolTest test) {
    return (request.includes(test.type()) || request.includes(test.key()))
        && (!request.trustsRows() || state(test) == State.STALE);
  }

  private void noteIfStale(ToolTest test) {
    if (state(test) == State.STALE) {
      String reason = row(test) == null ? "without a row" : "of other code";
      findings.stale(test.tool().plural, reason, test.key());
    }
  }

  private String digest(ToolTest test) {
    String how = test.tool() == Tool.JCSTRESS ? MODE + " " + MILLIS_EACH : "";
    return context
        .tooling()
        .digestWithout(
            test.className(), test.tool().version + " " + test.tool().options + " " + how);
  }

  private double seconds(ToolTest test) {
    return row(test) == null ? SECONDS_IF_UNKNOWN : row(test).run().seconds();
  }

  // ---- Lincheck, and the litmus tests ----

  /**
   * Runs tests in a JVM for each class: before and after each test Lincheck rewrites all classes
   * that were loaded, those that it made for former tests among them, which takes minutes in the
   * end.
   */
  private void runJunit(List<ToolTest> chosen) throws Exception {
    List<ToolTest> tests = chosen.stream().filter(test -> test.tool() != Tool.JCSTRESS).toList();
    List<Callable<Void>> tasks = new ArrayList<>();
    for (List<ToolTest> group : groups(tests, ToolTest::className)) {
      tasks.add(
          () -> {
            runGroup(group);
            return null;
          });
    }
    Workers.run(tasks, JVMS_AT_ONCE);
  }

  private static Collection<List<ToolTest>> groups(
      List<ToolTest> tests, Function<ToolTest, String> key) {
    return tests.stream()
        .collect(Collectors.groupingBy(key, TreeMap::new, Collectors.toList()))
        .values();
  }

  private void runGroup(List<ToolTest> group) throws IOException, InterruptedException {
    ToolTest first = group.getFirst();
    String name = first.className().replaceAll(".*\\.", "");
    Path own = folder.resolve("tools").resolve(name);
    List<String> options = new ArrayList<>(first.tool().options);
    if (request.isBrief()) {
      options.add("-XX:TieredStopAtLevel=1"); // a smoke test ends before C2 would be of use
    }
    options.add("-Dmillrace.proof=" + own);
    options.add("-Dlitmus.results=" + own);
    options.add("-Dlitmus.executions=20000");
    options.add(
        "-Dmillrace.proof.scale="
            + (request.isBrief() ? SMOKE_SCALE : Math.min(request.scale(), 1.5)));
    List<String> program =
        new ArrayList<>(
            List.of(
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--disable-banner",
                "--details=tree"));
    for (ToolTest test : group) {
      program.add(
          test.selector().isEmpty()
              ? "--select-class=" + test.className()
              : "--select-method=" + test.selector());
    }
    clear(own); // if it crashes, it must not leave what an earlier run has found
    long start = System.nanoTime();
    // It runs where this one does: the litmus tests and the sources' checks read files beside it.
    List<Path> more = first.tool() == Tool.LITMUS ? List.of(Code.SIMULATOR_TESTS) : List.of();
    int exit = Child.run(own, "output.txt", options, more, program);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (exit != 0) {
      findings.error(name + " failed, see " + own.resolve("output.txt"));
    }
    if (first.tool() == Tool.LITMUS) {
      keepLitmus(first, own, exit == 0, seconds);
    } else {
      keepLincheck(group, own);
    }
    context.progress().tell("%s, %d tests in %d s".formatted(name, group.size(), (long) seconds));
  }

  private void keepLitmus(ToolTest test, Path own, boolean passed, double seconds) {
    litmus = Results.read(own, "litmus", Results.Litmus.class);
    if (passed) {
      long executions = litmus.stream().mapToLong(Results.Litmus::executions).sum();
      String about = "what the simulator shows, beside what the published models say";
      keep(test, test.type(), about, "litmus", executions, 1, "passed", seconds);
    }
  }

  private void keepLincheck(List<ToolTest> group, Path own) {
    for (Results.Lincheck result : Results.read(own, "lincheck", Results.Lincheck.class)) {
      lincheck.put(result.test(), result);
    }
    for (ToolTest test : group) {
      Results.Lincheck result = lincheck.get(test.key());
      if (result == null) {
        findings.error(test.key() + " has no result, see " + own.resolve("output.txt"));
      } else {
        keep(
            test,
            result.type(),
            result.about(),
            LINCHECK_MODE + result.mode(),
            result.iterations(),
            result.invocations(),
            result.outcome(),
            result.seconds());
      }
    }
  }

  // ---- jcstress ----

  /** By type, so that a run that is cut off keeps the rows of the types before. */
  private void runJcstress(List<ToolTest> chosen) throws IOException, InterruptedException {
    List<ToolTest> tests = chosen.stream().filter(test -> test.tool() == Tool.JCSTRESS).toList();
    for (List<ToolTest> group : groups(tests, ToolTest::type)) {
      String type = group.getFirst().type();
      long start = System.nanoTime();
      List<String> names = group.stream().map(ToolTest::selector).toList();
      JcstressCheck check = jcstress(type, names, request.isBrief() ? ONE_JVM : inDepth(), false);
      double seconds = (System.nanoTime() - start) / 1e9;
      check.found().forEach(result -> jcstress.put(result.test(), result));
      if (check.faults().isEmpty()) {
        for (ToolTest test : group) {
          Results.Jcstress result = jcstress.get(test.key());
          String mode = "jcstress, " + MODE;
          double share = seconds / group.size();
          keep(test, type, result.about(), mode, result.samples(), 1, "passed", share);
        }
      }
      context
          .progress()
          .tell("jcstress of %s, %d tests in %d s".formatted(type, group.size(), (long) seconds));
    }
    if (!tests.isEmpty()) {
      // One JVM configuration is enough for what is broken on purpose.
      jcstress("Broken", ToolTest.broken(), ONE_JVM, true);
    }
  }

  private List<String> inDepth() {
    return List.of("-time", Integer.toString((int) (MILLIS_EACH * Math.min(2, request.scale()))));
  }

  private JcstressCheck jcstress(
      String name, List<String> classes, List<String> more, boolean expectForbidden)
      throws IOException, InterruptedException {
    Path own = folder.resolve("jcstress").resolve(name);
    clear(own); // what a former run has left there would stay in the report
    String pattern = "^(" + String.join("|", classes).replace(".", "\\.") + ")$";
    // 4,096 states at a time: what Pool is made for.
    List<String> program =
        new ArrayList<>(List.of("org.openjdk.jcstress.Main", "-r", ".", "-t", pattern, "-m", MODE));
    program.addAll(List.of("-strideCount", "16"));
    program.addAll(more);
    // Its exit code of 1 is decided over by what it has found.
    Child.run(own, "jcstress.log", Tool.JCSTRESS.options, program);
    JcstressCheck check =
        new JcstressCheck(own, classes, request.isBrief() ? 1_000 : 10_000, expectForbidden);
    check.faults().forEach(fault -> findings.error("jcstress: " + fault + ", see " + own));
    return check;
  }

  private static void clear(Path own) throws IOException {
    if (Files.exists(own)) {
      try (Stream<Path> files = Files.walk(own)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  // ---- results ----

  private void keep(
      ToolTest test,
      String type,
      String about,
      String mode,
      long times,
      long each,
      String outcome,
      double seconds) {
    if (request.writes()) {
      Ledger.Run run = Ledger.Run.ended(digest(test), seconds);
      context
          .ledger()
          .tests
          .put(new Ledger.Test(test.key(), type, about, mode, times, each, outcome, run));
    }
  }

  /** What the litmus tests have shown, in this run or as tests of the simulator. */
  List<Results.Litmus> litmus() {
    return litmus;
  }

  /** All of Lincheck's tests: what was found now, otherwise what the ledger has of them. */
  List<Results.Lincheck> lincheck() {
    return results(
        Tool.LINCHECK,
        lincheck,
        (row, depth) ->
            new Results.Lincheck(
                row.type(),
                row.key(),
                row.about(),
                row.mode().replace(LINCHECK_MODE, ""),
                row.times(),
                row.each(),
                row.run().seconds(),
                row.outcome(),
                depth));
  }

  /** All of jcstress's tests, in the same way. */
  List<Results.Jcstress> jcstress() {
    return results(
        Tool.JCSTRESS,
        jcstress,
        (row, depth) ->
            new Results.Jcstress(
                row.type(), row.key(), row.about(), row.times(), List.of(), depth));
  }

  private <R> List<R> results(
      Tool tool, Map<String, R> found, BiFunction<Ledger.Test, Results.Depth, R> ofRow) {
    List<R> results = new ArrayList<>();
    for (ToolTest test : tests) {
      Ledger.Test row = row(test);
      if (found.containsKey(test.key())) {
        results.add(found.get(test.key()));
      } else if (test.tool() == tool && row != null) {
        results.add(ofRow.apply(row, row.run().depth(state(test))));
      } else if (test.tool() == tool) {
        results.add(ofRow.apply(never(test), null));
      }
    }
    return results;
  }

  /** The row of a test that has none, nor a result. */
  private static Ledger.Test never(ToolTest test) {
    Ledger.Run run = new Ledger.Run("", "", "", 0);
    return new Ledger.Test(test.key(), test.type(), "", "", 0, 0, "passed", run);
  }
}

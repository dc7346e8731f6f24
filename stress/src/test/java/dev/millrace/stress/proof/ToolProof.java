package dev.millrace.stress.proof;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.millrace.stress.jcstress.JcstressCheck;
import dev.millrace.stress.proof.Ledger.State;
import dev.millrace.stress.proof.ToolTest.Tool;
import dev.millrace.stress.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * The tests of Lincheck and jcstress, in JVMs of their own. A brief run repeats those that a draw
 * has chosen, a deep one those whose rows are of other code.
 */
final class ToolProof {
  /** How long the drawn tests of each tool may take together, by their rows. */
  private static final double DRAWN_SECONDS = 30;

  private static final double SECONDS_IF_UNKNOWN = 30;
  private static final int JVMS_AT_ONCE =
      2; // of the model checker, which runs one thread at a time
  private static final String MODE = "quick";
  private static final int MILLIS_EACH = 200;

  private final Tooling tooling;
  private final Ledger ledger;
  private final Request request;
  private final Findings findings;
  private final Progress progress;
  private final Path folder;
  private final List<ToolTest> tests;
  private final Map<String, Results.Lincheck> lincheck = new TreeMap<>(); // found now, by key
  private final Map<String, Results.Jcstress> jcstress = new TreeMap<>();

  ToolProof(
      Tooling tooling,
      Ledger ledger,
      Request request,
      Findings findings,
      Progress progress,
      Path folder)
      throws IOException {
    this.tooling = tooling;
    this.ledger = ledger;
    this.request = request;
    this.findings = findings;
    this.progress = progress;
    this.folder = folder.toAbsolutePath();
    this.tests = ToolTest.all();
  }

  /** The tests that this request runs. */
  List<ToolTest> chosen() {
    return request.isBrief() ? drawn() : tests.stream().filter(this::isWanted).toList();
  }

  void run() throws Exception {
    if (!request.writes() && !request.isDry()) {
      tests.forEach(this::noteIfStale);
    }
    Set<String> gone = new HashSet<>(ledger.tests().keySet());
    tests.forEach(test -> gone.remove(test.key()));
    for (String key : gone) {
      if (!request.writes()) {
        findings.error("the ledger has a test that is gone, or has another name now: " + key);
      } else if (request.includes(key) || request.includes(ToolTest.typeOf(key))) {
        ledger.tests().remove(key);
      }
    }
    List<ToolTest> chosen = chosen();
    if (request.isDry()) {
      chosen.forEach(test -> findings.plan(test.tool().plural, seconds(test)));
      return;
    }
    runJunit(chosen);
    runJcstress(chosen);
  }

  private State state(ToolTest test) {
    Ledger.Test row = ledger.tests().get(test.key());
    return row == null ? State.STALE : row.state(digest(test));
  }

  private boolean isWanted(ToolTest test) {
    return (request.includes(test.type()) || request.includes(test.key()))
        && (!request.trustsRows() || state(test) == State.STALE);
  }

  private void noteIfStale(ToolTest test) {
    if (state(test) == State.STALE) {
      boolean isNew = !ledger.tests().containsKey(test.key());
      findings.stale(test.tool().plural, isNew ? "without a row" : "of other code", test.key());
    }
  }

  private String digest(ToolTest test) {
    String how = test.tool() == Tool.JCSTRESS ? MODE + " " + MILLIS_EACH : "";
    return tooling.digestWithout(
        test.className(), test.tool().version + " " + test.tool().options + " " + how);
  }

  private double seconds(ToolTest test) {
    Ledger.Test row = ledger.tests().get(test.key());
    return row == null ? SECONDS_IF_UNKNOWN : row.seconds();
  }

  /** Tests drawn of each tool, until their time is used up; at least one. */
  private List<ToolTest> drawn() {
    List<ToolTest> drawn = new ArrayList<>();
    for (Tool tool : List.of(Tool.LINCHECK, Tool.JCSTRESS)) {
      List<ToolTest> pool =
          new ArrayList<>(tests.stream().filter(test -> test.tool() == tool).toList());
      Collections.shuffle(pool, new Random(request.draw().hashCode()));
      double left = DRAWN_SECONDS;
      for (ToolTest test : pool) {
        if (left == DRAWN_SECONDS || seconds(test) <= left) {
          drawn.add(test);
          left -= seconds(test);
        }
      }
    }
    return drawn;
  }

  // ---- Lincheck, and the litmus tests ----

  private void runJunit(List<ToolTest> chosen) throws Exception {
    Map<String, List<ToolTest>> together = new LinkedHashMap<>();
    Map<String, List<ToolTest>> alone = new LinkedHashMap<>();
    for (ToolTest test : chosen) {
      if (test.tool() != Tool.JCSTRESS) {
        // A JVM for each class: before and after each test Lincheck rewrites all classes that were
        // loaded, those that it made for former tests among them, which takes minutes in the end.
        (test.isAlone() ? alone : together)
            .computeIfAbsent(test.className(), _ -> new ArrayList<>())
            .add(test);
      }
    }
    Workers.run(tasks(together.values(), "checked"), JVMS_AT_ONCE);
    Workers.run(tasks(alone.values(), "stressed"), 1);
  }

  private List<Callable<Void>> tasks(Iterable<List<ToolTest>> groups, String suffix) {
    List<Callable<Void>> tasks = new ArrayList<>();
    for (List<ToolTest> group : groups) {
      tasks.add(
          () -> {
            runJunit(group, suffix);
            return null;
          });
    }
    return tasks;
  }

  private void runJunit(List<ToolTest> group, String suffix)
      throws IOException, InterruptedException {
    ToolTest first = group.getFirst();
    String name = first.className().replaceAll(".*\\.", "");
    Path own = folder.resolve("tools").resolve(name + "-" + suffix);
    List<String> options = new ArrayList<>(first.tool().options);
    options.add("-Dmillrace.proof=" + own);
    options.add("-Dmillrace.proof.scale=" + Math.min(request.scale(), 1.5));
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
    long start = System.nanoTime();
    // It runs where this one does: the litmus tests and the sources' checks read files beside it.
    int exit = Child.run(own, "output.txt", options, program);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (exit != 0) {
      findings.error(name + " failed, see " + own.resolve("output.txt"));
    }
    if (first.tool() == Tool.LITMUS) {
      keepLitmus(first, own, exit == 0, seconds);
    } else {
      keepLincheck(group, own);
    }
    progress.tell("%s, %d tests in %d s".formatted(name, group.size(), (long) seconds));
  }

  private void keepLitmus(ToolTest test, Path own, boolean passed, double seconds) {
    List<Results.Litmus> found = Results.read(own, "litmus", new TypeReference<>() {});
    Results.write("litmus", found);
    if (passed) {
      long executions = found.stream().mapToLong(Results.Litmus::executions).sum();
      String about = "what the simulator shows, beside what the published models say";
      keep(test, test.type(), about, "litmus", executions, 1, "passed", seconds);
    }
  }

  private void keepLincheck(List<ToolTest> group, Path own) {
    Map<String, Results.Lincheck> found = new HashMap<>();
    for (Results.Lincheck result :
        Results.<Results.Lincheck>read(own, "lincheck", new TypeReference<>() {})) {
      found.put(result.test(), result);
    }
    for (ToolTest test : group) {
      Results.Lincheck result = found.get(test.key());
      if (result == null) {
        findings.error(test.key() + " has no result, see " + own.resolve("output.txt"));
        continue;
      }
      synchronized (lincheck) {
        lincheck.put(test.key(), result);
      }
      keep(
          test,
          result.type(),
          result.about(),
          "Lincheck, " + result.mode(),
          result.iterations(),
          result.invocations(),
          result.outcome(),
          result.seconds());
    }
  }

  // ---- jcstress ----

  /** By type, so that a run that is cut off keeps the rows of the types before. */
  private void runJcstress(List<ToolTest> chosen) throws IOException, InterruptedException {
    Map<String, List<ToolTest>> byType = new TreeMap<>();
    for (ToolTest test : chosen) {
      if (test.tool() == Tool.JCSTRESS) {
        byType.computeIfAbsent(test.type(), _ -> new ArrayList<>()).add(test);
      }
    }
    for (Map.Entry<String, List<ToolTest>> entry : byType.entrySet()) {
      List<ToolTest> group = entry.getValue();
      long start = System.nanoTime();
      JcstressCheck check =
          jcstress(
              entry.getKey(),
              group.stream().map(ToolTest::selector).toList(),
              List.of(
                  "-time", Integer.toString((int) (MILLIS_EACH * Math.min(2, request.scale())))),
              false);
      double seconds = (System.nanoTime() - start) / 1e9;
      for (Results.Jcstress result : check.found()) {
        jcstress.put(result.test(), result);
      }
      if (check.faults().isEmpty()) {
        for (ToolTest test : group) {
          Results.Jcstress result = jcstress.get(test.key());
          double share = seconds / group.size();
          keep(
              test,
              test.type(),
              result.about(),
              "jcstress, " + MODE,
              result.samples(),
              1,
              "passed",
              share);
        }
      }
      progress.tell(
          "jcstress of %s, %d tests in %d s"
              .formatted(entry.getKey(), group.size(), (long) seconds));
    }
    if (!byType.isEmpty()) {
      // One JVM configuration is enough for what is broken on purpose.
      jcstress(
          "Broken",
          ToolTest.broken(),
          List.of("-sc", "false", "-jvmArgs", "-XX:-TieredCompilation"),
          true);
    }
  }

  private JcstressCheck jcstress(
      String name, List<String> classes, List<String> more, boolean expectForbidden)
      throws IOException, InterruptedException {
    Path own = folder.resolve("jcstress").resolve(name);
    clear(own); // what a former run has left there would stay in the report
    List<String> program =
        new ArrayList<>(
            List.of(
                "org.openjdk.jcstress.Main",
                "-r",
                ".",
                "-t",
                "^(" + String.join("|", classes).replace(".", "\\.") + ")$",
                "-m",
                MODE,
                // 4,096 states at a time: what Pool is made for.
                "-strideCount",
                "16"));
    program.addAll(more);
    // Its exit code of 1 is decided over by what it has found.
    Child.run(own, "jcstress.log", Tool.JCSTRESS.options, program);
    JcstressCheck check = new JcstressCheck(own, classes, expectForbidden);
    check.faults().forEach(fault -> findings.error("jcstress: " + fault + ", see " + own));
    return check;
  }

  private static void clear(Path own) throws IOException {
    if (Files.exists(own)) {
      try (Stream<Path> files = Files.walk(own)) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
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
      ledger.put(
          new Ledger.Test(
              test.key(),
              type,
              about,
              mode,
              times,
              each,
              outcome,
              digest(test),
              Ledger.jdkNow(),
              Ledger.today(),
              Ledger.seconds(seconds)));
    }
  }

  /** All of Lincheck's tests: what was found now, otherwise what the ledger tells. */
  List<Results.Lincheck> lincheck() {
    List<Results.Lincheck> results = new ArrayList<>();
    for (ToolTest test : tests) {
      Ledger.Test row = ledger.tests().get(test.key());
      if (lincheck.containsKey(test.key())) {
        results.add(lincheck.get(test.key()));
      } else if (test.tool() == Tool.LINCHECK && row != null) {
        results.add(
            new Results.Lincheck(
                row.type(),
                row.key(),
                row.about(),
                row.mode().replace("Lincheck, ", ""),
                row.times(),
                row.each(),
                row.seconds(),
                row.outcome(),
                depth(test, row)));
      }
    }
    return results;
  }

  /** All of jcstress's tests, in the same way. */
  List<Results.Jcstress> jcstress() {
    List<Results.Jcstress> results = new ArrayList<>();
    for (ToolTest test : tests) {
      Ledger.Test row = ledger.tests().get(test.key());
      if (jcstress.containsKey(test.key())) {
        results.add(jcstress.get(test.key()));
      } else if (test.tool() == Tool.JCSTRESS && row != null) {
        results.add(
            new Results.Jcstress(
                row.type(), row.key(), row.about(), "", row.times(), List.of(), depth(test, row)));
      }
    }
    return results;
  }

  private Results.Depth depth(ToolTest test, Ledger.Test row) {
    return new Results.Depth(row.mode(), row.date(), row.jdk(), state(test) != State.STALE);
  }
}

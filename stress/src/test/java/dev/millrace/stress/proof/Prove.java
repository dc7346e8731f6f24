package dev.millrace.stress.proof;

import dev.millrace.stress.proof.Request.Mode;
import dev.millrace.stress.report.Report;
import dev.millrace.stress.report.Results;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Proves in depth what is not proven of the code as it is, and keeps it in the ledger. */
@Command(
    name = "prove",
    mixinStandardHelpOptions = true,
    description = {
      "Proves in depth what is not proven of the code as it is: planted bugs, scenarios, Lincheck,"
          + " jcstress.",
      "Rows of the ledger (stress/ledger) that tell of this code are kept."
    })
public final class Prove implements Callable<Integer> {
  private static final Path LEDGER = Path.of("ledger");
  private static final Path TARGET = Path.of("target");

  @Parameters(
      paramLabel = "TYPE",
      description =
          "the types under test, such as SpscQueue, or tests, such as SpscQueueLincheckTest or"
              + " SpscQueue_RunIsWhole; all if none is named")
  private Set<String> types = new TreeSet<>();

  @Option(names = "--all", description = "also what the ledger has a row of")
  private boolean all;

  @Option(names = "--dry-run", description = "say what would run, and about how long")
  private boolean dryRun;

  @Option(
      names = "--brief",
      description = "repeat what every build repeats, and change nothing in the ledger")
  private boolean brief;

  @Option(
      names = "--full",
      description =
          "run everything, longer, trust no row and change none; a row of other code is an error")
  private boolean full;

  private Prove() {}

  /**
   * Proves; exits with 0 if nothing is wrong, 1 if something is, 2 on wrong usage.
   *
   * @param args the options and types
   */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Prove()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    PrintStream out = System.out;
    Ledger ledger = Ledger.read(LEDGER);
    Mode mode = full ? Mode.FULL : brief ? Mode.BRIEF : all ? Mode.ALL : Mode.STALE;
    Code code = Code.onDisk();
    String digest = new Digests(code).of(Code.publishedClasses());
    Request request = new Request(mode, types, dryRun);
    Runnable save = request.writes() ? ledger::write : () -> {};
    Context context = Context.of(code, ledger, request, new Progress(out, save));
    Findings findings = context.findings();

    ToolProof tools = new ToolProof(context, TARGET);
    Runtime.getRuntime().addShutdownHook(new Thread(save));
    Simulated simulated = simulate(context);
    tools.run();
    if (dryRun) {
      out.println("proof: " + findings.plan());
      return 0;
    }
    save.run();
    new Report(
            origin(digest),
            simulated.bugs(),
            simulated.scenarios(),
            tools.lincheck(),
            tools.jcstress(),
            tools.litmus(),
            findings.errors(),
            findings.stale())
        .write(TARGET.resolve("report").resolve("proof.md"));
    findings.print(out);
    out.println("proof: see stress/target/report/proof.md");
    return findings.errors().isEmpty() && (!full || findings.staleLines().isEmpty()) ? 0 : 1;
  }

  /** What came of the planted bugs and of the scenarios. */
  record Simulated(List<Results.Mutant> bugs, List<Results.Scenario> scenarios) {}

  /** Does what the simulator does for a request. */
  static Simulated simulate(Context context) throws Exception {
    BugProof bugs = new BugProof(context);
    bugs.run();
    ScenarioProof runs = new ScenarioProof(context);
    runs.run(bugs.results());
    return new Simulated(bugs.results(), runs.results());
  }

  /** Which code was proven, when and on what. */
  private static String origin(String digest) throws InterruptedException {
    return "Commit `%s`, code `%s`; %tF %<tR UTC, JDK %s on %s %s with %d processors."
        .formatted(
            git("describe", "--always", "--dirty").orElse("unknown"),
            digest,
            ZonedDateTime.now(ZoneOffset.UTC),
            Runtime.version(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors());
  }

  /** What Git prints; nothing where there is no Git or no commit. */
  private static Optional<String> git(String... arguments) throws InterruptedException {
    try {
      Process git =
          new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(arguments)).toList())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String printed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return git.waitFor() == 0 ? Optional.of(printed.strip()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}

package dev.millrace.bench.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command of the benchmarks of memory access. */
@Command(
    name = "memory",
    description = "Measures what an access to memory costs, by kinds of memory, and makes tables.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class MemoryCommand implements Runnable {
  /** The script knows the module's folder. */
  private static final Path FOLDER =
      Path.of(System.getProperty("millrace.module", "."), "target", "memory");

  private static final String QUICK =
      "Four kinds of memory by the shared loop, one fork: some 15 minutes.";
  private static final String FULL = "All kinds by both loops, three forks: some 5 hours.";

  @Spec private CommandSpec spec;

  private MemoryCommand() {}

  /**
   * Runs the command.
   *
   * @param args see {@code memory --help}
   */
  public static void main(String[] args) {
    System.exit(newCommandLine().execute(args));
  }

  static CommandLine newCommandLine() {
    CommandLine command = new CommandLine(new MemoryCommand());
    command.addSubcommand("quick", measure(true, QUICK));
    command.addSubcommand("full", measure(false, FULL));
    command.addSubcommand("report", new Again());
    command.setCaseInsensitiveEnumValuesAllowed(true);
    command.setExecutionExceptionHandler(
        (e, line, parsed) -> {
          line.getErr().println("memory: " + e.getMessage());
          return 1;
        });
    return command;
  }

  private static CommandLine measure(boolean quick, String description) {
    CommandLine command = new CommandLine(new Measure(quick));
    command.getCommandSpec().usageMessage().description(description);
    return command;
  }

  /** Without a command. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "command must be given, such as quick");
  }

  private static void report(Path file, Path folder, CommandLine line) throws IOException {
    MemoryReport.write(MemoryResults.read(file), folder);
    line.getOut().println("tables: " + folder.resolve("memory.md").toAbsolutePath().normalize());
    line.getOut().println("page: " + folder.resolve("index.html").toAbsolutePath().normalize());
    line.getOut().flush();
  }

  /** One form of the run. JMH shows how far it is. */
  @Command(mixinStandardHelpOptions = true)
  private static final class Measure implements Callable<Integer> {
    private static final int QUICK_WARM_UP = 2;
    private static final int QUICK_MEASURED = 3;
    private static final TimeValue QUICK_TIME = TimeValue.milliseconds(300);

    private final boolean quick;

    @Spec private CommandSpec spec;

    @Option(names = "--kind", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
    private Kind[] kinds;

    @Option(names = "--access", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
    private Access[] accesses;

    @Option(names = "--size", split = ",", description = "of the memory, in bytes")
    private int[] sizes;

    @Option(names = "--output", description = "where results go; by default bench/target/memory")
    private Path output = FOLDER;

    Measure(boolean quick) {
      this.quick = quick;
      this.kinds =
          quick
              ? new Kind[] {Kind.MILLRACE, Kind.ARRAY, Kind.UNSAFE_BUFFER, Kind.NATIVE_SEGMENT}
              : Kind.values();
      this.accesses = Access.values();
      this.sizes = new int[] {32_768, 1 << 30};
    }

    @Override
    public Integer call() throws IOException, RunnerException {
      for (int size : sizes) {
        if (size < Memory.BLOCK_BYTES || size % Memory.BLOCK_BYTES != 0) {
          throw new ParameterException(
              spec.commandLine(), "--size must be a multiple of 1024: size=" + size);
        }
      }
      Files.createDirectories(output);
      String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
      Path jmh = output.resolve("jmh.json");
      new Runner(options(jmh).build()).run();
      Path file = output.resolve("memory.json");
      MemoryResults.wrap(jmh, started, repeat(), file);
      Files.delete(jmh);
      spec.commandLine().getOut().println("results: " + file.toAbsolutePath().normalize());
      report(file, output, spec.commandLine());
      return 0;
    }

    private ChainedOptionsBuilder options(Path result) {
      ChainedOptionsBuilder options =
          new OptionsBuilder()
              .include(MemoryBenchmark.class.getName() + (quick ? "\\.shared" : "\\."))
              .param("kind", names(kinds))
              .param("access", names(accesses))
              .param("size", texts(sizes))
              .resultFormat(ResultFormatType.JSON)
              .result(result.toString())
              .shouldFailOnError(true);
      return quick
          ? options
              .forks(1)
              .warmupIterations(QUICK_WARM_UP)
              .warmupTime(QUICK_TIME)
              .measurementIterations(QUICK_MEASURED)
              .measurementTime(QUICK_TIME)
          : options;
    }

    private String repeat() {
      return "bench/memory %s --kind %s --access %s --size %s"
          .formatted(
              quick ? "quick" : "full",
              String.join(",", names(kinds)),
              String.join(",", names(accesses)),
              String.join(",", texts(sizes)));
    }

    private static String[] names(Enum<?>[] constants) {
      return Arrays.stream(constants).map(Enum::name).toArray(String[]::new);
    }

    private static String[] texts(int[] numbers) {
      return Arrays.stream(numbers).mapToObj(Integer::toString).toArray(String[]::new);
    }
  }

  /** The tables of earlier results. */
  @Command(
      description = "Makes the tables of results: memory.json, or what JMH wrote by -rf json.",
      mixinStandardHelpOptions = true)
  private static final class Again implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "the results")
    private Path file;

    @Option(names = "--output", description = "where tables go; by default bench/target/memory")
    private Path output = FOLDER;

    @Override
    public Integer call() throws IOException {
      report(file, output, spec.commandLine());
      return 0;
    }
  }
}

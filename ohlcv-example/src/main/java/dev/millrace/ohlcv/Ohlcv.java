package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.serve.ServeCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program: a command for each thing that it does. */
@Command(
    name = "ohlcv",
    description = "Makes candles of trades, on off-heap queues.",
    mixinStandardHelpOptions = true,
    versionProvider = Ohlcv.Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Ohlcv implements Runnable {
  /** All went well. */
  static final int OK = 0;

  /** The input is bad, or the output cannot be written. */
  static final int BAD_INPUT = 1;

  /** The program was called wrongly. */
  static final int BAD_USAGE = 2;

  @Spec private CommandSpec spec;

  private Ohlcv() {}

  /** Runs the program and ends the JVM with its exit code. */
  public static void main(String[] arguments) {
    System.exit(run(Environment.ofProcess(), arguments));
  }

  /** Runs the program in an environment. */
  static int run(Environment environment, String... arguments) {
    CommandLine line = new CommandLine(new Ohlcv());
    line.addSubcommand(CandlesCommand.of(environment));
    line.addSubcommand(
        ServeCommand.of(environment.in(), environment.err(), CandleEngine.Kind.PIPELINE));
    line.addSubcommand(new SampleCommand(environment));
    line.addSubcommand(new TopCommand(environment));
    // It cannot name the provider itself: its package does not know this one.
    line.getSubcommands().get("serve").getCommandSpec().versionProvider(new Version());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setErr(environment.err());
    line.setUsageHelpAutoWidth(false);
    line.setUsageHelpWidth(100);
    line.setParameterExceptionHandler(Ohlcv::explain);
    return line.execute(arguments);
  }

  /** Without a command. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "command must be given, such as candles");
  }

  private static int explain(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(command.getCommandSpec().qualifiedName() + ": " + e.getMessage());
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help.");
    err.flush();
    return BAD_USAGE;
  }

  /** Tells the version that the build has put into the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Ohlcv.class.getPackage().getImplementationVersion();
      return new String[] {"ohlcv " + (version == null ? "(not from a jar)" : version)};
    }
  }
}

package dev.millrace.telemetry.tool;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program, with a command for each kind of output. */
@Command(
    name = "telemetry",
    description = {
      "Shows the telemetry of a process that runs or has ended.",
      "Lists, shows and checks logs of messages: log --help tells more.",
      "Shows queues in files: queue --help tells more."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class TelemetryTool implements Runnable {
  /** All went well. */
  static final int OK = 0;

  /** The file was rejected, or the output could not be written. */
  static final int REFUSED = 1;

  /** The program was called wrongly. */
  static final int BAD_USAGE = 2;

  @Spec private CommandSpec spec;

  private TelemetryTool() {}

  /**
   * The outputs of the commands.
   *
   * @param out receives the output requested
   * @param err receives all other messages
   * @param terminal the terminal to which the output goes, or {@link Terminal#NONE}
   */
  record Streams(Writer out, PrintWriter err, Terminal terminal) {
    /** Returns the streams of this process, in UTF-8. */
    static Streams ofProcess() {
      return new Streams(
          new BufferedWriter(writer(FileDescriptor.out)),
          new PrintWriter(writer(FileDescriptor.err), true),
          Terminal.ofProcess());
    }

    private static Writer writer(FileDescriptor descriptor) {
      return new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8);
    }
  }

  /**
   * Runs the program and ends the JVM with its exit code.
   *
   * @param arguments the command and its options
   */
  public static void main(String[] arguments) {
    Stop stop = Stop.ofProcess();
    int code;
    try {
      code = run(Streams.ofProcess(), stop, arguments);
    } finally {
      stop.done();
    }
    System.exit(code);
  }

  /** Runs the program until it has finished or is asked to stop. */
  static int run(Streams streams, Stop stop, String... arguments) {
    CommandLine line = new CommandLine(new TelemetryTool());
    line.addSubcommand(new TailCommand(streams, stop));
    line.addSubcommand(new CountersCommand(streams));
    line.addSubcommand(new TopCommand(streams, stop));
    line.addSubcommand(new InfoCommand(streams));
    line.addSubcommand(LogCommand.of(streams, stop));
    line.addSubcommand(QueueCommand.of(streams, stop));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setOut(new PrintWriter(streams.out()));
    line.setErr(streams.err());
    line.setUsageHelpAutoWidth(false);
    line.setUsageHelpWidth(100);
    line.setParameterExceptionHandler(TelemetryTool::explain);
    line.setExecutionExceptionHandler((e, command, _) -> refuse(e, command));
    int code = line.execute(arguments);
    line.getOut().flush();
    return code;
  }

  /** Called if no command is given. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "command must be given, such as tail");
  }

  private static int explain(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(command.getCommandSpec().qualifiedName() + ": " + e.getMessage());
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help.");
    err.flush();
    return BAD_USAGE;
  }

  /** Reports a rejected file in one sentence. An error in the program keeps its stack trace. */
  private static int refuse(Exception thrown, CommandLine command) throws Exception {
    Exception e = thrown instanceof UncheckedIOException io ? io.getCause() : thrown;
    if (!(e instanceof IOException)) {
      throw e;
    }
    if (isClosedPipe(e)) {
      return OK; // the reader of the output has ended, as in: tail FILE | head
    }
    command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + e.getMessage());
    command.getErr().flush();
    return REFUSED;
  }

  /**
   * Returns whether a failure means that the reader of the output has ended, which is not an error.
   *
   * @param failure the failure of a write
   * @return true if the failure means that
   */
  public static boolean isClosedPipe(Exception failure) {
    return String.valueOf(failure.getMessage()).contains("Broken pipe");
  }

  /** Provides the version that the build has put into the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = TelemetryTool.class.getPackage().getImplementationVersion();
      return new String[] {"telemetry " + (version == null ? "(not from a jar)" : version)};
    }
  }
}

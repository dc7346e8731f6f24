package dev.millrace.telemetry.tool;

import dev.millrace.queues.log.LogReader;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of {@code telemetry log}, and code that its subcommands share. */
@Command(
    name = "log",
    description = {
      "Reads the log of messages in a directory, whether a process writes it or not.",
      "It only reads: nothing is repaired or removed."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    synopsisSubcommandLabel = "COMMAND")
final class LogCommand implements Runnable {
  private static final Pattern SEGMENT = Pattern.compile("\\d{20}\\.log");

  @Spec private CommandSpec spec;

  private LogCommand() {}

  /** Makes the command with its subcommands. */
  static CommandLine of(Streams streams, Stop stop) {
    return new CommandLine(new LogCommand())
        .addSubcommand(new LogListCommand(streams))
        .addSubcommand(new LogReadersCommand(streams))
        .addSubcommand(new LogTailCommand(streams, stop))
        .addSubcommand(new LogVerifyCommand(streams));
  }

  /** Called if no subcommand is given. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "command must be given, such as list");
  }

  /** The directory of a log, as options that picocli mixes in. */
  static final class Directory {
    @Parameters(paramLabel = "DIR", description = "The log's directory.")
    private Path path;

    Path path() {
      return path;
    }

    LogReader open() throws IOException {
      segments();
      return LogReader.open(path);
    }

    /**
     * Finds the segments, oldest first.
     *
     * @throws IOException if there are none. Its message is one sentence that names the directory
     */
    List<Path> segments() throws IOException {
      if (!Files.isDirectory(path)) {
        boolean exists = Files.exists(path);
        throw new IOException(
            path
                + (exists ? ": must be a directory, and is none" : ": there is no such directory"));
      }
      try (Stream<Path> files = Files.list(path)) {
        List<Path> segments = files.filter(LogCommand::isSegment).sorted().toList();
        if (segments.isEmpty()) {
          throw new IOException(path + ": must have a log: it has no segment");
        }
        return segments;
      } catch (AccessDeniedException e) {
        throw new IOException(path + ": must be readable, and is not", e);
      }
    }
  }

  private static boolean isSegment(Path file) {
    return SEGMENT.matcher(file.getFileName().toString()).matches();
  }

  /** Returns the number of the first message in {@code segment}. */
  static long firstNumber(Path segment) {
    return Long.parseLong(segment.getFileName().toString().substring(0, 20));
  }

  /** How the times of a log are shown, as options that picocli mixes in. */
  static final class Times {
    @Option(
        names = "--unit",
        paramLabel = "UNIT",
        description =
            "The unit of the messages' times, since 1970: ms, us or ns; or none, which shows the"
                + " numbers. Default: ${DEFAULT-VALUE}.")
    private Unit unit;

    /** Makes the options for a log, whose times are milliseconds unless told otherwise. */
    Times() {
      this(Unit.MS);
    }

    Times(Unit unit) {
      this.unit = unit;
    }

    /** A unit of time, with the JDK's constant for it. */
    enum Unit {
      MS(ChronoUnit.MILLIS),
      US(ChronoUnit.MICROS),
      NS(ChronoUnit.NANOS),
      NONE(null);

      private final ChronoUnit unit;

      Unit(ChronoUnit unit) {
        this.unit = unit;
      }

      @Override
      public String toString() {
        return name().toLowerCase(Locale.ROOT);
      }
    }

    /** Returns {@code time} as text, or as a number if there is no unit. */
    Object shown(long time) {
      return unit == Unit.NONE
          ? (Object) time
          : RecordOutput.text(Instant.EPOCH.plus(time, unit.unit));
    }
  }
}

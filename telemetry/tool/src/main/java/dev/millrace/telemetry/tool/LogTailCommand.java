package dev.millrace.telemetry.tool;

import dev.millrace.queues.log.LogDamagedException;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.messages.Message;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code telemetry log tail}. */
@Command(
    name = "tail",
    description = {
      "Writes the messages of a log in order: number, time, type, length, and the bytes, in hex if"
          + " they are no text. At the end, to the standard error, how many there were.",
      "What is damaged is named there, and passed."
    },
    footer = {"", "Exit codes: 0 done, 1 damaged or refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class LogTailCommand implements Callable<Integer> {
  private final Streams streams;
  private final Stop stop;

  @Spec private CommandSpec spec;

  @Mixin private LogCommand.Directory directory;

  @Option(
      names = "--from",
      paramLabel = "NUMBER",
      description = "The first message. Default: the first that is kept.")
  private Long from;

  @Option(
      names = {"-f", "--follow"},
      description = "Goes on with new messages until SIGINT.")
  private boolean follow;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "100ms",
      converter = DurationConverter.class,
      description = "How often to look for new ones. Default: ${DEFAULT-VALUE}.")
  private Duration interval;

  @Mixin private MessageOutput out;

  @Mixin private LogCommand.Times times;

  private long damaged;

  LogTailCommand(Streams streams, Stop stop) {
    this.streams = streams;
    this.stop = stop;
  }

  @Override
  public Integer call() throws IOException {
    out.check();
    try (LogReader reader = directory.open()) {
      long end = follow ? Long.MAX_VALUE : end(reader); // ends even while a writer is busy
      if (from != null) {
        seek(reader);
      }
      out.begin(streams.out(), "number");
      boolean isReadable = true;
      while (isReadable && out.isBelowLimit() && reader.number() < end && !stop.isAsked()) {
        isReadable = step(reader);
      }
      out.flush();
      streams
          .err()
          .printf(
              Locale.ROOT,
              "%,d read, %,d lost, %,d damaged%n",
              out.written(),
              reader.lostCount(),
              damaged);
    }
    return damaged == 0 ? TelemetryTool.OK : TelemetryTool.REFUSED;
  }

  private static long end(LogReader reader) {
    try {
      return reader.endNumber();
    } catch (LogDamagedException e) {
      return Long.MAX_VALUE; // the reader will reach the damage and report it
    }
  }

  private void seek(LogReader reader) {
    try {
      reader.seek(from);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(),
          "--from must be in 0..%d: --from=%d".formatted(reader.endNumber(), from));
    }
  }

  /** Reads the next message, waiting for it if necessary. Returns false if there will be none. */
  private boolean step(LogReader reader) throws IOException {
    try {
      Message message = reader.tryPoll();
      if (message != null) {
        out.write(reader.number(), times.shown(message.time()), message);
        reader.release();
        return true;
      }
      out.flush();
      return follow && !stop.sleep(interval);
    } catch (LogDamagedException e) {
      out.flush();
      streams.err().println(e.damage());
      long skipped = reader.skipDamaged();
      damaged += Math.max(1, skipped);
      return skipped > 0;
    }
  }
}

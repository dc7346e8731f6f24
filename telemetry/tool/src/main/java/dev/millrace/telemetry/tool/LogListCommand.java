package dev.millrace.telemetry.tool;

import dev.millrace.queues.log.LogDamagedException;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.messages.Message;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of {@code telemetry log list}. */
@Command(
    name = "list",
    description = {
      "Writes the segments of a log, oldest first: file, number of the first message, how many"
          + " messages, time of the first one, size of the file.",
      "Messages are not checked: that is verify's."
    },
    footer = {"", "Exit codes: 0 done, 1 the log is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class LogListCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private LogCommand.Directory directory;

  @Mixin private RowOutput.Choice format;

  @Mixin private LogCommand.Times times;

  LogListCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    List<Path> segments = directory.segments();
    try (LogReader reader = LogReader.open(directory.path())) {
      RowOutput out =
          format.open(streams.out(), "segment", "#first", "#messages", "since", "#bytes");
      for (int i = 0; i < segments.size(); i++) {
        Path segment = segments.get(i);
        long first = LogCommand.firstNumber(segment);
        boolean isLast = i + 1 == segments.size();
        long end = isLast ? reader.endNumber() : LogCommand.firstNumber(segments.get(i + 1));
        try {
          long bytes = Files.size(segment);
          out.write(segment.getFileName(), first, end - first, since(reader, first), bytes);
        } catch (NoSuchFileException e) {
          if (Files.exists(segment, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(segment + ": the name leads to no file", e);
          }
          // the log's retention has just removed it
        }
      }
      out.flush();
    }
    return TelemetryTool.OK;
  }

  /** Returns the time of message {@code number}, if it can be read. */
  private Object since(LogReader reader, long number) {
    reader.seek(number);
    try {
      Message message = reader.tryPoll();
      if (message == null) {
        return "";
      }
      Object time = reader.number() == number ? times.shown(message.time()) : "";
      reader.release();
      return time;
    } catch (LogDamagedException e) {
      return "damaged";
    }
  }
}

package dev.millrace.telemetry.tool;

import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of {@code telemetry queue info}. */
@Command(
    name = "info",
    description = {
      "Shows what a queue is, how full it is, what is open, and who takes part.",
      "A participant is dead if it has lost the lock that the kernel drops when a process ends."
    },
    footer = {"", "Exit codes: 0 done, 1 the file is refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class QueueInfoCommand implements Callable<Integer> {
  private final Streams streams;

  @Mixin private QueueCommand.QueueFile file;

  QueueInfoCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    try (MessageObserver queue = file.open()) {
      file.read(() -> write(queue));
      streams.out().flush();
    }
    return TelemetryTool.OK;
  }

  private void write(MessageObserver queue) throws IOException {
    write("file", Escapes.plain(file.path().toString()) + ", " + bytes(queue.sizeBytes()));
    write("made", RecordOutput.text(queue.created()) + " by process " + queue.creator());
    write("kind", queue.kind());
    write(
        "options",
        "capacity "
            + bytes((long) queue.capacity() * MessageQueue.CELL_BYTES)
            + "; what a dead consumer had in hand is "
            + (queue.isRepeating() ? "handed out again" : "lost"));
    write("longest", bytes(queue.maxLength()));
    write("stage", QueueCommand.stage(queue));
    write("fill", QueueCommand.fill(queue));
    write("open", QueueCommand.openEnds(queue));
    write(
        "positions",
        String.format(
            Locale.ROOT,
            "head %,d, taken %,d, tail %,d",
            queue.head(),
            queue.taken(),
            queue.tail()));
    Map<String, Long> metrics = queue.metrics();
    write(
        "counts",
        String.format(
            Locale.ROOT,
            "%,d cells consumed, %,d aborted; %,d messages lost, %,d repeated",
            metrics.get("consumed"),
            metrics.get("aborted"),
            metrics.get("lost"),
            metrics.get("repeated")));
    streams.out().write('\n');
    RowOutput table = QueueView.participants(queue, streams.out());
    table.flush();
  }

  private static String bytes(long count) {
    return QueueCommand.count(count, "byte");
  }

  private void write(String name, String value) throws IOException {
    streams.out().write(String.format(Locale.ROOT, "%-11s%s\n", name, value));
  }
}

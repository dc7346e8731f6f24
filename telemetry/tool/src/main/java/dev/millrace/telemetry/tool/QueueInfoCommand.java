package dev.millrace.telemetry.tool;

import dev.millrace.queues.internal.HistoryInfo;
import dev.millrace.queues.internal.shared.Presence;
import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.queues.messages.MessageObserver.Participant;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command line of {@code telemetry queue info}. */
@Command(
    name = "info",
    description = {
      "Shows what a queue is, how full it is, what is open, and who takes part. Of a history, shows"
          + " what it is, who takes part, and where named readers continue.",
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
    file.read(this::write);
    streams.out().flush();
    return TelemetryTool.OK;
  }

  private void write() throws IOException {
    HistoryInfo history = file.history();
    if (history != null) {
      write(history);
      return;
    }
    try (MessageObserver queue = file.open()) {
      write(queue);
    }
  }

  private void write(HistoryInfo history) throws IOException {
    writeOrigin(history.sizeBytes(), history.created(), history.creator(), history.kind());
    write(
        "options",
        "capacity %s of %s"
            .formatted(
                QueueCommand.count(history.capacity(), "record"), bytes(history.recordBytes())));
    write(
        "counts",
        String.format(
            Locale.ROOT, "%,d claimed, %,d refused", history.claimed(), history.refused()));
    streams.out().write('\n');
    List<Participant> participants =
        history.participants().stream().map(QueueInfoCommand::participant).toList();
    QueueView.participants(participants, streams.out()).flush();
    if (!history.readers().isEmpty()) {
      streams.out().write('\n');
      RowOutput table =
          RowOutput.of(RowOutput.Format.TABLE, streams.out(), "reader", "#position", "#behind");
      for (var reader : history.readers().entrySet()) {
        long position = reader.getValue();
        table.write(reader.getKey(), position, Math.max(0, history.claimed() - position));
      }
      table.flush();
    }
  }

  private static Participant participant(Presence one) {
    return new Participant(
        one.entry(), one.role().toString(), one.pid(), one.isAlive(), one.started(), one.name());
  }

  private void writeOrigin(long sizeBytes, Instant created, long creator, String kind)
      throws IOException {
    write("file", Escapes.plain(file.path().toString()) + ", " + bytes(sizeBytes));
    write("made", RecordOutput.text(created) + " by process " + creator);
    write("kind", kind);
  }

  private void write(MessageObserver queue) throws IOException {
    writeOrigin(queue.sizeBytes(), queue.created(), queue.creator(), queue.kind());
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
    QueueView.participants(queue.participants(), streams.out()).flush();
  }

  private static String bytes(long count) {
    return QueueCommand.count(count, "byte");
  }

  private void write(String name, String value) throws IOException {
    streams.out().write(String.format(Locale.ROOT, "%-11s%s\n", name, value));
  }
}

package dev.millrace.telemetry.tool;

import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.queues.messages.MessageObserver.Participant;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Shows a queue in a file at one moment as lines of text. It owns the observer. */
final class QueueView implements View {
  /** Metrics that a process keeps to itself, so that an observer does not know them. */
  private static final Set<String> UNKNOWN = Set.of("dropped", "highWater");

  private final Path file;
  private final MessageObserver queue;
  private final ReadingTable table = new ReadingTable("");

  QueueView(Path file, MessageObserver queue) {
    this.file = file;
    this.queue = queue;
  }

  @Override
  public List<String> look(int rows) throws IOException {
    return look(rows, System.nanoTime());
  }

  /** Reads the state at a given time. */
  List<String> look(int rows, long nanoTime) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s, %s; %s; open: %s"
            .formatted(
                Escapes.plain(file.toString()),
                queue.kind(),
                QueueCommand.stage(queue),
                QueueCommand.fill(queue),
                QueueCommand.openEnds(queue)));
    lines.add("");
    StringWriter seats = new StringWriter();
    participants(queue.participants(), seats).flush();
    List<String> participants = seats.toString().lines().toList();
    int room = rows - lines.size() - participants.size() - 1;
    lines.addAll(table.look(readings(), nanoTime, rows == 0 ? Integer.MAX_VALUE : room));
    lines.add("");
    lines.addAll(participants);
    return lines;
  }

  /** Reads the positions and the metrics, in cells but for those that count messages. */
  private List<Reading> readings() {
    long[] values = new long[queue.counters().size() + queue.gauges().size()];
    queue.readMetrics(values);
    List<Reading> readings = new ArrayList<>();
    readings.add(new Reading("head", false, queue.head()));
    readings.add(new Reading("taken", false, queue.taken()));
    readings.add(new Reading("tail", false, queue.tail()));
    int at = 0;
    for (String name : queue.counters()) {
      readings.add(new Reading(name, false, values[at++]));
    }
    for (String name : queue.gauges()) {
      readings.add(new Reading(name, true, values[at++]));
    }
    readings.removeIf(one -> UNKNOWN.contains(one.label()));
    return readings;
  }

  /** Returns a table of those who take part, which is not written yet. */
  static RowOutput participants(List<Participant> participants, Writer out) throws IOException {
    RowOutput table =
        RowOutput.of(
            RowOutput.Format.TABLE, out, "entry", "role", "pid", "state", "started", "thread");
    for (Participant one : participants) {
      table.write(
          Integer.toString(one.entry()),
          one.role(),
          Long.toString(one.pid()),
          one.isAlive() ? "alive" : "dead",
          RecordOutput.text(one.started()),
          one.name());
    }
    return table;
  }

  @Override
  public void close() {
    queue.close();
  }
}

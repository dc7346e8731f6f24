package dev.millrace.telemetry.tool;

import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code telemetry queue tail}. */
@Command(
    name = "tail",
    description = {
      "Writes the messages of a queue that are not released yet, oldest first: sequence of the"
          + " first cell, time, type, length, and the bytes, in hex if they are no text. At the"
          + " end, to the standard error, how many there were.",
      "With --follow, a message that is released before it can be copied is left out, and its"
          + " cells are counted."
    },
    footer = {"", "Exit codes: 0 done, 1 damaged or refused, 2 wrong usage."},
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    sortOptions = false)
final class QueueTailCommand implements Callable<Integer> {
  /** Shorter than any rest of a consumer in another process, so that few messages are missed. */
  private static final Duration REST = Duration.ofNanos(50_000);

  /** After how many rests to check whether the file is still there. */
  private static final int RESTS_PER_CHECK = 5_000;

  private final Streams streams;
  private final Stop stop;

  @Mixin private QueueCommand.QueueFile file;

  @Option(
      names = {"-f", "--follow"},
      description =
          "Goes on with new messages until SIGINT, or until the queue is complete and empty, or its"
              + " file is removed or replaced.")
  private boolean follow;

  @Mixin private MessageOutput out;

  @Mixin private LogCommand.Times times = new LogCommand.Times(LogCommand.Times.Unit.NONE);

  private long rests;

  QueueTailCommand(Streams streams, Stop stop) {
    this.streams = streams;
    this.stop = stop;
  }

  @Override
  public Integer call() throws IOException {
    out.check();
    try (MessageObserver queue = file.open()) {
      out.begin(streams.out(), "sequence");
      try {
        file.read(() -> run(queue));
      } finally {
        out.flush();
      }
      streams
          .err()
          .printf(
              Locale.ROOT,
              "%,d read, %s passed unseen%n",
              out.written(),
              QueueCommand.count(queue.unseenCells(), "cell"));
    }
    return TelemetryTool.OK;
  }

  private void run(MessageObserver queue) throws IOException {
    long end = queue.tail(); // ends even while a producer is busy
    while (out.isBelowLimit() && !stop.isAsked()) {
      Message message = queue.tryPoll();
      if (message != null && (follow || queue.sequence() < end)) {
        out.write(queue.sequence(), time(message), message);
      } else if (!follow || !await(queue)) {
        return;
      }
    }
  }

  private Object time(Message message) {
    return message.hasTime() ? times.shown(message.time()) : "-";
  }

  /** Waits a moment. Returns false if there will be no more messages. */
  private boolean await(MessageObserver queue) throws IOException {
    out.flush();
    if (queue.isDrained() || stop.sleep(REST)) {
      return false;
    }
    rests++;
    if (rests % RESTS_PER_CHECK == 0 && !queue.isInPlace()) {
      streams.err().println(file.path() + ": removed or replaced");
      return false;
    }
    return true;
  }
}

package dev.millrace.telemetry.tool;

import dev.millrace.queues.internal.HistoryAccess;
import dev.millrace.queues.internal.HistoryInfo;
import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.telemetry.tool.TelemetryTool.Streams;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of {@code telemetry queue}, and code that its subcommands share. */
@Command(
    name = "queue",
    description = {
      "Reads the file of a message queue, whether processes use it or not. Info also reads that of"
          + " a history.",
      "It only reads: nothing is consumed, repaired or removed."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TelemetryTool.Version.class,
    synopsisSubcommandLabel = "COMMAND")
final class QueueCommand implements Runnable {
  @Spec private CommandSpec spec;

  private QueueCommand() {}

  /** Makes the command with its subcommands. */
  static CommandLine of(Streams streams, Stop stop) {
    return new CommandLine(new QueueCommand())
        .addSubcommand(new QueueInfoCommand(streams))
        .addSubcommand(new QueueTailCommand(streams, stop))
        .addSubcommand(new QueueTopCommand(streams, stop));
  }

  /** Called if no subcommand is given. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "command must be given, such as info");
  }

  /** The file of a queue, as a parameter that picocli mixes in. */
  static final class QueueFile {
    @Parameters(paramLabel = "FILE", description = "The queue's file.")
    private Path path;

    Path path() {
      return path;
    }

    /** Opens the file. If it cannot be read, the exception's message is one sentence. */
    MessageObserver open() throws IOException {
      try {
        return MessageObserver.open(path);
      } catch (NoSuchFileException e) {
        throw new IOException(path + ": there is no such file", e);
      }
    }

    /** Reads what the file of a history says; null if it is a queue's. Throws as {@link #open}. */
    HistoryInfo history() throws IOException {
      try {
        return HistoryAccess.SECRET.get().info(path);
      } catch (NoSuchFileException e) {
        throw new IOException(path + ": there is no such file", e);
      }
    }

    /** What reads from an open file. */
    interface Use {
      void run() throws IOException;
    }

    /** Reads from the file, which another process may truncate during the call. */
    void read(Use use) throws IOException {
      try {
        use.run();
      } catch (InternalError e) { // thrown by the JVM for a page that the file no longer has
        throw new IOException(path + ": must not be truncated while it is read, and was", e);
      }
    }
  }

  /** Returns a number and a noun, such as {@code 3 cells}. */
  static String count(long number, String noun) {
    return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
  }

  /** Says whether more messages may come. */
  static String stage(MessageObserver queue) {
    if (!queue.isCompleted()) {
      return "open";
    }
    return queue.head() < queue.tail() ? "completed" : "completed, and nothing is left";
  }

  /** Says which claims and polls are open. */
  static String openEnds(MessageObserver queue) {
    long claimed = queue.openCells();
    long taken = queue.taken() - queue.head();
    boolean isOfMany = !queue.kind().equals("MessageQueue.spsc"); // others may have claimed since
    String claim = (isOfMany ? "claim in the last " : "claim of ") + count(claimed, "cell");
    String poll = "poll of " + count(taken, "cell");
    if (claimed > 0 && taken > 0) {
      return claim + ", " + poll;
    }
    return claimed > 0 ? claim : taken > 0 ? poll : "nothing";
  }

  /** Says how many cells are in use. */
  static String fill(MessageObserver queue) {
    long size = Math.clamp(queue.tail() - queue.head(), 0, queue.capacity());
    return String.format(
        Locale.ROOT,
        "%,d of %s in use (%d %%)",
        size,
        count(queue.capacity(), "cell"),
        100 * size / queue.capacity());
  }
}

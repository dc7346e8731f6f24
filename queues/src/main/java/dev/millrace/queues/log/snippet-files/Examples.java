import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The examples in this package's documentation. The build runs every line of them. */
final class Examples {
  private static final int LOGIN = 1;

  private final List<String> handled = new ArrayList<>();

  private void handle(int type, long first) {
    handled.add(type + ":" + first);
  }

  void log() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("millrace-log");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packet = arena.allocateFrom(ValueLayout.JAVA_LONG, 7);
      // @start region="log"
      LogOptions options = LogOptions.ofSegmentBytes(1 << 26).withSync(Duration.ofMillis(10));

      // the process that writes
      try (MessageLog log = MessageLog.open(directory, options)) {
        LogProducer out = log.newProducer();
        long number = out.append(LOGIN, packet);
        log.awaitDurable(number, Duration.ofSeconds(1)); // if it must survive a crash
      }

      // any process
      try (LogReader reader = LogReader.open(directory)) {
        for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
          handle(message.type(), message.getLong(0));
        }
      }
      // @end
      assert handled.equals(List.of("1:7")) : handled;
    } finally {
      remove(directory);
    }
  }

  void appendAndRead() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("millrace-log");
    try (MessageLog log = MessageLog.open(directory, LogOptions.ofSegmentBytes(1 << 16))) {
      append(log);
    }
    read(directory);
    assert handled.equals(List.of("1:7")) : handled;
    remove(directory);
  }

  private static void append(MessageLog log) {
    LogProducer out = log.newProducer();
    String name = "Ada";
    // @start region="log-append"
    Message message = out.claim(LOGIN, 8 + Message.utf8Length(name));
    message.putLong(0, 7).putUtf8(8, name);
    out.commit();
    // @end
  }

  private void read(Path directory) throws IOException, InterruptedException {
    long since = 0;
    // @start region="log-read"
    try (LogReader reader = LogReader.open(directory)) {
      reader.seekTime(since); // or a number, the start, the end
      for (Message message; (message = reader.poll(Duration.ofSeconds(1))) != null; ) {
        handle(message.type(), message.getLong(0)); // reader.number(), message.time()
        reader.release();
      }
    }
    // @end
  }

  void readBackwards() throws IOException {
    Path directory = Files.createTempDirectory("millrace-log");
    try (MessageLog log = MessageLog.open(directory, LogOptions.ofSegmentBytes(1 << 16))) {
      append(log);
      readBackwards(log, 0);
    }
    assert handled.equals(List.of("1:7")) : handled;
    remove(directory);
  }

  private void readBackwards(MessageLog log, long since) {
    // @start region="log-read-backwards"
    try (LogReader reader = log.newReader()) {
      reader.seekToEnd();
      for (Message message;
          (message = reader.tryPollPrevious()) != null && message.time() >= since;
          reader.release()) {
        handle(message.type(), message.getLong(0)); // the newest first
      }
    }
    // @end
  }

  void readUnderAName() throws IOException {
    Path directory = Files.createTempDirectory("millrace-log");
    try (MessageLog log = MessageLog.open(directory, LogOptions.ofSegmentBytes(1 << 16))) {
      append(log);
      for (int i = 0; i < 2; i++) {
        readUnderAName(log); // the second time from where the first has ended
      }
      assert MessageLog.releasedBy(directory, "billing") == 1;
    }
    assert handled.equals(List.of("1:7")) : handled;
    remove(directory);
  }

  private void readUnderAName(MessageLog log) {
    // @start region="log-named"
    try (LogReader reader = log.newReader("billing")) { // continues where it last released
      for (Message message; (message = reader.tryPoll()) != null; reader.release()) {
        handle(message.type(), message.getLong(0));
      }
    }
    // @end
  }

  void writeRun() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("millrace-log");
    try (MessageLog log = MessageLog.open(directory, LogOptions.ofSegmentBytes(1 << 16));
        LogReader reader = log.newReader()) {
      append(log);
      Pipe pipe = Pipe.open();
      send(reader, pipe.sink());
      pipe.sink().close();
      assert pipe.source().read(ByteBuffer.allocate(100)) == 11;
      pipe.source().close();
    }
    remove(directory);
  }

  private static void send(LogReader reader, WritableByteChannel channel)
      throws IOException, InterruptedException {
    // @start region="log-write"
    reader.poll(256); // as many as there are
    for (long from = 0; from < reader.runLength(); ) {
      from += reader.writeRunTo(channel, from);
    }
    reader.release();
    // @end
  }

  private static void remove(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}

package dev.millrace.queues.messages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.CPeer;
import dev.millrace.queues.QueueOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A queue in a file with producers in C, and what holds of all kinds of such queues. */
abstract class CQueueContract {
  static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 10);
  static final int KILLS = Integer.getInteger("millrace.kills", 20);
  static final long SEED = 55;

  private static final int ROUNDS = Integer.getInteger("millrace.fuzz", 5_000);

  @TempDir Path folder;

  Path file;

  private final String kind;

  /** Tests a kind of queue, by its name in files. */
  CQueueContract(String kind) {
    this.kind = kind;
  }

  @BeforeEach
  void resolve() throws Exception {
    CPeer.compile("peer");
    file = folder.resolve("queue");
  }

  abstract MessageQueue open() throws IOException;

  /** Takes all messages that the first producer has sent. */
  abstract void takeFirst(MessageConsumer consumer);

  final CPeer join() throws Exception {
    CPeer peer = CPeer.start();
    peer.does("join " + file + " " + kind + " c-peer");
    return peer;
  }

  @Test
  void join_whenTheFileIsDamaged_endsAndStaysInside() throws Exception {
    Path program = CPeer.compile("fuzz", "-fsanitize=address,undefined", "-fno-sanitize-recover");
    try (MessageQueue queue = open();
        CPeer peer = join()) {
      MessageConsumer consumer = queue.newConsumer();
      peer.does("send 0 14");
      takeFirst(consumer);
      peer.does("send 14 4", "claim 1 30");
      peer.kill();
    }
    Process fuzz =
        new ProcessBuilder(
                program.toString(),
                file.toString(),
                folder.resolve("copy").toString(),
                kind,
                Long.toString(SEED),
                Integer.toString(ROUNDS))
            .redirectErrorStream(true)
            .start();
    String output = new String(fuzz.getInputStream().readAllBytes(), UTF_8);
    assertThat(fuzz.waitFor()).as(output).isZero();
    assertThat(output).doesNotContain("done=0,", "memory is damaged=0", "queue is full=0");
  }
}

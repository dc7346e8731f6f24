package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.testkit.OtherJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a participant that is taken for dead, or for alive, because its process is in another PID
 * namespace, as in another container. Skipped where this user may not make one.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PidNamespacesTest {
  private static final List<String> LAUNCHER =
      List.of("unshare", "--pid", "--fork", "--kill-child");
  private static final FlyweightType<Point> POINTS = FlyweightType.of(Point::new);
  private static final QueueOptions OPTIONS = QueueOptions.ofCapacity(1 << 10);
  private static final int CAPACITY = 4;
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  @TempDir Path folder;

  private Path file;
  private Process other;

  /** A process that claims, and then lives until it is killed. */
  static final class Claimer {
    private Claimer() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      Path path = Path.of(args[1]);
      Object claimed =
          args[0].equals("queue")
              ? MessageQueue.mpsc(OPTIONS, path).newProducer().tryClaim(1, 40)
              : HistoryRing.multi(POINTS, CAPACITY, path).newProducer().tryClaim();
      System.out.println(claimed == null ? "refused" : "claimed");
      Thread.sleep(60_000);
    }
  }

  @BeforeEach
  void check() throws InterruptedException {
    assumeTrue(runs("true"), "unshare");
    file = folder.resolve("ring");
  }

  private static boolean runs(String program) throws InterruptedException {
    List<String> command = new ArrayList<>(LAUNCHER);
    command.add(program);
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  void end() throws InterruptedException {
    if (other != null) {
      kill();
    }
  }

  private void start(String kind) throws IOException {
    ProcessBuilder jvm = OtherJvm.of(Claimer.class, kind, file);
    List<String> command = new ArrayList<>(LAUNCHER);
    command.addAll(jvm.command());
    other = jvm.command(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    assertThat(other.inputReader().readLine()).isEqualTo("claimed");
  }

  private void kill() throws InterruptedException {
    other.destroyForcibly();
    assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void claimOfAQueue_isGivenUpOnceItsProcessHasEnded_andNotBefore() throws Exception {
    try (MessageQueue queue = MessageQueue.mpsc(OPTIONS, file)) {
      MessageConsumer consumer = queue.newConsumer();
      MessageProducer early = queue.newProducer();
      assertThat(early.tryClaim(2, 8)).isNotNull();
      start("queue"); // searches for the dead
      early.commit();
      assertThat(consumer.tryPoll().type()).isEqualTo(2);
      consumer.release();
      assertThat(early.tryClaim(3, 8)).isNotNull();
      early.commit();
      long end = System.nanoTime() + WAIT_NANOS;
      while (System.nanoTime() < end) {
        assertThat(consumer.tryPoll()).as("behind a living claim").isNull();
      }
      try (MessageObserver observer = MessageObserver.open(file)) {
        assertThat(observer.participants())
            .hasSize(3)
            .allMatch(MessageObserver.Participant::isAlive);
      }
      kill();
      while (consumer.tryPoll() == null) {
        Thread.onSpinWait(); // the kernel ends the process in it a little later than unshare
      }
      consumer.release();
      for (int i = 0; i < 2 * queue.capacity(); i++) {
        assertThat(early.tryClaim(4, queue.maxLength())).isNotNull();
        early.commit();
        assertThat(consumer.tryPoll()).isNotNull();
        consumer.release();
      }
      assertThat(queue.metrics()).containsEntry("outOfUse", 0L).containsEntry("stalled", 3L);
    }
  }

  @Test
  void claimOfAHistory_isRefusedOnceItsProcessHasEnded_andNotBefore() throws Exception {
    try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, CAPACITY, file);
        HistoryReader<Point> reader = ring.newReader(1, "reader")) {
      HistoryProducer<Point> early = ring.newProducer();
      early.claim().value(17);
      start("history"); // searches for the dead
      early.commit();
      assertThat(reader.tryPoll().value()).isEqualTo(17);
      early.claim().value(18);
      early.commit();
      ring.newProducer().close(); // searches for the dead, too
      assertThat(reader.tryPoll()).as("behind a living claim").isNull();
      kill();
      while (reader.tryPoll() == null) {
        ring.newProducer().close();
      }
      assertThat(reader.at(0).value()).isEqualTo(18);
      assertThat(ring.refusedCount()).isEqualTo(1);
      reader.release();
    }
  }
}

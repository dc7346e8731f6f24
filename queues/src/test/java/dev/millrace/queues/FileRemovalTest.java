package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.queues.messages.MessageObserver;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.testkit.OtherJvm;
import dev.millrace.testkit.Throws;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds a file that is removed though a process uses it, or that stays because one has died, when a
 * queue or a history is closed for good. {@code SharedProcessesTest} lets processes leave and come
 * at once.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileRemovalTest {
  private static final FlyweightType<Point> POINTS = FlyweightType.of(Point::new);

  @TempDir Path folder;

  interface User {
    boolean closeAndRemove();
  }

  enum Kind {
    SPSC,
    MPSC,
    HISTORY;

    /** Opens the file, and takes part. */
    User use(Path path) throws IOException {
      QueueOptions options = QueueOptions.ofCapacity(1 << 10);
      return switch (this) {
        case SPSC -> used(MessageQueue.spsc(options, path));
        case MPSC -> used(MessageQueue.mpsc(options, path));
        case HISTORY -> {
          HistoryRing<Point> ring = HistoryRing.multi(POINTS, 4, path);
          ring.newProducer().tryClaim();
          yield ring::closeAndRemove;
        }
      };
    }

    private static User used(MessageQueue queue) {
      try {
        queue.newProducer().tryClaim(1, 40);
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageStartingWith("there is a producer already: ");
      }
      return queue::closeAndRemove;
    }
  }

  /** A process that uses a file until it is killed. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws IOException, InterruptedException {
      User _ = Kind.valueOf(args[0]).use(Path.of(args[1]));
      System.out.println("ready");
      Thread.sleep(60_000);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void closeAndRemove_byTheLastUser_removesTheFile(Kind kind) throws IOException {
    Path path = folder.resolve("ring");
    User first = kind.use(path);
    User second = kind.use(path);
    assertThat(first.closeAndRemove()).isFalse();
    assertThat(path).exists();
    assertThat(second.closeAndRemove()).isTrue();
    assertThat(path).doesNotExist();
    assertThat(first.closeAndRemove()).isFalse();
    assertThat(second.closeAndRemove()).isFalse();
    assertThat(kind.use(path).closeAndRemove()).as("of a new file").isTrue();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void closeAndRemove_afterAnotherUserWasKilled_removesTheFile(Kind kind) throws Exception {
    Path path = folder.resolve("ring");
    Process other = OtherJvm.start(Holder.class, kind, path);
    assertThat(other.inputReader().readLine()).isEqualTo("ready");
    assertThat(kind.use(path).closeAndRemove()).as("while it lives").isFalse();
    assertThat(path).exists();
    User last = kind.use(path);
    other.destroyForcibly();
    assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(last.closeAndRemove()).isTrue();
    assertThat(path).doesNotExist();
  }

  @Test
  void closeAndRemove_whileAnObserverReads_removesTheFile() throws IOException {
    Path path = folder.resolve("queue");
    User queue = Kind.MPSC.use(path);
    try (MessageObserver observer = MessageObserver.open(path)) {
      assertThat(queue.closeAndRemove()).isTrue();
      assertThat(observer.isInPlace()).isFalse();
      assertThat(observer.tail()).isEqualTo(3);
    }
    Throws.a(NoSuchFileException.class, () -> MessageObserver.open(path));
  }

  @Test
  void closeAndRemove_ofWhatIsNotUsedInAFile_isRefused() throws IOException {
    try (MessageQueue queue = MessageQueue.mpsc(QueueOptions.ofCapacity(1 << 10))) {
      Throws.illegalState("this queue is not in a file: MessageQueue...", queue::closeAndRemove);
      assertThat(queue.newProducer().tryClaim(1, 1)).isNotNull();
    }
    try (HistoryRing<Point> ring = HistoryRing.multi(POINTS, 4)) {
      Throws.illegalState("this history is not in a file: HistoryRing...", ring::closeAndRemove);
    }
    Path path = folder.resolve("ring");
    HistoryRing.multi(POINTS, 4, path).close();
    try (HistoryRing<Point> ring = HistoryRing.observe(POINTS, path)) {
      Throws.illegalState("this history is observed: HistoryRing...", ring::closeAndRemove);
    }
    assertThat(path).exists();
  }
}

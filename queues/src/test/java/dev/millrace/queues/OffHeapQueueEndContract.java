package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.queues.OffHeapQueue.Counters;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What every queue keeps when it comes to its end. */
abstract class OffHeapQueueEndContract extends OffHeapQueueContract {
  /** What a queue has counted in which nothing was dropped, refused or given up. */
  static Counters counts(long claimed, long committed, long consumed, long aborted, int highWater) {
    return new Counters(claimed, committed, consumed, aborted, 0, 0, 0, 0, highWater);
  }

  static List<Long> shown(OffHeapQueue<Point> queue) {
    List<Long> values = new ArrayList<>();
    assertThat(queue.snapshot(p -> values.add(p.wholeValue()))).isEqualTo(values.size());
    return values;
  }

  static void takeRun(OffHeapQueue<Point> queue, Point point, long first, int count) {
    for (int taken = 0; taken < count; ) {
      int polled = queue.tryPoll(point, count - taken);
      assertThat(polled).isPositive();
      for (int i = 0; i < polled; i++, point.next()) {
        assertThat(point.wholeValue()).isEqualTo(first + taken++);
      }
      queue.release(point);
    }
  }

  @Test
  void close_whenEmpty_freesAtOnce() {
    OffHeapQueue<Point> queue = newQueue(4);
    Point point = queue.newFlyweight();
    put(queue, point, 1);
    take(queue, point);
    queue.close();
    assertThat(queue.isDrained()).isTrue();
    assertThat(queue.memory().scope().isAlive()).isFalse();
    assertThat(queue.toString()).endsWith("[capacity=4, size~0, drained]");
  }

  @Test
  void complete_whenRecordsAreLeft_deliversThemThenFrees() throws Exception {
    OffHeapQueue<Point> queue = newQueue(4);
    Point in = queue.newFlyweight();
    Point out = queue.newFlyweight();
    put(queue, in, 0);
    putRun(queue, in, 1, 2);
    put(queue, in, 3);
    queue.complete();
    queue.complete();

    assertThat(queue.isClosed()).isTrue();
    assertThat(queue.isDrained()).isFalse();
    assertThatThrownBy(() -> queue.tryClaim(in))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("queue must be open to claim: ");
    assertThatThrownBy(() -> queue.claim(in)).isInstanceOf(IllegalStateException.class);
    assertThat(queue.tryClaim()).isEqualTo(OffHeapQueue.CLOSED);
    for (int i = 0; i < 4; i++) {
      assertThat(take(queue, out)).isEqualTo(i);
    }
    assertThat(queue.poll(out)).isFalse();
    assertThat(queue.isDrained()).isTrue();
    assertThat(queue.tryPoll(out)).isFalse();
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
    assertThat(queue.tryPoll(out, 4)).isEqualTo(OffHeapQueue.CLOSED);
    assertThat(queue.poll(out, 4)).isEqualTo(OffHeapQueue.CLOSED);
    assertThat(queue.drain(out, p -> {}, 4)).isEqualTo(OffHeapQueue.CLOSED);
    close(queue);
    assertThat(queue.memory().scope().isAlive()).isFalse();
  }

  @Test
  void complete_whenARecordIsPolled_leavesItReadableUntilReleased() {
    OffHeapQueue<Point> queue = newQueue(4);
    Point in = queue.newFlyweight();
    Point out = queue.newFlyweight();
    put(queue, in, 5);
    assertThat(queue.tryPoll(out)).isTrue();
    queue.complete();
    assertThat(out.wholeValue()).isEqualTo(5);
    queue.release(out);
    assertThat(queue.drain(out, p -> {}, 1)).isEqualTo(OffHeapQueue.CLOSED);
    assertThat(queue.isDrained()).isTrue();
    close(queue);
  }

  @Test
  void close_whenRecordsAreLeft_leavesThemToTheConsumer() {
    OffHeapQueue<Point> queue = newQueue(4);
    Point in = queue.newFlyweight();
    Point out = queue.newFlyweight();
    put(queue, in, 5);
    queue.close();
    assertThat(queue.isDrained()).isFalse();
    assertThat(take(queue, out)).isEqualTo(5);
    assertThat(queue.tryPoll(out)).isFalse();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void close_whenDrainedBefore_isTheFirstClose() {
    OffHeapQueue<Point> queue = newQueue(4);
    queue.complete();
    assertThat(queue.isDrained()).as("nobody has looked").isFalse();
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
    assertThat(queue.isDrained()).isTrue();
    queue.close();
    assertThatThrownBy(queue::close).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_whenClosed_saysSo() {
    OffHeapQueue<Point> queue = newQueue(4);
    queue.close();
    assertThatThrownBy(queue::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("queue must be closed only once: ");
  }

  @Test
  void abandon_freesAtOnceAndMayBeRepeated() {
    OffHeapQueue<Point> queue = newQueue(4);
    Point in = queue.newFlyweight();
    put(queue, in, 1);
    queue.abandon();
    queue.abandon();
    queue.close();
    assertThat(queue.isDrained()).isTrue();
    assertThatThrownBy(() -> queue.tryClaim(in)).isInstanceOf(IllegalStateException.class);
    assertThat(queue.memory().scope().isAlive()).isFalse();
    assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
  }

  @Test
  void completeCloseAbandon_whileBothSidesWork_endThemByValueOrException() throws Exception {
    for (int round = 0; round < 300; round++) {
      OffHeapQueue<Point> queue = newQueue(64);
      AtomicReference<Throwable> producerEnd = new AtomicReference<>();
      AtomicReference<Throwable> consumerEnd = new AtomicReference<>();
      AtomicInteger consumed = new AtomicInteger();
      Thread producer =
          start(
              producerEnd,
              () -> {
                Point point = queue.newFlyweight();
                for (long i = 0; ; i++) {
                  while (!queue.tryClaim(point)) {
                    Thread.yield();
                  }
                  point.value(i);
                  queue.commit(point);
                }
              });
      Thread consumer =
          start(
              consumerEnd,
              () -> {
                Point point = queue.newFlyweight();
                while (queue.drain(point, p -> consumed.setRelease(1 + (int) p.value()), 16) >= 0) {
                  Thread.yield();
                }
              });
      while (consumed.getAcquire() < round && producer.isAlive() && consumer.isAlive()) {
        Thread.yield();
      }
      switch (round % 3) {
        case 0 -> queue.complete();
        case 1 -> queue.close();
        default -> queue.abandon();
      }
      assertThat(Thread.currentThread().isInterrupted())
          .as("memory freed under its owner")
          .isFalse();
      producer.join();
      consumer.join();
      assertThat(producerEnd.get()).isInstanceOf(IllegalStateException.class);
      if (round % 3 == 0) {
        assertThat(consumerEnd.get()).isNull();
      } else if (consumerEnd.get() != null) {
        assertThat(consumerEnd.get()).isInstanceOf(IllegalStateException.class);
      }
      assertThat(queue.isDrained()).isTrue();
      close(queue);
    }
  }

  /** The JDK sets the interrupt status of a thread whose access to freed memory it cuts short. */
  @Test
  void complete_byTheProducer_leavesTheConsumersInterruptStatusAlone() throws Exception {
    for (int round = 0; round < 300; round++) {
      OffHeapQueue<Point> queue = newQueue(2);
      AtomicReference<Throwable> end = new AtomicReference<>();
      AtomicInteger consumed = new AtomicInteger();
      Thread consumer =
          start(
              end,
              () -> {
                Point point = queue.newFlyweight();
                while (queue.drain(point, p -> consumed.incrementAndGet(), 2) >= 0) {
                  Thread.yield();
                }
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
              });
      Point point = queue.newFlyweight();
      for (int i = 0; i < 100; i++) {
        while (!queue.tryClaim(point)) {
          Thread.yield();
        }
        queue.commit(point.value(i));
      }
      queue.complete();
      consumer.join();
      assertThat(end.get()).isNull();
      assertThat(consumed).hasValue(100);
      assertThat(queue.isDrained()).isTrue();
      close(queue);
    }
  }

  /** The commit just before the completion must be found by the second look after it. */
  @Test
  void complete_rightAfterACommit_losesNothing() throws Exception {
    int rounds = 10_000;
    AtomicReference<OffHeapQueue<Point>> current = new AtomicReference<>();
    AtomicInteger seen = new AtomicInteger();
    AtomicInteger lost = new AtomicInteger();
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread consumer =
        start(
            end,
            () -> {
              OffHeapQueue<Point> last = null;
              for (int round = 0; round < rounds; round++) {
                OffHeapQueue<Point> queue = current.getAcquire();
                while (queue == last) {
                  Thread.yield();
                  queue = current.getAcquire();
                }
                last = queue;
                int count = 0;
                for (long offset = 0; offset != OffHeapQueue.CLOSED; ) {
                  offset = queue.tryPoll();
                  if (offset >= 0) {
                    count++;
                    queue.release(offset);
                  }
                }
                lost.addAndGet(1 - count);
                seen.incrementAndGet();
              }
            });
    for (int round = 0; round < rounds; round++) {
      OffHeapQueue<Point> queue = newQueue(2);
      current.setRelease(queue);
      for (int pause = 0; pause < round % 64; pause++) {
        Thread.onSpinWait();
      }
      queue.commit(queue.tryClaim());
      queue.complete();
      while (seen.get() <= round && consumer.isAlive()) {
        Thread.yield();
      }
      close(queue);
    }
    consumer.join();
    assertThat(end.get()).isNull();
    assertThat(lost).hasValue(0);
  }

  @Test
  void close_whenAClaimIsOpen_freesAllTheSame() {
    OffHeapQueue<Point> queue = newQueue(4);
    assertThat(queue.tryClaim(queue.newFlyweight())).isTrue();
    queue.close();
    assertThat(queue.isDrained()).isTrue();
  }

  @Test
  void abandon_whenSinglesAndRunsAreLeft_isTheEndForTheConsumer() throws Exception {
    for (int count = 1; count <= 3; count++) {
      OffHeapQueue<Point> queue = newQueue(4);
      Point point = queue.newFlyweight();
      putRun(queue, point, 0, count);
      queue.abandon();
      assertThat(queue.sizeEstimate()).isZero();
      assertThat(queue.drain(point, p -> {}, 4)).isEqualTo(OffHeapQueue.CLOSED);
      assertThat(queue.tryPoll()).isEqualTo(OffHeapQueue.CLOSED);
      assertThat(queue.poll(point)).isFalse();
      assertThatThrownBy(queue::newFlyweight).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void abandon_whileMemoryIsLentToIo_canBeRepeated() throws Exception {
    OffHeapQueue<Point> queue = newQueue(4);
    Pipe pipe = Pipe.open();
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread reader = start(end, () -> pipe.source().read(queue.memory().asByteBuffer()));
    while (reader.isAlive()) {
      try {
        queue.abandon();
        break; // the read had not begun
      } catch (IllegalStateException e) {
        assertThat(e).hasMessageStartingWith("memory must not be in use by I/O when closed");
        assertThat(queue.isDrained()).isFalse();
        pipe.sink().write(ByteBuffer.allocate(1));
        reader.join();
      }
    }
    queue.abandon();
    assertThat(queue.isDrained()).isTrue();
    pipe.sink().close();
    reader.join();
    pipe.source().close();
  }
}

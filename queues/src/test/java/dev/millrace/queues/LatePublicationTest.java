package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Sequence;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Full means full. A ring whose consumer publishes its progress late, to save writes, says that it
 * is full though all records are released, and a request-response exchange over it deadlocks. Here
 * such a ring shows both, so that the two trials are known to find it; each of our kinds passes
 * them.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LatePublicationTest {
  private static final int CAPACITY = 16;
  private static final int ROUNDS = 1_000;
  private static final long NONE = -1;

  /** Where one thread puts numbers and another takes them. */
  interface Channel {
    boolean tryPut(long value);

    /** Takes the next, or {@link #NONE}, and gives its slot back. */
    long tryTake();
  }

  /** Publishes the head with each 32nd record and when it finds none. */
  private static final class LateRing implements Channel {
    private static final int LATENESS = 32;

    private final long[] slots = new long[CAPACITY];
    private final Sequence tail = new Sequence();
    private final Sequence publishedHead = new Sequence();
    private long head;

    @Override
    public boolean tryPut(long value) {
      long sequence = tail.getOpaque();
      if (sequence - publishedHead.getAcquire() == CAPACITY) {
        return false;
      }
      slots[(int) (sequence % CAPACITY)] = value;
      tail.setRelease(sequence + 1);
      return true;
    }

    @Override
    public long tryTake() {
      if (tail.getAcquire() == head) {
        publishedHead.setRelease(head);
        return NONE;
      }
      long value = slots[(int) (head % CAPACITY)];
      if (++head % LATENESS == 0) {
        publishedHead.setRelease(head);
      }
      return value;
    }
  }

  /** Takes by polling, or by draining. */
  private record QueueChannel(OffHeapQueue<Point> queue, Point in, Point out, boolean drains)
      implements Channel {
    @Override
    public boolean tryPut(long value) {
      if (!queue.tryClaim(in)) {
        return false;
      }
      return queue.commit(in.value(value));
    }

    @Override
    public long tryTake() {
      if (drains) {
        long[] value = {NONE};
        queue.drain(out, p -> value[0] = p.wholeValue(), 1);
        return value[0];
      }
      if (!queue.tryPoll(out)) {
        return NONE;
      }
      long value = out.wholeValue();
      queue.release(out);
      return value;
    }
  }

  enum Kind {
    SPSC,
    MPSC,
    MPMC;

    Channel channel(boolean drains) {
      OffHeapQueue<Point> queue =
          this == SPSC
              ? SpscQueue.of(CAPACITY, Point::new)
              : ManyProducers.valueOf(name()).queue(CAPACITY);
      return new QueueChannel(queue, queue.newFlyweight(), queue.newFlyweight(), drains);
    }
  }

  // ---- the trials ----

  /** Whether it is never full when all records are released, wherever in the ring it stands. */
  private static boolean isFullOnlyWhenFull(Channel channel) {
    for (int shift = 0; shift < 3 * CAPACITY; shift++) {
      for (int i = 0; i < CAPACITY; i++) {
        if (!channel.tryPut(i)) {
          return false;
        }
      }
      assertThat(channel.tryPut(-2)).as("full").isFalse();
      for (int i = 0; i < CAPACITY; i++) {
        assertThat(channel.tryTake()).isEqualTo(i); // and never looks for one more
      }
      if (!channel.tryPut(shift)) {
        return false;
      }
      assertThat(channel.tryTake()).isEqualTo(shift);
    }
    return true;
  }

  /**
   * How many rounds an exchange gets through. The server takes a batch of requests, answers, and
   * waits until the client confirms; the client sends the first request of the next batch before it
   * confirms. The server has released all slots then, so there is room for it.
   */
  private static int exchange(Supplier<Channel> channels, long limitNanos) throws Exception {
    Channel requests = channels.get();
    Channel answers = channels.get();
    Channel confirmations = channels.get();
    long deadline = System.nanoTime() + limitNanos;
    FutureTask<Integer> server =
        new FutureTask<>(
            () -> {
              for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < CAPACITY; i++) {
                  if (!take(requests, (long) round * CAPACITY + i, deadline)) {
                    return round;
                  }
                }
                if (!put(answers, round, deadline) || !take(confirmations, round, deadline)) {
                  return round;
                }
              }
              return ROUNDS;
            });
    Thread.ofPlatform().start(server);
    boolean goesOn = put(requests, 0, deadline);
    for (int round = 0; round < ROUNDS && goesOn; round++) {
      for (int i = 1; i < CAPACITY && goesOn; i++) {
        goesOn = put(requests, (long) round * CAPACITY + i, deadline);
      }
      goesOn =
          goesOn
              && take(answers, round, deadline)
              && (round == ROUNDS - 1 || put(requests, (round + 1L) * CAPACITY, deadline))
              && put(confirmations, round, deadline);
    }
    return server.get();
  }

  private static boolean put(Channel channel, long value, long deadline) {
    while (!channel.tryPut(value)) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      Thread.yield();
    }
    return true;
  }

  private static boolean take(Channel channel, long expected, long deadline) {
    long value;
    while ((value = channel.tryTake()) == NONE) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      Thread.yield();
    }
    assertThat(value).isEqualTo(expected);
    return true;
  }

  // ---- who passes ----

  @Test
  void tryClaim_whenTheHeadIsPublishedLate_saysFullThoughAllIsReleased() {
    assertThat(isFullOnlyWhenFull(new LateRing())).isFalse();
  }

  @Test
  void exchange_whenTheHeadIsPublishedLate_deadlocks() throws Exception {
    assertThat(exchange(LateRing::new, 300_000_000)).as("rounds").isZero();
  }

  @ParameterizedTest
  @EnumSource
  void tryClaim_whenAllIsReleased_neverSaysFull(Kind kind) {
    assertThat(isFullOnlyWhenFull(kind.channel(false))).isTrue();
    assertThat(isFullOnlyWhenFull(kind.channel(true))).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void exchange_ofRequestsAndAnswers_getsThrough(Kind kind) throws Exception {
    assertThat(exchange(() -> kind.channel(false), 25_000_000_000L)).isEqualTo(ROUNDS);
    assertThat(exchange(() -> kind.channel(true), 25_000_000_000L)).isEqualTo(ROUNDS);
  }
}

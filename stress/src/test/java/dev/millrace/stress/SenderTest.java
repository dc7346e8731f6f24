package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Consumer;
import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingConsumer;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.trial.AnyQueue;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Completes structures while a sender of the soaks has a claim open, a moment that the soaks rarely
 * meet. A sender that leaves the claim open makes the drain of the structure wait forever, as a
 * lost wake-up would.
 */
class SenderTest {
  private static final int SEEDS = 64; // one claim in eight has another one within it
  private static final int CAPACITY = 8;

  enum Kind {
    RING,
    MPSC,
    MPMC,
    K_FIFO
  }

  /** A structure of many producers. */
  private record Structure(
      Supplier<Producer<Entry>> newProducer,
      Consumer<Entry> consumer,
      Runnable complete,
      Runnable close) {
    static Structure of(Kind kind) {
      QueueOptions options = QueueOptions.ofCapacity(CAPACITY);
      return switch (kind) {
        case RING -> ofRing();
        case MPSC -> of(new AnyQueue<>(MpscQueue.of(Entry.TYPE, options)));
        case MPMC -> of(new AnyQueue<>(MpmcQueue.of(Entry.TYPE, options)));
        case K_FIFO -> of(new AnyQueue<>(KFifoQueue.of(Entry.TYPE, 2, options)));
      };
    }

    private static Structure ofRing() {
      RecordRing<Entry> ring = RecordRing.of(Entry.TYPE, RingOptions.multiProducer(CAPACITY));
      RingConsumer<Entry> consumer = ring.newConsumer(WaitStrategy.yielding());
      return new Structure(ring::newProducer, consumer, ring::complete, ring::close);
    }

    private static Structure of(AnyQueue<Entry> queue) {
      return new Structure(queue::newProducer, queue.newConsumer(), queue::complete, queue::close);
    }

    /** Makes a sink that completes the structure as soon as it has a claim open. */
    Sink newCompletingSink() {
      return new Sink.Of(newProducer.get()) {
        @Override
        public void write(int index, long number) {
          super.write(index, number);
          complete.run();
        }
      };
    }
  }

  /** Makes senders claim one record at a time, without waiting. */
  private static final class Tries extends Round {
    Tries() {
      super(new Load(), 1);
      this.claims = Form.TRY;
    }

    @Override
    Counts run() {
      return new Counts();
    }
  }

  @ParameterizedTest
  @EnumSource
  void step_whenCompletedWithinTheClaim_endsTheClaim(Kind kind) throws InterruptedException {
    for (int seed = 0; seed < SEEDS; seed++) {
      Structure structure = Structure.of(kind);
      Sink second = new Sink.Of(structure.newProducer.get());
      Sent sent = new Sent(0, 1, false);
      Sink first = structure.newCompletingSink();
      Sender sender = new Sender(new Tries(), first, second, sent, Fault.NONE, seed);

      assertThat(sender.step()).isTrue();
      assertThat(sender.step()).isFalse();
      while (structure.consumer.tryPoll() != null) {
        structure.consumer.release();
      }
      assertThat(structure.consumer.isDrained()).as("drained, seed " + seed).isTrue();
      structure.close.run();
    }
  }
}

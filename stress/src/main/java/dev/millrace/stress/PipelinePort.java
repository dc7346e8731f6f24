package dev.millrace.stress;

import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.disruptor.Sequencer;
import java.time.Duration;

/** How a producer of the pipelines' soak gets at the ring: one claim at a time. */
sealed interface PipelinePort permits PipelinePort.Records, PipelinePort.Objects {
  /** How long a claim of the third form waits. */
  long TIMEOUT_NANOS = 300_000;

  /** The forms of claims. */
  enum Form {
    /** One that does not wait. */
    TRY,
    /** One that does what the ring's back-pressure says. */
    CLAIM,
    /** One with a time limit of its own. */
    TIMED
  }

  /** What came of a claim. */
  enum Answer {
    /** The slots are claimed. */
    CLAIMED,
    /** They are not free. */
    FULL,
    /** The ring is closed. */
    CLOSED
  }

  /**
   * Claims slots, if they are free: in a ring of records fewer where it ends, see {@link #claimed}.
   */
  Answer claim(Form form, int count) throws InterruptedException;

  /** How many slots the claim got. */
  int claimed();

  /** Writes events into the slots claimed, with numbers at a distance. */
  void write(int first, int step);

  /** Publishes them; returns whether consumers will see them. */
  boolean publish();

  /** Gives the slots back. */
  void abort();

  /** Runs a commit; returns whether consumers will see what it publishes. */
  private static boolean isCommitted(Runnable commit) {
    try {
      commit.run();
      return true;
    } catch (IllegalStateException e) {
      if (!e.getMessage().contains("was given up")) {
        throw e;
      }
      return false;
    }
  }

  /** A producer's port to a ring of records. */
  final class Records implements PipelinePort {
    private static final Duration TIMEOUT = Duration.ofNanos(TIMEOUT_NANOS);

    private final RingProducer<PipelineRecord> producer;
    private int claimed;

    Records(RingProducer<PipelineRecord> producer) {
      this.producer = producer;
    }

    @Override
    public Answer claim(Form form, int count) throws InterruptedException {
      if (form == Form.TIMED) {
        claimed = producer.claim(TIMEOUT) == null ? 0 : 1;
      } else if (count > 1) {
        claimed = form == Form.TRY ? producer.tryClaim(count) : producer.claim(count);
      } else {
        claimed = (form == Form.TRY ? producer.tryClaim() : producer.claim()) == null ? 0 : 1;
      }
      return claimed == 0 ? Answer.FULL : Answer.CLAIMED;
    }

    @Override
    public int claimed() {
      return claimed;
    }

    @Override
    public void write(int first, int step) {
      for (int i = 0; i < claimed; i++) {
        producer.at(i).begin(first + i * step);
      }
    }

    @Override
    public boolean publish() {
      return isCommitted(producer::commit);
    }

    @Override
    public void abort() {
      producer.abort();
    }
  }

  /** A producer's port to a ring of objects. */
  final class Objects implements PipelinePort {
    private final ObjectRing<PipelineObject> ring;
    private final Sequencer sequencer;
    private long sequence;
    private int claimed;

    Objects(ObjectRing<PipelineObject> ring) {
      this.ring = ring;
      this.sequencer = ring.sequencer();
    }

    @Override
    public Answer claim(Form form, int count) throws InterruptedException {
      claimed = count;
      sequence =
          switch (form) {
            case TRY -> sequencer.tryClaim(count);
            case CLAIM -> count == 1 ? sequencer.claim() : sequencer.claim(count);
            case TIMED -> sequencer.claim(count, Duration.ofNanos(TIMEOUT_NANOS));
          };
      return sequence >= 0
          ? Answer.CLAIMED
          : sequence == Sequencer.CLOSED ? Answer.CLOSED : Answer.FULL;
    }

    @Override
    public int claimed() {
      return claimed;
    }

    @Override
    public void write(int first, int step) {
      for (int i = 0; i < claimed; i++) {
        ring.get(sequence + i).begin(first + i * step);
      }
    }

    @Override
    public boolean publish() {
      return isCommitted(() -> sequencer.commit(sequence, claimed));
    }

    @Override
    public void abort() {
      sequencer.abort(sequence, claimed);
    }
  }
}

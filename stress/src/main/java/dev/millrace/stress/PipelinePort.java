package dev.millrace.stress;

import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.Sequencer;
import java.util.concurrent.TimeUnit;

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

  /** Claims slots. */
  Answer claim(Form form, int count) throws InterruptedException;

  /** Writes events into the slots claimed, with numbers at a distance. */
  void write(int first, int step);

  /** Publishes them; returns whether consumers will see them. */
  boolean publish();

  /** Gives the slots back. */
  void abort();

  /** A producer's port to a ring of records. */
  final class Records implements PipelinePort {
    private final RecordRing<PipelineRecord> ring;
    private final PipelineRecord flyweight;
    private int claimed;

    Records(RecordRing<PipelineRecord> ring) {
      this.ring = ring;
      this.flyweight = ring.newFlyweight();
    }

    @Override
    public Answer claim(Form form, int count) throws InterruptedException {
      claimed = count;
      boolean isClaimed =
          switch (form) {
            case TRY -> ring.tryClaim(flyweight, count);
            case CLAIM -> count == 1 ? ring.claim(flyweight) : ring.claim(flyweight, count);
            case TIMED -> ring.claim(flyweight, count, TIMEOUT_NANOS, TimeUnit.NANOSECONDS);
          };
      return isClaimed ? Answer.CLAIMED : Answer.FULL;
    }

    @Override
    public void write(int first, int step) {
      for (int i = 0; i < claimed; i++, flyweight.next()) {
        flyweight.begin(first + i * step);
      }
    }

    @Override
    public boolean publish() {
      return ring.publish(flyweight);
    }

    @Override
    public void abort() {
      ring.abort(flyweight);
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
            case TIMED -> sequencer.claim(count, TIMEOUT_NANOS, TimeUnit.NANOSECONDS);
          };
      return sequence >= 0
          ? Answer.CLAIMED
          : sequence == Sequencer.CLOSED ? Answer.CLOSED : Answer.FULL;
    }

    @Override
    public void write(int first, int step) {
      for (int i = 0; i < claimed; i++) {
        ring.get(sequence + i).begin(first + i * step);
      }
    }

    @Override
    public boolean publish() {
      return sequencer.publish(sequence, claimed);
    }

    @Override
    public void abort() {
      sequencer.abort(sequence, claimed);
    }
  }
}

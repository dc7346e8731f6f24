package dev.millrace.bench.compare;

import com.lmax.disruptor.RingBuffer;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.disruptor.Sequencer;
import java.util.function.ObjLongConsumer;

/** The ends by which producers put events into the rings of {@link Stages}. */
final class StageSenders {
  private StageSenders() {}

  /** Into our ring of records. */
  static final class OfRecords<E> extends Ends {
    private final RingProducer<E> producer;
    private final ObjLongConsumer<E> set;

    OfRecords(RingProducer<E> producer, ObjLongConsumer<E> set) {
      this.producer = producer;
      this.set = set;
    }

    @Override
    boolean send(long number) {
      try {
        set.accept(producer.claim(), number);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      producer.commit();
      return true;
    }

    @Override
    int send(long first, int count) {
      try {
        int claimed = producer.claim(count);
        for (int i = 0; i < claimed; i++) {
          set.accept(producer.at(i), first + i);
        }
        producer.commit();
        return claimed;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Into our ring of objects. */
  static final class OfObjects<E> extends Ends {
    private final ObjectRing<E> ring;
    private final Sequencer sequencer;
    private final ObjLongConsumer<E> set;

    OfObjects(ObjectRing<E> ring, ObjLongConsumer<E> set) {
      this.ring = ring;
      this.set = set;
      this.sequencer = ring.sequencer();
    }

    @Override
    boolean send(long number) {
      return send(number, 1) == 1;
    }

    @Override
    int send(long first, int count) {
      long begin;
      try {
        begin = sequencer.claim(count);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      for (int i = 0; i < count; i++) {
        set.accept(ring.get(begin + i), first + i);
      }
      sequencer.commit(begin, count);
      return count;
    }
  }

  /** Into the Disruptor's ring. */
  static final class OfDisruptor<E> extends Ends {
    private final RingBuffer<E> ring;
    private final ObjLongConsumer<E> set;

    OfDisruptor(RingBuffer<E> ring, ObjLongConsumer<E> set) {
      this.ring = ring;
      this.set = set;
    }

    @Override
    boolean send(long number) {
      long sequence = ring.next();
      set.accept(ring.get(sequence), number);
      ring.publish(sequence);
      return true;
    }

    @Override
    int send(long first, int count) {
      long last = ring.next(count);
      long begin = last - count + 1;
      for (int i = 0; i < count; i++) {
        set.accept(ring.get(begin + i), first + i);
      }
      ring.publish(begin, last);
      return count;
    }
  }
}

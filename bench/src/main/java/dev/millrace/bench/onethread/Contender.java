package dev.millrace.bench.onethread;

import static dev.millrace.bench.onethread.Loop.CAPACITY;
import static dev.millrace.bench.onethread.Style.HANDLED;
import static dev.millrace.bench.onethread.Style.RUNS;
import static dev.millrace.bench.onethread.Style.SINGLES;
import static dev.millrace.bench.onethread.Style.WAITING;

import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import dev.millrace.bench.onethread.BlockingLoop.Values;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.queues.RecordQueue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.jctools.queues.MpmcArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;

/** What is measured. */
public enum Contender {
  /** Ours for one producer and one consumer. */
  MILLRACE_SPSC(Work.SPSC, Library.MILLRACE, SINGLES, WAITING, RUNS, HANDLED) {
    @Override
    Loop newLoop() {
      return Loop.of(OffHeapLoop.class, OffHeapLoop.Ends.spsc());
    }
  },
  /** JCTools' {@code SpscArrayQueue}. */
  JCTOOLS_SPSC(Work.SPSC, Library.JCTOOLS, SINGLES, HANDLED) {
    @Override
    Loop newLoop() {
      return Loop.of(JcToolsLoop.class, new SpscArrayQueue<>(CAPACITY));
    }
  },
  /** Agrona's {@code OneToOneRingBuffer}. */
  AGRONA_SPSC(Work.SPSC, Library.AGRONA, SINGLES, HANDLED) {
    @Override
    Loop newLoop() {
      return Loop.of(AgronaLoop.class, new OneToOneRingBuffer(AgronaLoop.memory()));
    }
  },
  /** The shortest claim, commit, poll and release. */
  BARE_CLAIM(Work.SPSC, Library.NONE, SINGLES) {
    @Override
    Loop newLoop() {
      return new BareClaimLoop();
    }
  },
  /** No queue at all. */
  BARE(Work.SPSC, Library.NONE, RUNS) {
    @Override
    Loop newLoop() {
      return new BareLoop();
    }
  },
  /** Ours for many producers and one consumer. */
  MILLRACE_MPSC(Work.MPSC, Library.MILLRACE, SINGLES, WAITING, RUNS, HANDLED) {
    @Override
    Loop newLoop() {
      return Loop.of(OffHeapLoop.class, OffHeapLoop.Ends.mpsc());
    }
  },
  /** JCTools' {@code MpscArrayQueue}. */
  JCTOOLS_MPSC(Work.MPSC, Library.JCTOOLS, SINGLES, HANDLED) {
    @Override
    Loop newLoop() {
      return Loop.of(JcToolsLoop.class, new MpscArrayQueue<>(CAPACITY));
    }
  },
  /** Agrona's {@code ManyToOneRingBuffer}. */
  AGRONA_MPSC(Work.MPSC, Library.AGRONA, SINGLES, HANDLED) {
    @Override
    Loop newLoop() {
      return Loop.of(AgronaLoop.class, new ManyToOneRingBuffer(AgronaLoop.memory()));
    }
  },
  /** Ours for many of both. */
  MILLRACE_MPMC(Work.MPMC, Library.MILLRACE, SINGLES, WAITING, RUNS, HANDLED) {
    @Override
    Loop newLoop() {
      return Loop.of(OffHeapLoop.class, OffHeapLoop.Ends.mpmc());
    }
  },
  /** Ours of relaxed order. */
  MILLRACE_KFIFO(Work.MPMC, Library.MILLRACE, SINGLES) {
    @Override
    Loop newLoop() {
      return Loop.of(OffHeapLoop.class, OffHeapLoop.Ends.kFifo());
    }
  },
  /** JCTools' {@code MpmcArrayQueue}. */
  JCTOOLS_MPMC(Work.MPMC, Library.JCTOOLS, SINGLES, HANDLED) {
    @Override
    Loop newLoop() {
      return Loop.of(JcToolsLoop.class, new MpmcArrayQueue<>(CAPACITY));
    }
  },
  /** Our {@code RecordQueue.spsc}. */
  MILLRACE_RECORDS_SPSC(Work.RECORDS, Library.MILLRACE_RECORDS, SINGLES, WAITING) {
    @Override
    Loop newLoop() {
      return Loop.of(BlockingLoop.class, RecordQueue.spsc(Values.class, CAPACITY));
    }
  },
  /** Our {@code RecordQueue.mpsc}. */
  MILLRACE_RECORDS_MPSC(Work.RECORDS, Library.MILLRACE_RECORDS, SINGLES, WAITING) {
    @Override
    Loop newLoop() {
      return Loop.of(BlockingLoop.class, RecordQueue.mpsc(Values.class, CAPACITY));
    }
  },
  /** Our {@code RecordQueue.of}, for any threads. */
  MILLRACE_RECORDS(Work.RECORDS, Library.MILLRACE_RECORDS, SINGLES, WAITING) {
    @Override
    Loop newLoop() {
      return Loop.of(BlockingLoop.class, RecordQueue.of(Values.class, CAPACITY));
    }
  },
  /** The JDK's ring under a lock. */
  ARRAY_BLOCKING_QUEUE(Work.RECORDS, Library.JDK, SINGLES, WAITING) {
    @Override
    Loop newLoop() {
      return Loop.of(BlockingLoop.class, new ArrayBlockingQueue<>(CAPACITY));
    }
  },
  /** The JDK's list under two locks. */
  LINKED_BLOCKING_QUEUE(Work.RECORDS, Library.JDK, SINGLES, WAITING) {
    @Override
    Loop newLoop() {
      return Loop.of(BlockingLoop.class, new LinkedBlockingQueue<>(CAPACITY));
    }
  },
  /** Our ring of events with one producer. */
  MILLRACE_RING(Work.RING, Library.MILLRACE_RING, SINGLES, RUNS) {
    @Override
    Loop newLoop() {
      return Loop.of(SequencerLoop.class, RingOptions.singleProducer(CAPACITY));
    }
  },
  /** The same with many. */
  MILLRACE_RING_MULTI(Work.RING, Library.MILLRACE_RING, SINGLES, RUNS) {
    @Override
    Loop newLoop() {
      return Loop.of(SequencerLoop.class, RingOptions.multiProducer(CAPACITY));
    }
  },
  /** The Disruptor's ring with one producer. */
  DISRUPTOR(Work.RING, Library.DISRUPTOR, SINGLES, RUNS) {
    @Override
    Loop newLoop() {
      return Loop.of(
          DisruptorLoop.class,
          RingBuffer.createSingleProducer(HeapRecord::new, CAPACITY, new BusySpinWaitStrategy()));
    }
  },
  /** The same with many. */
  DISRUPTOR_MULTI(Work.RING, Library.DISRUPTOR, SINGLES, RUNS) {
    @Override
    Loop newLoop() {
      return Loop.of(
          DisruptorLoop.class,
          RingBuffer.createMultiProducer(HeapRecord::new, CAPACITY, new BusySpinWaitStrategy()));
    }
  };

  private final Work work;
  private final Library library;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<Style> styles;

  /** Whose it is: what shares code. */
  private enum Library {
    MILLRACE,
    MILLRACE_RECORDS,
    MILLRACE_RING,
    JCTOOLS,
    AGRONA,
    DISRUPTOR,
    JDK,
    NONE
  }

  Contender(Work work, Library library, Style... styles) {
    this.work = work;
    this.library = library;
    this.styles = List.of(styles);
  }

  abstract Loop newLoop();

  /**
   * Beside whom it is measured.
   *
   * @return the work
   */
  public Work work() {
    return work;
  }

  /**
   * How it can be measured.
   *
   * @return the styles
   */
  public List<Style> styles() {
    return styles;
  }

  String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The others of its library. */
  List<Contender> siblings() {
    return library == Library.NONE
        ? List.of()
        : Arrays.stream(values()).filter(one -> one.library == library && one != this).toList();
  }
}

package dev.millrace.bench.compare;

import com.conversantmedia.util.concurrent.DisruptorBlockingQueue;
import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import dev.millrace.bench.compare.MillraceStages.Handlers;
import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jctools.queues.MpmcArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;

/**
 * The contenders by name. Those that pass references use objects in turn, as their users do where
 * allocation hurts; not with many consumers, for one that is stopped with an object in hand would
 * find it written over.
 */
enum Contenders {
  /** Ours with the default options. */
  MILLRACE("millrace", "Millrace") {
    @Override
    Contender make(Work work) {
      return Millrace.of(work, options(work));
    }
  },
  /** Ours with a stall limit. */
  MILLRACE_STALL_PROOF("millrace-stall-proof", "Millrace, stall-proof") {
    @Override
    Contender make(Work work) {
      return Millrace.of(work, options(work).withStallLimit(Duration.ofSeconds(5)));
    }
  },
  /** The same where the JDK's code below has served other kinds of memory first. */
  MILLRACE_POLLUTED("millrace-polluted", "Millrace, polluted profile") {
    @Override
    void prepare() throws IOException {
      Pollution.pollute(POLLUTION_NANOS);
    }

    @Override
    Contender make(Work work) {
      return MILLRACE.make(work);
    }
  },
  /** Ours for several producers, whatever the work. */
  MILLRACE_MPSC("millrace-mpsc", "Millrace, MpscQueue") {
    @Override
    Contender make(Work work) {
      return Millrace.mpsc(options(work));
    }
  },
  /** Ours with a queue for each consumer. */
  MILLRACE_SHARDED("millrace-sharded", "Millrace, ShardedQueue") {
    @Override
    Contender make(Work work) {
      return new Sharded(work.consumers(), options(work));
    }
  },
  /** Ours for several of both, whatever the work. */
  MILLRACE_MPMC("millrace-mpmc", "Millrace, MpmcQueue") {
    @Override
    Contender make(Work work) {
      return Millrace.mpmc(options(work));
    }
  },
  /** Ours of relaxed order, with k of 1: none is out of order. */
  MILLRACE_KFIFO_1("millrace-kfifo-1", "Millrace, KFifoQueue, k = 1") {
    @Override
    Contender make(Work work) {
      return Millrace.kFifo(1, options(work));
    }
  },
  /** The same with k of 4. */
  MILLRACE_KFIFO_4("millrace-kfifo-4", "Millrace, KFifoQueue, k = 4") {
    @Override
    Contender make(Work work) {
      return Millrace.kFifo(4, options(work));
    }
  },
  /** The same with k of 16. */
  MILLRACE_KFIFO_16("millrace-kfifo-16", "Millrace, KFifoQueue, k = 16") {
    @Override
    Contender make(Work work) {
      return Millrace.kFifo(16, options(work));
    }
  },
  /** The same with k of 64. */
  MILLRACE_KFIFO_64("millrace-kfifo-64", "Millrace, KFifoQueue, k = 64") {
    @Override
    Contender make(Work work) {
      return Millrace.kFifo(64, options(work));
    }
  },
  /** Ours of Java records, of the kind that the work's threads ask for. */
  MILLRACE_RECORDS("millrace-records", "Millrace, RecordQueue") {
    @Override
    Contender make(Work work) {
      return work.consumers() > 1
          ? MILLRACE_RECORDS_MPMC.make(work)
          : work.producers() > 1
              ? records(type -> RecordQueue.mpsc(type, work.capacity()), work)
              : records(type -> RecordQueue.spsc(type, work.capacity()), work);
    }
  },
  /** Ours of Java records for any number of threads, whatever the work: the default. */
  MILLRACE_RECORDS_MPMC("millrace-records-mpmc", "Millrace, RecordQueue for any threads") {
    @Override
    Contender make(Work work) {
      return records(type -> RecordQueue.of(type, work.capacity()), work);
    }
  },
  /** Our ring of records with handlers of batches. */
  MILLRACE_STAGES("millrace-stages", "Millrace, RecordRing") {
    @Override
    Contender make(Work work) {
      return Stages.records(work, Handlers.OF_BATCHES);
    }
  },
  /** The same with handlers of events. */
  MILLRACE_STAGES_EACH("millrace-stages-each", "Millrace, RecordRing, event by event") {
    @Override
    Contender make(Work work) {
      return Stages.records(work, Handlers.OF_EVENTS);
    }
  },
  /** Our ring of objects with handlers of events. */
  MILLRACE_STAGES_OBJECTS("millrace-stages-objects", "Millrace, ObjectRing, event by event") {
    @Override
    Contender make(Work work) {
      return Stages.objects(work, Handlers.OF_EVENTS);
    }
  },
  /** Our ring of records with handlers of batches, all threads spinning. */
  MILLRACE_STAGES_SPINNING("millrace-stages-spinning", "Millrace, RecordRing, spinning") {
    @Override
    Contender make(Work work) {
      return Stages.records(work, Handlers.OF_BATCHES_SPINNING);
    }
  },
  /** The rings for messages; for many consumers the queue of objects. */
  AGRONA("agrona", "Agrona") {
    @Override
    Contender make(Work work) {
      return work.consumers() > 1
          ? new References(new ManyToManyConcurrentArrayQueue<>(work.capacity()), work)
          : new Agrona(work);
    }
  },
  /** Its queue of objects for many of both, whatever the work. */
  AGRONA_MANY_TO_MANY("agrona-many-to-many", "Agrona, ManyToManyConcurrentArrayQueue") {
    @Override
    Contender make(Work work) {
      return new References(new ManyToManyConcurrentArrayQueue<>(work.capacity()), work, false);
    }
  },
  /** The array queues over Unsafe, objects used in turn. */
  JCTOOLS("jctools", "JCTools, preallocated") {
    @Override
    Contender make(Work work) {
      return new JcTools(unsafe(work), work, work.consumers() == 1);
    }
  },
  /** The same, an object made for each record. */
  JCTOOLS_NEW("jctools-new", "JCTools, new objects") {
    @Override
    Contender make(Work work) {
      return new JcTools(unsafe(work), work, false);
    }
  },
  /** That for many of both, an object made for each record, whatever the work. */
  JCTOOLS_MPMC("jctools-mpmc", "JCTools, MpmcArrayQueue") {
    @Override
    Contender make(Work work) {
      return new JcTools(new MpmcArrayQueue<>(work.capacity()), work, false);
    }
  },
  /** The array queues over VarHandles. */
  JCTOOLS_VARHANDLE("jctools-varhandle", "JCTools over VarHandles") {
    @Override
    Contender make(Work work) {
      return new JcTools(
          work.consumers() > 1
              ? new MpmcVarHandleArrayQueue<>(work.capacity())
              : work.producers() > 1
                  ? new MpscVarHandleArrayQueue<>(work.capacity())
                  : new SpscVarHandleArrayQueue<>(work.capacity()),
          work,
          work.consumers() == 1);
    }
  },
  /** Its ring and a poller. */
  DISRUPTOR("disruptor", "Disruptor") {
    @Override
    Contender make(Work work) {
      return new Disruptor(work);
    }
  },
  /** Its event processors, which yield. */
  DISRUPTOR_STAGES("disruptor-stages", "Disruptor, yielding") {
    @Override
    Contender make(Work work) {
      return Stages.disruptor(work, YieldingWaitStrategy::new);
    }
  },
  /** Its event processors, which spin. */
  DISRUPTOR_STAGES_SPINNING("disruptor-stages-spinning", "Disruptor, spinning") {
    @Override
    Contender make(Work work) {
      return Stages.disruptor(work, BusySpinWaitStrategy::new);
    }
  },
  /** The JDK's ring under a lock. */
  ARRAY_BLOCKING_QUEUE("array-blocking-queue", "ArrayBlockingQueue") {
    @Override
    Contender make(Work work) {
      return new References(new ArrayBlockingQueue<>(work.capacity()), work);
    }
  },
  /** The same, an object made for each record. */
  ARRAY_BLOCKING_QUEUE_NEW("array-blocking-queue-new", "ArrayBlockingQueue, new objects") {
    @Override
    Contender make(Work work) {
      return new References(new ArrayBlockingQueue<>(work.capacity()), work, false);
    }
  },
  /** The JDK's list under two locks. */
  LINKED_BLOCKING_QUEUE("linked-blocking-queue", "LinkedBlockingQueue") {
    @Override
    Contender make(Work work) {
      return new References(new LinkedBlockingQueue<>(work.capacity()), work);
    }
  },
  /** Ours as a blocking queue, for any threads, with the default options. */
  MILLRACE_BLOCKING("millrace-blocking", "Millrace, RecordQueue.of") {
    @Override
    Contender make(Work work) {
      return new Blocking(RecordQueue.of(MarketRecord.Trade.class, work.capacity()));
    }
  },
  /** The same where both sides park. */
  MILLRACE_PARKING("millrace-parking", "Millrace, RecordQueue.of, parking") {
    @Override
    Contender make(Work work) {
      QueueOptions parking =
          options(work)
              .withProducerWaits(WaitStrategy.parking())
              .withConsumerWaits(WaitStrategy.parking());
      return new Blocking(RecordQueue.of(MarketRecord.Trade.class, parking));
    }
  },
  /** Ours with a consumer that waits by the default strategy. */
  MILLRACE_WAITS("millrace-waits", "Millrace, default") {
    @Override
    Contender make(Work work) {
      return Millrace.waiting(options(work));
    }
  },
  /** The same, spinning. */
  MILLRACE_WAITS_SPINNING("millrace-waits-spinning", "Millrace, spinning") {
    @Override
    Contender make(Work work) {
      return Millrace.waiting(options(work).withConsumerWaits(WaitStrategy.busySpin()));
    }
  },
  /** The same, yielding. */
  MILLRACE_WAITS_YIELDING("millrace-waits-yielding", "Millrace, yielding") {
    @Override
    Contender make(Work work) {
      return Millrace.waiting(options(work).withConsumerWaits(WaitStrategy.yielding()));
    }
  },
  /** The same, sleeping. */
  MILLRACE_WAITS_SLEEPING("millrace-waits-sleeping", "Millrace, sleeping") {
    @Override
    Contender make(Work work) {
      return Millrace.waiting(
          options(work).withConsumerWaits(WaitStrategy.sleeping(Duration.ofNanos(50_000))));
    }
  },
  /** The same, parking. */
  MILLRACE_WAITS_PARKING("millrace-waits-parking", "Millrace, parking") {
    @Override
    Contender make(Work work) {
      return Millrace.waiting(options(work).withConsumerWaits(WaitStrategy.parking()));
    }
  },
  /** The JDK's ring under a lock, by put and take. */
  ARRAY_BLOCKING_QUEUE_BLOCKING("array-blocking-queue-blocking", "ArrayBlockingQueue") {
    @Override
    Contender make(Work work) {
      return new Blocking(new ArrayBlockingQueue<>(work.capacity()));
    }
  },
  /** The JDK's list under two locks, by put and take. */
  LINKED_BLOCKING_QUEUE_BLOCKING("linked-blocking-queue-blocking", "LinkedBlockingQueue") {
    @Override
    Contender make(Work work) {
      return new Blocking(new LinkedBlockingQueue<>(work.capacity()));
    }
  },
  /** Conversant's ring, by put and take, with the wait strategy that it has by default. */
  CONVERSANT("conversant", "Conversant DisruptorBlockingQueue") {
    @Override
    Contender make(Work work) {
      return new Blocking(new DisruptorBlockingQueue<>(work.capacity()));
    }
  },
  /** The JDK's ring under a lock, of Java records. */
  ARRAY_BLOCKING_QUEUE_RECORDS("array-blocking-queue-records", "ArrayBlockingQueue") {
    @Override
    Contender make(Work work) {
      return new DropIn(type -> new ArrayBlockingQueue<>(work.capacity()), work);
    }
  },
  /** The JDK's list without locks, of Java records, held to as many as the others. */
  CONCURRENT_LINKED_QUEUE_RECORDS("concurrent-linked-queue-records", "ConcurrentLinkedQueue") {
    @Override
    Contender make(Work work) {
      return permitted(new DropIn(type -> new ConcurrentLinkedQueue<>(), work), work);
    }
  },
  /** The JDK's list on which threads can wait for each other, of Java records, held likewise. */
  LINKED_TRANSFER_QUEUE_RECORDS("linked-transfer-queue-records", "LinkedTransferQueue") {
    @Override
    Contender make(Work work) {
      return permitted(new DropIn(type -> new LinkedTransferQueue<>(), work), work);
    }
  },
  /** Lamport's ring in C++, in a process of its own: see {@link NativeRing}. */
  CPP("cpp", "C++ Lamport ring") {
    @Override
    Contender make(Work work) {
      throw new UnsupportedOperationException("not in this process");
    }
  };

  private static final long POLLUTION_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String id;
  private final String title;

  Contenders(String id, String title) {
    this.id = id;
    this.title = title;
  }

  String id() {
    return id;
  }

  String title() {
    return title;
  }

  boolean isOurs() {
    return name().startsWith(MILLRACE.name());
  }

  /** What its JVM does before all else. */
  void prepare() throws IOException {
    // nothing
  }

  /** Makes its queue for a work. */
  abstract Contender make(Work work);

  private static QueueOptions options(Work work) {
    return QueueOptions.ofCapacity(work.capacity());
  }

  private static org.jctools.queues.MessagePassingQueue<HeapTick> unsafe(Work work) {
    return work.consumers() > 1
        ? new MpmcArrayQueue<>(work.capacity())
        : work.producers() > 1
            ? new MpscArrayQueue<>(work.capacity())
            : new SpscArrayQueue<>(work.capacity());
  }

  private static Contender records(
      Function<Class<? extends Record>, RecordQueue<?>> queueOf, Work work) {
    return new DropIn(type -> DropIn.ours(queueOf.apply(MarketRecord.TYPES.get(type))), work);
  }

  /** As many as in one queue of the others for each type of record. */
  private static Contender permitted(DropIn unbounded, Work work) {
    return new Permitted(unbounded, (long) MarketRecord.TYPES.size() * work.capacity());
  }

  static Contenders of(String id) {
    for (Contenders contender : values()) {
      if (contender.id.equals(id)) {
        return contender;
      }
    }
    throw new IllegalArgumentException("contender must be one of those known: contender=" + id);
  }
}

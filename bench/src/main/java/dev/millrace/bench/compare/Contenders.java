package dev.millrace.bench.compare;

import dev.millrace.bench.Tick;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
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
      return new Millrace(
          work.consumers() > 1
              ? MpmcQueue.of(work.capacity(), Tick::new)
              : work.producers() > 1
                  ? MpscQueue.of(work.capacity(), Tick::new)
                  : SpscQueue.of(work.capacity(), Tick::new));
    }
  },
  /** Ours with a stall limit. */
  MILLRACE_STALL_PROOF("millrace-stall-proof", "Millrace, stall-proof") {
    @Override
    Contender make(Work work) {
      QueueOptions options =
          QueueOptions.ofCapacity(work.capacity()).withStallLimit(Duration.ofSeconds(5));
      return new Millrace(
          work.consumers() > 1
              ? MpmcQueue.of(options, Tick::new)
              : MpscQueue.of(options, Tick::new));
    }
  },
  /** Ours for several producers, whatever the work. */
  MILLRACE_MPSC("millrace-mpsc", "Millrace, MpscQueue") {
    @Override
    Contender make(Work work) {
      return new Millrace(MpscQueue.of(work.capacity(), Tick::new));
    }
  },
  /** Ours for several of both, whatever the work. */
  MILLRACE_MPMC("millrace-mpmc", "Millrace, MpmcQueue") {
    @Override
    Contender make(Work work) {
      return new Millrace(MpmcQueue.of(work.capacity(), Tick::new));
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
  /** The JDK's ring under a lock. */
  ARRAY_BLOCKING_QUEUE("array-blocking-queue", "ArrayBlockingQueue") {
    @Override
    Contender make(Work work) {
      return new References(new ArrayBlockingQueue<>(work.capacity()), work);
    }
  },
  /** The JDK's list under two locks. */
  LINKED_BLOCKING_QUEUE("linked-blocking-queue", "LinkedBlockingQueue") {
    @Override
    Contender make(Work work) {
      return new References(new LinkedBlockingQueue<>(work.capacity()), work);
    }
  },
  /** Lamport's ring in C++, in a process of its own: see {@link NativeRing}. */
  CPP("cpp", "C++ Lamport ring") {
    @Override
    Contender make(Work work) {
      throw new UnsupportedOperationException("not in this process");
    }
  };

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
    return switch (this) {
      case MILLRACE, MILLRACE_STALL_PROOF, MILLRACE_MPSC, MILLRACE_MPMC -> true;
      default -> false;
    };
  }

  /** Makes its queue for a work. */
  abstract Contender make(Work work);

  private static org.jctools.queues.MessagePassingQueue<HeapTick> unsafe(Work work) {
    return work.consumers() > 1
        ? new MpmcArrayQueue<>(work.capacity())
        : work.producers() > 1
            ? new MpscArrayQueue<>(work.capacity())
            : new SpscArrayQueue<>(work.capacity());
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

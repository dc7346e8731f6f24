package dev.millrace.stress;

import dev.millrace.core.Measured;
import dev.millrace.core.OnFull;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.spec.KFifoSpec.Log;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A structure, its threads, and a specification that judges what they saw. A round ends by an
 * {@link AssertionError} if the structure breaks a promise: the first failure of a thread ends all
 * of them, a counter that hangs is one, and so is native memory that is not freed in the end.
 */
abstract class Round implements Callable<Counts> {
  private static final long STUCK_NANOS = 30_000_000_000L;
  private static final long CHECK_MILLIS = 10;
  private static final int FREE_CHECKS = 300;

  /** What a thread does. */
  interface Job {
    /** Does it. */
    void run() throws Exception;
  }

  final Load load;
  final long seed;
  final List<Sender> senders = new ArrayList<>();
  final List<Receiver> receivers = new ArrayList<>();

  /** What it is. */
  String name;

  /** Describes the structure, once that is made. */
  Supplier<?> state = () -> "";

  /** Frees the structure, if that is made; may be called repeatedly. */
  Runnable close = () -> {};

  /** Makes all calls on the structure return, after a failure. */
  Runnable abandon = () -> close.run();

  // how senders and receivers behave

  /** How long they send at most. */
  long nanos = Long.MAX_VALUE;

  /** How many records they send at most, together. */
  long records;

  /** The longest run that they claim and take. */
  int run;

  /** The last form in which they claim. */
  Form claims = Form.WAIT_RUN;

  /** The last form in which they take. */
  Form takes = Form.WAIT_RUN;

  /** What the first sender does wrong. */
  Fault faultOfSender;

  /** What a full structure does. */
  OnFull onFull = OnFull.WAIT;

  /** The stall limit, near which senders come now and then; 0 for none. */
  long stallNanos;

  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final Map<LongSupplier, long[]> watched = new HashMap<>(); // its count, and since when
  private final Set<String> stopped = ConcurrentHashMap.newKeySet();

  /** Makes a round without threads, with a seed of all that is random. */
  Round(Load load, long seed) {
    this.load = load;
    this.seed = seed;
    this.faultOfSender = load.fault;
    this.records = load.records;
    this.run = load.run;
  }

  @Override
  public final String toString() {
    return name;
  }

  /** Runs until all threads have ended; returns what was seen. */
  abstract Counts run() throws Exception;

  /** Checks what any thread may ask while others work. */
  void sample() {}

  @Override
  public final Counts call() throws Exception {
    long bytes = Measured.nativeBytesInUse();
    Counts counts;
    try {
      counts = run();
    } finally {
      if (load.fault != Fault.LEAK) {
        close.run();
      }
    }
    for (int i = 0; Measured.nativeBytesInUse() != bytes && i < FREE_CHECKS; i++) {
      Thread.sleep(CHECK_MILLIS); // a RecordQueue frees its memory later
    }
    Counts.check("native bytes in use", Measured.nativeBytesInUse(), bytes);
    return counts;
  }

  // ---- threads ----

  /** Starts a platform thread. */
  final void start(String name, Job job) {
    start(Thread.ofPlatform().name(name).daemon(), job);
  }

  final void start(Thread.Builder builder, Job job) {
    threads.add(builder.start(() -> run(job)));
  }

  private void run(Job job) {
    try {
      job.run();
    } catch (Throwable e) { // also an AssertionError
      fail(e);
    }
  }

  private void fail(Throwable e) {
    if (failure.compareAndSet(null, e)) {
      stopped.addAll(List.of("producer", "consumer"));
      abandon.run(); // or other threads would wait forever
    }
  }

  final boolean hasFailed() {
    return failure.get() != null;
  }

  /** Demands that a counter never stands still for long. */
  final void watch(LongSupplier counter) {
    watched.put(counter, new long[2]);
  }

  /** Waits until all threads have ended. */
  final void join() throws Exception {
    await(() -> threads.stream().noneMatch(Thread::isAlive));
  }

  /**
   * Waits, and watches the counters.
   *
   * @throws AssertionError if one stands still, or a thread has failed
   */
  final void await(BooleanSupplier end) throws Exception {
    long begin = System.nanoTime();
    watched.values().forEach(its -> its[1] = begin);
    try {
      while (!hasFailed() && !end.getAsBoolean()) {
        Thread.sleep(CHECK_MILLIS);
        watched.forEach((counter, its) -> checkMoves(counter.getAsLong(), its, System.nanoTime()));
        sample();
      }
    } catch (Exception | AssertionError e) {
      fail(e); // unless a thread has failed before, and freed the memory during a sample
    }
    Throwable first = failure.get();
    if (first != null) {
      boolean _ = Thread.interrupted(); // as a sample that was cut short leaves this thread
      for (Thread thread : threads) {
        thread.join(CHECK_MILLIS * 50);
      }
      throw new AssertionError(first.getMessage() + ", " + this, first);
    }
  }

  private void checkMoves(long count, long[] its, long now) {
    its[1] = count == its[0] ? its[1] : now;
    its[0] = count;
    if (now - its[1] > STUCK_NANOS) {
      String stacks =
          threads.stream()
              .map(thread -> "\n  " + thread + "\n    " + List.of(thread.getStackTrace()))
              .collect(Collectors.joining());
      fail(new AssertionError("threads must go on: " + state.get() + stacks));
    }
  }

  // ---- sending and receiving ----

  /** Makes the log of a sender or a receiver. */
  Log newLog() {
    return Log.none();
  }

  /** Adds a sender, with a second sink for claims within those of the first, or null. */
  final void addSender(Sink first, Sink second, Sent sent) {
    Fault its = senders.isEmpty() ? faultOfSender : Fault.NONE;
    senders.add(new Sender(this, first, second, sent, its, seed + senders.size()));
  }

  final void addReceiver(Source source, Received received) {
    receivers.add(new Receiver(this, source, received, seed - 1 - receivers.size()));
  }

  /** Starts all receivers, and then all senders. */
  final void startEnds() {
    for (Receiver receiver : receivers) {
      start("consumer", () -> receive(receiver));
      watch(receiver::steps);
    }
    for (Sender sender : senders) {
      start("producer", () -> send(sender));
    }
    if (!receivers.isEmpty()) {
      watch(() -> receivers.stream().mapToLong(its -> its.received.progress()).sum());
    }
  }

  /** Sends all that a sender should, or as long as it may. */
  void send(Sender sender) throws InterruptedException {
    while (!stopped.contains("producer") && sender.next() < records) {
      if (!sender.step()) {
        checkCompleted();
        return;
      }
    }
  }

  private void receive(Receiver receiver) throws InterruptedException {
    int count = 0;
    while (!stopped.contains("consumer") && count != Source.DRAINED) {
      count = receiver.take(takes);
    }
    checkReleased();
  }

  /** Checks that claims may be refused, because the structure is completed. */
  void checkCompleted() {}

  /** Checks that no record is held if the structure is drained. */
  void checkReleased() {}

  /** Waits until the first sender has sent all, since others may starve, or the time is over. */
  final void awaitSent() throws Exception {
    long begin = System.nanoTime();
    await(() -> senders.getFirst().next() >= records || System.nanoTime() - begin > nanos);
  }

  /** Lets all threads of a name end, although the structure goes on. */
  final void stop(String name) throws Exception {
    stopped.add(name);
    await(() -> threads.stream().noneMatch(its -> its.getName().equals(name) && its.isAlive()));
  }

  /** Compares what was sent and what was received. */
  final Counts balance() {
    Counts sent = FifoSpec.sent(senders.stream().map(sender -> sender.sent).toList());
    return FifoSpec.balance(sent, receivers.stream().map(receiver -> receiver.received).toList());
  }
}

package dev.millrace.stress;

import dev.millrace.core.Measured;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.SpscQueue;
import dev.millrace.queues.internal.BoundedQueue;
import dev.millrace.queues.internal.RecordStore.Kind;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Received;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.spec.KFifoSpec;
import dev.millrace.stress.spec.KFifoSpec.Log;
import dev.millrace.stress.trial.AnyQueue;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Producers and consumers on a queue of any kind, which is completed while producers claim. Of a
 * k-FIFO queue each call is written down and judged, too.
 */
class QueueRound extends Round {
  private static final long SHORT_NANOS = 500_000_000;

  /** What is in a queue. */
  enum Content {
    /** Records of fixed layout. */
    ENTRIES,
    /** Messages of any length. */
    MESSAGES,
    /** Java records. */
    VALUES
  }

  final Content content;
  final Kind kind;
  private final int capacity;
  int longest; // message
  private int k; // 0 but for k-FIFO queues
  private KFifoSpec spec; // null of others

  /** The queue; null before it is made. */
  Measured queue;

  /** Makes the end of a producer. */
  IntFunction<Sink> newSink;

  private final AtomicInteger held = new AtomicInteger(); // records
  private Supplier<Source> newSource;
  private Runnable complete;
  private BooleanSupplier isDrained;
  private Supplier<Counts> atEnd = Counts::new;

  /** Makes a round, with a stall limit unless that is 0. */
  QueueRound(Load load, Content content, Kind kind, int capacity, long stallNanos, long seed) {
    super(load, seed);
    this.content = content;
    this.kind = kind;
    this.capacity = capacity;
    this.longest = load.longest;
    this.stallNanos = stallNanos;
    String limit = stallNanos > 0 ? " limit " + stallNanos / 1_000 + " us" : "";
    this.name = content + " " + kind + "(" + capacity + ")" + limit;
  }

  /** Makes a round on a k-FIFO queue of random shape. */
  static QueueRound kFifo(Load load, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int k = 1 << random.nextInt(7);
    int capacity = Math.max(2, k << random.nextInt(4));
    QueueRound round = new QueueRound(load, Content.ENTRIES, Kind.MPMC, capacity, 0, seed);
    round.k = k;
    round.name = "K_FIFO %2d".formatted(k);
    round.spec = new KFifoSpec(k, capacity);
    round.nanos = SHORT_NANOS; // each call is kept
    // threads that do not wait know better when their calls began
    round.claims = random.nextBoolean() ? Form.WAIT_RUN : Form.HAND;
    round.takes = round.claims;
    return round;
  }

  @Override
  final void sample() {
    Counts.checkWithin("size", gauge("size"), 0, gauge("capacity"));
  }

  final int gauge(String name) {
    return queue.metrics().get(name).intValue();
  }

  // ---- the queue ----

  /**
   * Makes the queue.
   *
   * @param all how many producers there are
   * @param small from which of them on messages take one cell
   */
  final void open(int all, int small) {
    SplittableRandom random = new SplittableRandom(seed);
    QueueOptions options =
        QueueOptions.ofCapacity(capacity)
            .withProducerWaits(Load.drawWaits(random))
            .withConsumerWaits(Load.drawWaits(random))
            .withStallLimit(Duration.ofNanos(stallNanos > 0 ? stallNanos : Long.MAX_VALUE));
    switch (content) {
      case ENTRIES -> openEntries(options);
      case MESSAGES -> openMessages(options, all, small);
      case VALUES -> openValues(Values.of(kind, options));
    }
  }

  private void openEntries(QueueOptions options) {
    BoundedQueue<Entry> made =
        switch (kind) {
          case SPSC -> SpscQueue.of(Entry.TYPE, options);
          case MPSC -> MpscQueue.of(Entry.TYPE, options);
          case MPMC ->
              k > 0 ? KFifoQueue.of(Entry.TYPE, k, options) : MpmcQueue.of(Entry.TYPE, options);
        };
    AnyQueue<Entry> any = new AnyQueue<>(made);
    newSink = _ -> new Sink.Of(any.newProducer());
    newSource = () -> new Source.Of<>(any.newConsumer(), Entry::wholeNumber, held, newLog());
    own(made, made::complete, made::isDrained, made::close);
  }

  private void openMessages(QueueOptions options, int all, int small) {
    MessageQueue its =
        switch (kind) {
          case SPSC -> MessageQueue.spsc(options);
          case MPSC -> MessageQueue.mpsc(options);
          case MPMC -> MessageQueue.mpmc(options);
        };
    int most = Math.min(longest, its.maxLength() - Long.BYTES);
    int clocks = (int) seed & 1; // with them no claim is cut into messages
    Messages messages = new Messages(its, all, most, clocks, small, stallNanos == 0);
    MessageConsumer sole = kind == Kind.MPMC ? null : its.newConsumer();
    newSink = index -> messages.new In(index);
    newSource =
        () -> {
          MessageConsumer end = sole == null ? its.newConsumer() : sole;
          return messages.new Out(end, sole != null, held, load.fault, seed);
        };
    own(its, its::complete, its::isDrained, its::close);
  }

  private void openValues(Values its) {
    newSink = _ -> its.new In();
    newSource = () -> its;
    atEnd = its::checkSpills;
    own(its.queue(), its.queue()::complete, its.queue()::isDrained, its.queue()::close);
  }

  private void own(Measured its, Runnable completion, BooleanSupplier drained, Runnable closing) {
    queue = its;
    complete = completion;
    isDrained = drained;
    close = closing;
    state = its::metrics;
  }

  @Override
  void checkReleased() {
    boolean isOver = isDrained.getAsBoolean(); // before the count, which others may lower
    Counts.checkWithin("records held", held.get(), 0, isOver ? 0 : Integer.MAX_VALUE);
  }

  @Override
  Log newLog() {
    return k > 0 ? spec.newLog() : Log.none();
  }

  final void addSender(int index, int all) {
    boolean nests = kind != Kind.SPSC && content != Content.VALUES;
    Sink second = nests ? newSink.apply(index) : null;
    addSender(newSink.apply(index), second, new Sent(index, all, false));
  }

  final void addReceiver(int all) {
    // a put that takes longer than the limit is made again, behind later ones
    boolean isOrdered = k == 0 && (content != Content.VALUES || stallNanos == 0);
    addReceiver(newSource.get(), new Received(all, isOrdered));
  }

  // ---- the round ----

  @Override
  Counts run() throws Exception {
    int all = kind == Kind.SPSC ? 1 : load.producers;
    open(all, all);
    for (int i = 0; i < all; i++) {
      addSender(i, all);
    }
    for (int i = 0; i < (kind == Kind.MPMC ? load.consumers : 1); i++) {
      addReceiver(all);
    }
    startEnds();
    awaitSent();
    complete.run(); // while producers claim: the claims that succeeded count
    join();
    Counts counts = checkEnd();
    Counts.checkWithin("refused", counts.get("refused"), 0, stallNanos == 0 ? 0 : Long.MAX_VALUE);
    return k > 0 ? counts.add(spec.balance()) : counts;
  }

  final void complete() {
    complete.run();
  }

  /** Judges a queue that its consumers have drained. */
  final Counts checkEnd() {
    Counts counts = balance();
    Counts.check(isDrained.getAsBoolean(), "queue must be drained", queue);
    Counts.check("size", gauge("size"), 0);
    return counts.add(atEnd.get());
  }
}

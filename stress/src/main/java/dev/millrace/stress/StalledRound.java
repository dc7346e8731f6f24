package dev.millrace.stress;

import dev.millrace.queues.internal.RecordStore.Kind;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.spec.Counts;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Producers that stop between claim and commit on a queue with a stall limit, while others go on.
 * Each is a virtual thread. Some never come back, or only when the queue is closed. The others come
 * back when their claim was given up beyond doubt, because a record that was claimed later has been
 * consumed; they write into their slots what no consumer may see, and end the claim, which must be
 * refused. In the end the queue must have all slots but those that are lost for good.
 *
 * <p>Producers that stop within a call are left to the simulator, whose threads may stop anywhere.
 */
final class StalledRound extends QueueRound {
  private static final int HEALTHY = 2; // producers that go on
  private static final int ALL = HEALTHY + 1; // with the last, which is this thread
  private static final int MOST_SLOTS = 3; // of a claim that is stopped
  private static final int LONGEST = 40; // message, so that there are rows of cells for most

  /** A claim that is left open, and how many slots it holds. */
  private record Stopped(Sink sink, int slots) {}

  private final int forGood;
  private final AtomicInteger settled = new AtomicInteger();
  private final AtomicInteger heldSlots = new AtomicInteger();
  private final AtomicInteger lostSlots = new AtomicInteger();
  private final AtomicInteger lateSlots = new AtomicInteger();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /**
   * Makes a round.
   *
   * @param slots the capacity, of messages in cells
   * @param forGood how many producers never come back; each holds up to three slots, and all of
   *     these must fit into three quarters of the queue
   */
  StalledRound(Load load, Content content, Kind kind, int slots, int forGood, long seed) {
    int bytes = content == Content.MESSAGES ? MessageQueue.CELL_BYTES : 1;
    super(load, content, kind, slots * bytes, load.limitNanos(), seed);
    this.forGood = forGood;
    this.name += ", " + load.stops + " stopped, " + forGood + " for good";
    this.records = Long.MAX_VALUE;
    this.run = MOST_SLOTS;
    this.longest = LONGEST;
    this.takes = Form.BRIEF;
  }

  @Override
  Counts run() throws Exception {
    open(ALL, HEALTHY);
    Runnable closeQueue = close;
    close =
        () -> {
          closeQueue.run();
          closed.complete(null);
        };
    for (int i = 0; i < HEALTHY; i++) {
      addSender(i, ALL);
    }
    for (int i = 0; i < (kind == Kind.MPMC ? 2 : 1); i++) {
      addReceiver(ALL);
    }
    startEnds();
    start("stopper", this::startStops);
    await(() -> settled.get() == load.stops);
    stop("producer");
    await(() -> gauge("size") == 0);
    stop("consumer");
    Counts counts = checkSlots();
    close.run();
    join(); // with those that come back to the closed queue
    return counts.add("slots for good", lostSlots.get()).add("late", lateSlots.get());
  }

  // ---- producers that stop ----

  /** Starts them over the time, as far as others have slots left. */
  private void startStops() {
    long begin = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < load.stops; i++) {
      int ticket = i;
      SplittableRandom its = random.split();
      while (System.nanoTime() - begin < (double) nanos / load.stops * i
          || heldSlots.get() + MOST_SLOTS > gauge("capacity") / 4 * 3) {
        rest();
      }
      heldSlots.addAndGet(MOST_SLOTS); // until it is known
      start(Thread.ofVirtual().name("stopped"), () -> stop(ticket, its));
    }
  }

  private void rest() {
    Counts.check(!hasFailed(), "another thread must not have failed", this);
    LockSupport.parkNanos(stallNanos / 16);
  }

  /** Claims, stops for a while or for good, and goes on. */
  private void stop(int ticket, SplittableRandom random) throws InterruptedException {
    Stopped claim = claim(1 + random.nextInt(MOST_SLOTS));
    while (claim == null) {
      rest();
      claim = claim(1 + random.nextInt(MOST_SLOTS));
    }
    heldSlots.addAndGet(claim.slots - MOST_SLOTS);
    boolean hurries = load.fault == Fault.HURRY;
    boolean isForGood = (ticket + 1L) * forGood / load.stops > (long) ticket * forGood / load.stops;
    if (isForGood && !hurries) {
      lostSlots.addAndGet(claim.slots);
      settled.incrementAndGet();
      if (ticket % 2 != 0) { // otherwise the thread ends with its claim open
        closed.join();
        goOn(claim, random.nextInt(8) != 0);
      }
      return;
    }
    if (!hurries) {
      pause(random);
    }
    goOn(claim, random.nextInt(8) != 0);
    heldSlots.addAndGet(-claim.slots);
    lateSlots.addAndGet(claim.slots);
    settled.incrementAndGet();
  }

  /** Claims up to a number of slots; returns null if none is free. */
  private Stopped claim(int count) throws InterruptedException {
    try {
      Sink sink = newSink.apply(HEALTHY);
      int claimed = sink.claim(Form.TRY_RUN, HEALTHY, count);
      int slots = sink instanceof Messages.In message ? message.cells() : claimed;
      return claimed == 0 ? null : new Stopped(sink, slots);
    } catch (IllegalStateException e) {
      return null; // another time it may be fewer
    }
  }

  /** Stops the thread until its claim was given up beyond doubt: some time, or many laps. */
  private void pause(SplittableRandom random) {
    int watched = random.nextInt(HEALTHY);
    // what it claims from here on, with room for what is under way
    long passedFrom = senders.get(watched).next() + 4L * run * ALL;
    long most = random.nextBoolean() ? 0 : random.nextLong(8 * stallNanos);
    long begin = System.nanoTime();
    do {
      rest();
    } while (System.nanoTime() - begin < most
        || receivers.stream().allMatch(its -> its.received.last(watched) < passedFrom));
  }

  /** Writes and ends a claim as if nothing had happened: it must have been given up. */
  private void goOn(Stopped claim, boolean commits) throws InterruptedException {
    try {
      boolean isAccepted = claim.sink.end(commits, Fault.POISON);
      Counts.check(!isAccepted || !commits, "claim must have been given up", claim);
    } catch (IllegalStateException e) {
      if (!closed.isDone() && !Sender.isGivenUp(e)) {
        throw e;
      }
    }
  }

  // ---- the slots in the end ----

  /** Checks that all slots are in use but those that are lost; this thread sends and takes. */
  private Counts checkSlots() throws InterruptedException {
    addSender(HEALTHY, ALL);
    addReceiver(ALL);
    Sink sink = newSink.apply(HEALTHY);
    int capacity = gauge("capacity");
    for (int i = 0; i < 3 * capacity; i++) { // those that came back are in use after a lap
      send(sink, 1);
      take(1);
    }
    int left = capacity - lostSlots.get();
    for (int i = 0; i <= left; i++) {
      send(sink, i < left ? 1 : 0);
    }
    for (int i = 0; i <= left; i++) {
      take(i < left ? 1 : 0);
    }
    complete();
    take(Source.DRAINED);
    return checkEnd();
  }

  private void send(Sink sink, int mustBe) throws InterruptedException {
    Counts.check("records sent by the last", senders.getLast().trySend(sink), mustBe);
  }

  private void take(int mustBe) throws InterruptedException {
    Counts.check("records taken by the last", receivers.getLast().take(Form.TRY), mustBe);
  }
}

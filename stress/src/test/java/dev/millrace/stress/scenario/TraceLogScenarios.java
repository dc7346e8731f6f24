package dev.millrace.stress.scenario;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import dev.millrace.stress.trial.SmallTrace;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;

/**
 * What a trace log adds to the history ring: who wrote a record, when, and with which text. A
 * writer's name is its number, and so is the text of its records.
 */
@ScenariosOf("TraceLog")
public final class TraceLogScenarios extends Steps {
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final FlyweightType<Pair> PAIRS = FlyweightType.of(Pair::new);

  /** A log, and a thread that reads it beside what a scenario adds. */
  private static final class Trace {
    final SmallTrace made;
    private final Simulation run;
    private final TraceReader reader;
    private final Pair view;

    Trace(Simulation run, SmallTrace made) {
      this.run = run;
      this.made = made;
      reader = made.newReader();
      view = reader.newView(PAIRS);
    }

    /** Adds the reader, which looks so many times, and accounts for all at the end. */
    void read(int looks) {
      Body read =
          () -> {
            if (reader.tryPoll()) {
              check();
            }
          };
      run.thread("reader", times(looks, read));
      run.atEnd(this::account);
    }

    /** What has been read must be of one record. */
    private void check() {
      long value = view.whole();
      run.check(
          reader.writer().equals(Long.toString(value / 10)),
          value + " is said to be of writer " + reader.writer());
      run.check(reader.type().equals("pair"), "type " + reader.type());
      String text = value % 2 == 0 ? Long.toString(value) : "";
      run.check(reader.text().equals(text), value + " has the text " + reader.text());
      long time = reader.nanoTime();
      run.check(time % SECOND_NANOS == value, value + " has the time " + time);
    }

    void expect(long value) {
      run.check(reader.tryPoll() && view.whole() == value, "instead of " + value);
    }

    void account() {
      while (reader.tryPoll()) {
        check();
      }
      long passed = reader.readCount() + reader.lostCount() + reader.refusedCount();
      run.check(
          passed == made.claimedCount(),
          "claimed " + made.claimedCount() + ", but passed " + passed);
      run.check(
          reader.refusedCount() <= made.refusedCount(),
          "refused " + made.refusedCount() + ", but read as such " + reader.refusedCount());
    }
  }

  @About("records of two writers are whole, each with its writer's name, time and text, or counted")
  public void writersAreToldApart(Simulation run) {
    Trace trace = new Trace(run, SmallTrace.ofMany(2));
    for (int number = 1; number <= 2; number++) {
      TraceWriter<Pair> writer = writer(trace.made, number);
      int first = 10 * number;
      run.thread("writer " + number, () -> write(writer, first), () -> write(writer, first + 1));
    }
    trace.read(3);
  }

  @About("one writer: a reader that is overtaken sees whole records with their texts, or counts")
  public void soleWriterOvertakes(Simulation run) {
    Trace trace = new Trace(run, SmallTrace.ofOne(2));
    TraceWriter<Pair> writer = writer(trace.made, 1);
    run.thread("writer", rounds(4, i -> run.check(write(writer, 10 + i), "refused though alone")));
    trace.read(3);
  }

  @About("one thread: a claim that reaches an open one is refused, and so is the record lapped")
  public void soleThreadReachesItsOpenClaim(Simulation run) {
    Trace trace = new Trace(run, SmallTrace.ofOne(2));
    TraceWriter<Pair> slow = writer(trace.made, 1);
    TraceWriter<Pair> fast = writer(trace.made, 2);
    run.thread(
        "writer",
        () -> slow.tryClaimAt(11).set(11),
        () -> run.check(write(fast, 20), "refused where nothing is open"),
        () -> run.check(!write(fast, 21), "claims the slot of an open record"),
        () -> run.check(write(fast, 22), "refused behind the open record"),
        slow::commit,
        () -> run.check(write(fast, 23), "refused where nothing is open any more"));
    trace.read(3);
    run.atEnd(
        () -> run.check(trace.made.refusedCount() == 2, "refused " + trace.made.refusedCount()));
  }

  @About("a writer that is made beside a reader is known whole, or not yet")
  public void writerIsMadeBesideReader(Simulation run) {
    Trace trace = new Trace(run, SmallTrace.ofMany(4));
    TraceWriter<Pair> former = writer(trace.made, 1);
    run.thread("former", () -> write(former, 10));
    run.thread("maker", () -> write(writer(trace.made, 2), 20));
    trace.read(2);
  }

  @About("a writer that another thread made is known when its first record is read")
  public void writerIsHandedOver(Simulation run) {
    Trace trace = new Trace(run, SmallTrace.ofMany(2));
    TraceWriter<?>[] handed = new TraceWriter<?>[1];
    Flag ready = new Flag();
    run.thread("maker", () -> handed[0] = writer(trace.made, 1), ready::raise);
    run.thread(
        "writer",
        () -> {
          ready.await();
          @SuppressWarnings("unchecked") // all are of pairs
          TraceWriter<Pair> writer = (TraceWriter<Pair>) handed[0];
          write(writer, 10);
        });
    trace.read(1);
  }

  @About("a writer whose entry was a former one's is never taken for that, nor that for it")
  public void entryIsUsedAgain(Simulation run) {
    Trace trace = new Trace(run, SmallTrace.ofMany(2));
    TraceWriter<Pair> former = writer(trace.made, 1);
    TraceWriter<Pair> other = writer(trace.made, 2);
    run.thread(
        "owner",
        () -> {
          write(former, 10);
          former.close();
          write(other, 20);
          TraceWriter<Pair> early = writer(trace.made, 4);
          run.check(
              SmallTrace.entry(early) != SmallTrace.entry(former),
              "the entry is used again too early");
          write(other, 21);
          TraceWriter<Pair> next = writer(trace.made, 3);
          run.check(
              SmallTrace.entry(next) == SmallTrace.entry(former), "the entry is not used again");
          write(next, 30);
        });
    trace.read(3);
  }

  @About("what a writer's limits leave out is counted, and others see the count rise only")
  public void leftOutAreCounted(Simulation run) {
    Trace trace = new Trace(run, SmallTrace.ofMany(2));
    SmallTrace log = trace.made;
    TraceWriter<Pair> writer = log.newWriter("1", "pair", PAIRS, 2, 1);
    run.thread(
        "writer",
        () -> {
          for (int i = 10; i < 13; i++) {
            write(writer, i, i);
          }
          for (int i = 13; i < 19; i++) {
            write(writer, i, i + 2 * SECOND_NANOS);
          }
        });
    run.thread(
        "watcher",
        () -> {
          long former = 0;
          for (int i = 0; i < 3; i++) {
            long count = writer.leftOutCount();
            run.check(count >= former, "left out " + count + " after " + former);
            former = count;
          }
        });
    run.atEnd(
        () -> {
          // of 10 and 12, and of 14, 16 and 18 in a second of theirs, the first
          trace.expect(10);
          trace.expect(14);
          trace.account();
          run.check(log.claimedCount() == 2, "claimed " + log.claimedCount());
          run.check(writer.leftOutCount() == 7, "left out " + writer.leftOutCount());
        });
  }

  private static TraceWriter<Pair> writer(SmallTrace made, int number) {
    return made.newWriter(Integer.toString(number), "pair", PAIRS);
  }

  private static boolean write(TraceWriter<Pair> writer, long value) {
    return write(writer, value, value);
  }

  /** Writes a record, whose time is its value within a second; every second one has a text. */
  private static boolean write(TraceWriter<Pair> writer, long value, long nanoTime) {
    Pair record = writer.tryClaimAt(nanoTime);
    if (record == null) {
      return false;
    }
    record.set(value);
    if (value % 2 == 0) {
      writer.text(Long.toString(value));
    }
    long refused = writer.refusedCount();
    writer.commit();
    return writer.refusedCount() == refused;
  }
}

package dev.millrace.stress.scenario;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Simulation.Body;
import dev.millrace.stress.proof.About;
import java.util.Arrays;
import java.util.stream.LongStream;

/** A writer that overwrites, readers that are overtaken, whether others may write or not. */
public abstract class HistoryRingScenarios extends Steps {
  static final FlyweightType<Pair> PAIRS = FlyweightType.of(Pair::new);

  /** Makes a ring of the kind. */
  abstract HistoryRing<Pair> ring(int capacity);

  /** Makes a producer, or takes the only one. */
  abstract HistoryProducer<Pair> producer(HistoryRing<Pair> ring);

  @About("a reader that is overtaken sees whole records in order, or counts them as lost")
  public void readerIsOvertaken(Simulation run) {
    HistoryRing<Pair> ring = ring(2);
    HistoryReader<Pair> reader = ring.newReader(1);
    addWriter(run, ring);
    run.thread("reader", reads(run, reader, 4));
    run.atEnd(
        () -> account(run, ring, reader),
        () -> run.check(ring.claimedCount() == 5, "claimed " + ring.claimedCount()),
        () -> run.check(reader.refusedCount() == 0, "refused " + reader.refusedCount()));
  }

  /** Adds a thread that writes five records, alone. */
  private void addWriter(Simulation run, HistoryRing<Pair> ring) {
    HistoryProducer<Pair> out = producer(ring);
    run.thread("writer", rounds(5, i -> run.check(write(out, 1 + i), "refused though alone")));
  }

  @About("the newest records are read whole and in a row, however often they are overwritten")
  public void latestIsRead(Simulation run) {
    HistoryRing<Pair> ring = ring(3);
    HistoryProducer<Pair> out = producer(ring);
    HistoryReader<Pair> reader = ring.newReader(3);
    run.check(reader.sequence() == -1, "a sequence, though nothing was read");
    run.thread("writer", rounds(6, i -> write(out, 1 + i)));
    addLatestReader(run, reader);
    run.atEnd(
        () -> run.check(reader.latest(3) == 3, "not all that are kept"),
        () -> run.check(reader.at(0).whole() == 4, "not the last ones"),
        () -> run.check(reader.sequence() == 5, "not the newest's sequence"));
  }

  @About("the newest records are read past aborted ones, however often they are overwritten")
  public void latestPassesAborted(Simulation run) {
    HistoryRing<Pair> ring = ring(3);
    HistoryProducer<Pair> out = producer(ring);
    HistoryReader<Pair> reader = ring.newReader(3);
    Numbered write =
        i -> {
          write(out, 1 + i);
          abort(out);
        };
    run.thread("writer", rounds(4, write));
    addLatestReader(run, reader);
    run.atEnd(
        () -> run.check(reader.latest(3) == 1, "not the one that is kept"),
        () -> run.check(reader.at(0).whole() == 4, "not the last one"),
        () -> run.check(reader.sequence() == 6, "not the newest's sequence"));
  }

  @About("what is read of the newest records has no gap where one was overwritten meanwhile")
  public void latestHasNoGap(Simulation run) throws Exception {
    HistoryRing<Pair> ring = ring(3);
    HistoryReader<Pair> reader = ring.newReader(3);
    HistoryProducer<Pair> out = producer(ring);
    rounds(3, i -> write(out, 1 + i)).run();
    run.thread("writer", rounds(3, i -> write(out, 11 + i)));
    if (writers() == 2) {
      HistoryProducer<Pair> other = producer(ring);
      run.thread("another writer", rounds(2, i -> write(other, 21 + i)));
    }
    run.thread("reader", () -> checkHasNoGap(run, reader, 3), () -> checkHasNoGap(run, reader, 2));
    run.atEnd(() -> checkHasNoGap(run, reader, 3));
  }

  /**
   * Reads the newest records. Those that were there before the threads began are in a row up to the
   * last of them, and those of each writer rise.
   */
  private static void checkHasNoGap(Simulation run, HistoryReader<Pair> reader, int limit) {
    long before = reader.sequence();
    int count = reader.latest(limit);
    run.check(count <= limit, "more than wanted: " + count);
    run.check(count > 0 || reader.sequence() == before, "a sequence of none");
    long[] values = new long[count];
    long[] last = new long[3];
    for (int i = 0; i < count; i++) {
      values[i] = reader.at(i).whole();
      checkRises(run, values[i], last);
    }
    long oldest = count == 0 ? 4 : values[0];
    for (long old = oldest; old <= 3; old++) {
      int index = (int) (old - oldest);
      run.check(
          index < count && values[index] == old, "no " + old + " in " + Arrays.toString(values));
    }
  }

  /** Adds a thread that reads the newest records three times. */
  private static void addLatestReader(Simulation run, HistoryReader<Pair> reader) {
    long[] seen = new long[1];
    run.thread("reader", times(3, () -> seen[0] = readRow(run, reader, seen[0])));
  }

  /**
   * Reads the newest records. They are in order; one may be left out if it was being written, but
   * not if it had been seen before: if that was overwritten, nothing older is kept.
   */
  private static long readRow(Simulation run, HistoryReader<Pair> reader, long seen) {
    int count = reader.latest(3);
    long former = 0;
    for (int i = 0; i < count; i++) {
      long value = reader.at(i).whole();
      run.check(value > former, value + " came after " + former);
      run.check(
          i == 0 || value == former + 1 || former + 1 > seen, value + " came after " + former);
      former = value;
    }
    return Math.max(seen, former);
  }

  @About("aborted records are counted, by readers and in sum, none is delivered, slots go on")
  public void abort(Simulation run) {
    HistoryRing<Pair> ring = ring(2);
    HistoryReader<Pair> reader = ring.newReader(2);
    HistoryProducer<Pair> out = producer(ring);
    run.thread(
        "writer",
        rounds(
            3,
            i -> {
              abort(out);
              run.check(write(out, 1 + i), "refused");
            }),
        () -> run.check(write(out, 4), "refused")); // not as many as are aborted
    long[] last = new long[1];
    run.thread(
        "reader",
        times(
            3,
            () -> {
              long refused = ring.refusedCount();
              last[0] = readOne(run, reader, last[0]);
              run.check(ring.refusedCount() >= refused, "fewer refusals than before");
            }));
    run.atEnd(
        () -> account(run, ring, reader),
        () -> run.check(ring.refusedCount() == 3, "refused " + ring.refusedCount() + ", not 3"));
  }

  @About("what the writer did before commit is seen by who reads the record")
  public void commitPublishes(Simulation run) {
    HistoryRing<Pair> ring = ring(1);
    HistoryProducer<Pair> out = producer(ring);
    HistoryReader<Pair> reader = ring.newReader(1);
    publishes(run, () -> write(out, 1), () -> reader.tryPoll() != null);
  }

  @About("a reader made beside a writer begins with the oldest record kept; counts never fall")
  public void readerIsMadeBesideWriter(Simulation run) {
    HistoryRing<Pair> ring = ring(2);
    HistoryProducer<Pair> out = producer(ring);
    run.thread("writer", () -> write(out, 1), () -> abort(out), rounds(3, i -> write(out, 2 + i)));
    run.thread(
        "reader",
        () -> {
          long claimed = ring.claimedCount();
          long refused = ring.refusedCount();
          reads(run, ring.newReader(1), 2).run();
          run.check(ring.claimedCount() >= claimed, "fewer claims than before");
          run.check(ring.refusedCount() >= refused, "fewer refusals than before");
        });
    run.atEnd(
        () -> {
          HistoryReader<Pair> reader = ring.newReader(1);
          run.check(
              reader.tryPoll() != null && reader.at(0).whole() == 3, "not the oldest record kept");
          run.check(reader.lostCount() == 0, "lost what came before it was made");
          run.check(ring.refusedCount() == 1, "refused " + ring.refusedCount());
        });
  }

  @About("a run that is read beside a writer is of whole records, in order, each counted once")
  public void runIsReadBesideWriter(Simulation run) {
    HistoryRing<Pair> ring = ring(3);
    HistoryReader<Pair> reader = ring.newReader(3);
    addWriter(run, ring);
    long[] last = new long[1];
    Body read =
        () -> {
          int count = reader.tryPoll(3);
          for (int k = 0; k < count; k++) {
            long value = reader.at(k).whole();
            run.check(value > last[0], value + " came after " + last[0]);
            last[0] = value;
          }
          run.check(count == 0 || reader.sequence() == last[0] - 1, "not the last one's sequence");
        };
    run.thread("reader", times(2, read));
    run.atEnd(() -> account(run, ring, reader));
  }

  @About("a reader that goes to a time beside a writer reads from there, or counts as lost")
  public void seekBesideWriter(Simulation run) throws Exception {
    HistoryRing<Pair> ring = ring(3);
    HistoryReader<Pair> reader = ring.newReader(1);
    HistoryProducer<Pair> out = producer(ring);
    rounds(3, i -> write(out, 1 + i)).run();
    run.thread("writer", () -> write(out, 4), () -> write(out, 5));
    run.thread(
        "reader",
        () -> {
          reader.seek(3, Pair::whole);
          run.check(reader.position() == 2, "3 is at " + reader.position());
          long before = reader.lostCount();
          Pair pair = reader.tryPoll();
          if (pair != null) {
            long value = pair.whole();
            run.check(value == 3 + reader.lostCount() - before, "not the one: " + value);
            run.check(value == reader.sequence() + 1, "not its sequence: " + reader.sequence());
          }
        });
    run.atEnd(
        () -> reader.seek(4, Pair::whole),
        () -> run.check(reader.tryPoll().whole() == 4, "not 4"),
        () -> reader.seek(2),
        () -> run.check(reader.tryPoll().whole() == 3, "not 3"));
  }

  @About("a reader that goes backwards gets whole records in a row until one is overwritten")
  public void readBackwards(Simulation run) throws Exception {
    HistoryRing<Pair> ring = ring(4);
    HistoryReader<Pair> reader = ring.newReader(1);
    HistoryProducer<Pair> out = producer(ring);
    rounds(2, i -> write(out, 1 + i)).run();
    run.thread("writer", () -> abort(out), rounds(3, i -> write(out, 4 + i))); // each: sequence + 1
    run.thread("reader", times(2, () -> checkBackwards(run, ring, reader)));
    run.atEnd(
        () -> run.check(checkBackwards(run, ring, reader) == 3, "not all that are kept"),
        () -> run.check(reader.position() == 3, "stays at " + reader.position()),
        () -> run.check(reader.tryPoll().whole() == 4, "not the last one once more"),
        () -> run.check(reader.readCount() == 1, "counts what it read backwards"));
  }

  /** Reads backwards from the end; returns the number of records. */
  private static int checkBackwards(
      Simulation run, HistoryRing<Pair> ring, HistoryReader<Pair> reader) {
    long end = ring.claimedCount();
    reader.seek(end);
    long former = 0;
    int count = 0;
    for (Pair pair; (pair = reader.tryPollPrevious()) != null; count++) {
      long value = pair.whole();
      boolean isNext = value == former - 1 || (value == 2 && former == 4); // 3 was aborted
      run.check(count == 0 ? value <= end : isNext, value + " came after " + former);
      run.check(reader.sequence() == value - 1, "not its sequence: " + reader.sequence());
      run.check(reader.position() == value - 1, "not before it: " + reader.position());
      former = value;
    }
    return count;
  }

  // ---- readers that do not wait for writers that died, stalled or are slow ----

  @About("a reader that skips beside writers counts each claim once, and reads none twice")
  public void skipBesideWriters(Simulation run) {
    skipBeside(run, 2);
  }

  /** How many writers a scenario has. */
  abstract int writers();

  void skipBeside(Simulation run, int capacity) {
    HistoryRing<Pair> ring = ring(capacity);
    HistoryReader<Pair> reader = ring.newReader(1);
    long[] last = new long[writers() + 1];
    for (int writer = 1; writer <= writers(); writer++) {
      HistoryProducer<Pair> out = producer(ring);
      int first = 10 * writer + 1;
      run.thread("writer " + writer, rounds(3, i -> write(out, first + i)));
    }
    Body read =
        () -> {
          if (reader.tryPoll() != null) {
            checkRises(run, reader.at(0).whole(), last);
          } else {
            long before = reader.unfinishedCount() + reader.lostCount();
            long passed = reader.skipUnfinished();
            long after = reader.unfinishedCount() + reader.lostCount();
            run.check(after - before == passed, "passed " + passed + ", counted otherwise");
          }
        };
    run.thread("reader", times(5, read));
    run.atEnd(
        () -> {
          while (reader.tryPoll() != null) {
            checkRises(run, reader.at(0).whole(), last);
          }
        },
        () -> run.check(reader.skipUnfinished() == 0, "all are finished"),
        () -> account(run, ring, reader));
  }

  private static void checkRises(Simulation run, long value, long[] last) {
    int writer = (int) value / 10;
    run.check(value > last[writer], value + " came after " + last[writer]);
    last[writer] = value;
  }

  @About("a record that was passed unfinished and is committed then is not delivered")
  public void skipMeetsCommit(Simulation run) {
    HistoryRing<Pair> ring = ring(2);
    HistoryReader<Pair> reader = ring.newReader(1);
    HistoryProducer<Pair> slow = producer(ring);
    Pair pair = slow.tryClaim();
    run.thread(
        "writer",
        () -> pair.set(1),
        slow::commit,
        () -> run.check(slow.refusedCount() == 0, "refused"));
    run.thread(
        "reader",
        () -> {
          long passed = reader.skipUnfinished();
          boolean found = reader.tryPoll() != null;
          run.check(passed == 0 || !found, "passed and delivered");
          run.check(!found || reader.at(0).whole() == 1, "not the record");
        });
    run.atEnd(() -> account(run, ring, reader));
  }

  // ---- what writers and readers do ----

  /** Tells whether the record was committed and not refused. */
  static boolean write(HistoryProducer<Pair> out, long value) {
    long refused = out.refusedCount();
    Pair pair = out.tryClaim();
    if (pair != null) {
      pair.set(value);
      out.commit();
    }
    return out.refusedCount() == refused;
  }

  private static void abort(HistoryProducer<Pair> out) {
    out.tryClaim().set(-1);
    out.abort();
  }

  /** Reads a record so often, each later than the one before. */
  static Body reads(Simulation run, HistoryReader<Pair> reader, int count) {
    long[] last = new long[1];
    return times(count, () -> last[0] = readOne(run, reader, last[0]));
  }

  /** Reads a record, whose value must be later than the last; returns it, or the last. */
  private static long readOne(Simulation run, HistoryReader<Pair> reader, long last) {
    if (reader.tryPoll() == null) {
      return last;
    }
    long value = reader.at(0).whole();
    run.check(value > last, value + " came after " + last);
    return value;
  }

  /** Once all is quiet: what was claimed was read, lost, refused or passed unfinished. */
  static void account(Simulation run, HistoryRing<Pair> ring, HistoryReader<Pair> reader) {
    while (reader.tryPoll() != null) {
      reader.at(0).whole();
    }
    long[] passed = {
      reader.readCount(), reader.lostCount(), reader.refusedCount(), reader.unfinishedCount()
    };
    run.check(
        ring.claimedCount() == LongStream.of(passed).sum(),
        "claimed %d, but read, lost, refused, unfinished are %s"
            .formatted(ring.claimedCount(), Arrays.toString(passed)));
  }
}

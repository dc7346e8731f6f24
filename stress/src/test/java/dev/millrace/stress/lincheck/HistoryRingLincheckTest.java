package dev.millrace.stress.lincheck;

import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.stress.trial.Numbered;
import java.lang.foreign.MemorySegment;
import java.util.StringJoiner;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A {@link HistoryRing} hands out whole records only, in the order of their claims, and accounts
 * for each one: read, lost, refused or passed unfinished.
 *
 * <p><b>Hazard.</b> Writers that lap each other in a slot mix their records; a reader takes a
 * record that is being overwritten for whole; a record is counted twice or not at all.
 *
 * <p><b>Known to fail.</b> {@link ManyWriters#writeCommittedFirst}, {@link
 * ManyWriters#writeRefused}, and many writers on a ring for one.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all HistoryRingLincheckTest}
 *
 * <p>A write is not linearizable as one step, and need not be: its place in the order is taken at
 * the claim, its record appears at the commit, and whether it is refused depends on who comes in
 * between. {@link HistoryAllows} says which steps there are.
 *
 * <p>A ring in a file has the same slots and readers. Only its claims differ, by announcements that
 * matter when a process dies. {@code SharedHistoryScenarios} tests those, so there is no trial of
 * such a ring here.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class HistoryRingLincheckTest {
  private static final Mix READER = Mix.ofOne("next", "skip", "latest");
  private static final Mix READS = Mix.ofOne("write").and(READER);
  private static final Mix WRITES =
      Mix.ofAny("write", "abort", "claimed", "refused").and(Mix.ofOne("next", "skip"));

  private static Trial trial(Class<?> operations, Mix mix, String about) {
    return Trial.of(HistoryRing.class, operations, about)
        .mixing(mix)
        .allowedBy(HistoryAllows.class);
  }

  private static Trial reads(Class<?> operations) {
    return trial(operations, READS, "readers of a ring being lapped get whole records, in order");
  }

  private static Trial writes() {
    return trial(ManyWriters.class, WRITES, "writers that lap each other: each record counted once")
        .threads(3, 2);
  }

  @Test
  void reads_whenModelChecked_areWholeAndCounted(TestInfo test) {
    reads(ManyWriters.class).modelChecking(20, 500).passes(test);
  }

  @Test
  void reads_ofOneWriter_whenModelChecked_areWholeAndCounted(TestInfo test) {
    reads(OneWriter.class).modelChecking(20, 500).passes(test);
  }

  @Test
  void writes_whenModelChecked_areCountedOnce(TestInfo test) {
    writes().modelChecking(20, 500).passes(test);
  }

  @Test
  void write_whenCommittedFirst_isCaught(TestInfo test) {
    trial(
            ManyWriters.class,
            Mix.ofOne("writeCommittedFirst").and(READER),
            "planted: commit before the fields are written")
        .modelChecking(20, 500)
        .isCaught(test);
  }

  @Test
  void write_whenRefusalIsIgnored_isCaught(TestInfo test) {
    trial(
            ManyWriters.class,
            Mix.ofAny("writeRefused").and(Mix.ofOne("next")),
            "planted: writes where it was refused")
        .threads(3, 2)
        .modelChecking(20, 500)
        .isCaught(test);
  }

  @Test
  void write_ofManyWhereOneIsAllowed_isCaught(TestInfo test) {
    trial(OneWriter.class, Mix.ofAny("write", "claimed"), "planted: a ring of one writer has many")
        .threads(3, 2)
        .modelChecking(20, 500)
        .isCaught(test);
  }

  /** On a ring for many writers, each of which has a producer for each write. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:2")
  public static class ManyWriters extends HistoryOperations {
    private static final long FIRST_RECORD = 256 + 8; // behind the control block and a stamp

    final HistoryRing<Numbered> history;
    private final HistoryReader<Numbered> inOrder;
    private final HistoryReader<Numbered> newest;
    private volatile MemorySegment memory;

    public ManyWriters() {
      this(HistoryRing.multi(Numbered.TYPE, CAPACITY));
    }

    ManyWriters(HistoryRing<Numbered> history) {
      this(history, history.newReader(1));
    }

    private ManyWriters(HistoryRing<Numbered> history, HistoryReader<Numbered> inOrder) {
      super(inOrder);
      this.history = history;
      this.inOrder = inOrder;
      this.newest = history.newReader(CAPACITY);
    }

    @Override
    HistoryProducer<Numbered> producer(int thread) {
      return history.newProducer();
    }

    @Override
    String read() {
      Numbered record = inOrder.tryPoll();
      return record != null ? record.read() : NOTHING;
    }

    @Override
    public long claimed() {
      return history.claimedCount();
    }

    @Override
    public long refused() {
      return history.refusedCount();
    }

    @Operation
    public String latest(@Param(name = "limit") int limit) {
      int count = newest.latest(limit);
      StringJoiner records = new StringJoiner(" ");
      for (int i = 0; i < count; i++) {
        records.add(newest.at(i).read());
      }
      return records.toString();
    }

    /** Planted: the record is written after its commit. */
    @Operation
    public String writeCommittedFirst(@Param(name = "value") long value) {
      HistoryProducer<Numbered> out = producer(0);
      Numbered record = out.tryClaim();
      if (record == null) {
        return NO_CLAIM;
      }
      long offset = record.offset();
      String done = commit(out);
      record.moveTo(offset);
      record.write(value);
      return done;
    }

    /** Planted: the record is written whether or not there was a slot for it. */
    @Operation
    public String writeRefused(@Param(name = "value") long value) {
      HistoryProducer<Numbered> out = producer(0);
      Numbered record = out.tryClaim();
      if (record != null) {
        memory = record.memory();
        record.write(value);
        return commit(out);
      }
      if (memory != null) {
        Numbered ignoring = new Numbered(memory);
        ignoring.moveTo(FIRST_RECORD);
        ignoring.write(value);
      }
      return NO_CLAIM;
    }
  }

  /** On a ring for one writer. */
  public static class OneWriter extends ManyWriters {
    public OneWriter() {
      super(HistoryRing.single(Numbered.TYPE, CAPACITY));
    }

    @Override
    HistoryProducer<Numbered> producer(int thread) {
      return history.producer();
    }
  }
}

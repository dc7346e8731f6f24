package dev.millrace.stress.lincheck;

import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryRing;
import java.lang.foreign.MemorySegment;
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
 * <p><b>Known to fail.</b> {@link CommitsFirst}, which commits a record before it writes it, {@link
 * IgnoresRefusal}, which writes into the slot although the claim was refused, and {@link
 * OneWriterOfMany}, whose writers are many though the ring is for one.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=HistoryRingLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 *
 * <p>A write is not linearizable as one step, and need not be: its place in the order is taken at
 * the claim, its record appears at the commit, and whether it is refused depends on who comes in
 * between. {@link HistoryAllows} says which steps there are.
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class HistoryRingLincheckTest {
  private static final String READERS =
      "readers of a ring being lapped get whole records, in order";
  private static final String WRITERS = "writers that lap each other: each record counted once";

  private static Trial readers(Class<?> operations) {
    return Trial.of(HistoryRing.class, operations, READERS)
        .allowedBy(HistoryAllows.class)
        .threads(2, 4);
  }

  private static Trial writers(Class<?> operations) {
    return Trial.of(HistoryRing.class, operations, WRITERS)
        .allowedBy(HistoryAllows.class)
        .threads(3, 2);
  }

  @Test
  void reads_whenModelChecked_areWholeAndCounted(TestInfo test) {
    readers(OneWriter.class).modelChecking(20, 500).passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void reads_whenStressed_areWholeAndCounted(TestInfo test) {
    readers(OneWriter.class).stress(30, 1_000).passes(test);
  }

  @Test
  void reads_ofOneWriter_whenModelChecked_areWholeAndCounted(TestInfo test) {
    readers(OnlyWriter.class).modelChecking(20, 500).passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void reads_ofOneWriter_whenStressed_areWholeAndCounted(TestInfo test) {
    readers(OnlyWriter.class).stress(30, 1_000).passes(test);
  }

  @Test
  void writes_whenModelChecked_areCountedOnce(TestInfo test) {
    writers(ManyWriters.class).modelChecking(20, 500).passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void writes_whenStressed_areCountedOnce(TestInfo test) {
    writers(ManyWriters.class).stress(30, 1_000).passes(test);
  }

  @Test
  void write_whenCommittedFirst_isCaught(TestInfo test) {
    Trial.of(HistoryRing.class, CommitsFirst.class, "planted: commit before the fields are written")
        .allowedBy(HistoryAllows.class)
        .threads(2, 4)
        .modelChecking(20, 500)
        .isCaught(test);
  }

  @Test
  void write_whenRefusalIsIgnored_isCaught(TestInfo test) {
    Trial.of(HistoryRing.class, IgnoresRefusal.class, "planted: writes where it was refused")
        .allowedBy(HistoryAllows.class)
        .threads(3, 2)
        .modelChecking(20, 500)
        .isCaught(test);
  }

  @Test
  void write_ofManyWhereOneIsAllowed_isCaught(TestInfo test) {
    Trial.of(HistoryRing.class, OneWriterOfMany.class, "planted: a ring of one writer has many")
        .allowedBy(HistoryAllows.class)
        .threads(3, 2)
        .modelChecking(20, 500)
        .isCaught(test);
  }

  /** One writer, and one reader that reads both in order and the newest. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:2")
  public static class OneWriter extends HistoryOperations {
    /** On a ring for many writers. */
    public OneWriter() {}

    OneWriter(HistoryRing<Triple> history) {
      super(history);
    }

    @Operation(nonParallelGroup = "writer")
    public String write(@Param(name = "value") long value) {
      return tryWrite(value);
    }

    @Operation(nonParallelGroup = "reader")
    public String next() {
      return tryNext();
    }

    @Operation(nonParallelGroup = "reader")
    public String skip() {
      return trySkip();
    }

    @Operation(nonParallelGroup = "reader")
    public String latest(@Param(name = "limit") int limit) {
      return readLatest(limit);
    }
  }

  /** The same on a ring that is made for one writer. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "limit", gen = IntGen.class, conf = "1:2")
  public static class OnlyWriter extends OneWriter {
    /** On a ring for one writer. */
    public OnlyWriter() {
      super(single());
    }

    @Override
    HistoryProducer<Triple> producer() {
      return history.producer();
    }
  }

  /** Writers that commit or abort, and a reader in order. */
  @Param(name = "value", gen = Rising.class)
  public static class ManyWriters extends HistoryOperations {
    @Operation
    public String write(@Param(name = "value") long value) {
      return tryWrite(value);
    }

    @Operation
    public String abort(@Param(name = "value") long value) {
      return tryAbort(value);
    }

    @Operation(nonParallelGroup = "reader")
    public String next() {
      return tryNext();
    }

    @Operation(nonParallelGroup = "reader")
    public String skip() {
      return trySkip();
    }

    @Operation
    public String claimed() {
      return Long.toString(history.claimedCount());
    }

    @Operation
    public String refused() {
      return Long.toString(history.refusedCount());
    }
  }

  /** Planted: the record is written after its commit. */
  public static class CommitsFirst extends OneWriter {
    @Override
    String tryWrite(long value) {
      HistoryProducer<Triple> out = producer();
      Triple record = out.tryClaim();
      if (record == null) {
        return NO_CLAIM;
      }
      long offset = record.offset();
      String done = commit(out);
      record.moveTo(offset);
      record.write(value);
      return done;
    }
  }

  /** Planted: the record is written whether or not there was a slot for it. */
  @Param(name = "value", gen = Rising.class)
  public static class IgnoresRefusal extends HistoryOperations {
    private static final long FIRST_RECORD = 256 + 8; // behind the control block and a stamp

    private volatile MemorySegment memory;

    @Operation
    public String write(@Param(name = "value") long value) {
      HistoryProducer<Triple> out = producer();
      Triple record = out.tryClaim();
      if (record == null) {
        if (memory != null) {
          Triple ignoring = new Triple(memory);
          ignoring.moveTo(FIRST_RECORD);
          ignoring.write(value);
        }
        return NO_CLAIM;
      }
      memory = record.memory();
      record.write(value);
      return commit(out);
    }

    @Operation(nonParallelGroup = "reader")
    public String next() {
      return tryNext();
    }
  }

  /** Planted: many write to a ring that is made for one. */
  @Param(name = "value", gen = Rising.class)
  public static class OneWriterOfMany extends HistoryOperations {
    /** On a ring for one writer. */
    public OneWriterOfMany() {
      super(single());
    }

    @Override
    HistoryProducer<Triple> producer() {
      return history.producer();
    }

    @Operation
    public String write(@Param(name = "value") long value) {
      return tryWrite(value);
    }

    @Operation
    public String claimed() {
      return Long.toString(history.claimedCount());
    }
  }
}

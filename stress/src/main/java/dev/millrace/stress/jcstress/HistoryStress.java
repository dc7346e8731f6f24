package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** Histories of records: a {@link dev.millrace.queues.history.HistoryRing}, and a trace log. */
public final class HistoryStress {
  private HistoryStress() {}

  /**
   * Hazard: a reader copies a record while a writer overwrites it, and takes the mixture for whole.
   *
   * <p>Known to fail: {@code HistoryCursor.copy} that returns the stamp of its first look.
   *
   * <p>{@code stress/prove --all HistoryRing_NoTornRead}
   */
  @JCStressTest
  @State
  @Description("A record that is read while its slot is overwritten is whole, or not read at all.")
  @JCStressMeta(Grades.NoTornRead.class)
  public static class HistoryRing_NoTornRead extends HistoryTest {
    private static final Pool<Trial> POOL = multi(1);

    public HistoryRing_NoTornRead() {
      super(POOL);
    }

    @Actor
    public void writer() {
      write(trial.first, 1);
      write(trial.first, 2);
    }

    @Actor
    public void reader(IIII_Result r) {
      readLatest(r);
    }

    @Arbiter
    public void owner() {
      trial.giveBack();
    }
  }

  /**
   * Hazard: the one writer, which updates nothing atomically, overwrites a record while a reader
   * copies it, and the reader takes the mixture for whole.
   *
   * <p>Known to fail: a claim of the one writer that does not stamp its slot before the record is
   * written.
   *
   * <p>{@code stress/prove --all HistoryRing_OneWriterNoTornRead}
   */
  @JCStressTest
  @State
  @Description("A record read while the only writer overwrites it is whole, or not read at all.")
  @JCStressMeta(Grades.NoTornRead.class)
  public static class HistoryRing_OneWriterNoTornRead extends HistoryTest {
    private static final Pool<Trial> POOL = single(1);

    public HistoryRing_OneWriterNoTornRead() {
      super(POOL);
    }

    @Actor
    public void writer() {
      write(trial.first, 1);
      write(trial.first, 2);
    }

    @Actor
    public void reader(IIII_Result r) {
      readLatest(r);
    }

    @Arbiter
    public void owner() {
      trial.giveBack();
    }
  }

  /**
   * Hazard: two writers get the same sequence, hence the same slot, and one record is lost.
   *
   * <p>Known to fail: a claim that reads the next sequence and then writes it, instead of {@code
   * getAndAdd}.
   *
   * <p>{@code stress/prove --all HistoryRing_TwoWritersKeepBoth}
   */
  @JCStressTest
  @State
  @JCStressMeta(Grades.KeepBoth.class)
  public static class HistoryRing_TwoWritersKeepBoth extends HistoryTest {
    private static final Pool<Trial> POOL = multi(2);

    public HistoryRing_TwoWritersKeepBoth() {
      super(POOL);
    }

    @Actor
    public void left(IIII_Result r) {
      r.r1 = write(trial.first, 1);
    }

    @Actor
    public void right(IIII_Result r) {
      r.r2 = write(trial.second, 2);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      if (trial.reader.latest(2) == 2) {
        r.r3 = trial.reader.at(0).whole(base);
        r.r4 = trial.reader.at(1).whole(base);
      }
      trial.giveBack();
    }
  }

  /**
   * Hazard: a writer laps another that is still writing, and both write the same bytes; or the
   * lapped one commits all the same; or a refusal is not counted.
   *
   * <p>Known to fail: a {@code claimSlot} that ignores that the slot is in use; then a commit
   * throws, which is a test error.
   *
   * <p>{@code stress/prove --all HistoryRing_TwoWritersOneSlot}
   */
  @JCStressTest
  @State
  @Description("Of two writers in the same slot at a time none tears the other's record.")
  @Outcome(
      id = {"1, 1, 1, 0", "1, 1, 2, 0"},
      expect = Expect.ACCEPTABLE,
      desc = "One after the other; the later record is kept.")
  @Outcome(
      id = {"1, 0, 1, 1", "0, 1, 2, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "One claimed first but came to the slot second, and was refused.")
  @Outcome(
      id = "0, 0, 0, 2",
      expect = Expect.ACCEPTABLE_INTERESTING,
      desc = "One was lapped before it committed: both are refused.")
  @Outcome(id = ".*-99.*", expect = Expect.FORBIDDEN, desc = "Torn.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Records committed, kept and refused do not agree.")
  public static class HistoryRing_TwoWritersOneSlot extends HistoryTest {
    private static final Pool<Trial> POOL = multi(1);

    private final long refusedBefore = trial.history.refusedCount();

    public HistoryRing_TwoWritersOneSlot() {
      super(POOL);
    }

    @Actor
    public void left(IIII_Result r) {
      r.r1 = write(trial.first, 1);
    }

    @Actor
    public void right(IIII_Result r) {
      r.r2 = write(trial.second, 2);
    }

    @Arbiter
    public void owner(IIII_Result r) {
      if (trial.reader.latest(1) == 1) {
        r.r3 = trial.reader.at(0).whole(base);
      }
      r.r4 = (int) (trial.history.refusedCount() - refusedBefore);
      trial.giveBack();
    }
  }

  /**
   * Hazard: a record is read with the fields of one writer and the name, time or text of another
   * that overwrites it.
   *
   * <p>Known to fail: {@code HistoryCursor.copy} that returns the stamp of its first look.
   *
   * <p>{@code stress/prove --all TraceLog_RecordIsOfOneWriter}
   */
  @JCStressTest
  @State
  @Description("Writer, time, fields and text of a trace record that is read are of one record.")
  @Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "None: it was being overwritten.")
  @Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The first writer's record.")
  @Outcome(id = "2, 2, 2, 2", expect = Expect.ACCEPTABLE, desc = "The second writer's record.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A mixture of two records.")
  public static class TraceLog_RecordIsOfOneWriter {
    private static final Pool<TraceTrial> POOL = new Pool<>(() -> new TraceTrial(1));

    private final TraceTrial trial = POOL.take();

    @Actor
    public void writers() {
      trial.write(1);
      trial.write(2);
    }

    @Actor
    public void reader(IIII_Result r) {
      trial.read(r);
    }

    @Arbiter
    public void owner() {
      trial.drain();
      trial.giveBack();
    }
  }
}

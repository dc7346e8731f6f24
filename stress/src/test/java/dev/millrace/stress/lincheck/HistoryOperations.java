package dev.millrace.stress.lincheck;

import dev.millrace.core.internal.history.HistoryCursor;
import dev.millrace.core.internal.history.HistoryRecordProducer;
import dev.millrace.stress.trial.Numbered;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;

/**
 * The operations on a history of records, for trials to choose from by a {@link Mix}; a write goes
 * from claim to commit. Each writing thread needs a producer of its own.
 */
@Param(name = "value", gen = Rising.class)
@Param(name = "thread", gen = ThreadIdGen.class)
public abstract class HistoryOperations {
  static final String DONE = "done";
  static final String NO_CLAIM = "refused at claim";
  static final String NO_COMMIT = "refused at commit";
  static final String ABORTED = "aborted";
  static final String NOTHING = "nothing";

  /** So few that writers lap each other all the time, and a window has more than one record. */
  static final int CAPACITY = 2;

  private final HistoryCursor reader;

  HistoryOperations(HistoryCursor reader) {
    this.reader = reader;
  }

  /** The producer of a thread. */
  abstract HistoryRecordProducer<Numbered> producer(int thread);

  /** Reads the next record, or {@link #NOTHING}. */
  abstract String read();

  /** Claims a record and writes it; false if it was refused. */
  boolean isWritten(HistoryRecordProducer<Numbered> out, long value) {
    Numbered record = out.tryClaim();
    if (record != null) {
      record.write(value);
    }
    return record != null;
  }

  static String commit(HistoryRecordProducer<Numbered> out) {
    long refused = out.refusedCount();
    out.commit();
    return out.refusedCount() == refused ? DONE : NO_COMMIT;
  }

  static String counts(long read, long lost, long refused, long unfinished) {
    return " ("
        + read
        + " read, "
        + lost
        + " lost, "
        + refused
        + " refused, "
        + unfinished
        + " unfinished)";
  }

  private String counts() {
    return counts(
        reader.readCount(), reader.lostCount(), reader.refusedCount(), reader.unfinishedCount());
  }

  @Operation
  public String write(@Param(name = "value") long value, @Param(name = "thread") int thread) {
    HistoryRecordProducer<Numbered> out = producer(thread);
    return isWritten(out, value) ? commit(out) : NO_CLAIM;
  }

  @Operation
  public String abort(@Param(name = "value") long value, @Param(name = "thread") int thread) {
    HistoryRecordProducer<Numbered> out = producer(thread);
    if (!isWritten(out, value)) {
      return NO_CLAIM;
    }
    out.abort();
    return ABORTED;
  }

  @Operation
  public String next() {
    return read() + counts();
  }

  @Operation
  public String skip() {
    return reader.skipUnfinished() + counts();
  }

  /** How many records were claimed. */
  @Operation
  public abstract long claimed();

  /** How many records were refused. */
  @Operation
  public abstract long refused();
}

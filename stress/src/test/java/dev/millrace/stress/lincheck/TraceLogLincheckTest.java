package dev.millrace.stress.lincheck;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Inside;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import java.util.List;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A trace log answers as the history ring does whose protocol it is: whole records only, in the
 * order of their claims, each accounted for.
 *
 * <p><b>Hazard.</b> The head or the text that the log adds to a record is written where the ring's
 * protocol does not protect it, or a claim that was refused is not counted as one.
 *
 * <p><b>Known to fail.</b> {@link OneWriterOfMany}, whose log is made for a sole writer.
 *
 * <p><b>Run alone.</b> {@code mvn -q verify -pl stress -am -Dtest=TraceLogLincheckTest
 * -Dsurefire.failIfNoSpecifiedTests=false}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class TraceLogLincheckTest {
  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(TraceWriter.class, operations, about)
        .allowedBy(HistoryAllows.class)
        .threads(3, 2);
  }

  @Test
  void records_whenModelChecked_areWholeAndCounted(TestInfo test) {
    trial(ManyWriters.class, "writers and a reader: whole records, each counted once")
        .modelChecking(10, 400)
        .passes(test);
  }

  @Test
  @Tag(Trial.STRESS)
  void records_whenStressed_areWholeAndCounted(TestInfo test) {
    trial(ManyWriters.class, "writers and a reader: whole records, each counted once")
        .stress(10, 500)
        .passes(test);
  }

  @Test
  void records_ofManyWhereOneIsAllowed_areCaught(TestInfo test) {
    trial(OneWriterOfMany.class, "planted: a log of one writer has many")
        .modelChecking(20, 500)
        .isCaught(test);
  }

  /** Writers that commit or abort, one for each thread, and a reader in order. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "thread", gen = ThreadIdGen.class)
  public static class ManyWriters {
    private static final int THREADS = 3;
    private static final FlyweightType<Triple> TRIPLES = FlyweightType.of(Triple::new);

    private final Inside.Log made;
    private final TraceReader reader;
    private final Triple view;
    private final List<TraceWriter<Triple>> writers;

    /** On a log for many writers. */
    public ManyWriters() {
      this(Inside.Log.ofMany(HistoryOperations.CAPACITY));
    }

    ManyWriters(Inside.Log made) {
      this.made = made;
      reader = made.newReader();
      view = reader.newView(TRIPLES);
      writers =
          Stream.generate(() -> made.newWriter("w", "triple", TRIPLES)).limit(THREADS).toList();
    }

    @Operation
    public String write(@Param(name = "value") long value, @Param(name = "thread") int thread) {
      TraceWriter<Triple> writer = writers.get(thread % THREADS);
      Triple record = writer.tryClaimAt(value);
      if (record == null) {
        return HistoryOperations.NO_CLAIM;
      }
      record.write(value);
      writer.text(Long.toString(value));
      long refused = writer.refusedCount();
      writer.commit();
      return writer.refusedCount() == refused
          ? HistoryOperations.DONE
          : HistoryOperations.NO_COMMIT;
    }

    @Operation
    public String abort(@Param(name = "value") long value, @Param(name = "thread") int thread) {
      TraceWriter<Triple> writer = writers.get(thread % THREADS);
      Triple record = writer.tryClaimAt(value);
      if (record == null) {
        return HistoryOperations.NO_CLAIM;
      }
      record.write(value);
      writer.abort();
      return HistoryOperations.ABORTED;
    }

    @Operation(nonParallelGroup = "reader")
    public String next() {
      return (reader.tryPoll() ? record() : HistoryOperations.NOTHING) + counts();
    }

    /** The value; or what differs, which no specification answers. */
    private String record() {
      String value = view.read();
      boolean whole = value.equals(reader.text()) && value.equals(Long.toString(reader.nanoTime()));
      return whole ? value : value + " of " + reader.nanoTime() + ", text " + reader.text();
    }

    @Operation(nonParallelGroup = "reader")
    public String skip() {
      return reader.skipUnfinished() + counts();
    }

    private String counts() {
      return HistoryOperations.counts(
          reader.readCount(), reader.lostCount(), reader.refusedCount(), reader.unfinishedCount());
    }

    @Operation
    public String claimed() {
      return Long.toString(made.claimedCount());
    }

    @Operation
    public String refused() {
      return Long.toString(made.refusedCount());
    }
  }

  /** Planted: many write to a log that is made for one. */
  @Param(name = "value", gen = Rising.class)
  @Param(name = "thread", gen = ThreadIdGen.class)
  public static class OneWriterOfMany extends ManyWriters {
    /** On a log for one writer. */
    public OneWriterOfMany() {
      super(Inside.Log.ofOne(HistoryOperations.CAPACITY));
    }
  }
}

package dev.millrace.stress.lincheck;

import dev.millrace.core.internal.history.HistoryRecordProducer;
import dev.millrace.stress.trial.Numbered;
import dev.millrace.stress.trial.SmallTrace;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import java.util.List;
import java.util.stream.Stream;
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
 * <p><b>Known to fail.</b> Many writers on a log that is made for one.
 *
 * <p><b>Run alone.</b> {@code stress/prove --all TraceLogLincheckTest}
 */
@Tag("lincheck")
@ExtendWith(LincheckResults.class)
public class TraceLogLincheckTest {
  private static final Mix MIX =
      Mix.ofAny("write", "abort", "claimed", "refused").and(Mix.ofOne("next", "skip"));

  private static Trial trial(Class<?> operations, String about) {
    return Trial.of(TraceWriter.class, operations, about)
        .mixing(MIX)
        .allowedBy(HistoryAllows.class)
        .threads(3, 2);
  }

  private static Trial records() {
    return trial(ManyWriters.class, "writers and a reader: whole records, each counted once");
  }

  @Test
  void records_whenModelChecked_areWholeAndCounted(TestInfo test) {
    records().modelChecking(10, 400).passes(test);
  }

  @Test
  void records_ofManyWhereOneIsAllowed_areCaught(TestInfo test) {
    trial(OneWriter.class, "planted: a log of one writer has many")
        .modelChecking(20, 500)
        .isCaught(test);
  }

  /** On a log for many writers, one for each thread. */
  public static class ManyWriters extends HistoryOperations {
    private static final int THREADS = 3;

    private final SmallTrace log;
    private final TraceReader reader;
    private final Numbered view;
    private final List<TraceWriter<Numbered>> writers;

    public ManyWriters() {
      this(SmallTrace.ofMany(CAPACITY));
    }

    ManyWriters(SmallTrace log) {
      this(log, log.newReader());
    }

    private ManyWriters(SmallTrace log, TraceReader reader) {
      super(reader);
      this.log = log;
      this.reader = reader;
      this.view = reader.newView(Numbered.TYPE);
      this.writers =
          Stream.generate(() -> log.newWriter("w", "numbered", Numbered.TYPE))
              .limit(THREADS)
              .toList();
    }

    @Override
    TraceWriter<Numbered> producer(int thread) {
      return writers.get(thread % THREADS);
    }

    @Override
    boolean isWritten(HistoryRecordProducer<Numbered> out, long value) {
      TraceWriter<Numbered> writer = (TraceWriter<Numbered>) out;
      Numbered record = writer.tryClaimAt(value);
      if (record != null) {
        record.write(value);
        writer.text(Long.toString(value));
      }
      return record != null;
    }

    @Override
    public long claimed() {
      return log.claimedCount();
    }

    @Override
    public long refused() {
      return log.refusedCount();
    }

    /** The value; or what differs, which no specification answers. */
    @Override
    String read() {
      if (!reader.tryPoll()) {
        return NOTHING;
      }
      String value = view.read();
      boolean whole = value.equals(reader.text()) && value.equals(Long.toString(reader.nanoTime()));
      return whole ? value : value + " of " + reader.nanoTime() + ", text " + reader.text();
    }
  }

  /** On a log for one writer. */
  public static class OneWriter extends ManyWriters {
    public OneWriter() {
      super(SmallTrace.ofOne(CAPACITY));
    }
  }
}

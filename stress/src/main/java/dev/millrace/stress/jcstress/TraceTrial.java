package dev.millrace.stress.jcstress;

import dev.millrace.stress.trial.Numbered;
import dev.millrace.stress.trial.SmallTrace;
import dev.millrace.telemetry.TraceReader;
import dev.millrace.telemetry.TraceWriter;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A trace log for one trial after another, with two writers and a reader. What a writer writes is
 * its number, in all fields, as the time, and as the length of the text.
 */
final class TraceTrial extends Pool.Item {
  private static final String[] TEXTS = {"", "x", "yy"};

  private final TraceReader reader;
  private final Numbered view;
  private final TraceWriter<Numbered> first;
  private final TraceWriter<Numbered> second;

  /** Makes a log of so many records. */
  TraceTrial(int records) {
    SmallTrace made = SmallTrace.ofMany(records);
    reader = made.newReader();
    view = reader.newView(Numbered.TYPE);
    first = made.newWriter("1", "numbered", Numbered.TYPE);
    second = made.newWriter("2", "numbered", Numbered.TYPE);
  }

  /** Writes a record by the writer of a number, 1 or 2. */
  void write(int number) {
    TraceWriter<Numbered> writer = number == 1 ? first : second;
    Numbered record = writer.tryClaimAt(number);
    if (record != null) {
      record.write(number);
      writer.text(TEXTS[number]);
      writer.commit();
    }
  }

  /** Reads the next record: its writer, fields, time and text; or nothing. */
  void read(IIII_Result r) {
    if (reader.tryPoll()) {
      r.r1 = Integer.parseInt(reader.writer());
      r.r2 = view.whole(0);
      r.r3 = (int) reader.nanoTime();
      r.r4 = reader.text().length();
    }
  }

  /** Reads what is left. */
  void drain() {
    while (reader.tryPoll()) {
      // nothing: the next trial begins behind it
    }
  }
}

package dev.millrace.stress.jcstress;

import dev.millrace.telemetry.Inside;
import dev.millrace.telemetry.TraceLog;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A trace log for one trial after another, with two writers and a reader. What a writer writes is
 * its number, in all fields, as the time, and as the length of the text.
 */
final class TraceTrial extends Pool.Item {
  private static final String[] TEXTS = {"", "x", "yy"};

  private final TraceLog.Reader reader;
  private final Numbered view;
  private final TraceLog.Writer<Numbered> first;
  private final TraceLog.Writer<Numbered> second;

  /** Makes a log of so many records. */
  TraceTrial(int records) {
    Inside.Log made = Inside.Log.ofMany(records);
    reader = made.newReader();
    view = reader.newView(Numbered::new);
    first = made.log.newWriter("1", "numbered", Numbered::new);
    second = made.log.newWriter("2", "numbered", Numbered::new);
  }

  /** Writes a record by the writer of a number, 1 or 2. */
  void write(int number) {
    TraceLog.Writer<Numbered> writer = number == 1 ? first : second;
    if (writer.tryClaim(number)) {
      writer.record().write(number);
      writer.text(TEXTS[number]);
      writer.commit();
    }
  }

  /** Reads the next record: its writer, fields, time and text; or nothing. */
  void read(IIII_Result r) {
    if (reader.next()) {
      r.r1 = Integer.parseInt(reader.writer());
      r.r2 = view.whole(0);
      r.r3 = (int) reader.nanoTime();
      r.r4 = reader.text().length();
    }
  }

  /** Reads what is left. */
  void drain() {
    while (reader.next()) {
      // nothing: the next trial begins behind it
    }
  }
}

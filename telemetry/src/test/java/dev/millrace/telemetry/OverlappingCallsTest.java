package dev.millrace.telemetry;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.telemetry.Telemetry.Options;
import dev.millrace.telemetry.TraceLogTest.Trade;
import dev.millrace.testkit.Overlaps;
import dev.millrace.testkit.Overlaps.Opened;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/**
 * Finds a method of an end without the check for two threads that call it at once. A new method is
 * called too, unless it is exempt here by name.
 */
class OverlappingCallsTest {
  private static final int RECORDS = 1 << 9;
  private static final int RECORD_BYTES = 64;

  private static final String ANSWERS = "only answers";

  private static Telemetry open() {
    return Telemetry.inMemory(Options.defaults().withTrace(RECORDS, RECORD_BYTES));
  }

  private static TraceWriter<Trade> newWriter(Telemetry telemetry) {
    return telemetry.newTraceWriter("feed", "trade", Trade.TYPE);
  }

  @Test
  void traceWriter() throws Exception {
    Overlaps.<TraceWriter<Trade>>of(
            TraceWriter.class,
            () -> {
              Telemetry telemetry = open();
              return new Opened<>(newWriter(telemetry), telemetry);
            })
        .withInHand(TraceWriter::tryClaim, TraceWriter::abort)
        .withNothingInHand("close")
        .withArgument(CharSequence.class, "text")
        .exempt("at", "only moves the view")
        .exempt("refusedCount", ANSWERS)
        .exempt("leftOutCount", ANSWERS)
        .areFound();
  }

  @Test
  void traceReader() throws Exception {
    Overlaps.<TraceReader>of(
            TraceReader.class,
            () -> {
              Telemetry telemetry = open();
              TraceWriter<Trade> writer = newWriter(telemetry);
              for (int i = 0; i < RECORDS; i++) {
                writer.tryClaim().id(i);
                writer.commit();
              }
              return new Opened<>(telemetry.newReader().newTraceReader(), telemetry);
            })
        .withArgument(Instant.class, Instant.EPOCH)
        .withArgument(FlyweightType.class, Trade.TYPE)
        .exempt("newView", "changes nothing of the reader")
        .exempt("time", ANSWERS)
        .exempt("nanoTime", ANSWERS)
        .exempt("writer", ANSWERS)
        .exempt("type", ANSWERS)
        .exempt("layout", ANSWERS)
        .exempt("text", ANSWERS)
        .exempt("position", ANSWERS)
        .exempt("sequence", ANSWERS)
        .exempt("readCount", ANSWERS)
        .exempt("lostCount", ANSWERS)
        .exempt("refusedCount", ANSWERS)
        .exempt("unfinishedCount", ANSWERS)
        .areFound();
  }
}

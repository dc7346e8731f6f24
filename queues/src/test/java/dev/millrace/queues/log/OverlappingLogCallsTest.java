package dev.millrace.queues.log;

import dev.millrace.core.Handler;
import dev.millrace.testkit.Overlaps;
import dev.millrace.testkit.Overlaps.Opened;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import org.junit.jupiter.api.Test;

/**
 * Finds a method of a log's end without the check for two threads that call it at once. A new
 * method is called too, unless it is exempt here by name.
 */
class OverlappingLogCallsTest {
  private static final int PAGE_BYTES = 4096;
  private static final int SEGMENT_BYTES = 1 << 17;
  private static final int MESSAGES = 1 << 9;
  private static final MemorySegment BYTES = MemorySegment.ofArray(new byte[8]);

  private static final String ANSWERS = "only answers";
  private static final String VIEW = "only moves the view";

  private static MessageLog open() throws IOException {
    return MessageLog.open(new MemoryFiles(PAGE_BYTES), LogOptions.ofSegmentBytes(SEGMENT_BYTES));
  }

  @Test
  void logProducer() throws Exception {
    Overlaps.<LogProducer>of(
            LogProducer.class,
            () -> {
              MessageLog log = open();
              return new Opened<>(log.newProducer(), log);
            })
        .withInHand(producer -> producer.tryClaim(1, (int) BYTES.byteSize()), LogProducer::abort)
        .withNothingInHand("close")
        .withArgument(MemorySegment.class, BYTES)
        .withArgument(MemorySegment[].class, new MemorySegment[] {BYTES})
        .exempt("at", VIEW)
        .exempt("number", ANSWERS)
        .exempt("sync", "any thread may have the log do it")
        .areFound();
  }

  @Test
  void logReader() throws Exception {
    Overlaps.<LogReader>of(
            LogReader.class,
            () -> {
              MessageLog log = open();
              LogProducer producer = log.newProducer();
              for (int i = 0; i < MESSAGES; i++) {
                producer.append(1, BYTES);
              }
              LogReader reader = log.newReader();
              log.close();
              return new Opened<>(reader, reader);
            })
        .withInHand(LogReader::tryPoll, LogReader::release)
        .withArgument(Handler.class, (Handler<Object>) _ -> {})
        .withArgument(
            WritableByteChannel.class, Channels.newChannel(OutputStream.nullOutputStream()))
        .exempt("at", VIEW)
        .exempt("runLength", ANSWERS)
        .exempt("isDrained", ANSWERS)
        .exempt("number", ANSWERS)
        .exempt("lostCount", ANSWERS)
        .exempt("firstNumber", ANSWERS)
        .exempt("endNumber", ANSWERS)
        .areFound();
  }
}

package dev.millrace.stress.lincheck;

import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.queues.messages.Message;
import dev.millrace.stress.trial.Numbered;
import dev.millrace.stress.trial.SmallLog;
import java.lang.foreign.Arena;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * The operations of a {@link MessageLog} in memory, each from claim to commit or from poll to
 * release, for trials to choose from by a {@link Mix}. An append answers with the message's number,
 * a poll with that and the record.
 */
@Param(name = "value", gen = Rising.class)
public class LogOperations {
  static final String EMPTY = "empty";

  /** So few that each scenario with some appends begins a segment. */
  private static final int SEGMENT = 2;

  private static final int LENGTH = (int) Numbered.TYPE.layout().sizeBytes();
  private static final int TYPE = 7;

  private final SmallLog files = new SmallLog(SEGMENT, LENGTH, false, Arena.ofAuto());
  private final MessageLog log = files.log();
  private final LogProducer producer = log.newProducer();
  private final LogReader left = log.newReader();
  private final LogReader right = files.newReader();
  private final LogReader asker = files.newReader();

  // See QueueOperations.
  @SuppressWarnings("unused") // it is the access that counts
  private volatile boolean isExposed;

  /** How a message is told. */
  static String told(long number, String record) {
    return number + ": " + record;
  }

  private Numbered claimed(long value, int length) {
    Numbered record = producer.claim(TYPE, length).as(Numbered.TYPE);
    record.write(value);
    return record;
  }

  // ---- the producer ----

  @Operation
  public long append(@Param(name = "value") long value) {
    Numbered _ = claimed(value, LENGTH);
    producer.commit();
    return producer.number();
  }

  @Operation
  public long appendShortened(@Param(name = "value") long value) {
    Numbered _ = claimed(value, 2 * LENGTH);
    producer.commit(LENGTH);
    return producer.number();
  }

  @Operation
  public void abort(@Param(name = "value") long value) {
    Numbered _ = claimed(value, LENGTH);
    producer.abort();
  }

  /** Planted: the message is published, and then written. */
  @Operation
  public long appendCommittedFirst(@Param(name = "value") long value) {
    Numbered record = producer.claim(TYPE, LENGTH).as(Numbered.TYPE);
    long offset = record.offset();
    producer.commit();
    isExposed = true;
    record.moveTo(offset);
    record.write(value);
    return producer.number();
  }

  // ---- readers ----

  private static String poll(LogReader reader) {
    Message message = reader.tryPoll();
    if (message == null) {
      return EMPTY;
    }
    String told = told(reader.number(), message.as(Numbered.TYPE).read());
    reader.release();
    return told;
  }

  @Operation
  public String pollLeft() {
    return poll(left);
  }

  /** By a reader that knows nothing but the files. */
  @Operation
  public String pollRight() {
    return poll(right);
  }

  // ---- how far it is ----

  @Operation
  public long end() {
    return log.endNumber();
  }

  /** The end as a reader finds it. */
  @Operation
  public long endFound() {
    return asker.endNumber();
  }

  @Operation
  public long durable() {
    return log.durableNumber();
  }

  @Operation
  public void sync() {
    log.sync();
  }
}

package dev.millrace.stress.trial;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.queues.messages.Message;
import java.lang.foreign.MemorySegment;

/**
 * The record of the trials: a number, and its multiples, so that fields of several records do not
 * fit together.
 */
public final class Numbered extends Flyweight {
  /** In place of a record's number: its fields are not of one record. */
  public static final int TORN = -99;

  static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("first"), JAVA_LONG.withName("second"), JAVA_LONG.withName("third"));
  private static final Field FIRST = LAYOUT.field("first");
  private static final Field SECOND = LAYOUT.field("second");
  private static final Field THIRD = LAYOUT.field("third");

  /** The type of this flyweight; behind what its constructor needs. */
  public static final FlyweightType<Numbered> TYPE = FlyweightType.of(Numbered::new);

  /**
   * Makes a flyweight, not positioned yet.
   *
   * @param memory where the records are
   */
  public Numbered(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  /**
   * The record at the end of a message: the last of several cells, which have one stamp.
   *
   * @param message of some cells
   * @return the view
   */
  public static Numbered last(Message message) {
    return message.as(TYPE, message.length() - (int) LAYOUT.sizeBytes());
  }

  /**
   * Writes all fields.
   *
   * @param number the record's number
   */
  public void write(long number) {
    putLong(FIRST, number);
    putLong(SECOND, 2 * number);
    putLong(THIRD, 3 * number);
  }

  /**
   * Which record the first field is of.
   *
   * @param base the number before the trial's first record
   * @return the record's place in the trial
   */
  public int first(long base) {
    return (int) (getLong(FIRST) - base);
  }

  /**
   * Which record the second field is of.
   *
   * @param base the number before the trial's first record
   * @return the record's place in the trial
   */
  public int second(long base) {
    return (int) (getLong(SECOND) / 2 - base);
  }

  /**
   * Which record the third field is of.
   *
   * @param base the number before the trial's first record
   * @return the record's place in the trial
   */
  public int third(long base) {
    return (int) (getLong(THIRD) / 3 - base);
  }

  /**
   * Which record all fields are of.
   *
   * @param base the number before the trial's first record
   * @return the record's place in the trial, or {@link #TORN}
   */
  public int whole(long base) {
    long number = getLong(FIRST);
    boolean isWhole = getLong(SECOND) == 2 * number && getLong(THIRD) == 3 * number;
    return isWhole ? (int) (number - base) : TORN;
  }

  /**
   * The number as text.
   *
   * @return it; or all fields if the record is torn, which no specification answers
   */
  public String read() {
    int number = whole(0);
    return number != TORN
        ? Integer.toString(number)
        : "torn: " + getLong(FIRST) + " " + getLong(SECOND) + " " + getLong(THIRD);
  }
}

package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.Outcome;

/** What several tests ask for: their outcomes, and where they say no more than that what it is. */
final class Grades {
  private Grades() {}

  /** Whether there is a record, then the place of each of its fields. */
  @Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled before the commit.")
  @Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Polled, and whole.")
  @Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "A field is of an earlier record.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
  interface RecordIsWhole {}

  /** How many records were polled, then which. */
  @Description(
      "Of a record and a run after it, a poll gets nothing, the record, or all; and whole.")
  @Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled before both commits.")
  @Outcome(id = "1, 1, 0, 0", expect = Expect.ACCEPTABLE, desc = "Polled between the commits.")
  @Outcome(id = "3, 1, 2, 3", expect = Expect.ACCEPTABLE, desc = "Polled after both commits.")
  @Outcome(id = "2, .*", expect = Expect.FORBIDDEN, desc = "Half a run.")
  @Outcome(
      id = ".*-.*",
      expect = Expect.FORBIDDEN,
      desc = "A torn record, or one of a former trial.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
  interface RunIsWhole {}

  /** Whether a third record was put into two slots, which was taken, and the rest. */
  @Description("The producer gets a slot of a full queue only after the consumer has released it.")
  @Outcome(id = "0, 1, 2", expect = Expect.ACCEPTABLE, desc = "Claimed before the release: full.")
  @Outcome(id = "1, 1, 23", expect = Expect.ACCEPTABLE, desc = "Claimed after the release.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is overwritten, lost, or twice there.")
  interface SlotReuse {}

  /** How many records were put, how many taken, and whether the end was found. */
  @Description("Records that are committed are delivered before the end, which the consumer finds.")
  @Outcome(id = "0, 0, 1", expect = Expect.ACCEPTABLE, desc = "Completed before the first claim.")
  @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "Completed between the claims.")
  @Outcome(id = "2, 2, 1", expect = Expect.ACCEPTABLE, desc = "Completed after both claims.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, or there is no end.")
  interface CompleteIsExact {}

  /** The record of each consumer, and the rest. */
  @Description("Of two records each of two consumers gets one.")
  @Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "The left consumer was first.")
  @Outcome(id = "2, 1, 0", expect = Expect.ACCEPTABLE, desc = "The right consumer was first.")
  @Outcome(
      id = {"0, .*", "., 0, .*"},
      expect = Expect.FORBIDDEN,
      desc = "A consumer was told that there is none.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or went to both.")
  interface ShareOut {}

  /** Whether each producer has put its record, then the records in order. */
  @Description(
      "Records of two that claim at the same time are both there, whole, in the order of claims.")
  @Outcome(id = "1, 1, 1, 2", expect = Expect.ACCEPTABLE, desc = "The left producer claimed first.")
  @Outcome(
      id = "1, 1, 2, 1",
      expect = Expect.ACCEPTABLE,
      desc = "The right producer claimed first.")
  @Outcome(
      id = {"0, .*", "., 0, .*"},
      expect = Expect.FORBIDDEN,
      desc = "A producer was told that there is no room.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or twice there.")
  interface KeepBoth {}

  /** Whether the third record was put, then the records in order. */
  @Description("A parked consumer is woken by the commit of the record that it waits for.")
  @Outcome(id = "1, 1, 2, 3", expect = Expect.ACCEPTABLE, desc = "All three were polled, in order.")
  @Outcome(
      id = ".*, -3",
      expect = Expect.FORBIDDEN,
      desc = "The consumer woke by the time limit alone.")
  @Outcome(id = "0, .*", expect = Expect.FORBIDDEN, desc = "Not tried: a wake-up was lost before.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A record is lost, torn, or of a former trial.")
  interface ParkAndWake {}

  /** Whether there is a record, then the place of each of its fields. */
  @Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "None: it was being overwritten.")
  @Outcome(id = "1, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "The record of the former trial.")
  @Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The first record.")
  @Outcome(id = "1, 2, 2, 2", expect = Expect.ACCEPTABLE, desc = "The second record.")
  @Outcome(id = "1, .*", expect = Expect.FORBIDDEN, desc = "Torn: fields of several records.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Nothing else can be.")
  interface NoTornRead {}
}

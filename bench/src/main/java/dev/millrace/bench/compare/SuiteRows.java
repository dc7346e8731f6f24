package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.AGRONA;
import static dev.millrace.bench.compare.Contenders.DISRUPTOR;
import static dev.millrace.bench.compare.Contenders.JCTOOLS;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_VARHANDLE;
import static dev.millrace.bench.compare.Suite.SUITES;
import static dev.millrace.bench.compare.Work.trip;
import static dev.millrace.bench.compare.Work.way;

import java.util.List;

/**
 * What JCTools and the Disruptor measure themselves with, by the parameters of their suites, in
 * this harness: the time, the checks and the contenders are ours. Their records are one number or
 * one object; here a record is one long.
 *
 * <p>Where they differ still: JCTools's fills and drains are as long as the queue, ours of 256, for
 * a claim is all or nothing. The Disruptor's consumers wait in its event processor, here they poll;
 * its ping-pong pauses for a microsecond between trips, ours does not.
 */
final class SuiteRows {
  /** What JCTools makes of 132,000. */
  private static final int JCTOOLS_CAPACITY = 262_144;

  private static final int JCTOOLS_RING_CAPACITY = 32_768;
  private static final int FILL = 256;
  private static final int DISRUPTOR_CAPACITY = 65_536;
  private static final int DISRUPTOR_BATCH = 10;
  private static final int DISRUPTOR_PING_CAPACITY = 1_024;

  static final List<Row> ROWS =
      List.of(
          jctools(
              way("jctools-backoff-none", "JCTools: QueueThroughputBackoffNone", 1, 1)
                  .withCapacity(JCTOOLS_CAPACITY)),
          jctools(
              way("jctools-drain-fill", "JCTools: MpqDrainFillThroughputBackoffNone", 1, 1)
                  .runs(FILL, FILL)
                  .withCapacity(JCTOOLS_CAPACITY)),
          jctools(
              trip("jctools-ring", "JCTools: RingBurstRoundTripWithGroups, a burst of 1")
                  .withCapacity(JCTOOLS_RING_CAPACITY)),
          disruptor(
              way("disruptor-1-1", "Disruptor: OneToOneSequencedThroughputTest", 1, 1)
                  .runs(1, DISRUPTOR_CAPACITY)
                  .withCapacity(DISRUPTOR_CAPACITY)),
          disruptor(
              way("disruptor-1-1-batch", "Disruptor: OneToOneSequencedBatchThroughputTest", 1, 1)
                  .runs(DISRUPTOR_BATCH, DISRUPTOR_CAPACITY)
                  .withCapacity(DISRUPTOR_CAPACITY)),
          disruptor(
              way("disruptor-3-1", "Disruptor: ThreeToOneSequencedThroughputTest", 3, 1)
                  .runs(1, DISRUPTOR_CAPACITY)
                  .withCapacity(DISRUPTOR_CAPACITY)),
          disruptor(
              way("disruptor-3-1-batch", "Disruptor: ThreeToOneSequencedBatchThroughputTest", 3, 1)
                  .runs(DISRUPTOR_BATCH, DISRUPTOR_CAPACITY)
                  .withCapacity(DISRUPTOR_CAPACITY)),
          disruptor(
              trip("disruptor-ping-pong", "Disruptor: PingPongSequencedLatencyTest")
                  .withCapacity(DISRUPTOR_PING_CAPACITY)));

  private SuiteRows() {}

  private static Row jctools(Work work) {
    return Row.of(SUITES, work.withWords(1).withIdle(0))
        .beside(JCTOOLS, JCTOOLS_VARHANDLE, AGRONA, DISRUPTOR);
  }

  private static Row disruptor(Work work) {
    return Row.of(SUITES, work.withWords(1)).beside(DISRUPTOR, JCTOOLS, AGRONA);
  }
}

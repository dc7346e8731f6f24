package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.AGRONA;
import static dev.millrace.bench.compare.Contenders.ARRAY_BLOCKING_QUEUE_RECORDS;
import static dev.millrace.bench.compare.Contenders.CONCURRENT_LINKED_QUEUE_RECORDS;
import static dev.millrace.bench.compare.Contenders.CPP;
import static dev.millrace.bench.compare.Contenders.DISRUPTOR;
import static dev.millrace.bench.compare.Contenders.JCTOOLS;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_NEW;
import static dev.millrace.bench.compare.Contenders.JCTOOLS_VARHANDLE;
import static dev.millrace.bench.compare.Contenders.LINKED_TRANSFER_QUEUE_RECORDS;
import static dev.millrace.bench.compare.Contenders.MILLRACE_RECORDS;
import static dev.millrace.bench.compare.Contenders.MILLRACE_RECORDS_MPMC;
import static dev.millrace.bench.compare.Contenders.MILLRACE_STALL_PROOF;
import static dev.millrace.bench.compare.Suite.TARGETS;
import static dev.millrace.bench.compare.Work.trip;
import static dev.millrace.bench.compare.Work.way;

import java.util.List;

/** The works that have targets, and those that stand beside them. */
final class TargetRows {
  static final List<Row> ROWS =
      List.of(
          Row.of(TARGETS, way("spsc-single", "SPSC, one record at a time", 1, 1))
              .quickly(AGRONA, JCTOOLS, DISRUPTOR)
              .target(1.5)
              .target(AGRONA, 4)
              .target(JCTOOLS, 3),
          Row.of(TARGETS, way("spsc-batch-64", "SPSC, batches of 64", 1, 1).runs(64, 64))
              .plus(CPP)
              .quickly(JCTOOLS, DISRUPTOR, CPP)
              .target(1.6)
              .target(CPP, 0.8),
          Row.of(TARGETS, way("spsc-batch-256", "SPSC, batches of 256", 1, 1).runs(256, 256))
              .plus(CPP)
              .quickly(JCTOOLS, DISRUPTOR, CPP)
              .target(1.6)
              .target(CPP, 0.8),
          Row.of(TARGETS, trip("round-trip", "SPSC there and back, one record at a time"))
              .quickly(AGRONA, JCTOOLS, DISRUPTOR)
              .target(1.4)
              .target(AGRONA, 1.33),
          Row.of(TARGETS, way("mpsc-single", "MPSC, one record at a time, 2 producers", 2, 1))
              .quickly(AGRONA, JCTOOLS)
              .target(1.4),
          Row.of(
                  TARGETS,
                  way("mpsc-batch", "MPSC, claims of 16, drains of 256, 2 producers", 2, 1)
                      .runs(16, 256))
              .quickly(JCTOOLS)
              .target(JCTOOLS, 2.5),
          Row.of(TARGETS, way("mpmc-single", "MPMC, one record at a time, 2 and 2", 2, 2))
              .quickly(AGRONA, JCTOOLS_NEW)
              .target(AGRONA, 2)
              .target(JCTOOLS_NEW, 2)
              .target(JCTOOLS_VARHANDLE, 2),
          Row.of(TARGETS, way("mpsc-single-stall-proof", "MPSC as above, stall-proof", 2, 1))
              .ours(MILLRACE_STALL_PROOF)
              .beside(AGRONA, JCTOOLS)
              .quickly(JCTOOLS),
          Row.of(TARGETS, way("mpmc-single-stall-proof", "MPMC as above, stall-proof", 2, 2))
              .ours(MILLRACE_STALL_PROOF)
              .beside(AGRONA, JCTOOLS_NEW)
              .quickly(JCTOOLS_NEW),
          dropIn(
              way("drop-in-spsc", "Drop-in Queue, four types of records in turn, 1 and 1", 1, 1)),
          dropIn(way("drop-in-default", "Drop-in Queue as above, ours for any threads", 1, 1))
              .ours(MILLRACE_RECORDS_MPMC)
              .quickly(),
          dropIn(way("drop-in-mpsc", "Drop-in Queue as above, 2 and 1", 2, 1)).quickly(),
          dropIn(way("drop-in-mpmc", "Drop-in Queue as above, 2 and 2", 2, 2)).quickly());

  private TargetRows() {}

  private static Row dropIn(Work work) {
    return Row.of(TARGETS, work)
        .ours(MILLRACE_RECORDS)
        .beside(
            ARRAY_BLOCKING_QUEUE_RECORDS,
            CONCURRENT_LINKED_QUEUE_RECORDS,
            LINKED_TRANSFER_QUEUE_RECORDS)
        .target(3);
  }
}

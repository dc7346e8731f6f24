package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Contenders.DISRUPTOR_STAGES;
import static dev.millrace.bench.compare.Contenders.DISRUPTOR_STAGES_SPINNING;
import static dev.millrace.bench.compare.Contenders.MILLRACE_STAGES;
import static dev.millrace.bench.compare.Contenders.MILLRACE_STAGES_EACH;
import static dev.millrace.bench.compare.Contenders.MILLRACE_STAGES_OBJECTS;
import static dev.millrace.bench.compare.Contenders.MILLRACE_STAGES_SPINNING;
import static dev.millrace.bench.compare.Work.way;

import dev.millrace.bench.compare.Work.Shape;
import java.util.List;
import java.util.stream.Stream;

/**
 * The works that the Disruptor measures itself with, of one stage and of several: threads,
 * capacity, batch, events and what is done with them are theirs. The batch of 100 is ours. Handlers
 * yield while they wait; where there are processors enough, there are rows in which they spin.
 * Producers sleep for as short as they can while the ring is full, as the Disruptor's always do.
 */
final class PipelineRows {
  private static final int CAPACITY = 65_536;
  private static final int CAPACITY_OF_THREE = 8_192;
  private static final int PING_PONG_CAPACITY = 1_024;

  static final List<Row> ROWS =
      Stream.of(
              row("1-1", "OneToOneSequencedThroughputTest", Shape.STAGE, 1, 1, 1, 2.5),
              row("1-1-batch-10", "OneToOneSequencedBatchThroughputTest", Shape.STAGE, 1, 10, 1, 0),
              row("1-1-batch-100", "the same by batches of 100", Shape.STAGE, 1, 100, 1, 1.5),
              row("3-1", "ThreeToOneSequencedThroughputTest", Shape.STAGE, 3, 1, 1, 3),
              row(
                  "3-1-batch-10",
                  "ThreeToOneSequencedBatchThroughputTest",
                  Shape.STAGE,
                  3,
                  10,
                  1,
                  1.5),
              row("multicast", "OneToThreeSequencedThroughputTest", Shape.MULTICAST, 1, 1, 1, 2.3),
              row("steps", "OneToThreePipelineSequencedThroughputTest", Shape.STEPS, 1, 1, 4, 1.8),
              row(
                  "diamond",
                  "OneToThreeDiamondSequencedThroughputTest",
                  Shape.DIAMOND,
                  1,
                  1,
                  2,
                  1.5),
              row("ping-pong", "PingPongSequencedLatencyTest", Shape.PING_PONG, 1, 1, 1, 0))
          .flatMap(row -> Stream.of(row, spinning(row)))
          .toList();

  private PipelineRows() {}

  private static Row row(
      String id, String test, Shape shape, int producers, int sends, int words, double target) {
    boolean isOfThree = shape != Shape.STAGE && shape != Shape.PING_PONG;
    Work work =
        way("stages-" + id, "Disruptor's stages: " + test, producers, isOfThree ? 3 : 1)
            .withShape(shape)
            .runs(sends, 1)
            .withWords(words)
            .withCapacity(
                isOfThree
                    ? CAPACITY_OF_THREE
                    : shape == Shape.PING_PONG ? PING_PONG_CAPACITY : CAPACITY);
    return Row.of(Suite.PIPELINES, work)
        .ours(MILLRACE_STAGES)
        .beside(DISRUPTOR_STAGES, MILLRACE_STAGES_EACH, MILLRACE_STAGES_OBJECTS)
        .target(DISRUPTOR_STAGES, target);
  }

  private static Row spinning(Row row) {
    Work work = row.work();
    return Row.of(
            Suite.PIPELINES,
            way(
                    work.id() + "-spin",
                    work.title() + ", spinning",
                    work.producers(),
                    work.consumers())
                .withShape(work.shape())
                .runs(work.sends(), work.receives())
                .withWords(work.words())
                .withCapacity(work.capacity()))
        .ours(MILLRACE_STAGES_SPINNING)
        .beside(DISRUPTOR_STAGES_SPINNING)
        .target(row.targetAgainst(DISRUPTOR_STAGES));
  }
}

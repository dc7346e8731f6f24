package dev.millrace.stress.scenario;

import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.internal.PipelineAccess;
import dev.millrace.disruptor.internal.WorkCounts;
import dev.millrace.disruptor.internal.WorkCounts.Kind;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Whole pipelines, whose workers are threads of the simulation: what a stage leaves in an event the
 * next one finds, also where a handler fails.
 */
@ScenariosOf("Pipeline")
public final class PipelineScenarios extends Steps {
  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
  private static final PipelineAccess ACCESS = PipelineAccess.SECRET.get();

  private ObjectRing<Event> ring;

  /** Makes the scenarios' steps; each scenario makes its pipeline. */
  public PipelineScenarios() {}

  /** What is in a slot, all plain: each edge that is missing shows as a race. */
  private static final class Event {
    private long value;
    private long worked;
    private int tries;
  }

  /** Begins a pipeline with its first stage, {@code work}. */
  private PipelineBuilder<Event> plan() {
    ring = ObjectRing.of(RingOptions.singleProducer(2).withProducerWaits(PARK), Event::new);
    return Pipeline.on(ring).onFailure(_ -> (_, _) -> {}).stage("work").waiting(PARK);
  }

  /** Adds the last stage. */
  private static Pipeline<Event> build(PipelineBuilder<Event> plan, BatchHandler<Event> last) {
    return plan.stage("last").after("work").waiting(PARK).handledBy(last).build();
  }

  /** Publishes events until the pipeline takes no more; returns how many. */
  private int publish(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      try {
        ring.publish(
            (event, value) -> {
              event.value = value;
              event.worked = 0;
              event.tries = 0;
            },
            100L + i);
      } catch (IllegalStateException e) {
        return i;
      }
    }
    return count;
  }

  /** Works on each event; the first tries of the second one fail half-way. */
  private static BatchHandler<Event> worker(Simulation run, int failures) {
    return batch -> {
      while (batch.next()) {
        Event event = batch.event();
        run.check(event.value == 100 + batch.sequence(), "another event: " + event.value);
        event.tries++;
        if (batch.sequence() == 1 && event.tries <= failures) {
          throw new IllegalArgumentException("as planned");
        }
        event.worked = event.value;
      }
    };
  }

  /**
   * The last stage: counts what it sees, in order, and checks what the stage before has done.
   *
   * @param tries how often that tries the second event
   * @param isSkipped whether it then passes over it
   */
  private static BatchHandler<Event> last(
      Simulation run, int[] seen, int tries, boolean isSkipped) {
    return batch -> {
      while (batch.next()) {
        Event event = batch.event();
        int sequence = (int) batch.sequence();
        run.check(sequence == seen[0]++, "out of order: " + sequence);
        run.check(event.tries == (sequence == 1 ? tries : 1), sequence + " tried " + event.tries);
        long worked = sequence == 1 && isSkipped ? 0 : event.value;
        run.check(event.worked == worked, sequence + " worked on: " + event.worked);
      }
    };
  }

  /** Runs a pipeline whose producer publishes some events; returns how many it published. */
  private int[] runWith(Simulation run, Pipeline<Event> pipeline, int events) {
    int[] published = new int[1];
    run.thread(
        "producer",
        () -> published[0] = publish(events),
        ring::complete,
        () -> run.check(ring.awaitDrained(FOREVER) || published[0] < events, "not drained"));
    List<? extends Runnable> workers = ACCESS.workers(pipeline);
    threads(run, workers.size(), "worker", i -> workers.get(i).run());
    return published;
  }

  private static void checkCounts(
      Simulation run, Pipeline<Event> pipeline, long events, long failed, long retries) {
    Map<String, Long> metrics = pipeline.metrics();
    run.check(metrics.get("work.processed") == events, "processed: " + metrics);
    run.check(metrics.get("work.failed") == failed, "failed: " + metrics);
    run.check(metrics.get("work.retries") == retries, "retries: " + metrics);
    run.check(metrics.get("last.processed") == events, "last: " + metrics);
  }

  @About("an event that is tried again reaches the next stage once, worked on, and in its turn")
  public void retryInSharedStage(Simulation run) {
    int[] seen = new int[1];
    Pipeline<Event> pipeline =
        build(plan().sharedBy(2, () -> worker(run, 1)).retries(1), last(run, seen, 2, false));
    runWith(run, pipeline, 3);
    run.atEnd(() -> checkCounts(run, pipeline, 3, 0, 1));
  }

  @About("an event that fails for good is passed over, and goes on to the next stage as it is left")
  public void failureIsSkipped(Simulation run) {
    int[] seen = new int[1];
    Pipeline<Event> pipeline =
        build(plan().handledBy(worker(run, 9)).retries(1).skipFailures(), last(run, seen, 2, true));
    runWith(run, pipeline, 4);
    run.atEnd(() -> checkCounts(run, pipeline, 4, 1, 1));
  }

  @About("a failure that is not skipped ends all workers, and wakes a producer that waits for room")
  public void failureEndsAll(Simulation run) {
    int[] seen = new int[1];
    Pipeline<Event> pipeline = build(plan().handledBy(worker(run, 9)), last(run, seen, 1, false));
    int[] published = runWith(run, pipeline, 6);
    run.atEnd(
        () -> run.check(seen[0] <= 1, "the last stage has seen what failed: " + seen[0]),
        () -> run.check(published[0] < 5, "taken after the failure: " + published[0]),
        () -> run.check(pipeline.failure() instanceof IllegalArgumentException, "no failure"));
  }

  @About("a handler may not close its pipeline, but the thread that has run its worker may")
  public void handlerMayNotClose(Simulation run) {
    List<Pipeline<Event>> built = new ArrayList<>();
    boolean[] refused = new boolean[1];
    BatchHandler<Event> closer = batch -> refused[0] = refuses(built.getFirst()::close);
    Pipeline<Event> pipeline = plan().handledBy(closer).build();
    built.add(pipeline);
    run.thread(
        "worker",
        () -> run.check(publish(1) == 1, "refused"),
        ring::complete,
        ACCESS.workers(pipeline).getFirst()::run,
        pipeline::close);
    run.thread(
        "other",
        () -> run.check(refuses(() -> pipeline.drain(FOREVER)), "drained, but was not started"));
    run.atEnd(() -> run.check(refused[0], "it waited for itself"));
  }

  @About("a thread that reads a worker's counts sees them grow, and in the end all of them")
  public void countsBesideWorker(Simulation run) {
    WorkCounts counts = new WorkCounts();
    run.thread("worker", times(3, () -> counts.add(Kind.EVENTS, 2)));
    long[] before = new long[1];
    run.thread(
        "sampler",
        times(
            3,
            () -> {
              long events = counts.get(Kind.EVENTS);
              run.check(events >= before[0] && events % 2 == 0, "count " + events);
              before[0] = events;
            }));
    run.atEnd(
        () -> run.check(counts.get(Kind.EVENTS) == 6, "in all " + counts.get(Kind.EVENTS)),
        counts::beginAnew,
        () -> run.check(counts.get(Kind.EVENTS) == 0, "it goes on: " + counts.get(Kind.EVENTS)));
  }
}

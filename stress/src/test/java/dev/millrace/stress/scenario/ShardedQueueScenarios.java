package dev.millrace.stress.scenario;

import dev.millrace.queues.MpscProducer;
import dev.millrace.queues.ShardedQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** That a key has one queue, whoever sends; the queue itself has its scenarios as MpscQueue. */
@ScenariosOf("ShardedQueue")
public final class ShardedQueueScenarios extends Steps {
  private static final int SHARDS = 2;
  private static final long[] KEYS = {2, -2}; // of different shards

  @About("records of a key come to the consumer of its shard alone, in the order of each producer")
  public void keyHasOneShard(Simulation run) {
    ShardedQueue<Duo> queue = ShardedQueue.of(Duo.class, SHARDS, 4);
    long[] last = new long[2 * KEYS.length];
    int[] came = new int[1];
    threads(
        run,
        2,
        "producer",
        who -> {
          var producers = queue.newProducers();
          for (int number = 1; number <= 2; number++) {
            for (int key = 0; key < KEYS.length; key++) {
              MpscProducer<Duo> own = producers.get(queue.shardOf(KEYS[key]));
              Duo duo = own.tryClaim();
              run.check(duo != null, "full though there is room");
              duo.first(2 * key + who).second(number);
              own.commit();
            }
          }
        });
    Numbered take =
        shard -> {
          var consumer = queue.shard(shard).consumer();
          for (Duo duo = consumer.tryPoll(); duo != null; duo = consumer.tryPoll()) {
            int from = (int) duo.first();
            run.check(queue.shardOf(KEYS[from / 2]) == shard, "not of this shard: " + from);
            run.check(duo.second() == last[from] + 1, "not in order: " + duo.second());
            last[from] = duo.second();
            came[0]++;
            consumer.release();
          }
        };
    threads(run, SHARDS, "consumer", take);
    run.atEnd(
        rounds(SHARDS, take),
        () -> run.check(came[0] == 4 * KEYS.length, "came: " + came[0]),
        () ->
            run.check(
                queue.shardOf(KEYS[0]) == 0 && queue.shardOf(KEYS[1]) == 1, "both in one shard"));
  }
}

package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Consumer;
import dev.millrace.queues.QueueContract.Point;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShardedQueueTest {
  private static final int SHARDS = 3;
  private static final int CAPACITY = 8;

  private final ShardedQueue<Point> queue = ShardedQueue.of(Point.class, SHARDS, CAPACITY);
  private final List<MpscProducer<Point>> producers = queue.newProducers();

  @AfterEach
  void free() {
    queue.close();
  }

  private MpscProducer<Point> of(long key) {
    return producers.get(queue.shardOf(key));
  }

  @Test
  void shardOf_ofManyKeys_sharesThemOutEvenly() {
    for (long step : new long[] {1, 2, 1_000, 1L << 32}) {
      int[] counts = new int[SHARDS];
      LongStream.range(0, 30_000).forEach(i -> counts[queue.shardOf(i * step)]++);
      assertThat(IntStream.of(counts)).allMatch(count -> count > 9_000 && count < 11_000);
    }
    assertThat(LongStream.of(Long.MIN_VALUE, -1, 0, Long.MAX_VALUE).map(queue::shardOf))
        .allMatch(index -> index >= 0 && index < SHARDS);
  }

  @Test
  void claim_goesToTheShardOfTheKey() throws Exception {
    for (long key = 0; key < 6; key++) {
      of(key).claim().x(key).y((int) -key);
      of(key).commit();
    }
    List<Long> found = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      int index = i;
      queue
          .shard(i)
          .consumer()
          .drain(
              point -> {
                assertThat(queue.shardOf(QueueContract.whole(point))).isEqualTo(index);
                found.add(point.x());
              },
              CAPACITY);
    }
    assertThat(found).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void metrics_areThoseOfEachShard() throws Exception {
    assertThat(queue.metrics())
        .hasSize(queue.shards() * queue.shard(0).metrics().size())
        .containsEntry("shard0.committed", 0L);
    of(7).claim();
    of(7).commit();
    int shard = queue.shardOf(7);
    assertThat(queue.metrics())
        .containsEntry("shard" + shard + ".size", 1L)
        .containsEntry("shard" + shard + ".committed", 1L)
        .containsEntry("shard" + (1 - shard) + ".committed", 0L);
  }

  @Test
  void tryClaim_whenTheShardIsFull_isNullAndOthersGoOn() throws Exception {
    long key = 7;
    for (int i = 0; i < CAPACITY; i++) {
      of(key).tryClaim().x(i);
      of(key).commit();
    }
    assertThat(of(key).tryClaim()).isNull();
    assertThat(of(key).claim(Duration.ofMillis(1))).isNull();
    long other =
        LongStream.range(0, 100)
            .filter(one -> queue.shardOf(one) != queue.shardOf(key))
            .findFirst()
            .orElseThrow();
    assertThat(of(other).tryClaim()).isNotNull();
    of(other).close();
    assertThat(queue.shard(queue.shardOf(key)).sizeEstimate()).isEqualTo(CAPACITY);
    assertThat(queue).asString().startsWith("ShardedQueue[MpscQueue[capacity=8, size~");
  }

  @Test
  void claims_ofSeveralShards_mayBeOpenAtOnce() {
    for (MpscProducer<Point> producer : producers) {
      assertThat(producer.tryClaim()).isNotNull();
    }
    producers.forEach(MpscProducer::commit);
    for (int i = 0; i < SHARDS; i++) {
      assertThat(queue.shard(i).consumer().tryPoll()).isNotNull();
    }
    queue.complete();
    Throws.illegalState("queue is completed...", () -> of(1).claim());
  }

  @Test
  void of_whenThereAreNone_saysSo() {
    Throws.illegalArgument(
        "shards must be in 1..1024: shards=0", () -> ShardedQueue.of(Point.class, 0, 2));
  }

  @Test
  void records_ofAKey_stayInOrder() throws Exception {
    int producers = 2;
    int keys = 16;
    int records = 2_000;
    List<TestCall<Map<Long, Integer>>> takers =
        TestCall.each(SHARDS, shard -> () -> countsInOrder(queue.shard(shard).consumer(), records));
    List<TestCall<Boolean>> senders =
        TestCall.each(
            producers,
            sender ->
                () -> {
                  List<MpscProducer<Point>> all = queue.newProducers();
                  for (int i = 0; i < records; i++) {
                    for (long key = 0; key < keys; key++) {
                      long value = (key * producers + sender) * records + i;
                      MpscProducer<Point> own = all.get(queue.shardOf(key));
                      own.claim().x(value).y((int) -value);
                      own.commit();
                    }
                  }
                  return true;
                });
    TestCall.results(senders);
    assertThat(queue.awaitDrained(Duration.ofMillis(1))).isFalse();
    queue.complete();
    assertThat(queue.awaitDrained(Duration.ofSeconds(30))).isTrue();
    Map<Long, Integer> all = new HashMap<>();
    TestCall.results(takers).forEach(all::putAll);
    assertThat(all)
        .hasSize(keys * producers)
        .allSatisfy((id, n) -> assertThat(n).isEqualTo(records));
  }

  /** Takes all records; how many came of each key and sender. */
  private static Map<Long, Integer> countsInOrder(Consumer<Point> consumer, int records)
      throws InterruptedException {
    Map<Long, Integer> next = new HashMap<>();
    consumer.forEach(
        point -> {
          long value = QueueContract.whole(point);
          int seen = next.merge(value / records, 1, Integer::sum);
          assertThat(value % records).isEqualTo(seen - 1);
        });
    return next;
  }
}

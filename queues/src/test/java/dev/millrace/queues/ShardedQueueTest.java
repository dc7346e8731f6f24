package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Consumer;
import dev.millrace.queues.QueueContract.Point;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a key that another thread, process or version would send to another shard, shards that get
 * unequal shares, and records of one key out of order.
 */
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

  /** Other processes and later versions must find the same shards. */
  @ParameterizedTest
  @CsvSource({
    "1, 0 0 0 0 0 0 0 0",
    "2, 0 1 0 1 0 1 1 0",
    "3, 0 1 0 2 0 1 2 1",
    "16, 0 9 3 13 2 8 14 6",
    "1024, 0 632 241 874 149 512 903 391"
  })
  void shardOf_ofAKey_isAlwaysTheSame(int shards, String expected) {
    long[] keys = {0, 1, 2, 3, -3, Long.MIN_VALUE, Long.MAX_VALUE, -1};
    try (ShardedQueue<Point> some = ShardedQueue.of(Point.class, shards, 2)) {
      assertThat(LongStream.of(keys).mapToObj(key -> "" + some.shardOf(key)))
          .containsExactly(expected.split(" "));
    }
  }

  @Test
  void shardOf_ofAnyKeyAndNumberOfShards_isThatOfTheHash_inEachThread() throws Exception {
    for (int shards : new int[] {1, 2, 3, 7, 64, 1_000}) {
      TestCall.results(TestCall.run(2, () -> assertShardsAreThoseOfTheHash(shards)));
    }
  }

  /** The bits behind the point of key times golden ratio, times the number of shards. */
  private static void assertShardsAreThoseOfTheHash(int shards) {
    BigInteger golden = new BigInteger("9E3779B97F4A7C15", 16);
    Random random = new Random(1);
    try (ShardedQueue<Point> some = ShardedQueue.of(Point.class, shards, 2)) {
      for (int i = 0; i < 2_000; i++) {
        long key = random.nextLong() >> random.nextInt(64); // of either sign, near 0 and far off
        int expected =
            BigInteger.valueOf(key)
                .multiply(golden)
                .mod(BigInteger.TWO.pow(64))
                .multiply(BigInteger.valueOf(shards))
                .shiftRight(64)
                .intValueExact();
        assertThat(some.shardOf(key)).as("%s of %s", key, shards).isEqualTo(expected);
      }
    }
  }

  /** Each producer's ends are in the order of the shards, whichever thread has them. */
  @Test
  void newProducers_ofEachThread_leadToTheShardsInTheirOrder() throws Exception {
    for (int thread = 0; thread < 2; thread++) {
      List<MpscProducer<Point>> own = TestCall.of(queue::newProducers).result();
      assertThat(own).hasSize(SHARDS);
      for (int index = 0; index < SHARDS; index++) {
        own.get(index).tryClaim().x(index);
        own.get(index).commit();
        assertThat(queue.shard(index).consumer().tryPoll().x()).isEqualTo(index);
        queue.shard(index).consumer().release();
        assertThat(queue.shard(index).sizeEstimate()).isZero();
      }
    }
  }

  @Test
  void shardOf_ofKeysOfEitherSign_reachesEveryShard() {
    for (int shards : new int[] {2, 3, 16, 64}) {
      try (ShardedQueue<Point> some = ShardedQueue.of(Point.class, shards, 2)) {
        for (int sign : new int[] {1, -1}) {
          int[] counts = new int[shards];
          LongStream.range(0, 1_000L * shards).forEach(i -> counts[some.shardOf(sign * i)]++);
          assertThat(IntStream.of(counts)).allMatch(count -> count > 900 && count < 1_100);
        }
      }
    }
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
    int records = 500;
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

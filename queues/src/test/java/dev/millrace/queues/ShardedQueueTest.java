package dev.millrace.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShardedQueueTest {
  private static final int SHARDS = 3;
  private static final int CAPACITY = 8;

  private final ShardedQueue<Point> queue =
      ShardedQueue.of(SHARDS, QueueOptions.ofCapacity(CAPACITY), Point::new);
  private final ShardedQueue<Point>.Producer producer = queue.newProducer();

  @AfterEach
  void free() {
    for (int i = 0; i < SHARDS; i++) {
      queue.shard(i).abandon();
    }
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
      Point point = producer.claim(key);
      point.value(key);
      assertThat(producer.commit()).isTrue();
    }
    List<Long> found = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      int index = i;
      MpscQueue<Point> shard = queue.shard(i);
      shard.drain(
          shard.newFlyweight(),
          point -> {
            assertThat(queue.shardOf(point.wholeValue())).isEqualTo(index);
            found.add(point.value());
          },
          CAPACITY);
    }
    assertThat(found).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void tryClaim_whenTheShardIsFull_returnsNullAndOthersGoOn() {
    long key = 7;
    for (int i = 0; i < CAPACITY; i++) {
      producer.tryClaim(key).value(i);
      producer.commit();
    }
    assertThat(producer.tryClaim(key)).isNull();
    long other =
        LongStream.range(0, 100)
            .filter(one -> queue.shardOf(one) != queue.shardOf(key))
            .findFirst()
            .orElseThrow();
    assertThat(producer.tryClaim(other)).isNotNull();
    producer.abort();
    assertThat(queue.sizeEstimates()[queue.shardOf(key)]).isEqualTo(CAPACITY);
    assertThat(queue).asString().startsWith("ShardedQueue[sizes~[");
  }

  @Test
  void producer_whenMisused_saysSo() throws Exception {
    assertThatThrownBy(producer::commit)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("claim must be open: none is");
    assertThatThrownBy(producer::abort).isInstanceOf(IllegalStateException.class);
    producer.claim(1);
    assertThatThrownBy(() -> producer.claim(2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("claim must be committed or aborted before the next: shard=");
    assertThatThrownBy(() -> producer.tryClaim(2)).isInstanceOf(IllegalStateException.class);
    producer.commit();
    queue.complete();
    assertThatThrownBy(() -> producer.claim(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("queue must be open to claim");
  }

  @Test
  void of_whenThereAreNone_saysSo() {
    assertThatThrownBy(() -> ShardedQueue.of(0, QueueOptions.ofCapacity(2), Point::new))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("shards must be in 1..1024: shards=0");
  }

  @Test
  void records_ofAKey_stayInOrder() throws Exception {
    int producers = 2;
    int keys = 16;
    int records = 2_000;
    List<Thread> threads = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      long sender = p;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    ShardedQueue<Point>.Producer own = queue.newProducer();
                    try {
                      for (int i = 0; i < records; i++) {
                        for (long key = 0; key < keys; key++) {
                          own.claim(key).value((key * producers + sender) * records + i);
                          own.commit();
                        }
                      }
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  }));
    }
    List<Map<Long, Long>> next = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      Map<Long, Long> own = new HashMap<>();
      next.add(own);
      MpscQueue<Point> shard = queue.shard(i);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    Point point = shard.newFlyweight();
                    try {
                      while (shard.poll(point)) {
                        long id = point.wholeValue() / records;
                        long seen = own.getOrDefault(id, 0L);
                        boolean isNext = point.value() % records == seen;
                        own.put(id, isNext ? seen + 1 : Long.MIN_VALUE);
                        shard.release(point);
                      }
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  }));
    }
    for (int p = 0; p < producers; p++) {
      threads.get(p).join();
    }
    queue.complete();
    for (Thread thread : threads) {
      thread.join();
    }
    Map<Long, Long> all = new HashMap<>();
    next.forEach(all::putAll);
    assertThat(all)
        .hasSize(keys * producers)
        .allSatisfy((key, n) -> assertThat(n).isEqualTo((long) records));
  }
}

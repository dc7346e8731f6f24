package dev.millrace.bench.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Finds inputs that make every figure of the caches wrong: a trace with its bytes swapped, keys
 * drawn with other weights than Zipf's law has, a reference S3-FIFO that evicts the wrong entry.
 */
class CacheInputsTest {
  @Test
  void parse_withMarksAndBlanks_returnsNumbersInOrder() {
    byte[] text = "12\n*\n\n 3 \r\n12\n".getBytes(StandardCharsets.US_ASCII);
    assertThat(Trace.parse(new ByteArrayInputStream(text))).containsExactly(12, 3, 12);
  }

  @Test
  void numbers_ofBytes_haveTheHighByteFirst() {
    assertThat(Trace.numbers(new byte[] {0, 0, 1, 2, 0, 0, 0, 3})).containsExactly(258, 3);
  }

  /** Of every 25,000 requests the last 5,000 are of keys that come once. */
  @Test
  void zipfWithScans_scansKeysOnce() {
    long[] keys = Trace.zipfWithScans(50_000, 1).keys();
    long[] scans =
        LongStream.concat(Arrays.stream(keys, 20_000, 25_000), Arrays.stream(keys, 45_000, 50_000))
            .toArray();
    assertThat(scans).containsExactly(LongStream.range(100_000, 110_000).toArray());
    assertThat(Arrays.stream(keys).filter(key -> key < 100_000)).hasSize(40_000);
  }

  /** Of two ranks the first has two thirds. */
  @Test
  void next_ofZipf_drawsByWeight() {
    Zipf zipf = new Zipf(2, 1, new SplittableRandom(1));
    long first = IntStream.range(0, 30_000).map(_ -> zipf.next()).filter(rank -> rank == 0).count();
    assertThat(first).isBetween(19_700L, 20_300L);
  }

  /** Ten entries: one in the small queue, nine in the main one, nine ghosts. */
  @Test
  void test_ofS3Fifo_hitsAsComputedByHand() {
    S3Fifo cache = new S3Fifo(10);
    assertThat(LongStream.rangeClosed(1, 10).filter(cache)).isEmpty(); // 1 small, 2 to 10 main
    assertThat(cache.test(11)).isFalse(); // 1 becomes a ghost
    assertThat(cache.test(1)).isFalse(); // into main, which is one too long; 11 becomes a ghost
    assertThat(cache.test(1)).isTrue();
    assertThat(cache.test(3)).isTrue();
    assertThat(cache.test(12)).isFalse(); // main drops 2
    assertThat(cache.test(2)).isFalse(); // no ghost, so into small; 12 becomes a ghost
    assertThat(cache.test(11)).isFalse(); // into main, which is one too long; 2 becomes a ghost
    assertThat(cache.test(13)).isFalse(); // main keeps 3, which was read, and drops 4
    assertThat(cache.test(3)).isTrue();
    assertThat(cache.test(13)).isTrue();
    assertThat(cache.test(13)).isTrue();
    assertThat(cache.test(14)).isFalse(); // 13, read twice, moves to main, which drops 5
    assertThat(cache.test(13)).isTrue();
    assertThat(List.of(5L, 4L)).noneMatch(cache::test);
  }

  @Test
  void offers_ofTheArticle_haveRoomAndHeap() {
    Offers offers = new Offers(10_000, 5_000, 100_000, 1.5);
    assertThat(offers.count()).isEqualTo(15_000);
    assertThat(offers.room().bytes()).isEqualTo(10_000L * (8 + 5_000 + 72));
    assertThat(offers.heapMegabytes()).isEqualTo(768); // 512 and 96, up to a multiple of 256
    assertThat(new Offers(15_000, 200_000, 1_000, 1.5).heapMegabytes()).isEqualTo(6_400);
  }

  @Test
  void check_ofAnotherOffer_fails() {
    Offers offers = new Offers(10, 100, 1, 1.5);
    String text = offers.load(27);
    assertThat(text).hasSize(100).startsWith("0000000027lmnopq").endsWith("vw");
    offers.check(27, text);
    assertThatThrownBy(() -> offers.check(1, text)) // with the same letters
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("another offer's description: number=1, length=100");
    assertThatThrownBy(() -> offers.check(27, text.substring(0, 99) + "x"))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void reason_ofAStackTrace_isTheLastCause() {
    assertThat(Sample.reason("WARNING\n at a\nCaused by: X: one\n at b\nCaused by: Y: two\n at c"))
        .isEqualTo("Y: two");
    assertThat(Sample.reason("no end within 3 s")).isEqualTo("no end within 3 s");
  }
}

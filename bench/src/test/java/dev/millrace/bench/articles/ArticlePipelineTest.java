package dev.millrace.bench.articles;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a trade that a stage loses, handles twice or books under another symbol, with each way of
 * waiting and in the queues that the ring is compared with.
 */
@Timeout(120)
class ArticlePipelineTest {
  private static final int TRADES = 30_000; // the ring comes round some thirty times
  private static final long TRADED =
      TRADES / 300; // every so many is timed, so that both ways are taken

  private final ArticleTrades trades = new ArticleTrades();

  @ParameterizedTest
  @CsvSource({
    "millrace, yielding, 1",
    "millrace, parking, 4",
    "millrace, spinning-then-parking, 1",
    "millrace, parking-at-once, 4",
    "millrace, sleeping, 1",
    "millrace, sleeping-at-once, 1",
    "queues, '', 4"
  })
  void books_areThoseOfOneThread(String side, String wait, int publishers) throws Exception {
    try (ArticlePipeline pipeline = ArticlePipeline.of(side, wait, publishers)) {
      AtomicInteger next = new AtomicInteger();
      ArticleFork.publish(
          pipeline,
          publishers,
          publisher -> {
            for (int number = next.getAndIncrement();
                number < TRADES;
                number = next.getAndIncrement()) {
              publisher.put(trades.line(number), number % 300 == 0 ? System.nanoTime() : 0);
            }
            return null;
          });
      pipeline.drain();
      Map<Long, ArticleBook.Line> expected = trades.bookOf(TRADES).lines();
      assertThat(expected).hasSize(ArticleTrades.SYMBOLS);
      assertThat(expected.values().stream().mapToLong(ArticleBook.Line::count).sum())
          .isEqualTo(TRADES);
      assertThat(pipeline.lines()).isEqualTo(expected);
      assertThat(pipeline.nanos().values())
          .allSatisfy(times -> assertThat(times.getTotalCount()).isEqualTo(TRADED));
    }
  }
}

package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ring and the queues come to the same books, which are those of one thread. */
@Timeout(120)
class ArticlePipelineTest {
  private static final int TRADES = 120_000;
  private static final long TRADED =
      TRADES / 300; // every so many is timed, so that both ways are taken

  private final ArticleTrades trades = new ArticleTrades();

  @ParameterizedTest
  @CsvSource({
    "millrace, yielding",
    "millrace, parking",
    "millrace, spinning-then-parking",
    "millrace, parking-at-once",
    "millrace, sleeping",
    "millrace, sleeping-at-once",
    "queues, ''"
  })
  void books_areThoseOfOneThread(String side, String wait) throws Exception {
    try (ArticlePipeline pipeline = ArticlePipeline.of(side, wait)) {
      for (int number = 0; number < TRADES; number++) {
        pipeline.put(trades.line(number), number % 300 == 0 ? System.nanoTime() : 0);
      }
      pipeline.drain();
      Map<Long, ArticleBook.Line> expected = trades.bookOf(TRADES).lines();
      assertThat(expected).hasSize(ArticleTrades.SYMBOLS);
      assertThat(expected.values().stream().mapToLong(ArticleBook.Line::count).sum())
          .isEqualTo(TRADES);
      assertThat(pipeline.lines()).isEqualTo(expected);
      assertThat(pipeline.nanos().getTotalCount()).isEqualTo(TRADED);
    }
  }
}

package dev.millrace.bench.articles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
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

  private static final int STAGES = 3;

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
      assertThat(pipeline.nanos()).hasSize(ArticlePipeline.TIMES.size() + 2 * STAGES);
      assertThat(pipeline.nanos().values())
          .allSatisfy(times -> assertThat(times.getTotalCount()).isEqualTo(TRADED));
      ArticlePipeline.TIMES.stream()
          .skip(1)
          .forEach(stage -> assertWaitingAndWorkingAddUp(stage, pipeline.nanos()));
    }
  }

  private static void assertWaitingAndWorkingAddUp(String stage, Map<String, Histogram> nanos) {
    double both =
        nanos.get(stage + ", waiting").getMean() + nanos.get(stage + ", working").getMean();
    assertThat(both).as(stage).isCloseTo(nanos.get(stage).getMean(), withinPercentage(1));
  }

  /** The lines repeat. */
  @Test
  void bookOf_moreTradesThanLines_hasEach() {
    long count = 40_000;
    ArticleBook book = new ArticleBook();
    ArticleParser parser = new ArticleParser();
    for (long number = 0; number < count; number++) {
      byte[] line = trades.line(number);
      parser.parse(line, line.length);
      book.add(
          parser.symbol,
          parser.cents,
          parser.size,
          ArticleParser.notional(parser.cents, parser.size),
          ArticleParser.venueCode(parser.venue));
    }
    assertThat(trades.bookOf(count).lines()).isEqualTo(book.lines());
  }

  @Test
  void run_atARate_tellsPausesAndPercentiles() throws Exception {
    Map<String, Double> figures =
        new ArticleFork("queues", 1, "parking", 2_000, 2, 100, 500).run().figures();
    assertThat(figures)
        .containsKeys(
            "publish call: p90, us",
            "enrich, waiting: p99, us",
            "aggregate, working: mean, us",
            "allocation, MB/s");
    assertThat(figures.get("collections")).isNotNegative();
    assertThat(figures.get("longest pause, ms"))
        .isBetween(figures.get("a pause: mean, ms"), figures.get("pauses, ms"));
  }
}

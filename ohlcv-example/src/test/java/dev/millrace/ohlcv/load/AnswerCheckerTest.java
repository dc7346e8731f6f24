package dev.millrace.ohlcv.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSnapshot;
import dev.millrace.ohlcv.candle.CandleView;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Plants wrong answers of every kind, each of which must be found. */
class AnswerCheckerTest {
  private static final LoadSettings SETTINGS =
      new LoadSettings(CandleEngine.Kind.OFF_HEAP, 2_000, 10, 5, 0, 3, 11, 1);
  private static final Reference REFERENCE = new Reference(SETTINGS, SETTINGS.totalTrades());

  /** In the run's middle, amid a minute: the window has moved, and there are trades to come. */
  private static final long NOW = SETTINGS.fillTrades() + SETTINGS.measuredTrades() / 2 + 2;

  private final AnswerLog log = new AnswerLog();
  private Answer last = new Answer(List.of());

  @AfterEach
  void closeLog() {
    log.close();
  }

  @Test
  void check_ofRightAnswer_findsNothing() {
    append(rightAnswer(NOW), NOW, NOW);
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).as(result.example()).isZero();
    assertThat(result.answers()).isEqualTo(1);
    assertThat(result.candles()).isEqualTo(rightAnswer(NOW).size()).isGreaterThan(1_400);
  }

  @Test
  void check_ofRightAnswersOneAfterTheOther_findsNothing() {
    for (long now = NOW; now < NOW + 500; now += 7) {
      append(rightAnswer(now), now, now);
    }
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).as(result.example()).isZero();
    assertThat(result.answers()).isEqualTo(72);
  }

  @Test
  void check_ofAnswerFromAnyMomentOfTheQuery_findsNothing() {
    append(rightAnswer(NOW), NOW - 300, NOW + 300);
    append(rightAnswer(NOW - 300), NOW - 300, NOW + 300);
    append(rightAnswer(NOW + 300), NOW - 300, NOW + 300);
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).as(result.example()).isZero();
  }

  @Test
  void check_ofChangedField_findsIt() {
    for (int field = 0; field < 11; field++) {
      for (int index : new int[] {0, 700, rightAnswer(NOW).size() - 1}) {
        List<Candle> answer = rightAnswer(NOW);
        answer.set(index, changed(answer.get(index), field));
        append(answer, NOW, NOW);
      }
    }
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(33).isEqualTo(result.answers());
    assertThat(result.example()).doesNotContain("\n").isNotEmpty();
  }

  @Test
  void check_ofMoreDigitsThanWereTraded_findsThem() {
    List<Candle> answer = rightAnswer(NOW);
    Candle candle = answer.getLast();
    answer.set(answer.size() - 1, withHigh(candle, candle.high().add(new BigDecimal("1e-9"))));
    append(answer, NOW, NOW);
    answer = rightAnswer(NOW);
    answer.set(answer.size() - 1, withHigh(candle, BigDecimal.TEN.pow(40)));
    append(answer, NOW, NOW);
    assertThat(check().wrong()).isEqualTo(2);
  }

  @Test
  void check_ofMissingCandle_findsIt() {
    int size = rightAnswer(NOW).size();
    for (int index : new int[] {0, 1, 700, size - 1}) {
      List<Candle> answer = rightAnswer(NOW);
      answer.remove(index);
      append(answer, NOW, NOW);
    }
    append(List.of(), NOW, NOW);
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(5);
    assertThat(result.example()).contains("missing: minute");
  }

  @Test
  void check_ofCandleThatLagsBehind_findsIt() {
    List<Candle> answer = rightAnswer(NOW);
    answer.set(answer.size() - 1, last(rightAnswer(NOW - 1)));
    append(answer, NOW, NOW);
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(1);
    assertThat(result.example()).contains("count must be in");
  }

  @Test
  void check_ofCandleFromTheFuture_findsIt() {
    append(rightAnswer(NOW), NOW - 1, NOW - 1);
    assertThat(check().example()).contains("count must be in");
  }

  @Test
  void check_ofClosedCandleThatIsNotComplete_findsIt() {
    List<Candle> answer = rightAnswer(NOW);
    int index = 700;
    Candle whole = answer.get(index);
    int bucket = (int) Reference.bucket(whole.openTimeNanos());
    assertThat(whole.count()).isGreaterThan(1);
    answer.set(index, candle(REFERENCE.candle(0, bucket, (int) whole.count() - 1)));
    append(answer, 0, NOW); // right for a query that began before that minute ended
    append(answer, NOW, NOW);
    assertThat(check().wrong()).isEqualTo(1);
  }

  @Test
  void check_ofTornCandle_findsIt() {
    List<Candle> answer = rightAnswer(NOW);
    Candle now = last(answer);
    Candle before = last(rightAnswer(NOW - 1));
    assertThat(before.openTimeNanos()).isEqualTo(now.openTimeNanos());
    // Prices and count are of now; the sums are still those of before.
    answer.set(
        answer.size() - 1,
        new Candle(
            now.symbol(),
            now.openTimeNanos(),
            now.open(),
            now.high(),
            now.low(),
            now.close(),
            before.volume(),
            now.count(),
            before.quoteVolume(),
            before.takerBuyVolume(),
            before.takerBuyQuoteVolume()));
    append(answer, NOW, NOW);
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(1);
    assertThat(result.example()).contains("got ").contains(", expected ");
  }

  @Test
  void check_ofWrongOrder_findsIt() {
    List<Candle> swapped = rightAnswer(NOW);
    Collections.swap(swapped, 700, 701);
    append(swapped, NOW, NOW);
    List<Candle> twice = rightAnswer(NOW);
    twice.add(700, twice.get(700));
    append(twice, NOW, NOW);
    assertThat(check().wrong()).isEqualTo(2);
  }

  @Test
  void check_ofCandleBeforeTheWindow_findsIt() {
    List<Candle> answer = rightAnswer(NOW);
    int bucket = (int) Reference.bucket(answer.getFirst().openTimeNanos()) - 1;
    answer.addFirst(candle(REFERENCE.candle(0, bucket, REFERENCE.fullCount(0, bucket))));
    append(answer, NOW, NOW);
    assertThat(check().example()).contains("before the window");
  }

  @Test
  void check_ofCandleOfNoTradesTime_findsIt() {
    List<Candle> answer = rightAnswer(NOW);
    Candle candle = answer.getLast();
    answer.set(answer.size() - 1, withTime(candle, candle.openTimeNanos() + Long.MAX_VALUE / 2));
    append(answer, NOW, NOW);
    assertThat(check().example()).contains("no trade's time");
  }

  /** An answer that is right at first is wrong when it is given once more after another trade. */
  @Test
  void check_ofAnswerGivenAgainLater_findsIt() {
    List<Candle> answer = rightAnswer(NOW);
    append(answer, NOW, NOW);
    append(answer, NOW, NOW + 1);
    append(answer, NOW + 1, NOW + 1);
    assertThat(check().wrong()).isEqualTo(1);
  }

  @Test
  void check_ofWrongCandleGivenAgain_countsEachAnswer() {
    List<Candle> answer = rightAnswer(NOW);
    answer.set(700, changed(answer.get(700), 3));
    append(answer, NOW, NOW);
    append(answer, NOW, NOW);
    append(rightAnswer(NOW), NOW, NOW);
    assertThat(check().wrong()).isEqualTo(2);
  }

  @Test
  void isNear_toFifteenDigits_andInSumsAlone() {
    long quote = 2_000_000_000_000_000L;
    ScaledCandle exact = new ScaledCandle(0, 0, 7, 7, 7, 7, 5, 1, quote, 0, 0);
    ScaledCandle near = new ScaledCandle(0, 0, 7, 7, 7, 7, 5, 1, quote - 20, 0, 0);
    assertThat(near.isNear(exact)).isTrue();
    assertThat(new ScaledCandle(0, 0, 7, 7, 7, 7, 5, 1, quote - 21, 0, 0).isNear(exact)).isFalse();
    assertThat(new ScaledCandle(0, 0, 7, 7, 7, 7, 6, 1, quote, 0, 0).isNear(exact)).isFalse();
    assertThat(new ScaledCandle(0, 0, 7, 8, 7, 7, 5, 1, quote, 0, 0).isNear(exact)).isFalse();
  }

  private AnswerChecker.Result check() {
    AnswerChecker checker = new AnswerChecker(SETTINGS, REFERENCE);
    checker.check(log);
    return checker.result();
  }

  private void append(List<Candle> candles, long before, long accepted) {
    Answer answer = new Answer(candles);
    log.append(0, before, accepted, answer, candles.size(), last, last.candles.size());
    last = answer;
  }

  /** What must be answered when nothing but the given number of trades has been placed. */
  private static List<Candle> rightAnswer(long trades) {
    int position = REFERENCE.position(0, trades);
    int newest = REFERENCE.newestBucket(0, position);
    List<Candle> answer = new ArrayList<>();
    for (int bucket = newest - LoadSettings.WINDOW + 1; bucket <= newest; bucket++) {
      int count = REFERENCE.count(0, bucket, position);
      if (count > 0) {
        answer.add(candle(REFERENCE.candle(0, bucket, count)));
      }
    }
    return answer;
  }

  private static Candle last(List<Candle> answer) {
    return answer.getLast();
  }

  private static Candle candle(ScaledCandle scaled) {
    return new Candle(
        scaled.symbol(),
        scaled.openTimeNanos(),
        BigDecimal.valueOf(scaled.open(), TradeGenerator.PRICE_SCALE),
        BigDecimal.valueOf(scaled.high(), TradeGenerator.PRICE_SCALE),
        BigDecimal.valueOf(scaled.low(), TradeGenerator.PRICE_SCALE),
        BigDecimal.valueOf(scaled.close(), TradeGenerator.PRICE_SCALE),
        BigDecimal.valueOf(scaled.volume(), TradeGenerator.VOLUME_SCALE),
        scaled.count(),
        BigDecimal.valueOf(scaled.quoteVolume(), TradeGenerator.QUOTE_SCALE),
        BigDecimal.valueOf(scaled.takerBuyVolume(), TradeGenerator.VOLUME_SCALE),
        BigDecimal.valueOf(scaled.takerBuyQuoteVolume(), TradeGenerator.QUOTE_SCALE));
  }

  /** The candle with one of its eleven fields changed by the least that it can hold. */
  private static Candle changed(Candle candle, int field) {
    BigDecimal cent = new BigDecimal("0.01");
    return new Candle(
        candle.symbol() + (field == 0 ? 1 : 0),
        candle.openTimeNanos() + (field == 1 ? 1 : 0),
        candle.open().add(field == 2 ? cent : BigDecimal.ZERO),
        candle.high().add(field == 3 ? cent : BigDecimal.ZERO),
        candle.low().add(field == 4 ? cent : BigDecimal.ZERO),
        candle.close().add(field == 5 ? cent : BigDecimal.ZERO),
        candle.volume().add(field == 6 ? new BigDecimal("0.000001") : BigDecimal.ZERO),
        candle.count() + (field == 7 ? 1 : 0),
        candle.quoteVolume().add(field == 8 ? new BigDecimal("0.00000001") : BigDecimal.ZERO),
        candle.takerBuyVolume().add(field == 9 ? new BigDecimal("0.000001") : BigDecimal.ZERO),
        candle
            .takerBuyQuoteVolume()
            .add(field == 10 ? new BigDecimal("0.00000001") : BigDecimal.ZERO));
  }

  private static Candle withHigh(Candle candle, BigDecimal high) {
    return new Candle(
        candle.symbol(),
        candle.openTimeNanos(),
        candle.open(),
        high,
        candle.low(),
        candle.close(),
        candle.volume(),
        candle.count(),
        candle.quoteVolume(),
        candle.takerBuyVolume(),
        candle.takerBuyQuoteVolume());
  }

  private static Candle withTime(Candle candle, long openTimeNanos) {
    return new Candle(
        candle.symbol(),
        openTimeNanos,
        candle.open(),
        candle.high(),
        candle.low(),
        candle.close(),
        candle.volume(),
        candle.count(),
        candle.quoteVolume(),
        candle.takerBuyVolume(),
        candle.takerBuyQuoteVolume());
  }

  /** An answer that a test has made; candles that are equal count as the same. */
  private record Answer(List<Candle> candles) implements CandleSnapshot {
    @Override
    public int take(int symbol, int buckets) {
      return candles.size();
    }

    @Override
    public long openTimeNanos(int index) {
      return candles.get(index).openTimeNanos();
    }

    @Override
    public CandleView candle(int index) {
      return candles.get(index);
    }

    @Override
    public boolean sameAs(int index, CandleSnapshot other, int otherIndex) {
      return candles.get(index).equals(((Answer) other).candles.get(otherIndex));
    }

    @Override
    public void close() {
      // nothing to free
    }
  }
}

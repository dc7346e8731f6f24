package dev.millrace.ohlcv.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSnapshot;
import dev.millrace.ohlcv.candle.CandleView;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Plants wrong answers of every kind, each of which must be found. */
class AnswerCheckerTest {
  private static final LoadSettings SETTINGS =
      new LoadSettings(CandleEngine.Kind.OFF_HEAP, 2_000, 10, 5, 0, 3, 11, 1);
  private static final Reference REFERENCE = new Reference(SETTINGS, SETTINGS.totalTrades());

  /** In the run's middle, amid a minute: the window has moved, and there are trades to come. */
  private static final long NOW = SETTINGS.fillTrades() + SETTINGS.measuredTrades() / 2 + 2;

  private static final int AMID = 700;
  private static final int OPEN_TIME = 1;

  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private List<Candle> answered;
  private final Answers answers = new Answers(Snapshot::new, log);

  static Stream<Arguments> faults() {
    return Stream.of(
        fault("the first missing", "missing: minute", List::removeFirst),
        fault("the second missing", "missing: minute", answer -> answer.remove(1)),
        fault("one amid missing", "missing: minute", answer -> answer.remove(AMID)),
        fault("the last missing", "missing: minute", List::removeLast),
        fault("all missing", "missing: minute", List::clear),
        fault("swapped", "missing: minute", answer -> Collections.swap(answer, AMID, AMID + 1)),
        fault("one twice", "out of order", answer -> answer.add(AMID, answer.get(AMID))),
        fault(
            "lags behind",
            "count must be in",
            answer -> setLast(answer, rightAnswer(NOW - 1).getLast())),
        fault(
            "closed, but not complete",
            "count must be in",
            answer -> answer.set(AMID, before(answer.get(AMID)))),
        fault("torn", "got ", answer -> setLast(answer, torn())),
        fault(
            "of more decimals than were traded",
            "got ",
            answer -> setLast(answer, withHigh(answer.getLast(), new BigDecimal("1e-9")))),
        fault(
            "of more digits than were traded",
            "got ",
            answer -> setLast(answer, withHigh(answer.getLast(), BigDecimal.TEN.pow(40)))),
        fault(
            "before the window",
            "before the window",
            answer -> answer.addFirst(whole(minute(answer.getFirst()) - 1))),
        fault(
            "of no trade's time",
            "no trade's time",
            answer -> setLast(answer, changed(answer.getLast(), OPEN_TIME, Long.MAX_VALUE / 2))));
  }

  private static Arguments fault(String name, String message, Consumer<List<Candle>> plant) {
    return arguments(name, message, plant);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void check_ofWrongAnswer_findsIt(String name, String message, Consumer<List<Candle>> plant)
      throws Exception {
    List<Candle> answer = rightAnswer(NOW);
    plant.accept(answer);
    append(answer, NOW, NOW);
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(1);
    assertThat(result.example()).contains(message).doesNotContain("\n");
  }

  @Test
  void check_ofChangedField_findsIt() throws Exception {
    int size = rightAnswer(NOW).size();
    for (int field = 0; field < ScaledCandle.NUMBERS; field++) {
      for (int index : new int[] {0, AMID, size - 1}) {
        List<Candle> answer = rightAnswer(NOW);
        answer.set(index, changed(answer.get(index), field, 1));
        append(answer, NOW, NOW);
      }
    }
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(33).isEqualTo(result.answers());
  }

  @Test
  void check_ofRightAnswersOneAfterTheOther_findsNothing() throws Exception {
    long size = 0;
    for (long now = NOW; now < NOW + 500; now += 7) {
      append(rightAnswer(now), now, now);
      size += answered.size();
    }
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).as(result.example()).isZero();
    assertThat(result.answers()).isEqualTo(72);
    assertThat(result.candles()).isEqualTo(size).isGreaterThan(72 * 1_400);
  }

  @Test
  void check_ofAnswerFromAnyMomentOfTheQuery_findsNothing() throws Exception {
    for (long moment : new long[] {NOW, NOW - 300, NOW + 300}) {
      append(rightAnswer(moment), NOW - 300, NOW + 300);
    }
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).as(result.example()).isZero();
  }

  @Test
  void check_ofCandleFromTheFuture_findsIt() throws Exception {
    append(rightAnswer(NOW), NOW - 1, NOW - 1);
    assertThat(check().example()).contains("count must be in");
  }

  @Test
  void check_ofClosedCandleThatIsNotComplete_findsItOnlyAfterItsEnd() throws Exception {
    List<Candle> answer = rightAnswer(NOW);
    answer.set(AMID, before(answer.get(AMID)));
    append(answer, 0, NOW); // right for a query that began before that minute ended
    append(answer, NOW, NOW);
    assertThat(check().wrong()).isEqualTo(1);
  }

  /** An answer that is right at first is wrong when it is given once more after another trade. */
  @Test
  void check_ofAnswerGivenAgainLater_findsIt() throws Exception {
    List<Candle> answer = rightAnswer(NOW);
    append(answer, NOW, NOW);
    append(answer, NOW, NOW + 1);
    append(answer, NOW + 1, NOW + 1);
    assertThat(check().wrong()).isEqualTo(1);
  }

  @Test
  void check_ofWrongCandleGivenAgain_countsEachAnswer() throws Exception {
    List<Candle> answer = rightAnswer(NOW);
    answer.set(AMID, changed(answer.get(AMID), 3, 1));
    append(answer, NOW, NOW);
    append(answer, NOW, NOW);
    append(rightAnswer(NOW), NOW, NOW);
    assertThat(check().wrong()).isEqualTo(2);
  }

  @Test
  void isNear_toFifteenDigits_andInSumsAlone() {
    long quote = 2_000_000_000_000_000L;
    ScaledCandle exact = ScaledCandle.of(0, 0, 7, 7, 7, 7, 5, 1, quote, 0, 0);
    assertThat(ScaledCandle.of(0, 0, 7, 7, 7, 7, 5, 1, quote - 20, 0, 0).isNear(exact)).isTrue();
    assertThat(ScaledCandle.of(0, 0, 7, 7, 7, 7, 5, 1, quote - 21, 0, 0).isNear(exact)).isFalse();
    assertThat(ScaledCandle.of(0, 0, 7, 7, 7, 7, 6, 1, quote, 0, 0).isNear(exact)).isFalse();
    assertThat(ScaledCandle.of(0, 0, 7, 8, 7, 7, 5, 1, quote, 0, 0).isNear(exact)).isFalse();
  }

  private AnswerChecker.Result check() throws IOException {
    answers.close();
    AnswerChecker checker = new AnswerChecker(SETTINGS, REFERENCE);
    checker.check(new ByteArrayInputStream(log.toByteArray()));
    return checker.result();
  }

  private void append(List<Candle> answer, long before, long accepted) throws IOException {
    answered = answer;
    answers.take(0);
    answers.log(0, before, accepted);
  }

  /** What must be answered when nothing but the given number of trades has been placed. */
  private static List<Candle> rightAnswer(long trades) {
    int position = REFERENCE.position(0, trades);
    int newest = REFERENCE.newestMinute(0, position);
    List<Candle> answer = new ArrayList<>();
    for (int minute = newest - LoadSettings.WINDOW + 1; minute <= newest; minute++) {
      int count = REFERENCE.count(0, minute, position);
      if (count > 0) {
        answer.add(candle(REFERENCE.candle(0, minute, count)));
      }
    }
    return answer;
  }

  private static void setLast(List<Candle> answer, Candle candle) {
    answer.set(answer.size() - 1, candle);
  }

  private static int minute(Candle candle) {
    return (int) Reference.minute(candle.openTimeNanos());
  }

  private static Candle whole(int minute) {
    return candle(REFERENCE.candle(0, minute, REFERENCE.fullCount(0, minute)));
  }

  /** The candle without its last trade. */
  private static Candle before(Candle candle) {
    assertThat(candle.count()).isGreaterThan(1);
    return candle(REFERENCE.candle(0, minute(candle), (int) candle.count() - 1));
  }

  /** Prices and count are of now; the sums are still those of before. */
  private static Candle torn() {
    Candle now = rightAnswer(NOW).getLast();
    long[] numbers = ScaledCandle.of(now).numbers();
    ScaledCandle.SUMS.forEach(sum -> numbers[sum] = ScaledCandle.of(before(now)).numbers()[sum]);
    return candle(ScaledCandle.of(numbers));
  }

  /** The candle with one of its numbers changed, by the least that it can hold. */
  private static Candle changed(Candle candle, int field, long by) {
    long[] numbers = ScaledCandle.of(candle).numbers();
    numbers[field] += by;
    return candle(ScaledCandle.of(numbers));
  }

  private static Candle withHigh(Candle candle, BigDecimal more) {
    return new Candle(
        candle.symbol(),
        candle.openTimeNanos(),
        candle.open(),
        candle.high().add(more),
        candle.low(),
        candle.close(),
        candle.volume(),
        candle.count(),
        candle.quoteVolume(),
        candle.takerBuyVolume(),
        candle.takerBuyQuoteVolume());
  }

  private static Candle candle(ScaledCandle scaled) {
    return new Candle(
        (int) scaled.symbol(),
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

  /** Takes what is answered; candles that are equal count as the same. */
  private final class Snapshot implements CandleSnapshot {
    private List<Candle> candles = List.of();

    @Override
    public int take(int symbol, int buckets) {
      candles = List.copyOf(answered);
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
      return candles.get(index).equals(((Snapshot) other).candles.get(otherIndex));
    }

    @Override
    public void close() {
      // nothing to free
    }
  }
}

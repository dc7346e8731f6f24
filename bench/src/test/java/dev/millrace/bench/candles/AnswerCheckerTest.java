package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleSnapshot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plants wrong answers of every kind. Finds a checker that lets one of them pass, so that a run of
 * a broken engine would report none wrong.
 */
class AnswerCheckerTest {
  private static final LoadSettings SETTINGS =
      new LoadSettings(CandleContender.OFF_HEAP, 2_000, 10, 5, 0, 3, 11, 1, true);
  private static final Reference REFERENCE = new Reference(SETTINGS, SETTINGS.totalTrades());

  /** In the run's middle, within a minute: the window has moved, and there are trades to come. */
  private static final long NOW = SETTINGS.fillTrades() + SETTINGS.measuredTrades() / 2 + 2;

  private static final int MIDDLE = 700;

  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private List<ScaledCandle> answered;
  private long answeredTrades;
  private final Answers answers = new Answers(Snapshot::new, log);

  static Stream<Arguments> faults() {
    return Stream.of(
        fault("the first missing", "missing: minute", List::removeFirst),
        fault("the second missing", "missing: minute", answer -> answer.remove(1)),
        fault("one between missing", "missing: minute", answer -> answer.remove(MIDDLE)),
        fault("the last missing", "missing: minute", List::removeLast),
        fault("all missing", "missing: minute", List::clear),
        fault("swapped", "missing: minute", answer -> Collections.swap(answer, MIDDLE, MIDDLE + 1)),
        fault("one twice", "out of order", answer -> answer.add(MIDDLE, answer.get(MIDDLE))),
        fault(
            "lags behind",
            "count must be ",
            answer -> setLast(answer, rightAnswer(NOW - 1).getLast())),
        fault(
            "closed, but not complete",
            "count must be ",
            answer -> answer.set(MIDDLE, before(answer.get(MIDDLE)))),
        fault("torn", "got ", answer -> setLast(answer, torn())),
        fault(
            "before the window",
            "before the window",
            answer -> answer.addFirst(whole(minute(answer.getFirst()) - 1))),
        fault(
            "of no trade's time",
            "no trade's time",
            answer ->
                setLast(
                    answer,
                    changed(answer.getLast(), ScaledCandle.OPEN_TIME, Long.MAX_VALUE / 2))));
  }

  private static Arguments fault(String name, String message, Consumer<List<ScaledCandle>> plant) {
    return arguments(name, message, plant);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void check_ofWrongAnswer_findsIt(String name, String message, Consumer<List<ScaledCandle>> plant)
      throws Exception {
    List<ScaledCandle> answer = rightAnswer(NOW);
    plant.accept(answer);
    append(answer, NOW);
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(1);
    assertThat(result.example()).contains(message).doesNotContain("\n");
  }

  @Test
  void check_ofChangedField_findsIt() throws Exception {
    int size = rightAnswer(NOW).size();
    for (int field = 0; field < Answers.NUMBERS; field++) {
      for (int index : new int[] {0, MIDDLE, size - 1}) {
        List<ScaledCandle> answer = rightAnswer(NOW);
        answer.set(index, changed(answer.get(index), field, 1));
        append(answer, NOW);
      }
    }
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(33).isEqualTo(result.answers());
  }

  @Test
  void check_ofRightAnswersOneAfterTheOther_findsNothing() throws Exception {
    long size = 0;
    for (long now = NOW; now < NOW + 500; now += 7) {
      append(rightAnswer(now), now);
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
      append(rightAnswer(moment), moment, NOW - 300, NOW + 300);
    }
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).as(result.example()).isZero();
  }

  @Test
  void check_ofAnswerFromBeforeTheQueryOrAfterIt_findsIt() throws Exception {
    append(rightAnswer(NOW), NOW, NOW - 1, NOW - 1);
    append(rightAnswer(NOW), NOW, NOW + 1, NOW + 1);
    AnswerChecker.Result result = check();
    assertThat(result.wrong()).isEqualTo(2);
    assertThat(result.example()).contains("last trade must be in");
  }

  @Test
  void check_ofCandlesOfTwoMoments_findsIt() throws Exception {
    append(rightAnswer(NOW), NOW - 1, NOW - 300, NOW + 300);
    append(rightAnswer(NOW - 1), NOW, NOW - 300, NOW + 300);
    assertThat(check().wrong()).isEqualTo(2);
  }

  @Test
  void check_ofWrongCandleGivenAgain_countsEachAnswer() throws Exception {
    List<ScaledCandle> answer = rightAnswer(NOW);
    answer.set(MIDDLE, changed(answer.get(MIDDLE), 3, 1));
    append(answer, NOW);
    append(answer, NOW);
    append(rightAnswer(NOW), NOW);
    assertThat(check().wrong()).isEqualTo(2);
  }

  @Test
  void isNear_toFifteenDigits_andInSumsAlone() {
    long quote = 2_000_000_000_000_000L;
    ScaledCandle exact = withPriceVolumeAndQuote(7, 5, quote);
    assertThat(withPriceVolumeAndQuote(7, 5, quote - 20).isNear(exact)).isTrue();
    assertThat(withPriceVolumeAndQuote(7, 5, quote - 21).isNear(exact)).isFalse();
    assertThat(withPriceVolumeAndQuote(7, 6, quote).isNear(exact)).isFalse();
    assertThat(withPriceVolumeAndQuote(8, 5, quote).isNear(exact)).isFalse();
  }

  @Test
  void of_moreDecimalsOrDigitsThanWereTraded_isNoSuchNumber() {
    Candle fine = candle(rightAnswer(NOW).getLast());
    for (BigDecimal price : List.of(new BigDecimal("1e-9"), BigDecimal.TEN.pow(40))) {
      long[] numbers = ScaledCandle.numbers(Candle.empty(0, 0, fine.high().add(price)));
      assertThat(Arrays.copyOfRange(numbers, 2, 6)).containsOnly(Long.MIN_VALUE);
    }
  }

  private static ScaledCandle withPriceVolumeAndQuote(long price, long volume, long quote) {
    return ScaledCandle.of(0, 0, 7, price, 7, 7, volume, 1, quote, 0, 0);
  }

  private AnswerChecker.Result check() throws IOException {
    answers.close();
    AnswerChecker checker = new AnswerChecker(SETTINGS, REFERENCE);
    checker.check(new ByteArrayInputStream(log.toByteArray()));
    return checker.result();
  }

  private void append(List<ScaledCandle> answer, long now) throws IOException {
    append(answer, now, now, now);
  }

  /** Gives an answer that names the last of the symbol's trades among the first of all. */
  private void append(List<ScaledCandle> answer, long moment, long before, long accepted)
      throws IOException {
    answered = answer;
    answeredTrades = REFERENCE.position(0, moment);
    answers.take(0);
    answers.log(0, before, accepted);
  }

  /** What must be answered when nothing but the given number of trades has been placed. */
  private static List<ScaledCandle> rightAnswer(long trades) {
    int position = REFERENCE.position(0, trades);
    int newest = REFERENCE.newestMinute(0, position);
    List<ScaledCandle> answer = new ArrayList<>();
    for (int minute = newest - LoadSettings.WINDOW + 1; minute <= newest; minute++) {
      int count = REFERENCE.count(0, minute, position);
      if (count > 0) {
        answer.add(REFERENCE.candle(0, minute, count));
      }
    }
    return answer;
  }

  private static void setLast(List<ScaledCandle> answer, ScaledCandle candle) {
    answer.set(answer.size() - 1, candle);
  }

  private static int minute(ScaledCandle candle) {
    return (int) Reference.minute(candle.openTimeNanos());
  }

  private static ScaledCandle whole(int minute) {
    return REFERENCE.candle(0, minute, REFERENCE.fullCount(0, minute));
  }

  /** The candle without its last trade. */
  private static ScaledCandle before(ScaledCandle candle) {
    assertThat(candle.count()).isGreaterThan(1);
    return REFERENCE.candle(0, minute(candle), (int) candle.count() - 1);
  }

  /** Prices and count are of now; the sums are still those of before. */
  private static ScaledCandle torn() {
    ScaledCandle now = rightAnswer(NOW).getLast();
    List<Long> numbers = new ArrayList<>(now.numbers());
    ScaledCandle.SUMS.forEach(sum -> numbers.set(sum, before(now).numbers().get(sum)));
    return new ScaledCandle(numbers);
  }

  /** The candle with one of its numbers changed, by the least that it can hold. */
  private static ScaledCandle changed(ScaledCandle candle, int field, long by) {
    List<Long> numbers = new ArrayList<>(candle.numbers());
    numbers.set(field, numbers.get(field) + by);
    return new ScaledCandle(numbers);
  }

  private static Candle candle(ScaledCandle scaled) {
    List<Long> n = scaled.numbers();
    return new Candle(
        n.get(0).intValue(),
        n.get(1),
        BigDecimal.valueOf(n.get(2), TradeGenerator.PRICE_SCALE),
        BigDecimal.valueOf(n.get(3), TradeGenerator.PRICE_SCALE),
        BigDecimal.valueOf(n.get(4), TradeGenerator.PRICE_SCALE),
        BigDecimal.valueOf(n.get(5), TradeGenerator.PRICE_SCALE),
        BigDecimal.valueOf(n.get(6), TradeGenerator.VOLUME_SCALE),
        n.get(7),
        BigDecimal.valueOf(n.get(8), TradeGenerator.QUOTE_SCALE),
        BigDecimal.valueOf(n.get(9), TradeGenerator.VOLUME_SCALE),
        BigDecimal.valueOf(n.get(10), TradeGenerator.QUOTE_SCALE));
  }

  /** Takes what is answered; candles that are equal count as the same. */
  private final class Snapshot implements CandleSnapshot {
    private List<ScaledCandle> candles = List.of();

    @Override
    public long trades() {
      return answeredTrades;
    }

    @Override
    public boolean isAll() {
      return false;
    }

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
    public Candle candle(int index) {
      return AnswerCheckerTest.candle(candles.get(index));
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

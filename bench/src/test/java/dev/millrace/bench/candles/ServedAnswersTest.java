package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Plants wrong answers of a server. Finds a checker that takes one of them for right, and a query
 * that asks for other candles than are checked.
 */
class ServedAnswersTest {
  private static final LoadSettings LOAD =
      new LoadSettings(CandleContender.PIPELINE, 2_000, 10, 5, 0, 3, 11, 2, true);
  private static final Reference REFERENCE = new Reference(LOAD, LOAD.totalTrades());
  private static final long NOW = LOAD.fillTrades() + LOAD.measuredTrades() / 2 + 2;
  private static final int LAST = REFERENCE.position(1, NOW);
  private static final CandleQuery NEWEST = new CandleQuery(1, 1, 0, CandleQuery.OPEN, 60);

  /** The fields of an answer, with the numbers of {@link ScaledCandle} and their scales. */
  private static final Map<String, int[]> FIELDS =
      Map.of(
          "open", new int[] {2, TradeGenerator.PRICE_SCALE},
          "high", new int[] {3, TradeGenerator.PRICE_SCALE},
          "low", new int[] {4, TradeGenerator.PRICE_SCALE},
          "close", new int[] {5, TradeGenerator.PRICE_SCALE},
          "volume", new int[] {6, TradeGenerator.VOLUME_SCALE},
          "count", new int[] {7, 0},
          "quote_volume", new int[] {8, TradeGenerator.QUOTE_SCALE},
          "taker_buy_volume", new int[] {9, TradeGenerator.VOLUME_SCALE},
          "taker_buy_quote_volume", new int[] {10, TradeGenerator.QUOTE_SCALE});

  private static String text(List<ScaledCandle> candles, int last) {
    return candles.stream()
        .map(
            candle ->
                FIELDS.entrySet().stream()
                    .map(
                        field ->
                            "\"%s\":%s"
                                .formatted(
                                    field.getKey(),
                                    BigDecimal.valueOf(
                                            candle.numbers().get(field.getValue()[0]),
                                            field.getValue()[1])
                                        .toPlainString()))
                    .collect(
                        Collectors.joining(
                            ",",
                            "{\"open_time\":" + candle.openTimeNanos() / 1_000_000 + ",",
                            "}")))
        .collect(Collectors.joining(",", "{\"last_trade\":" + last + ",\"candles\":[", "]}"));
  }

  private static ServedAnswers.Checker check(CandleQuery query, long least, int status, String body)
      throws IOException {
    ServedAnswers answers = new ServedAnswers();
    try (answers) {
      answers.add(query, least, NOW, status, body.getBytes(StandardCharsets.UTF_8));
    }
    ServedAnswers.Checker checker = new ServedAnswers.Checker(REFERENCE, false);
    checker.check(answers);
    return checker;
  }

  private static void assertFound(String body, String message) throws IOException {
    AnswerChecker.Result result = check(NEWEST, 0, 200, body).result();
    assertThat(result.wrong()).as(body).isEqualTo(1);
    assertThat(result.example()).contains(message);
  }

  private static String changed(UnaryOperator<List<ScaledCandle>> change) {
    return text(change.apply(new ArrayList<>(NEWEST.answer(REFERENCE, LAST))), LAST);
  }

  @Test
  void rightAnswers_ofAllKinds_pass() throws Exception {
    int newest = REFERENCE.newestMinute(1, LAST);
    for (long kind = 0; kind < 4; kind++) {
      CandleQuery query = CandleQuery.of(1 + 2 * kind, 2, newest);
      List<ScaledCandle> answer = query.answer(REFERENCE, LAST);
      assertThat(answer).hasSizeBetween(30, 96);
      ServedAnswers.Checker checker = check(query, LAST, 200, text(answer, LAST));
      assertThat(checker.result().example()).isEmpty();
      assertThat(checker.result().candles()).isEqualTo(answer.size());
      assertThat(checker.errors()).isZero();
    }
  }

  @Test
  void oneOfTheNumbersChanged_isFound() throws Exception {
    for (int field = 1; field < Answers.NUMBERS; field++) {
      for (int index : new int[] {0, 30, 59}) {
        int one = field;
        assertFound(
            changed(
                candles -> {
                  List<Long> numbers = new ArrayList<>(candles.get(index).numbers());
                  numbers.set(one, numbers.get(one) + (one == 1 ? 1_000_000 : 1));
                  candles.set(index, new ScaledCandle(numbers));
                  return candles;
                }),
            "got ");
      }
    }
  }

  @Test
  void candleMissingOrTooMany_isFound() throws Exception {
    for (int index : new int[] {0, 30, 59}) {
      assertFound(
          changed(
              candles ->
                  IntStream.range(0, 60).filter(i -> i != index).mapToObj(candles::get).toList()),
          "candles must be 60: 59");
    }
    CandleQuery more = new CandleQuery(1, 1, 0, CandleQuery.OPEN, 61);
    assertFound(text(more.answer(REFERENCE, LAST), LAST), "candles must be 60: 61");
  }

  @Test
  void answerOfAnotherMoment_isFound() throws Exception {
    assertFound(text(NEWEST.answer(REFERENCE, LAST), LAST - 1), "got ");
    assertFound(text(NEWEST.answer(REFERENCE, LAST), LAST + 1), "got ");
    String body = text(NEWEST.answer(REFERENCE, LAST), LAST);
    assertThat(check(NEWEST, LAST + 1, 200, body).result().example())
        .contains("last_trade must be at least");
    assertThat(check(NEWEST, 0, 503, "").errors()).isEqualTo(1);
  }

  @Test
  void behind_isHowManyTradesWereSentBefore() throws Exception {
    int last = REFERENCE.position(1, NOW - 400);
    String body = text(NEWEST.answer(REFERENCE, last), last);
    assertThat(check(NEWEST, 0, 200, body).behind().getMaxValue()).isEqualTo(LAST - last);
  }

  @Test
  void targets_nameWhatIsAskedFor() {
    assertThat(NEWEST.target()).isEqualTo("/candles?symbol=S1&interval=1m&limit=60");
    assertThat(new CandleQuery(0, 15, 60, 120, 4).target())
        .isEqualTo("/candles?symbol=S0&interval=15m&limit=4&from=1704070800000&to=1704074399999");
  }
}

package dev.millrace.bench.candles;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.ohlcv.candle.Candle;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What a server answered one client thread, byte for byte in a file, to be checked when the run is
 * over: each answer names its last trade, and must be what {@link Reference} has after that one. An
 * answer to a query for the newest candles must also be no older than one that was there before the
 * query was sent.
 */
final class ServedAnswers implements AutoCloseable {
  private static final int OK = 200;
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private final Path file = Files.createTempFile("ohlcv-served", ".log");
  private final DataOutputStream log =
      new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));

  ServedAnswers() throws IOException {
    file.toFile().deleteOnExit(); // also when interrupted
  }

  /**
   * Keeps an answer.
   *
   * @param least the last trade that it must have at least
   * @param written how many trades of all symbols had been sent when it was asked for
   */
  void add(CandleQuery query, long least, long written, int status, byte[] body)
      throws IOException {
    for (int number :
        new int[] {
          query.symbol(), query.minutes(), query.from(), query.to(), query.limit(), status
        }) {
      log.writeInt(number);
    }
    log.writeLong(least);
    log.writeLong(written);
    log.writeInt(body.length);
    log.write(body);
  }

  @Override
  public void close() throws IOException {
    log.close();
  }

  /** Checks the answers of all threads, whose files are closed. */
  static final class Checker {
    private final Reference reference;
    private final boolean isInDoubles;
    private final Histogram behind = Latencies.newHistogram(); // in trades
    private long answers;
    private long candles;
    private long wrong;
    private long errors;
    private String example = "";

    Checker(Reference reference, boolean isInDoubles) {
      this.reference = reference;
      this.isInDoubles = isInDoubles;
    }

    void check(ServedAnswers all) throws IOException {
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(all.file)))) {
        while (in.available() > 0) {
          CandleQuery query =
              new CandleQuery(in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readInt());
          int status = in.readInt();
          long least = in.readLong();
          long written = in.readLong();
          byte[] body = in.readNBytes(in.readInt());
          String fault = status == OK ? faultOf(query, least, written, body) : "status " + status;
          answers++;
          errors += status == OK ? 0 : 1;
          wrong += status == OK && fault != null ? 1 : 0;
          if (fault != null && example.isEmpty()) {
            example = query.target() + ": " + fault;
          }
        }
      }
      Files.delete(all.file);
    }

    /** What is wrong with an answer; null if nothing. */
    private String faultOf(CandleQuery query, long least, long written, byte[] body)
        throws IOException {
      JsonNode answer = JSON.readTree(body);
      int last = answer.get("last_trade").intValue();
      List<ScaledCandle> given = new ArrayList<>();
      for (JsonNode candle : answer.get("candles")) {
        given.add(ScaledCandle.of(ScaledCandle.numbers(candle(query.symbol(), candle))));
      }
      candles += given.size();
      if (query.to() == CandleQuery.OPEN) {
        behind.recordValue(Math.max(0, reference.position(query.symbol(), written) - last));
        if (last < least) {
          return "last_trade must be at least %d: last_trade=%d".formatted(least, last);
        }
      }
      List<ScaledCandle> expected = query.answer(reference, last);
      if (given.size() != expected.size()) {
        return "candles must be %d: %d, last_trade=%d"
            .formatted(expected.size(), given.size(), last);
      }
      for (int i = 0; i < given.size(); i++) {
        ScaledCandle one = given.get(i);
        boolean isEqual = isInDoubles ? one.isNear(expected.get(i)) : one.equals(expected.get(i));
        if (!isEqual) {
          return "got %s, expected %s, last_trade=%d".formatted(one, expected.get(i), last);
        }
      }
      return null;
    }

    private static Candle candle(int symbol, JsonNode fields) {
      return new Candle(
          symbol,
          TimeUnit.MILLISECONDS.toNanos(fields.get("open_time").longValue()),
          number(fields, "open"),
          number(fields, "high"),
          number(fields, "low"),
          number(fields, "close"),
          number(fields, "volume"),
          fields.get("count").longValue(),
          number(fields, "quote_volume"),
          number(fields, "taker_buy_volume"),
          number(fields, "taker_buy_quote_volume"));
    }

    private static BigDecimal number(JsonNode fields, String name) {
      return fields.get(name).decimalValue();
    }

    AnswerChecker.Result result() {
      return new AnswerChecker.Result(answers, candles, wrong, example);
    }

    /** How many answers were none. */
    long errors() {
      return errors;
    }

    /** By how many trades answers for the newest candles were behind what had been sent. */
    Histogram behind() {
      return behind;
    }
  }
}

package dev.millrace.ohlcv.output;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.millrace.ohlcv.candle.Candle;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which columns are written: those that every candle has; what depends on the taker's side where
 * that is known; the symbol where the input names it.
 *
 * @param sides whether it is known who took the trades
 * @param symbols whether the input names symbols
 */
public record Columns(boolean sides, boolean symbols) {
  private static final long MILLI_NANOS = 1_000_000;

  /** The columns' names. */
  List<String> names() {
    return List.copyOf(values(Candle.empty(0, 0, BigDecimal.ZERO), "").keySet());
  }

  /** A candle's fields by name: the time in milliseconds since 1970, numbers, the symbol. */
  private Map<String, Object> values(Candle candle, String symbol) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("open_time", Math.floorDiv(candle.openTimeNanos(), MILLI_NANOS));
    values.put("open", candle.open());
    values.put("high", candle.high());
    values.put("low", candle.low());
    values.put("close", candle.close());
    values.put("volume", candle.volume());
    values.put("count", candle.count());
    if (sides) {
      values.put("quote_volume", candle.quoteVolume());
      values.put("taker_buy_volume", candle.takerBuyVolume());
      values.put("taker_buy_quote_volume", candle.takerBuyQuoteVolume());
    }
    if (symbols) {
      values.put("symbol", symbol);
    }
    return values;
  }

  /** Writes a candle as an object; numbers with all their digits. */
  public void write(Candle candle, String symbol, JsonGenerator json) throws IOException {
    json.writeStartObject();
    for (Map.Entry<String, Object> each : values(candle, symbol).entrySet()) {
      json.writeFieldName(each.getKey());
      switch (each.getValue()) {
        case BigDecimal number -> json.writeNumber(number);
        case Long number -> json.writeNumber(number);
        case Object text -> json.writeString(text.toString());
      }
    }
    json.writeEndObject();
  }

  /** The same in plain digits. */
  List<String> texts(Candle candle, String symbol) {
    return values(candle, symbol).values().stream()
        .map(
            value -> value instanceof BigDecimal number ? number.toPlainString() : value.toString())
        .toList();
  }
}

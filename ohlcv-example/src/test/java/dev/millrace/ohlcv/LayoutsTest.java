package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files of many venues. Each holds the same two trades, 2 bought at 100.5 and 1 sold at 100, as
 * that venue writes them; each must give the same candle without a column option.
 */
final class LayoutsTest {
  private static final String CANDLE = "1700000040000,100.5,100.5,100,100,3,2,301,2,201";
  private static final String FILES =
      """
      # Tardis
      exchange,symbol,timestamp,local_timestamp,id,side,price,amount
      x,S,1700000040000000,1700000040000001,1,buy,100.5,2
      x,S,1700000041000000,1700000041000001,2,sell,100,1

      # Binance
      local_ns,event_time_ms,trade_time_ms,trade_id,price,qty,buyer_is_maker,type
      1700000049000000000,1700000049000,1700000040000,1,100.50,2,False,MARKET
      1700000049000000000,1700000049000,1700000040500,2,7.00,9,False,INSURANCE_FUND
      1700000049000000000,1700000049000,1700000041000,3,100.00,1,True,MARKET

      # Binance Vision
      id,price,qty,quote_qty,time,is_buyer_maker
      1,100.5,2,201,1700000040000,false
      2,100.0,1,100,1700000041000,true

      # Binance Vision without header
      1,100.5,2,201,1700000040000000,False,True
      2,100.0,1,100,1700000041000000,True,True

      # OKX
      instrument_name,trade_id,side,price,size,created_time
      S,1,buy,100.5,2,1700000040000
      S,2,sell,100,1,1700000041000

      # OKX with translations
      trade_id/撮合id,side/交易方向,size/数量,price/价格,created_time/成交时间
      1,BUY,2,100.5,1700000040000
      2,SELL,1,100,1700000041000

      # Bybit
      timestamp,symbol,side,size,price,tickDirection,trdMatchID,grossValue,homeNotional
      1700000041.0647,S,Sell,1,100,ZeroMinusTick,b,1e+08,1
      1700000040.0647,S,Buy,2,100.5,PlusTick,a,2.01e+08,2

      # Bybit spot
      id,timestamp,price,volume,side
      1,1700000040000,100.5,2,buy
      2,1700000041000,100,1,sell

      # BitMEX
      timestamp,symbol,side,size,price,tickDirection,trdMatchID
      2023-11-14D22:14:00.000000000,S,Buy,2,100.5,PlusTick,a
      2023-11-14D22:14:01.000000000,S,Sell,1,100,MinusTick,b

      # Deribit JSON
      {"jsonrpc":"2.0","result":{"trades":[
      {"timestamp":1700000040000,"price":100.5,"amount":2.0,"direction":"buy"},
      {"timestamp":1700000041000,"price":100.0,"amount":1.0,"direction":"sell"}],
      "has_more":true},"usIn":1}

      # Gemini JSON
      [{"timestamp":1700000040,"timestampms":1700000040000,"tid":1,"price":"100.5",
        "amount":"2","exchange":"gemini","type":"buy"},
       {"timestamp":1700000041,"timestampms":1700000041000,"tid":2,"price":"100",
        "amount":"1","exchange":"gemini","type":"sell"}]

      # Coinbase JSON, maker's side
      [{"trade_id":1,"side":"sell","size":"2","price":"100.5","time":"2023-11-14T22:14:00Z"},
       {"trade_id":2,"side":"buy","size":"1","price":"100","time":"2023-11-14T22:14:01.5Z"}]

      # OKX JSON
      {"code":"0","msg":"","data":[
      {"instId":"S","side":"sell","sz":"1","px":"100","tradeId":"2","ts":"1700000041000"},
      {"instId":"S","side":"buy","sz":"2","px":"100.5","tradeId":"1","ts":"1700000040000"}]}

      # Kraken JSON
      {"error":[],"result":{"P":[["100.5","2.0",1700000040.1,"b","l","",1],
      ["100.0","1.0",1700000041.9,"s","m","",2]],"last":"1"}}

      # Databento
      ts_recv,ts_event,rtype,instrument_id,action,side,price,size
      1700000040000000001,1700000040000000000,0,S,T,B,100.500000000,2
      1700000041000000001,1700000041000000000,0,S,T,A,100.000000000,1

      # Kaiko
      id,exchange,symbol,date,price,amount,sell
      1,cb,S,1700000040000,100.5,2,false
      2,cb,S,1700000041000,100,1,true

      # an object per line, Binance stream
      {"e":"trade","E":1700000049000,"s":"S","t":1,"p":"100.5","q":"2","T":1700000040000,"m":false}
      {"e":"trade","E":1700000049000,"s":"S","t":2,"p":"100","q":"1","T":1700000041000,"m":true}

      # semicolons, quotes, byte order mark, CRLF
      \ufeff"Date Time";"Price";"Quantity";"Side"\r
      "2023-11-14 22:14:00";"100.5";"2";"BUY"\r
      "2023-11-14 22:14:01";"1.0e2";"1";"SELL"\r
      """;

  record File(String name, String text) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<File> files() {
    return Arrays.stream(FILES.split("\n\n"))
        .map(file -> file.split("\n", 2))
        .map(nameAndText -> new File(nameAndText[0], nameAndText[1].stripTrailing() + '\n'))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("files")
  void file_isRecognised(File file) {
    Cli cli = read(file.text).exits(0);
    assertThat(cli.lines()).hasSize(2);
    assertThat(cli.lines().get(1).replaceAll(",S$", "")).isEqualTo(CANDLE);
    if (!"[{".contains(file.text.substring(0, 1))) {
      // A line of the file once more, with a quote before it that nothing closes, costs itself.
      String broken = '"' + file.text.substring(file.text.strip().lastIndexOf('\n') + 1);
      Cli skipping = Cli.csv(file.text + broken, "--on-error skip").exits(0);
      assertThat(skipping.out()).isEqualTo(cli.out());
      assertThat(skipping.err()).contains("1 skipped as bad");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "side,buy,1",
    "side,S,0",
    "side,Bid,1",
    "side,True,1",
    "side,unknown,0",
    "maker,True,0",
    "maker,sell,1",
    "maker,unknown,0"
  })
  void side_isTheTakers(String column, String text, String bought) {
    String rows = "time,price,qty," + column + "\n1700000040,1,1," + text;
    assertThat(Cli.csv(rows, "--side " + column).lines().getLast().split(",", -1)[8])
        .isEqualTo(bought);
  }

  private static final String SUMMED =
      """
      1,100.5,2,10,14,1700000040000,false
      2,100,1,15,15,1700000041000,true
      """;
  private static final String HEADER =
      "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker\n";
  private static final String NUMBERED = "a,1700000040,7,2,100.5\nb,1700000041,7,1,100\n";

  /** Rows, options and the candles. */
  static Stream<Arguments> options() {
    String tardis = files().getFirst().text;
    String candle = "1700000040000,100.5,100.5,100,100,3,";
    return Stream.of(
        // Rows that stand for several trades, with and without a header.
        arguments(SUMMED, "", candle + "6,301,2,201"),
        arguments(HEADER + SUMMED, "", candle + "6,301,2,201"),
        // Columns by number, and trades that have none but the needed ones.
        arguments(NUMBERED, "--time 2 --price 5 --volume 4", candle + "2"),
        arguments("1700000040,100.5,2\n1700000041,100,1\n", "", candle + "2"),
        // Options win over the layout.
        arguments(
            tardis, "--volume id --symbol side", "1700000040000,100,100,100,100,2,1,200,0,0,sell"),
        arguments(tardis, "--time local_timestamp", candle + "2,301,2,201,S"),
        // Days are those of the file, whatever their zone; each comes once for each symbol.
        arguments(BARS, "--on-error skip", "1695168000000,5,5,5,5,0,1,BB"),
        arguments(BARS, "--on-error skip", "1695168000000,2,4,1,3,10,1,AA"),
        arguments(BARS, "--on-error skip", "1695081600000,9,9.5,8,8.5,7,1,AA"));
  }

  private static final String BARS =
      """
      Date,Open,High,Low,Close,Volume,Dividends,Stock Splits,Brand_Name,Ticker
      2023-09-20 00:00:00-04:00,2,4,1,3,10,0,0,a,AA
      2023-09-20 00:00:00+09:00,5,5,5,5,0,0,0,b,BB
      2023-09-19 00:00:00-04:00,9,9.5,8,8.5,7,0,0,a,AA
      2023-09-20 00:00:00-04:00,2,4,1,3,10,0,0,a,AA
      2023-09-18 00:00:00-04:00,0.5,4,1,3,10,0,0,a,AA
      """;

  @ParameterizedTest
  @MethodSource("options")
  void columns_areThoseOfTheOptionsOrTheLayout(String rows, String options, String candle) {
    assertThat(Cli.csv(rows, options).exits(0).lines()).contains(candle);
  }

  @Test
  void rows_thatAreLeftOut_areCounted() {
    assertThat(read(files().get(1).text).err()).contains("1 left out by type");
    assertThat(Cli.csv(BARS, "--on-error skip").err())
        .contains("2 skipped as bad")
        .contains(
            "stdin:5: Date must be there once for each symbol: Date=2023-09-20 00:00:00-04:00");
    assertThat(read(NUMBERED).exits(1).err())
        .isEqualTo(
            "stdin:1: time column must be given by --time: first row=a,1700000040,7,2,100.5\n");
  }

  private static Cli read(String text) {
    return Cli.csv(text, "");
  }
}

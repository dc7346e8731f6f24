package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.atIndex;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a column taken for the wrong thing, one with two roles, tied trades turned round, and a run
 * without a trade that leaves a file instead of an error.
 */
final class ColumnsTest {
  @TempDir private Path folder;

  /** A header and options; each column holds what is a time, a price and a volume. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "time,price,amount,volume|--fill none|time=time price=price volume=volume",
        "time,price,amount|--fill none|time=time price=price volume=amount",
        "time,price,amount,volume|--volume amount|time=time price=price volume=amount",
        "time,price,amount,volume|--price amount|time=time price=amount volume=volume",
        "time,price,amount|--side amount|time=time price=price volume=amount side=sign of amount",
        "timestamp,time,price,qty|--time time|time=time price=price volume=qty",
        "time,price,side,qty|--volume side|time=time price=price volume=side",
        "time,price,qty,type|--symbol type|time=time price=price volume=qty symbol=type",
        "备注,%,price,qty,time|--fill none|time=time price=price volume=qty",
        "'',备注,price,qty|--time 1|time=1 price=price volume=qty"
      })
  void column_hasOneRole_andTheSummaryTellsIt(String header, String options, String told) {
    String row = header.replaceAll("[^,]+", "1700000040");
    String names = header.replace("''", "");
    String line = "candles - --format csv " + options;
    assertThat(Cli.run(names + '\n' + row + '\n', line).exits(0).err())
        .contains("(" + told + "): 1 rows, 1 trades");
  }

  @ParameterizedTest
  @CsvSource({
    "--price 2 --volume 2,column must have one role: --volume=2",
    "--time 1+2 --price 2,column must have one role: --price=2",
    "--time 1+9,'column must be one of day,clock,p,v: --time=9'"
  })
  void options_thatCannotBe_areRefused(String options, String said) {
    assertThat(Cli.csv("day,clock,p,v\n2024-01-03,09:30,1,1\n", options).exits(1).err())
        .isEqualTo("stdin:1: " + said + "\n");
  }

  @Test
  void time_inTwoColumns_mayBeChosen() {
    String rows = "20240103,093000,100,7,1\n20240103,093001,101,7,2\n";
    assertThat(Cli.csv(rows, "--time 1+2 --price 3 --volume 5").exits(0).lines())
        .endsWith("1704274200000,100,101,100,101,3,2");
  }

  /** The side of a trade of volume 1: what is bought is the sum of what takers bought. */
  @ParameterizedTest
  @CsvSource({
    "side,-1,1,0",
    "side,1,1,1",
    "is_buyer_maker,0,1,1",
    "is_buyer_maker,1,1,0",
    "isBuy,1,1,1",
    "isBuy,0,1,0",
    "taker_side_sell,1,1,0",
    "side,sell,-1,0",
    "other,x,-1,0"
  })
  void side_isReadInEveryForm(String column, String side, String volume, String bought) {
    String rows = "time,price,qty,%s\n1700000040,1,%s,%s\n".formatted(column, volume, side);
    assertThat(Cli.csv(rows, "").exits(0).lines().getLast().split(",", -1))
        .contains("1", atIndex(5))
        .contains(bought, atIndex(8));
  }

  /** Rows, options, the prices of open and close. */
  static Stream<Arguments> ties() {
    String head = "time,price,qty\n";
    String ids = "id,time,price,qty\n";
    return Stream.of(
        // Oldest first, newest first; also at the very beginning and the very end.
        arguments(head + "1700000040,1,1\n1700000040,2,1\n1700000041,3,1\n1700000041,4,1\n", "1,4"),
        arguments(head + "1700000041,4,1\n1700000041,3,1\n1700000040,2,1\n1700000040,1,1\n", "1,4"),
        // Numbers tell it where times do not, in either direction and in none.
        arguments(ids + "4,1700000041,4,1\n3,1700000041,3,1\n2,1700000041,2,1\n", "2,4"),
        arguments(ids + "3,1700000041,3,1\n2,1700000041,2,1\n4,1700000041,4,1\n", "2,4"),
        arguments(
            ids + "1,1700000040,1,1\n2,1700000041,2,1\n4,1700000042,4,1\n3,1700000042,3,1\n",
            "1,4"),
        // Numbers of the lines are no numbers of trades.
        arguments(
            ids + "0,1700000041,4,1\n1,1700000041,3,1\n2,1700000040,2,1\n3,1700000040,1,1\n",
            "1,4"),
        // A late trade turns nothing round.
        arguments(
            head
                + "1700000040,1,1\n"
                + "1700000042,2,1\n"
                + "1700000041,9,1\n"
                + "1700000043,3,1\n"
                + "1700000043,4,1\n",
            "1,4"));
  }

  @ParameterizedTest
  @MethodSource("ties")
  void tiedTrades_areInTheOrderOfTheTape(String rows, String openAndClose) {
    String[] candle = Cli.csv(rows, "").exits(0).lines().getLast().split(",", -1);
    assertThat(candle[1] + "," + candle[4]).isEqualTo(openAndClose);
  }

  /** Far more trades of one time than are held, which may not keep it from going on. */
  @Test
  void tiedTrades_thatAreMany_areAllRead() {
    StringBuilder rows = new StringBuilder("time,price,qty\n");
    rows.append("1700000040,1,1\n".repeat(150_000));
    assertThat(Cli.run(rows.toString(), "candles - --format csv").exits(0).lines())
        .endsWith("1700000040000,1,1,1,1,150000,150000");
  }

  /** Rows and options of runs that have nothing to show. */
  static Stream<Arguments> nothing() {
    String binance = "trade_time_ms,price,qty,buyer_is_maker,type\n1700000040000,1,1,true,NA\n";
    String late = "time,price,qty\n1700000040,1,1\n";
    return Stream.of(
        arguments(binance, "", "no row of 1 makes a candle: 1 left out by type"),
        arguments("time,price,qty\n45294,1,1\n", "", "stdin:2: time must be in 1980-01-01"),
        arguments(
            "time,price,qty\n45294,1,1\n45295,1,1\n",
            "--on-error skip",
            "no row of 2 makes a candle: 2 skipped as bad, first skipped: stdin:2: time must be"
                + " in"),
        arguments(
            late.replace(",1\n", ",-1\n"), "--price 3 --volume 2 --on-error skip", "no row of 1"));
  }

  @ParameterizedTest
  @MethodSource("nothing")
  void run_withoutATrade_exitsWith1(String rows, String options, String said) throws IOException {
    Path output = folder.resolve("candles.csv");
    assertThat(Cli.csv(rows, options).exits(1).err()).contains(said).hasLineCount(1);
    Cli.run(rows, "candles - --output %s %s".formatted(output, options)).exits(1);
    assertThat(output).doesNotExist();
  }

  @Test
  void gzip_mayEndWithZeros_butWithNothingElse() throws Exception {
    String rows = "time,price,qty\n1700000040,1,1\n";
    byte[] zeros = file(gzip(rows), gzip("1700000041,2,1\n"), new byte[70_000]);
    assertThat(Cli.csv(zeros, "").exits(0).lines()).endsWith("1700000040000,1,2,1,2,2,2");
    for (byte[] rest : new byte[][] {{7}, {0, 7}, {0x1f}}) {
      assertThat(Cli.csv(file(gzip(rows), rest), "").exits(1).err()).startsWith("stdin: gzip data");
    }
  }

  /** Arrays in a row, and rows that come alone or in messages. */
  @Test
  void json_rowsWithArrays_areNotLost() throws IOException {
    String row = "{\"time\":%d,\"conditions\":[%s],\"price\":%d,\"size\":1}\n";
    String rows = row.formatted(1_700_000_040, "", 1) + row.formatted(1_700_000_041, "\"@\",2", 2);
    String data = rows.replace("{\"time", "{\"data\":{\"time").replace("}\n", "},\"x\":1}\n");
    for (String text : new String[] {rows, data}) {
      Path file = Files.writeString(folder.resolve("rows.json"), text);
      assertThat(Cli.run("candles --format csv " + file).exits(0).lines())
          .endsWith("1700000040000,1,2,1,2,2,2");
    }
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  private static byte[] file(byte[]... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      bytes.writeBytes(part);
    }
    return bytes.toByteArray();
  }
}

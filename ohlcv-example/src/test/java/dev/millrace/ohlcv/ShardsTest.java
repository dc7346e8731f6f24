package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code ohlcv candles --shards} and {@code --engine pipeline}: whatever the number of threads,
 * what is written and said is the same, but for the lines that show the load of each shard and
 * stage.
 */
@Timeout(300)
final class ShardsTest {
  private static final List<String> ENGINES =
      List.of(
          "",
          "--shards 2",
          "--shards 3",
          "--shards 8",
          "--engine pipeline",
          "--engine pipeline --parsers 1 --shards 2",
          "--engine pipeline --parsers 4 --shards 5");
  private static final int SYMBOLS = 50;
  private static final String HEAD = "time,symbol,price,volume,side\n";
  private static final long START = 1_700_000_040; // the beginning of a minute

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--format csv",
        "--format csv --window 2 --interval 5m --fill previous",
        "--format table"
      })
  void sample_isTheSame(String options) {
    Cli one = sameForAll("", options);
    assertThat(one.exitCode()).as(one.err()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "30000, --format csv --window 1",
    "30000, --format csv --window 3",
    "3000, --format csv --window 3 --fill previous", // a jump ahead is filled by 16,667 candles
    "30000, --format json --window 100",
    "30000, --format csv"
  })
  void manySymbolsOutOfOrder_areTheSame(int trades, String options) throws Exception {
    Cli one = sameForAll(manySymbols(trades), options);
    assertThat(one.exitCode()).as(one.err()).isZero();
    assertThat(one.lines()).hasSizeGreaterThan(1_000);
  }

  /** Each jump makes a window of candles leave at once, three times as many as an output holds. */
  @Test
  void jumps_thatEmptyWholeWindows_areTheSame() throws Exception {
    StringBuilder rows = new StringBuilder(HEAD);
    for (int round = 0; round < 3; round++) {
      long base = START + round * 1_000_000L * 60;
      for (int minute = 0; minute < 3_000; minute++) {
        for (int symbol = 0; symbol < 6; symbol++) {
          row(rows, base + minute * 60L, symbol, 100 + minute % 7, 1);
        }
      }
    }
    Cli one = sameForAll(rows.toString(), "--format csv --window 3000");
    assertThat(one.lines()).hasSize(1 + 3 * 3_000 * 6);
  }

  @Test
  void refusedTrade_stopsAfterTheSameCandles() throws Exception {
    String rows = manySymbols(5_000) + refused(7) + refused(11) + lines(manySymbols(5_000));
    Cli one = sameForAll(rows, "--format csv --window 2");
    assertThat(one.exitCode()).isEqualTo(1);
    assertThat(one.err()).contains("sum of a candle must fit 128 bits", "candles before it were");
  }

  @Test
  void refusedTrades_areSkippedAlike() throws Exception {
    String rows = manySymbols(5_000) + refused(7) + refused(11) + lines(manySymbols(5_000));
    Cli one = sameForAll(rows, "--format csv --window 2 --on-error skip");
    assertThat(one.exitCode()).isZero();
    assertThat(one.err()).contains(" skipped as bad");
  }

  @Test
  void badRow_stopsAfterTheSameCandles() throws Exception {
    String rows = manySymbols(20_000) + "x,S1,1,1,buy\n" + lines(manySymbols(100));
    Cli one = sameForAll(rows, "--format csv --window 2");
    assertThat(one.exitCode()).isEqualTo(1);
    assertThat(one.err()).contains("stdin:20002: ", "candles before it were written");
  }

  @Test
  void summary_showsTheLoadOfEachShard() {
    assertThat(Cli.run("candles", "--format", "csv").err()).doesNotContain("shard");
    for (String engine : List.of("off-heap", "pipeline")) {
      String said =
          Cli.run("candles", "--format", "csv", "--shards", "3", "--engine", engine).err();
      String line = Cli.spread(said, "shard: ");
      List<String> shares = List.of(line.substring("rows by shard: ".length()).split(" ", -1));
      assertThat(shares).hasSize(3).containsOnlyOnce("100,000").contains("0"); // of one symbol
    }
  }

  @Test
  void summary_showsWhatEachStageHasDone() {
    assertThat(Cli.run("candles", "--format", "csv").err()).doesNotContain("stage");
    Cli cli = Cli.run("candles", "--format", "csv", "--engine", "pipeline", "--shards", "2");
    String rows = " 100,000 \\(\\d+\\.\\d\\)";
    assertThat(Cli.spread(cli.err(), "stage"))
        .matches(
            "rows by stage \\(in a batch\\): "
                + String.join(rows + ", ", "parse", "validate", "aggregate", "publish")
                + rows);
  }

  @Test
  void output_toAFullDisk_fails() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "no /dev/full here");
    Path input = folder.resolve("trades.csv");
    Files.writeString(input, manySymbols(30_000));
    List<String> arguments =
        List.of("--input", input.toString(), "--window", "1", "--output", full.toString());
    Cli one = sameForAllArguments("", arguments);
    assertThat(one.exitCode()).isEqualTo(1);
    assertThat(one.err()).contains(": output must be writable: ");
  }

  /** Runs with each engine and number of shards; returns what came of one. */
  private static Cli sameForAll(String input, String options) {
    List<String> arguments = new ArrayList<>();
    if (!input.isEmpty()) {
      arguments.addAll(List.of("--input", "-"));
    }
    arguments.addAll(List.of(options.strip().split(" +", -1)));
    return sameForAllArguments(input, arguments);
  }

  private static Cli sameForAllArguments(String input, List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("candles"));
    all.addAll(arguments);
    return Cli.runWithAllEngines(input, ENGINES, all.toArray(String[]::new));
  }

  /** Trades whose time goes forth and back, and now and then far ahead for one symbol. */
  private static String manySymbols(int count) {
    Random random = new Random(count);
    long[] ahead = new long[SYMBOLS];
    StringBuilder rows = new StringBuilder(HEAD);
    for (int i = 0; i < count; i++) {
      int symbol = (int) Math.min(SYMBOLS - 1, Math.abs(random.nextGaussian()) * SYMBOLS / 3);
      if (random.nextInt(500) == 0) {
        ahead[symbol] += 1_000_000;
      }
      long time = START + i + ahead[symbol] - random.nextInt(400);
      row(rows, time, symbol, 1 + random.nextInt(10_000), random.nextInt(1_000));
    }
    return rows.toString();
  }

  private static void row(StringBuilder rows, long time, int symbol, long price, long volume) {
    String side = (time & 1) == 0 ? "buy" : "sell";
    rows.append(time).append(",S").append(symbol).append(',').append(price).append(".5,");
    rows.append(volume).append(',').append(side).append('\n');
  }

  /** Two trades of one candle whose volumes have no sum of 128 bits. */
  private static String refused(int symbol) {
    long time = 4_000_000_000L;
    String fine = time + ",S" + symbol + ",1,0.000000000000000000000000000001,buy\n";
    return fine + time + ",S" + symbol + ",1," + Long.MAX_VALUE + ",buy\n";
  }

  private static String lines(String text) {
    return text.substring(text.indexOf('\n') + 1);
  }
}

package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.testkit.OtherJvm;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a run that skips or repeats a trade when it goes on from its log after a kill, and a {@code
 * --from} that is read as a number where it is a time, or the other way round.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CandlesLogTest {
  private static final String HEAD = "time,price,volume,side,symbol\n";
  private static final int TRADES = 60_000; // more than a segment has room for
  private static final String CSV = "candles --format csv --window 3 --on-error skip ";
  private static final String FINE = "--interval 10s ";

  @TempDir private Path folder;
  private Path log;
  private Path file;

  /** Trades of two symbols that do not come by time, with bad rows between. */
  @BeforeEach
  void write() throws IOException {
    log = folder.resolve("log");
    Random random = new Random(7);
    StringBuilder rows = new StringBuilder(HEAD);
    for (int i = 0; i < TRADES; i++) {
      rows.append(1_700_000_040 + i / 2 - random.nextInt(200)).append(',').append(1 + i % 500);
      rows.append(".25,").append(random.nextInt(9)).append(i % 7 == 0 ? ",buy," : ",sell,");
      rows.append(i % 9 == 0 ? "\"longer, é\"\n" : "ABC\n").append(i % 9_999 == 0 ? "none\n" : "");
    }
    file = Files.writeString(folder.resolve("trades.csv"), rows);
  }

  private Cli keep(Object input) {
    return Cli.run(CSV + "--log " + log + " " + input);
  }

  private Cli replay(String options) {
    return Cli.run(CSV + log + " " + options);
  }

  private static void isSame(Cli cli, Cli expected) {
    assertThat(cli.exits(0).out().equals(expected.exits(0).out())).isTrue(); // far too long
    assertThat(cli.lines()).hasSizeGreaterThan(100);
  }

  private static void fails(Cli cli, int exitCode, String message) {
    assertThat(cli.exits(exitCode).err()).contains(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FILE",
        "FILE FILE", // as two inputs
        "", // the sample: without sides and symbols
        "DATA/binance/usdm_BTCUSDT_2020-02-22_trades_tardis.csv",
        "DATA/kraken/http_trades.json",
        "DATA/daily/World-Stock-Prices-Dataset_2023-09-20_slice.csv"
      })
  void candles_ofTheLog_areThoseOfTheInput(String line) {
    String input = line.replace("FILE", file.toString());
    input = input.startsWith("DATA/") ? Cli.data(input.substring(5)).toString() : input;
    Cli expected = Cli.run(CSV + input);
    isSame(keep(input), expected);
    isSame(keep(input), expected); // now the log has all
    isSame(replay(""), expected);
    isSame(replay("--engine pipeline"), expected);
  }

  @Test
  void summary_ofDailyBars_countsEachOnce() throws IOException {
    String bars = "Date,Open,High,Low,Close,Volume\n2024-01-02,1,3,1,2,5\n2024-01-03,2,2,1,1,7\n";
    Files.writeString(file, bars);
    for (Cli cli : List.of(keep(file), replay(""))) { // in the log each is four trades
      assertThat(cli.exits(0).err()).contains(": 2 rows, 2 daily bars in 2 candles of 1d");
    }
  }

  @ParameterizedTest
  @CsvSource({"17000, 17000, 0", "2023-11-15T00:00:00Z, 0, 1700006400"})
  void candles_fromANumberOrATime_areThoseOfTheRowsFromThereOn(String from, int number, long time)
      throws IOException {
    keep(file).exits(0);
    List<String> rows =
        Files.readAllLines(file).stream()
            .filter(row -> Character.isDigit(row.charAt(0)))
            .skip(number)
            .filter(row -> Long.parseLong(row.substring(0, 10)) >= time)
            .toList();
    assertThat(rows).hasSizeBetween(20_000, TRADES - 1_000);
    isSame(replay("--from " + from), Cli.run(HEAD + String.join("\n", rows), CSV + "-"));
  }

  /** The same command is killed twice, then not. It cannot end: nobody reads its output. */
  @Test
  void candles_ofARunThatWasKilled_goOn() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Files.createDirectory(log);
    long kept = 0;
    for (int kill = 0; kill < 2; kill++) {
      kept = killAt(kept + 1 + random.nextLong((TRADES - kept) / 2 + 1));
    }
    Cli expected = Cli.run(CSV + FINE + file);
    assertThat(expected.out()).hasSizeGreaterThan(1 << 18); // far more than a pipe holds
    Cli resumed = keep(FINE + file).exits(0);
    assertThat(resumed.equals(expected)).as("seed %d, %d kept", seed, kept).isTrue();
    isSame(replay(FINE), expected);
  }

  /** Kills a run once it has kept so many trades; returns how many it has. */
  private long killAt(long count) throws Exception {
    Object[] words = (CSV + FINE + "--log " + log + " " + file).split(" +", -1);
    Process run =
        OtherJvm.of(Ohlcv.class, words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (LogReader reader = LogReader.open(log)) {
      while (reader.number() < Math.min(count, TRADES)) {
        assertThat(reader.poll(256)).isPositive();
        reader.release();
      }
      assertThat(run.isAlive()).isTrue();
      run.destroyForcibly();
      assertThat(run.waitFor(30, TimeUnit.SECONDS)).isTrue();
      return reader.endNumber();
    } finally {
      run.destroyForcibly();
    }
  }

  @Test
  void log_thatDoesNotFit_isSaidSo() throws IOException {
    Files.createDirectory(log);
    fails(replay(""), 1, log + ": directory must have a log with trades\n");
    try (MessageLog messages = MessageLog.open(log, LogOptions.ofSegmentBytes(1 << 22));
        LogProducer producer = messages.newProducer()) {
      fails(
          keep(file), 2, "--log must be a log's directory: --log=" + log + " (log is already open");
      producer.claim(7, 3);
      producer.commit();
    }
    fails(replay(""), 1, ": message must be a trade: number=0, Message[type=7, length=3]\n");
    fails(keep(file), 1, ":2: trade must be the one that was kept: --log=" + log + ", number=0");
  }

  @Test
  void log_thatIsDamaged_isNamed() throws IOException {
    keep(file).exits(0);
    Path segment = log.resolve("0".repeat(20) + ".log");
    try (RandomAccessFile bytes = new RandomAccessFile(segment.toFile(), "rw")) {
      bytes.seek(1 << 20);
      bytes.writeLong(-1);
    }
    fails(replay(""), 1, log + ": file must be readable: " + segment + ": ");
    fails(keep(file), 1, "--log=" + log + ": " + segment + ": ");
  }

  /** Zeros in front change no number; as many digits as a segment's name has are always one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2",
        "02",
        "0000000000000000002",
        "00000000000000000002",
        "000000000000000000000000000002"
      })
  void from_withZerosInFront_isTheSameNumber(String from) throws IOException {
    Files.writeString(file, "time,price,volume\n1704274200,1,1\n1704274260,2,1\n1704274320,3,1\n");
    keep(file).exits(0);
    assertThat(replay("--from " + from).exits(0).lines())
        .hasSize(2)
        .endsWith("1704274320000,3,3,3,3,1,1");
    fails(replay("--from 01704274320000000000"), 2, "--from must be in 0..2: --from=01704274320");
    fails(replay("--from " + "9".repeat(20)), 2, "--from must be in 0..2: --from=999");
    String nanos = "1704274260000000000"; // 19 digits without zeros in front: a time
    assertThat(replay("--from " + nanos).exits(0).lines()).hasSize(3);
  }

  /** A log that ends before --from, or has no trade at all, is one input without trades. */
  @ParameterizedTest
  @ValueSource(strings = {"2023-11-14T23:00:00Z", "1"})
  void logs_ofWhichOneHasNothingFromThere_areMerged(String from) throws IOException {
    Path other = folder.resolve("other");
    Path empty = folder.resolve("empty");
    Files.writeString(file, HEAD + "1700000000,1,1,buy,A\n");
    keep(file).exits(0);
    Files.writeString(file, HEAD + "1700000000,1,1,buy,A\n1700003600,2,1,buy,A\n");
    Cli.run(CSV + "--log " + other + " " + file).exits(0);
    Files.writeString(file, HEAD);
    Cli.run(CSV + "--log " + empty + " " + file).exits(0);
    Cli merged = replay(other + " " + empty + " --from " + from).exits(0);
    assertThat(merged.lines()).hasSize(2).endsWith("1700003580000,2,2,2,2,1,1,2,1,2,A");
    assertThat(merged.err()).contains(log + " (no trades)", empty + " (no trades)");
  }

  @Test
  void from_thatIsNowhere_isWrongUsage() {
    keep(file).exits(0);
    fails(replay("--from 60000"), 2, "--from must be in 0..59999: --from=60000");
    fails(
        replay("--from 2024-01-01"), 1, log + ": log must have trades from then on: --from=2024-");
    fails(replay("--from -1"), 2, "--from must be in 1980-01-01..2262-04-11, as s");
    fails(replay("--from noon"), 2, "--from must be a time as in 2024-01-03 ");
    fails(Cli.run("candles --from 1"), 2, "--from must be with a log as --input: --from=1");
  }
}

package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleView;
import dev.millrace.ohlcv.input.ReadOptions;
import dev.millrace.ohlcv.input.TradeSource;
import dev.millrace.ohlcv.output.CandleOutput;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CandleWriterTest {
  private static final String TRADES = "time,price,volume\n1700000040,1,1\n";

  @TempDir private Path folder;

  @Test
  void candle_late_isFlushedOnlyWhereTheInputIsLive() throws Exception {
    Path file = Files.writeString(folder.resolve("trades.csv"), TRADES);
    byte[] bytes = TRADES.getBytes(StandardCharsets.UTF_8);
    assertThat(flushes(TradeSource.stream(new ByteArrayInputStream(bytes)))).isEqualTo(1);
    assertThat(flushes(TradeSource.file(file))).isZero();
    assertThat(flushes(TradeSource.sample())).isZero();
  }

  /** How often a single candle is flushed that takes longer to write than a flush is put off. */
  private static int flushes(TradeSource source) throws Exception {
    SlowOutput output = new SlowOutput();
    try (Feeds feeds = new Feeds(List.of(source), ReadOptions.none())) {
      CandleWriter writer = new CandleWriter(feeds, output);
      feeds.readAll(trade -> {});
      writer.candle(Candle.empty(0, 0, BigDecimal.ONE));
    }
    return output.flushes;
  }

  private static final class SlowOutput implements CandleOutput {
    private int flushes;

    @Override
    public void candle(CandleView candle, String symbol) throws IOException {
      try {
        Thread.sleep(210);
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }

    @Override
    public void flush() {
      flushes++;
    }

    @Override
    public void end() {}
  }
}

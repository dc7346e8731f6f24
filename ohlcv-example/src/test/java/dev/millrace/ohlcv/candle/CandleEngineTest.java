package dev.millrace.ohlcv.candle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds an engine in native memory that hangs its feeder when a sink or a worker fails, takes the
 * trade of an interrupted call, or wraps a sum that does not fit.
 */
@ParameterizedClass
@EnumSource(CandleEngineTest.Engine.class)
final class CandleEngineTest extends CandleEngineContract {
  @Parameter Engine kind;

  /** That of stages also with shards: where there is one symbol, two of them idle. */
  enum Engine {
    OFF_HEAP(CandleEngine.Kind.OFF_HEAP, 1),
    PIPELINE(CandleEngine.Kind.PIPELINE, 1),
    SHARDED(CandleEngine.Kind.OFF_HEAP, 3);

    private final CandleEngine.Kind kind;
    private final int shards;

    Engine(CandleEngine.Kind kind, int shards) {
      this.kind = kind;
      this.shards = shards;
    }
  }

  @Override
  protected CandleEngine start(int window, int history, CandleSink sink) {
    return kind.kind.start(
        new CandleEngine.Options(MINUTE, window, history, true, kind.shards), sink);
  }

  @Test
  void accept_ofSumTooLarge_refusesTheTradeAlone() throws Exception {
    Emitted emitted = new Emitted();
    try (CandleEngine engine = start(3, emitted)) {
      engine.accept(trade(1, 0, 0, 1, 0, 1, 30));
      engine.accept(trade(17, 0, 1, 2, 0, Long.MAX_VALUE, 0));
      engine.accept(trade(3, 0, 2, 3, 0, 1, 30));
      engine.finish();
      assertThat(engine.counts()).isEqualTo(new CandleEngine.Counts(2, 0, 1));
    }
    assertThat(emitted.refusals).containsExactly("17 " + Refusal.VOLUME);
    assertThat(emitted.candles.getFirst().close()).isEqualByComparingTo("3");
  }

  /** The queues are full then, so that every thread waits for room. */
  @Test
  void sinkThatFails_whileTheFeederWaits_letsAllGo() {
    Thread feeder = Thread.currentThread();
    CandleSink full =
        candle -> {
          while (feeder.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
          }
          throw new IOException("disk is full");
        };
    assertFails(full, 0, cause -> assertThat(cause).hasMessage("disk is full"));
  }

  @Test
  void aggregatorThatFails_endsTheFeederToo() {
    // No array has the symbol. Compiled code may throw without a message.
    assertFails(
        new Emitted(),
        -1,
        cause -> assertThat(cause).isInstanceOf(ArrayIndexOutOfBoundsException.class));
  }

  @Test
  void accept_whenInterruptedWhileItWaits_hasNotTakenTheTrade() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Emitted emitted = new Emitted();
    CandleSink slow =
        candle -> {
          awaitQuietly(goOn);
          emitted.candle(candle);
        };
    try (CandleEngine engine = start(1, slow)) {
      AtomicLong taken = new AtomicLong();
      Thread.currentThread().interrupt();
      assertThatThrownBy(
              () -> {
                while (true) { // until no queue has room
                  engine.accept(trade(60 * taken.get(), 100, 1));
                  taken.incrementAndGet();
                }
              })
          .isInstanceOf(InterruptedException.class);
      goOn.countDown();
      engine.finish();
      assertThat(emitted.candles).hasSize((int) taken.get());
      assertThat(emitted.minutes()).isSorted();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

package dev.millrace.ohlcv.candle;

/** The engine by stages for a feeder that has its trades ready: what is left is two stages. */
final class PipelineEngine extends CandleStages<Void> implements CandleEngine {
  PipelineEngine(Options options, CandleSink sink) {
    super(options, sink, () -> null, stages -> new String[0]);
  }

  @Override
  public void accept(TradeRow trade) throws InterruptedException {
    feed(PipelineEngine::set, trade);
  }

  private static void set(TradeEvent<Void> event, TradeRow trade) {
    event.clear();
    event.add(trade);
  }
}

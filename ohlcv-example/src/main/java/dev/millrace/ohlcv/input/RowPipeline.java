package dev.millrace.ohlcv.input;

import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleMaker;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.CandleStages;
import dev.millrace.ohlcv.candle.TradeEvent;
import java.io.IOException;

/**
 * From rows to candles by stages: the reading thread splits the file into rows, {@code parse} turns
 * their text into numbers, by several workers, {@code validate} judges them in the order of the
 * file, and {@link CandleStages} makes candles of what is left.
 *
 * <p><b>Failure.</b> A bad row is no failure of a stage: the rows before it take effect, as they do
 * where one thread reads and judges; those after it go through the stages and are nothing.
 */
public final class RowPipeline {
  private static final String PARSE = "parse";
  private static final String VALIDATE = "validate";

  private final TradeReader reader;
  private final CandleStages<Raw> stages;

  // volatile: the feeder stops soon; which rows count does not depend on when it sees it
  private volatile InputException badRow;

  /** A row's text, and what becomes of it. */
  private static final class Raw {
    private Row text;
    private ParsedRow parsed;
  }

  /**
   * Starts the stages.
   *
   * @param reader whose rows they take; of its methods only those that look are for others now
   * @param options how candles are made
   * @param parsers how many workers parse
   * @param sink where candles go
   */
  public RowPipeline(
      TradeReader reader, CandleEngine.Options options, int parsers, CandleSink sink) {
    this.reader = reader;
    this.stages = new CandleStages<>(options, sink, Raw::new, builder -> addTo(builder, parsers));
  }

  private String[] addTo(PipelineBuilder<TradeEvent<Raw>> builder, int parsers) {
    builder
        .stage(PARSE)
        .sharedBy(parsers, () -> parse(reader.parser()))
        .stage(VALIDATE)
        .after(PARSE)
        .handledBy(new Validate());
    return new String[] {VALIDATE};
  }

  /** What makes the candles; close it when done. */
  public CandleMaker maker() {
    return stages;
  }

  /**
   * Reads all rows, and waits until all that they make is emitted.
   *
   * @param step called after each row
   * @throws InputException if a row is bad, unless such rows are skipped, or the file is: of
   *     several the first
   */
  public void readAll(Runnable step) throws IOException, InputException, InterruptedException {
    InputException badFile = null;
    try {
      Row row = reader.nextRow();
      while (row != null) {
        stages.feed((event, text) -> event.source().text = text, row);
        step.run();
        row = badRow == null ? reader.nextRow() : null;
      }
    } catch (InputException e) {
      badFile = e;
      stages.withholdOpen();
    }
    stages.finish();
    if (badRow != null) { // of a row before what is wrong with the file
      throw badRow;
    }
    if (badFile != null) {
      throw badFile;
    }
  }

  private static BatchHandler<TradeEvent<Raw>> parse(RowParser parser) {
    return batch -> {
      while (batch.next()) {
        Raw raw = batch.event().source();
        raw.parsed = parser.parse(raw.text);
      }
    };
  }

  /** Judges, in the order of the file. */
  private final class Validate implements BatchHandler<TradeEvent<Raw>> {
    private boolean isOver; // there was a bad row

    @Override
    public void onBatch(Batch<TradeEvent<Raw>> batch) throws InterruptedException {
      while (batch.next()) {
        TradeEvent<Raw> event = batch.event();
        event.clear();
        try {
          if (!isOver) {
            reader.judge(event.source().parsed, event::add);
          }
        } catch (InputException e) {
          isOver = true;
          stages.withholdOpen();
          badRow = e;
        }
      }
    }
  }
}

package dev.millrace.bench.compare;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.flyweight.FlyweightType;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;

/** The stages over one ring of records: nobody makes an object for a trade. */
final class ArticleMillrace extends ArticlePipeline {
  private final RingProducer<ArticleRecord> producer;
  private final Pipeline<ArticleRecord> pipeline;

  ArticleMillrace(String wait) {
    WaitStrategy waits =
        switch (wait) {
          case "yielding" -> WaitStrategy.yielding();
          case "parking" -> WaitStrategy.parking();
          case "spinning-then-parking" -> new WaitStrategy(100, 0, WaitStrategy.FOREVER);
          case "parking-at-once" -> new WaitStrategy(0, 0, WaitStrategy.FOREVER);
          case "sleeping" -> WaitStrategy.sleeping(Duration.ofNanos(50_000));
          case "sleeping-at-once" -> new WaitStrategy(0, 0, 20_000);
          default -> throw new IllegalArgumentException("wait must be one of those known: " + wait);
        };
    RecordRing<ArticleRecord> ring =
        RecordRing.of(
            FlyweightType.of(ArticleRecord::new),
            RingOptions.singleProducer(CAPACITY).withProducerWaits(waits));
    producer = ring.producer();
    Iterator<Result> ends = Arrays.asList(results).iterator();
    pipeline =
        Pipeline.on(ring)
            .named("article")
            .stage("parse")
            .sharedBy(PARSERS, ArticleMillrace::parser)
            .waiting(waits)
            .stage("enrich")
            .after("parse")
            .sharedBy(ENRICHERS, () -> ArticleMillrace::enrich)
            .waiting(waits)
            .stage("aggregate")
            .after("enrich")
            .sharedByKey(AGGREGATORS, ArticleRecord::symbol, () -> aggregator(ends.next()))
            .waiting(waits)
            .build()
            .start();
  }

  private static BatchHandler<ArticleRecord> parser() {
    ArticleParser parser = new ArticleParser();
    byte[] array = new byte[ArticleTrades.MOST_BYTES];
    return batch -> {
      while (batch.next()) {
        batch.event().parse(parser, array);
      }
    };
  }

  private static void enrich(Batch<ArticleRecord> batch) {
    while (batch.next()) {
      batch.event().enrich();
    }
  }

  private static BatchHandler<ArticleRecord> aggregator(Result result) {
    return batch -> {
      while (batch.next()) {
        ArticleRecord its = batch.event();
        its.addTo(result.book);
        long due = its.due();
        if (due != 0) {
          result.nanos.recordValue(System.nanoTime() - due);
        }
      }
    };
  }

  @Override
  void put(byte[] line, long due) throws InterruptedException {
    producer.claim().came(line, due);
    producer.commit();
  }

  @Override
  void drain() throws InterruptedException {
    if (!pipeline.drain(Duration.ofSeconds(30))) {
      throw new AssertionError("pipeline must get drained: " + pipeline);
    }
  }

  @Override
  public void close() {
    pipeline.close();
  }
}

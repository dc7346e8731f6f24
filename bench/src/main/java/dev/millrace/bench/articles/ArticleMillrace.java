package dev.millrace.bench.articles;

import dev.millrace.core.WaitStrategy;
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
  private final RecordRing<ArticleRecord> ring;
  private final boolean isShared;
  private final Pipeline<ArticleRecord> pipeline;

  ArticleMillrace(String wait, int publishers) {
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
    isShared = publishers > 1;
    RingOptions options =
        isShared ? RingOptions.multiProducer(CAPACITY) : RingOptions.singleProducer(CAPACITY);
    ring = RecordRing.of(FlyweightType.of(ArticleRecord::new), options.withProducerWaits(waits));
    Iterator<Result> ends = Arrays.asList(results).iterator();
    pipeline =
        Pipeline.on(ring)
            .named("article")
            .stage("parse")
            .sharedBy(PARSERS, () -> parser(newWorker("parse")))
            .waiting(waits)
            .stage("enrich")
            .after("parse")
            .sharedBy(ENRICHERS, () -> enricher(newWorker("enrich")))
            .waiting(waits)
            .stage("aggregate")
            .after("enrich")
            .sharedByKey(
                AGGREGATORS,
                ArticleRecord::symbol,
                () -> aggregator(ends.next(), newWorker("aggregate")))
            .waiting(waits)
            .build()
            .start();
  }

  private static BatchHandler<ArticleRecord> parser(Worker worker) {
    ArticleParser parser = new ArticleParser();
    byte[] array = new byte[ArticleTrades.MOST_BYTES];
    return batch -> {
      while (batch.next()) {
        batch.event().parse(parser, array, worker);
      }
    };
  }

  private static BatchHandler<ArticleRecord> enricher(Worker worker) {
    return batch -> {
      while (batch.next()) {
        batch.event().enrich(worker);
      }
    };
  }

  private static BatchHandler<ArticleRecord> aggregator(Result result, Worker worker) {
    return batch -> {
      while (batch.next()) {
        batch.event().addTo(result, worker);
      }
    };
  }

  @Override
  Publisher newPublisher() {
    RingProducer<ArticleRecord> producer = isShared ? ring.newProducer() : ring.producer();
    return (line, due) -> {
      producer.claim().came(line, due);
      producer.commit();
    };
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

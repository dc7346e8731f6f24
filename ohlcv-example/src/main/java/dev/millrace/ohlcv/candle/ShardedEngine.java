package dev.millrace.ohlcv.candle;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.MpscProducer;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.ShardedQueue;
import dev.millrace.telemetry.Telemetry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The engine on Millrace with the symbols shared out among threads. What it emits, and in which
 * order, is what {@link OffHeapEngine} does.
 *
 * <pre>
 *   feeder --accept--> ShardedQueue --shard 0--> CandleWindow --> SpscQueue --\
 *                                   --shard 1--> CandleWindow --> SpscQueue ---collector--> sink
 *                                   --shard 2--> CandleWindow --> SpscQueue --/
 *                          readers <--copy, then validate-- a window of the symbol's shard
 * </pre>
 *
 * <p>A shard keeps the latest trades of its own symbols, as many as are kept without shards: so the
 * newest of all is the newest of one of them, and each history has a single writer.
 *
 * <p><b>Progress.</b> One thread per shard and one that collects. A shard that is behind holds up
 * what the sink gets, and in the end, when queues are full, the feeder; never another shard for
 * good. A thread that finds nothing to do looks again after a millisecond at the latest.
 *
 * <p><b>Cost.</b> 64 bytes of native memory per trade under way or kept, 160 per open candle, 192
 * per candle on its way to the sink. Only the first trade of a symbol allocates.
 */
final class ShardedEngine implements CandleEngine {
  /*
   * The feeder numbers the trades 1, 2, 3 ... Whatever a shard emits bears the number of the trade
   * that made it leave, so the order of the numbers is the order of one shard; records of one
   * number come from one shard, in their order. The collector emits the record of the least number,
   * once it knows of each shard without one that nothing before that number can come from there.
   *
   * It knows by progress. The feeder publishes the number that was sent last, after the commit. A
   * shard reads that number first and polls then: if it finds none, it has placed all of its trades
   * up to that number; if it finds some, all up to the last of them. (The queue's relaxed answer
   * suffices. Its only producer ends each claim before it publishes the number, so an open claim,
   * which the answer may overlook, is of a later trade, and hides no other.) That it publishes as
   * its progress. The collector reads the progress first and polls the output then: if it finds
   * none, nothing up to that progress will come.
   *
   * A  sent.setRelease in accept       ->  sent.getAcquire in Shard.run   trades in their queues
   * B  progress.setRelease in          ->  progress.getAcquire in         records in the output
   *    Shard.run                           Shard.progress
   * C  output.complete in Shard.run    ->  output.isDrained in            windows of the shard
   *                                        ShardMerge.look
   * D  emitter.abandon in letGo,       ->  output.isDrained in            that no more is wanted
   *    then output.complete                ShardMerge.look
   *
   * Invariants: a shard's progress, the numbers in its output, and those that the sink gets, never
   * fall. A record's number is above each progress published before the record.
   * Non-invariant: sent may lag behind what a shard has placed.
   *
   * Nobody waits for ever, though all queues are bounded and one trade may emit more than an output
   * holds. Let n be the least number of a record in the outputs, as the collector sees them. A
   * shard waits for nothing but room in its own output, so one whose output is empty runs. It ends
   * up with a record there, or past n: either it places a trade after n, or it finds its queue
   * empty, having read a number sent that is not below n. For n is published after its commit, and
   * the feeder waits for nothing in between. So none of this takes room in a queue, and the
   * collector can emit n, which makes room in that output. If all outputs are empty, all shards
   * run, and free slots for the feeder.
   *
   * A failure, be it of the sink or of a thread, is noted; then all are let go: the feeder and the
   * shards, wherever they wait, by queues that are completed, the collector by the emitter. Of a
   * failure the emitter hears before any output ends, so nothing of the trades after it is emitted.
   */
  private static final int QUEUE_CAPACITY = 65_536; // of all shards

  private final Emitter emitter;
  private final ShardedQueue<TradeFlyweight> queue;
  private final List<MpscProducer<TradeFlyweight>> producers; // the feeder's, by shard
  private final EngineWatch watch; // the feeder's
  private final Sequence sent = new Sequence();
  private final List<Shard> shards = new ArrayList<>();
  private final OpenShards open;
  private final ShardMerge merge;
  private final List<Aggregator> aggregators = new ArrayList<>();
  private final Aggregator collector;

  ShardedEngine(Options options, CandleSink sink) {
    int count = options.shards();
    int capacity = Integer.highestOneBit(QUEUE_CAPACITY / count);
    this.emitter = new Emitter(sink);
    this.queue =
        ShardedQueue.of(
            FlyweightType.of(TradeFlyweight::new), count, QueueOptions.ofCapacity(capacity));
    this.producers = queue.newProducers();
    this.watch = options.watch();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try {
      for (int i = 0; i < count; i++) {
        Shard shard = new Shard(options, queue.shard(i), sent);
        shards.add(shard);
        aggregators.add(new Aggregator("shard-" + i, shard::run, this::letGo, failure));
      }
    } catch (OutOfMemoryError e) {
      free();
      throw e;
    }
    this.open = new OpenShards(shards.stream().map(Shard::open).toList());
    this.merge = new ShardMerge(shards);
    this.collector = new Aggregator("shard-collector", this::collect, this::letGo, failure);
    aggregators.forEach(Aggregator::start);
    collector.start();
  }

  @Override
  public void accept(TradeRow trade) throws InterruptedException {
    long number = sent.getPlain() + 1; // plain: only this thread writes it
    watch.feeding(number);
    try {
      MpscProducer<TradeFlyweight> producer = producers.get(queue.shardOf(trade.symbol()));
      producer.claim().set(trade, number);
      producer.commit();
      sent.setRelease(number); // release A: the trade is in its queue
    } catch (IllegalStateException e) { // no more claims: a thread has failed
      collector.check();
      throw e;
    }
  }

  @Override
  public void finish() throws InterruptedException {
    queue.complete();
    for (Aggregator aggregator : aggregators) {
      aggregator.join();
    }
    collector.join();
  }

  @Override
  public void stop() throws InterruptedException {
    emitter.withholdOpen();
    finish();
  }

  @Override
  public void close() {
    letGo();
    aggregators.forEach(Aggregator::joinQuietly);
    collector.joinQuietly();
    free(); // only now: nobody is in the memory any more
  }

  @Override
  public Reader newReader() {
    return new WindowReader(this::windowOrNull);
  }

  @Override
  public CandleSnapshot newSnapshot(int capacity) {
    return new WindowSnapshot(this::windowOrNull, capacity);
  }

  @Override
  public Optional<LastTrade> lastTrade() {
    return open.last();
  }

  @Override
  public Counts counts() {
    return open.counts(emitter.count());
  }

  @Override
  public List<Long> rowsByShard() {
    return open.rows();
  }

  @Override
  public void reportTo(Telemetry telemetry) {
    telemetry.report("queue", queue);
  }

  private void collect() throws IOException {
    merge.run(emitter);
    emitter.emitOpen(
        this::windowOrNull, open.symbols()); // acquire C: merge has seen all outputs end
  }

  private CandleWindow windowOrNull(int symbol) {
    return shards.get(queue.shardOf(symbol)).open().windowOrNull(symbol);
  }

  /** Ends all threads, wherever they wait. */
  private void letGo() {
    emitter.abandon(); // release D: before the outputs end
    queue.complete();
    shards.forEach(Shard::letGo);
  }

  private void free() {
    queue.close();
    shards.forEach(Shard::close);
  }
}

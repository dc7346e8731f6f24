package dev.millrace.stress.scenario;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.MessageConsumer;
import dev.millrace.queues.messages.MessageProducer;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.trial.MessageRecords;
import java.time.Duration;

/** What scenarios of messages have in common, whatever the kind of queue. */
final class MessageScenarios {
  static final int CELLS = 32; // of the least queue
  static final QueueOptions LEAST = QueueOptions.ofCapacity((long) CELLS * MessageQueue.CELL_BYTES);
  static final QueueOptions LIMITED = LEAST.withStallLimit(Duration.ofNanos(1_000));

  private MessageScenarios() {}

  /** Traffic of messages so long that a number of them fills the queue. */
  static QueueTraffic traffic(Simulation run, MessageQueue queue, int records) {
    return new QueueTraffic(run, new MessageRecords<>(queue, records, false, DuoMessage::new));
  }

  /** The same, but the message of a run is longer. */
  static QueueTraffic mixed(Simulation run, MessageQueue queue, int records) {
    return new QueueTraffic(run, new MessageRecords<>(queue, records, true, DuoMessage::new));
  }

  static Message claim(MessageProducer producer, int cells) {
    return producer.tryClaim(cells, cells * MessageQueue.CELL_BYTES);
  }

  /** Puts a message of some cells, its type their number, and takes it. */
  private static boolean passes(MessageProducer producer, MessageConsumer consumer, int cells) {
    Message in = claim(producer, cells);
    if (in == null) {
      return false;
    }
    for (int cell = 0; cell < cells; cell++) {
      in.putLong(cell * MessageQueue.CELL_BYTES, -cell);
    }
    producer.commit();
    Message out = consumer.tryPoll();
    boolean isWhole =
        out != null && out.type() == cells && out.length() == cells * MessageQueue.CELL_BYTES;
    for (int cell = 0; isWhole && cell < cells; cell++) {
      isWhole = out.getLong(cell * MessageQueue.CELL_BYTES) == -cell;
    }
    consumer.release();
    return isWhole;
  }

  /** Sends messages of all lengths, some of which would go round the end of the memory. */
  static void contiguous(Simulation run, MessageQueue queue) {
    MessageProducer producer = queue.newProducer();
    MessageConsumer consumer = queue.newConsumer();
    for (int cells = 1; cells <= CELLS / 2; cells++) {
      run.check(passes(producer, consumer, cells), "not whole: of " + cells);
    }
    run.check(refuses(() -> claim(producer, CELLS / 2 + 1)), "longer than half of the memory");
    run.check(queue.metrics().get("aborted") > 0, "none would have gone round the end");
    for (int at = 0; at < CELLS; at++) {
      run.check(passes(producer, consumer, CELLS / 2), "no room, though the queue is empty");
      run.check(passes(producer, consumer, 1), "no room, though the queue is empty");
    }
    run.check(queue.sizeEstimate() == 0, "of size " + queue.sizeEstimate());
  }

  /** Has a consumer give up a message, and others pass beside it for some laps. */
  static void givenUp(Simulation run, MessageQueue queue) {
    MessageProducer slow = queue.newProducer();
    MessageProducer producer = queue.newProducer();
    MessageConsumer consumer = queue.newConsumer();
    run.check(passes(producer, consumer, 3), "not whole");
    run.check(claim(slow, 7) != null, "full though empty");
    while (queue.sizeEstimate() > 0) {
      run.check(consumer.tryPoll() == null, "a message though none is committed");
    }
    for (int lap = 0; lap < 3; lap++) {
      run.check(passes(producer, consumer, 11), "no room of 11, of which there are two");
      run.check(passes(producer, consumer, 11), "no room of 11, of which there are two");
    }
    long outOfUse = queue.metrics().get("outOfUse");
    run.check(outOfUse == 7, "out of use: " + outOfUse);
    run.check(refuses(slow::commit), "committed though given up");
    for (int i = 0; i < CELLS; i++) {
      run.check(passes(producer, consumer, 2), "no room of 2");
    }
    run.check(queue.metrics().get("outOfUse") == 0, "out of use though let go");
    run.check(claim(slow, CELLS / 2) != null, "no room of half, though all is in use again");
    slow.abort();
    run.check(consumer.tryPoll() == null, "a message though it was aborted");
  }

  private static boolean refuses(Simulation.Body use) {
    return Steps.refuses(use);
  }
}

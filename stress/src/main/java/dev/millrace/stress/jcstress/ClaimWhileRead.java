package dev.millrace.stress.jcstress;

import org.openjdk.jcstress.infra.results.IIIII_Result;

/**
 * What the actors do in the tests of a full queue, of which a slot is claimed while its record is
 * read, whatever the kind of queue. On how it is compiled see {@link RecordThenRun}.
 */
final class ClaimWhileRead {
  private ClaimWhileRead() {}

  /** Fills a queue of two slots with records 1 and 2, before the actors begin. */
  static void fill(QueueTrial trial, long base) {
    trial.put(base + 1);
    trial.put(base + 2);
  }

  /** Claims a slot, and puts record 3 if there was one. */
  static void put(QueueTrial trial, long base, IIIII_Result r) {
    if (trial.queue.tryClaim(trial.producer)) {
      trial.producer.write(base + 3);
      trial.queue.commit(trial.producer);
      r.r1 = 1;
    }
  }

  /** Takes the oldest record: which its fields are of. */
  static void poll(QueueTrial trial, long base, IIIII_Result r) {
    if (trial.queue.tryPoll(trial.consumer)) {
      r.r2 = trial.consumer.first(base);
      r.r3 = trial.consumer.second(base);
      r.r4 = trial.consumer.third(base);
      trial.queue.release(trial.consumer);
    }
  }

  /** Takes what is left: the places of the records, one digit each. */
  static void takeRest(QueueTrial trial, long base, IIIII_Result r) {
    int place;
    while ((place = trial.take(base)) != 0) {
      r.r5 = 10 * r.r5 + place;
    }
    trial.giveBack();
  }
}

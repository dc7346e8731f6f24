package dev.millrace.stress.scenario;

import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;
import dev.millrace.simulator.Simulation;
import dev.millrace.stress.proof.About;
import dev.millrace.stress.proof.ScenariosOf;

/** The same promises where one thread writes, and updates nothing atomically. */
@ScenariosOf(value = "HistoryRing", kind = "OfOneWriter")
public final class HistoryRingOfOneScenarios extends HistoryRingScenarios {
  @Override
  HistoryRing<Pair> ring(int capacity) {
    return HistoryRing.single(PAIRS, capacity);
  }

  @Override
  HistoryProducer<Pair> producer(HistoryRing<Pair> ring) {
    return ring.producer();
  }

  @Override
  int writers() {
    return 1;
  }

  @About("one writer at a time: another goes on where it was handed over, and the row has no gap")
  public void writerHandsOver(Simulation run) {
    HistoryRing<Pair> ring = ring(2);
    HistoryReader<Pair> reader = ring.newReader(2);
    HistoryProducer<Pair> out = ring.producer();
    Flag handedOver = new Flag();
    run.thread("former", () -> write(out, 1), () -> write(out, 2), handedOver::raise);
    run.thread("latter", handedOver::await, () -> write(out, 3));
    run.thread("reader", reads(run, reader, 2));
    run.atEnd(
        () -> run.check(reader.latest(2) == 2, "not all that are kept"),
        () -> run.check(reader.at(0).whole() == 2, "not the last ones"),
        () -> account(run, ring, reader));
  }
}

package dev.millrace.stress.scenario;

import dev.millrace.disruptor.RingOptions;
import dev.millrace.simulator.Simulation;

/** What the scenarios of rings begin with. */
public abstract class RingScenarios extends Steps {
  static RingTraffic single(Simulation run, int capacity) {
    return new RingTraffic(run, RingOptions.singleProducer(capacity));
  }

  static RingTraffic multi(Simulation run, int capacity) {
    return new RingTraffic(run, RingOptions.multiProducer(capacity));
  }

  /** A ring of two slots whose producer parks. */
  static RingTraffic singleParking(Simulation run) {
    return new RingTraffic(run, RingOptions.singleProducer(2).withProducerWaits(PARK));
  }

  /** The same for many producers. */
  static RingTraffic multiParking(Simulation run) {
    return new RingTraffic(run, RingOptions.multiProducer(2).withProducerWaits(PARK));
  }
}

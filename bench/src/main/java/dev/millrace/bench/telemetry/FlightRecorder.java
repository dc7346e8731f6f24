package dev.millrace.bench.telemetry;

import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;

/** An event of the JDK's flight recorder, without a stack trace, in a recording that is running. */
final class FlightRecorder implements Recorder {
  private final Recording recording = new Recording();

  /** The record. */
  @Name("dev.millrace.Tick")
  @StackTrace(false)
  static final class TickEvent extends Event {
    long time;
    long price;
    long volume;
  }

  FlightRecorder() {
    recording.enable(TickEvent.class).withoutThreshold();
    recording.setMaxSize(1 << 26);
    recording.start();
  }

  @Override
  public void record(long number) {
    TickEvent event = new TickEvent();
    event.time = number;
    event.price = number + 1;
    event.volume = number + 2;
    event.commit();
  }

  @Override
  public void close() {
    recording.close();
  }
}

package dev.millrace.bench.ipc;

import dev.millrace.bench.harness.Child;
import java.util.List;
import java.util.Locale;

/** What {@link IpcCommand} compares. */
enum IpcContender {
  /** Our queue of one producer and one consumer, in a file. */
  MILLRACE,
  /** Our queue of many producers and one consumer, in a file. */
  MILLRACE_MANY,
  /** Our queue of many producers with a stall limit, between two threads of one process. */
  MILLRACE_IN_PROCESS,
  /** Its ring of one producer. */
  AGRONA,
  /** Its ring of many producers. */
  AGRONA_MANY,
  AERON,
  CHRONICLE,
  SOCKET;

  /** Whether both ends are in one process. */
  boolean isInProcess() {
    return this == MILLRACE_IN_PROCESS;
  }

  /** The options of its JVMs, in addition to those of all. */
  List<String> flags() {
    return switch (this) {
      case CHRONICLE -> Child.CHRONICLE_FLAGS;
      case AERON -> List.of("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
      default -> List.of();
    };
  }

  /** Its name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

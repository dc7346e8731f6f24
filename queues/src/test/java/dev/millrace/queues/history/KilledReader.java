package dev.millrace.queues.history;

import static dev.millrace.queues.messages.KilledPeer.RELEASED;
import static dev.millrace.queues.messages.KilledPeer.RELEASING;
import static dev.millrace.queues.messages.KilledPeer.note;

import dev.millrace.queues.Point;
import dev.millrace.queues.messages.KilledPeer;
import dev.millrace.queues.messages.SteppingJvm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * What a process does that is killed at one of its steps: it reads records under a name, releases
 * them, and notes in a file of its own how far it is.
 */
public final class KilledReader {
  static final String NAME = "audit";
  private static final int RELEASES = 5; // of one process
  private static final int POLLS = 3; // at most, before each

  private KilledReader() {}

  /**
   * Reads: the ring's file, the notes' file, and the step at which to stop.
   *
   * @throws Exception if it fails
   */
  public static void main(String... args) throws Exception {
    HistoryRing<Point> ring = KilledWriter.ring(true, Path.of(args[0]));
    MemorySegment notes = KilledPeer.notes(Path.of(args[1]), Arena.global());
    SteppingJvm.Stop.at(Long.parseLong(args[2]));
    HistoryReader<Point> reader = ring.newReader(1, NAME);
    if (reader.position() != note(notes, RELEASED) && reader.position() != note(notes, RELEASING)) {
      throw new IllegalStateException("began at " + reader.position());
    }
    for (int i = 0; i < RELEASES; i++) {
      for (int polls = 0; polls < POLLS && reader.tryPoll() != null; polls++) {
        long value = reader.at(0).wholeValue();
        if (value != reader.sequence()) {
          throw new IllegalStateException("record " + value + ", not " + reader.sequence());
        }
      }
      note(notes, RELEASING, reader.position());
      reader.release();
      note(notes, RELEASED, reader.position());
    }
    reader.close();
    SteppingJvm.Stop.at(-1);
    ring.close();
    System.out.println("ended");
  }
}

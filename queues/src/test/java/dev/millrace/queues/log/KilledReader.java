package dev.millrace.queues.log;

import dev.millrace.queues.messages.Message;
import dev.millrace.queues.messages.SteppingJvm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a process does that reads under a name and is killed at one of its steps. It notes in a file
 * of its own how far it is, which survives it.
 */
public final class KilledReader {
  static final String NAME = "killed";
  static final int POLLS = 40; // of one process

  /** Where the notes are. */
  static final int RELEASING = 0;

  static final int RELEASED = 8;
  private static final int SIZE = 16;

  private KilledReader() {}

  static MemorySegment notes(Path path, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
    }
  }

  static long note(MemorySegment notes, int at) {
    return notes.get(ValueLayout.JAVA_LONG, at);
  }

  private static void note(MemorySegment notes, int at, long value) {
    notes.set(ValueLayout.JAVA_LONG, at, value);
  }

  /**
   * Reads: the log's directory, the notes' file, and the step at which to stop.
   *
   * @throws Exception if it fails
   */
  public static void main(String... args) throws Exception {
    MemorySegment notes = notes(Path.of(args[1]), Arena.global());
    SteppingJvm.Stop.at(Long.parseLong(args[2]));
    try (LogReader reader = LogReader.open(Path.of(args[0]), NAME)) {
      long next = reader.number();
      if (next < note(notes, RELEASED) || next > note(notes, RELEASING)) {
        throw new IllegalStateException(
            "continues at %d, released %d..%d"
                .formatted(next, note(notes, RELEASED), note(notes, RELEASING)));
      }
      for (int poll = 0; poll < POLLS; poll++) {
        int count = reader.tryPoll(1 + poll % 3);
        for (int i = 0; i < count; i++) {
          Message message = reader.at(i);
          LogMessages.check(message, next + i);
        }
        next += count;
        note(notes, RELEASING, next);
        reader.release();
        note(notes, RELEASED, next);
      }
    }
    SteppingJvm.Stop.at(-1);
    System.out.println("ended");
  }
}

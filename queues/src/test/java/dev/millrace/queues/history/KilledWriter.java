package dev.millrace.queues.history;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.Point;
import dev.millrace.queues.messages.KilledPeer;
import dev.millrace.queues.messages.SteppingJvm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * What a process does that is killed at one of its steps: it writes records into a ring, and notes
 * in a file of its own how far it is.
 */
public final class KilledWriter {
  static final int CAPACITY = 16;
  private static final int RECORDS = 10; // of one process

  private KilledWriter() {}

  static HistoryRing<Point> ring(boolean isSingle, Path path) throws IOException {
    FlyweightType<Point> type = FlyweightType.of(Point::new);
    return isSingle
        ? HistoryRing.single(type, CAPACITY, path)
        : HistoryRing.multi(type, CAPACITY, path);
  }

  static HistoryProducer<Point> producer(HistoryRing<Point> ring, boolean isSingle) {
    return isSingle ? ring.producer() : ring.newProducer();
  }

  /**
   * Writes: whether as the only one, the ring's file, the notes' file, and the step at which to
   * stop.
   *
   * @throws Exception if it fails
   */
  public static void main(String... args) throws Exception {
    boolean isSingle = Boolean.parseBoolean(args[0]);
    HistoryRing<Point> ring = ring(isSingle, Path.of(args[1]));
    MemorySegment notes = KilledPeer.notes(Path.of(args[2]), Arena.global());
    SteppingJvm.Stop.at(Long.parseLong(args[3]));
    HistoryProducer<Point> producer = producer(ring, isSingle);
    long number = KilledPeer.note(notes, KilledPeer.BEGUN);
    for (int i = 0; i < RECORDS; i++) {
      Point point = producer.tryClaim();
      if (point != null) {
        point.value(number);
        KilledPeer.note(notes, KilledPeer.BEGUN, ++number);
        producer.commit();
        KilledPeer.note(notes, KilledPeer.DONE, number);
      }
    }
    producer.close();
    SteppingJvm.Stop.at(-1);
    ring.close();
    System.out.println("ended");
  }
}

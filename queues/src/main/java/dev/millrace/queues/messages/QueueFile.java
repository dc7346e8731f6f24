package dev.millrace.queues.messages;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.SharedRing;
import dev.millrace.queues.internal.shared.FileOptions;
import dev.millrace.queues.internal.shared.RingSeats;
import dev.millrace.queues.internal.shared.RingSpec;
import dev.millrace.queues.internal.shared.Role;
import dev.millrace.queues.internal.shared.SharedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** The file of a queue that several processes use, as the queue asks for it. */
final class QueueFile {
  private static final String LAYOUT =
      "entries: stamp u64, header u64 of type, length and time flag; words of 128 bytes: -, tail of"
          + " many producers, head, -; cells of 16 bytes; words of 128 bytes: tail of one producer,"
          + " closed, taken, lost, repeated, passed, aborted, skipped, refused, stalled, outOfUse,"
          + " lossTotal";

  private static final long PATIENCE_NANOS = 200_000; // before a search for the dead

  private QueueFile() {}

  /** Opens the file of a queue of some kind, or makes it. */
  static SharedRing open(String kind, QueueOptions options, boolean repeats, Path path)
      throws IOException {
    SequencedMap<String, Long> settings = new LinkedHashMap<>();
    settings.put("capacity", options.capacity());
    settings.put("repeats", repeats ? 1L : 0L);
    long cells = options.capacity() >> MessageQueue.CELL_SHIFT;
    long bytes = MessageQueue.sharedBytes(options.capacity());
    int reserved = Role.values().length; // with many producers one of them is not used
    RingSpec spec = new RingSpec(kind, settings, reserved, 0, bytes, LAYOUT);
    SharedFile file = SharedFile.createOrAttach(path, spec, FileOptions.defaults(), _ -> {});
    return new SharedRing(
        file.memory(),
        burial -> new RingSeats(file::participants, burial, cells, PATIENCE_NANOS),
        repeats,
        file.path().toString(),
        file::close);
  }
}

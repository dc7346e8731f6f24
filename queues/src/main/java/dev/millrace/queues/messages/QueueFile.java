package dev.millrace.queues.messages;

import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.RingPeers;
import dev.millrace.queues.internal.SharedRing;
import dev.millrace.queues.internal.shared.FileOptions;
import dev.millrace.queues.internal.shared.Participant;
import dev.millrace.queues.internal.shared.Participants;
import dev.millrace.queues.internal.shared.RingSpec;
import dev.millrace.queues.internal.shared.Role;
import dev.millrace.queues.internal.shared.SearchPace;
import dev.millrace.queues.internal.shared.SharedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** The file of a queue that several processes use, as the queue asks for it. */
final class QueueFile {
  private static final String LAYOUT =
      "entries: stamp u64, header u64 of type, length and time flag; words of 128 bytes: -, -,"
          + " head, -; cells of 16 bytes; words of 128 bytes: tail, closed, taken, lost, repeated,"
          + " passed, aborted, lossTotal";

  private QueueFile() {}

  /** Opens the file of a queue of some kind, or makes it. */
  static SharedRing open(String kind, QueueOptions options, boolean repeats, Path path)
      throws IOException {
    SequencedMap<String, Long> settings = new LinkedHashMap<>();
    settings.put("capacity", options.capacity());
    settings.put("repeats", repeats ? 1L : 0L);
    long bytes = MessageQueue.sharedBytes(options.capacity());
    RingSpec spec = new RingSpec(kind, settings, Role.values().length, 0, bytes, LAYOUT);
    SharedFile file = SharedFile.createOrAttach(path, spec, FileOptions.defaults(), _ -> {});
    return new SharedRing(
        file.memory(),
        burial -> new FilePeers(file, burial),
        repeats,
        file.path().toString(),
        file::close);
  }

  /** The participants of a file. */
  private static final class FilePeers implements RingPeers {
    private final Participants participants;
    private final SearchPace pace = new SearchPace();

    FilePeers(SharedFile file, Burial burial) {
      this.participants =
          file.participants(
              (_, role) -> {
                burial.recover(role);
                return true;
              });
    }

    @Override
    public Seat enter(Role role, boolean isSole) {
      String name = Thread.currentThread().getName();
      Participant entered =
          isSole
              ? participants.enterSole(role == Role.PRODUCER ? 0 : 1, role, name)
              : participants.enter(role, name);
      return new Seat() {
        @Override
        public void check() {
          entered.check();
        }

        @Override
        public void leave() {
          entered.leave();
        }
      };
    }

    @Override
    public boolean buryDead() {
      return pace.isDue() && participants.buryDead() > 0;
    }
  }
}

package dev.millrace.queues.messages;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.RingPeers;
import dev.millrace.queues.internal.SharedRing;
import dev.millrace.queues.internal.shared.FileOptions;
import dev.millrace.queues.internal.shared.Participant;
import dev.millrace.queues.internal.shared.Participants;
import dev.millrace.queues.internal.shared.RingSpec;
import dev.millrace.queues.internal.shared.Role;
import dev.millrace.queues.internal.shared.SharedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.Set;

/** The file of a queue that several processes use, as the queue asks for it. */
final class QueueFile {
  /** The kind of a queue with one producer and one consumer. */
  static final String SPSC = "MessageQueue.spsc";

  private static final String LAYOUT =
      "entries: stamp u64, header u64 of type, length and time flag; words of 128 bytes: -, -,"
          + " head, -; cells of 16 bytes; words of 128 bytes: tail, closed, taken, lost, repeated,"
          + " passed, aborted, lossTotal";

  private static final Set<String> KINDS = Set.of(SPSC);
  private static final String CAPACITY = "capacity";
  static final String REPEATS = "repeats";

  /** Those who take part are none of an observer's business. */
  private static final RingPeers NO_PEERS =
      new RingPeers() {
        @Override
        public Seat enter(Role role, boolean isSole) {
          throw new IllegalStateException("an observer takes no part");
        }

        @Override
        public boolean buryDead() {
          return false;
        }
      };

  private QueueFile() {}

  /** Opens the file of a queue of some kind, or makes it. */
  static SharedRing open(String kind, QueueOptions options, boolean repeats, Path path)
      throws IOException {
    RingSpec spec = spec(kind, options.capacity(), repeats);
    SharedFile file = SharedFile.createOrAttach(path, spec, FileOptions.defaults(), _ -> {});
    return new SharedRing(
        file.memory(),
        burial -> new FilePeers(file, burial),
        repeats,
        file.path().toString(),
        file::close);
  }

  private static RingSpec spec(String kind, long capacity, boolean repeats) {
    SequencedMap<String, Long> settings = new LinkedHashMap<>();
    settings.put(CAPACITY, capacity);
    settings.put(REPEATS, repeats ? 1L : 0L);
    long bytes = MessageQueue.sharedBytes(capacity);
    return new RingSpec(kind, settings, Role.values().length, 0, bytes, LAYOUT);
  }

  // ---- observing ----

  /** Opens the file of a queue of any kind, for reading alone. */
  static SharedFile observe(Path path) throws IOException {
    return SharedFile.observe(
        path,
        found -> {
          if (!KINDS.contains(found.kind())) {
            throw new IllegalArgumentException(
                "not a queue of messages: kind=" + Checks.shown(found.kind()));
          }
          return spec(found.kind(), found.setting(CAPACITY), found.setting(REPEATS) != 0);
        });
  }

  /** The queue in a file that is only read. It has no ends. */
  static MessageQueue queue(SharedFile observed) {
    RingSpec spec = observed.spec();
    boolean repeats = spec.setting(REPEATS) != 0;
    String name = observed.path().toString();
    SharedRing ring =
        new SharedRing(observed.memory(), _ -> NO_PEERS, repeats, name, observed::close);
    QueueOptions options = QueueOptions.ofCapacity(spec.setting(CAPACITY));
    return MessageQueue.spsc(options, ring); // the only kind so far
  }

  /** The participants of a file. */
  private static final class FilePeers implements RingPeers {
    private static final long LOOK_NANOS = 200_000; // between two searches for the dead

    private final Participants participants;
    private long lookedAt = System.nanoTime() - LOOK_NANOS; // a race costs a search, or delays one

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
      long now = System.nanoTime();
      if (now - lookedAt < LOOK_NANOS) {
        return false;
      }
      lookedAt = now;
      return participants.buryDead() > 0;
    }
  }
}

package dev.millrace.queues.messages;

import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.internal.RingPeers;
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
import java.util.Set;

/** The file of a queue that several processes use, as the queue asks for it. */
final class QueueFile {
  /** The kind of a queue with one producer and one consumer. */
  static final String SPSC = "MessageQueue.spsc";

  /** The kind of a queue with many producers and one consumer. */
  static final String MPSC = "MessageQueue.mpsc";

  /** The kind of a queue with many producers and many consumers. */
  static final String MPMC = "MessageQueue.mpmc";

  static final String REPEATS = "repeats";

  private static final String LAYOUT =
      "entries: stamp u64, header u64 of type, length and time flag; words of 128 bytes: -, tail of"
          + " many producers, head, -; cells of 16 bytes; words of 128 bytes: tail of one producer,"
          + " closed, taken, lost, repeated, passed, aborted, skipped, refused, stalled, outOfUse,"
          + " lossTotal";

  private static final String LAYOUT_OF_MANY =
      "entries: stamp u64, header u64 of type, length and time flag; words of 128 bytes: -, tail,"
          + " head of sequence << 7 | taker, freed; cells of 16 bytes; words of 128 bytes: -, -, -,"
          + " -, repeated, passed, aborted, skipped, refused, stalled, outOfUse, -; of each of 64"
          + " participants: lost u64, settled u64";

  private static final Set<String> KINDS = Set.of(SPSC, MPSC, MPMC);
  private static final String CAPACITY = "capacity";
  private static final int SOLE_ROLES = 2; // with many producers the first one is not used
  private static final long PATIENCE_NANOS = 200_000; // before a search for the dead

  private QueueFile() {}

  /** Opens the file of a queue of some kind, or makes it. */
  static SharedRing open(String kind, QueueOptions options, Path path) throws IOException {
    long cells = options.capacity() >> MessageQueue.CELL_SHIFT;
    RingSpec spec = spec(kind, options.capacity(), options.repeats());
    SharedFile file = SharedFile.createOrAttach(path, spec, FileOptions.defaults(), _ -> {});
    return new SharedRing(
        file.memory(),
        burial -> new RingSeats(file::participants, burial, cells, PATIENCE_NANOS),
        options.repeats(),
        file.path().toString(),
        file::close);
  }

  private static RingSpec spec(String kind, long capacity, boolean repeats) {
    SequencedMap<String, Long> settings = new LinkedHashMap<>();
    settings.put(CAPACITY, capacity);
    settings.put(REPEATS, repeats ? 1L : 0L);
    boolean areMany = kind.equals(MPMC);
    long bytes = MessageQueue.sharedBytes(capacity, areMany);
    return new RingSpec(kind, settings, SOLE_ROLES, 0, bytes, areMany ? LAYOUT_OF_MANY : LAYOUT);
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
        new SharedRing(observed.memory(), _ -> new NoPeers(), repeats, name, observed::close);
    QueueOptions options = QueueOptions.ofCapacity(spec.setting(CAPACITY));
    return switch (spec.kind()) {
      case MPMC -> MessageQueue.mpmc(options, ring);
      case MPSC -> MessageQueue.mpsc(options, ring);
      default -> MessageQueue.spsc(options, ring);
    };
  }

  /** An observer neither takes part nor judges who does. */
  private static final class NoPeers implements RingPeers {
    @Override
    public Seat enter(Role role, boolean isSole) {
      throw takesNoPart();
    }

    @Override
    public boolean buryDead() {
      return false;
    }

    @Override
    public Fate fateOf(long sequence, boolean isMarked) {
      throw takesNoPart();
    }

    @Override
    public boolean isInheritingDue() {
      return false;
    }

    @Override
    public Seat tryInherit(Role role) {
      throw takesNoPart();
    }

    @Override
    public boolean isConfirmed(int number) {
      throw takesNoPart();
    }

    @Override
    public void confirmFor(int number, long end) {
      throw takesNoPart();
    }

    @Override
    public boolean isClaimedAgain(long sequence) {
      throw takesNoPart();
    }

    @Override
    public long patienceNanos() {
      return Long.MAX_VALUE;
    }

    private static IllegalStateException takesNoPart() {
      return new IllegalStateException("an observer takes no part");
    }
  }
}

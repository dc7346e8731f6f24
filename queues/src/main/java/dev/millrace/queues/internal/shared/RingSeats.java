package dev.millrace.queues.internal.shared;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Claimers;
import dev.millrace.queues.internal.RingPeers;
import java.util.function.Function;

/** The participants of a file's table, as a ring asks for them. */
public final class RingSeats implements RingPeers {
  private final Participants table;
  private final RingPeers.Burial burial;
  private final long slots;
  private final long patienceNanos;
  private final Sequence searchedAt; // when somebody has searched for the dead

  /**
   * Makes them.
   *
   * @param tables makes the table, given how to recover what the dead have left
   * @param burial recovers it
   * @param slots how many the ring has
   * @param patienceNanos for how long others are waited for before they are searched for the dead
   */
  public RingSeats(
      Function<dev.millrace.queues.internal.shared.Burial, Participants> tables,
      RingPeers.Burial burial,
      long slots,
      long patienceNanos) {
    this.table = tables.apply(this::tryRecover);
    this.burial = burial;
    this.slots = slots;
    this.patienceNanos = patienceNanos;
    this.searchedAt = new Sequence(System.nanoTime() - patienceNanos);
  }

  private boolean tryRecover(int entry, Role role) {
    long first = table.intent(entry);
    long end = table.intentEnd(entry);
    return burial.recover(role, first >= 0 && hasEnded(first) ? -1 : first, end);
  }

  /**
   * Whether a claim has ended of a participant that died before it said so: its slots are reused.
   */
  private boolean hasEnded(long first) {
    for (int entry = 0; entry < table.count(); entry++) {
      long later = table.intent(entry);
      boolean isOfSameSlot = later > first && (later - first) % slots == 0;
      if (isOfSameSlot && table.intentEnd(entry) > later) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Seat enter(Role role, boolean isSole) {
    String name = Thread.currentThread().getName();
    return new Taken(
        isSole
            ? table.enterSole(role == Role.PRODUCER ? 0 : 1, role, name)
            : table.enter(role, name));
  }

  @Override
  public boolean buryDead() {
    long now = System.nanoTime();
    if (now - searchedAt.getOpaque() < patienceNanos) { // opaque: at worst two search
      return false;
    }
    searchedAt.setOpaque(now); // opaque: likewise
    return table.buryDead() > 0;
  }

  @Override
  public Claimers.Fate fateOf(long sequence, boolean isMarked) {
    return switch (table.fateOf(sequence, isMarked)) {
      case LIVE -> Claimers.Fate.LIVE;
      case FENCED -> Claimers.Fate.FENCED;
      case DEAD -> Claimers.Fate.DEAD;
      case UNKNOWN -> Claimers.Fate.UNKNOWN;
    };
  }

  @Override
  public long patienceNanos() {
    return patienceNanos;
  }

  /** A seat that is taken. */
  private static final class Taken implements Seat {
    private final Participant participant;
    private long first = FileLayout.NONE;
    private long end;

    Taken(Participant participant) {
      this.participant = participant;
    }

    @Override
    public void check() {
      participant.check();
    }

    @Override
    public void declare(long first, long end) {
      this.first = first;
      this.end = end;
      if (!participant.declare(first, end)) {
        participant.check();
      }
    }

    @Override
    public void confirm() {
      participant.confirm(end);
    }

    @Override
    public void withdraw() {
      first = FileLayout.NONE;
      participant.withdraw();
    }

    @Override
    public long announced() {
      return first;
    }

    @Override
    public void leave() {
      participant.leave();
    }
  }
}

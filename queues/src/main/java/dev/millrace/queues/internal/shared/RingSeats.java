package dev.millrace.queues.internal.shared;

import dev.millrace.core.Sequence;
import dev.millrace.queues.internal.RingPeers;
import java.util.function.Function;

/** The participants of a file's table, in the form in which a ring needs them. */
public final class RingSeats implements RingPeers {
  private static final int PRODUCER = 0; // the entries of sole roles
  private static final int CONSUMER = 1;

  private final Participants table;
  private final RingPeers.Burial burial;
  private final long slots;
  private final long patienceNanos;
  private final Sequence searchedAt; // when a thread of this process last searched for the dead

  /**
   * Makes the seats of a ring of {@code slots} slots.
   *
   * @param tables makes the table, given how to recover what the dead have left
   * @param burial recovers it
   * @param slots the number of slots
   * @param patienceNanos how long a claim must be open before its claimer's fate is asked, and how
   *     long after one search for the dead the next one may follow
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
    return burial.recover(
        role, entry, table.intent(entry), table.intentEnd(entry), table.isConfirmed(entry));
  }

  @Override
  public Seat enter(Role role, boolean isSole) {
    String name = Thread.currentThread().getName();
    if (isSole) {
      return new Taken(table.enterSole(role == Role.PRODUCER ? PRODUCER : CONSUMER, role, name));
    }
    // first the entry that no producer takes, or producers that died could leave no consumer room
    Participant first = role == Role.CONSUMER ? table.tryEnterSole(CONSUMER, role, name) : null;
    return new Taken(first != null ? first : table.enter(role, name));
  }

  @Override
  public boolean buryDead() {
    long now = System.nanoTime();
    if (now - searchedAt.getOpaque() < patienceNanos) { // opaque: at worst two threads search
      return false;
    }
    searchedAt.setOpaque(now); // opaque: likewise
    return table.buryDead() > 0;
  }

  @Override
  public Fate fateOf(long sequence, boolean isMarked) {
    return table.fateOf(sequence, isMarked);
  }

  @Override
  public Fate fateOfOthers(long sequence, int number) {
    return table.fateOfOthers(sequence, number);
  }

  @Override
  public boolean isClaimedAgain(long sequence) {
    for (int entry = 0; entry < table.count(); entry++) {
      long later = table.intent(entry);
      if (later > sequence && (later - sequence) % slots == 0 && table.intentEnd(entry) > later) {
        return true;
      }
    }
    return false;
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
    private boolean isMade;

    Taken(Participant participant) {
      this.participant = participant;
    }

    @Override
    public void check() {
      participant.check();
    }

    @Override
    public void declare(long first, long end) {
      isMade = false;
      this.first = first;
      this.end = end;
      if (!participant.declare(first, end)) {
        withdraw();
        participant.check();
      }
    }

    @Override
    public void confirm() {
      participant.confirm(end);
      isMade = true;
    }

    @Override
    public void withdraw() {
      isMade = false;
      participant.withdraw();
    }

    @Override
    public long claimed() {
      return isMade ? first : FileLayout.NONE;
    }

    @Override
    public void leave() {
      participant.leave();
    }

    @Override
    public void abandon() {
      participant.abandon();
    }
  }
}

package dev.millrace.queues.internal.shared;

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
  private final SearchPace pace;
  private final SearchPace paceOfHeirs;

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
    this.pace = new SearchPace(patienceNanos);
    this.paceOfHeirs = new SearchPace(patienceNanos);
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
    Participant entered = role == Role.CONSUMER ? tryEnterAsConsumer(name) : null;
    return new Taken(entered != null ? entered : table.enter(role, name));
  }

  /**
   * Takes an entry for one of many consumers; returns null if there is none. First it tries the one
   * that no producer takes, or producers that died could leave no room for a consumer that passes
   * their claims. If the dead have left no room, it takes the place of one of them.
   */
  private Participant tryEnterAsConsumer(String name) {
    Participant entered = table.tryEnterSole(CONSUMER, Role.CONSUMER, name);
    if (entered == null) {
      entered = table.tryEnter(Role.CONSUMER, name);
    }
    return entered != null ? entered : table.tryInherit(Role.CONSUMER, name);
  }

  @Override
  public boolean isInheritingDue() {
    return paceOfHeirs.isDue();
  }

  @Override
  public Seat tryInherit(Role role) {
    Participant heir = table.tryInherit(role, Thread.currentThread().getName());
    if (heir == null) {
      return null;
    }
    paceOfHeirs.hurry();
    return new Taken(heir);
  }

  @Override
  public boolean isConfirmed(int number) {
    return table.isConfirmed(number);
  }

  @Override
  public void confirmFor(int number, long end) {
    table.confirmFor(number, end);
  }

  @Override
  public boolean buryDead() {
    return pace.isDue() && table.buryDead() > 0;
  }

  @Override
  public Fate fateOf(long sequence, boolean isMarked) {
    return table.fateOf(sequence, isMarked);
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
  private final class Taken implements Seat {
    private final Participant participant;
    private long first;
    private long end;
    private boolean isMade;

    Taken(Participant participant) {
      this.participant = participant;
      this.first = table.intent(participant.entry()); // as it was inherited
      this.end = table.intentEnd(participant.entry());
      this.isMade = first >= 0;
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
    public int number() {
      return participant.entry();
    }

    @Override
    public long claimed() {
      return isMade ? first : FileLayout.NONE;
    }

    @Override
    public long claimedEnd() {
      return end;
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

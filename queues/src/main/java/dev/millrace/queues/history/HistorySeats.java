package dev.millrace.queues.history;

import dev.millrace.core.internal.history.HistorySeat;
import dev.millrace.core.internal.history.HistorySlots;
import dev.millrace.core.internal.history.HistoryWriter;
import dev.millrace.core.internal.history.SeatedHistoryWriter;
import dev.millrace.core.internal.history.SoleHistoryWriter;
import dev.millrace.queues.internal.SharedHistory;
import dev.millrace.queues.internal.shared.Participant;
import dev.millrace.queues.internal.shared.Participants;
import dev.millrace.queues.internal.shared.Role;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The seats that this process has among the producers of a ring that several processes map, and the
 * recovery of what dead producers have left. Readers need no seat.
 */
final class HistorySeats {
  private final SharedHistory shared;
  private final HistorySlots slots;
  private final Participants table;
  private final List<Seat> taken = new ArrayList<>(); // guarded by this

  HistorySeats(SharedHistory shared, HistorySlots slots) {
    this.shared = shared;
    this.slots = slots;
    this.table = shared.table().apply((entry, _) -> tryRecover(entry));
  }

  /** Recovers what the producer of an entry has left that is gone. */
  private boolean tryRecover(int entry) {
    if (shared.isSingle()) {
      SoleHistoryWriter.recover(slots);
      return true;
    }
    long announced = table.intent(entry);
    return announced < 0
        || SeatedHistoryWriter.tryRecover(
            slots, announced, sequences -> table.isAnnounced(sequences, entry));
  }

  /** Searches for producers that have died, unless it was just done. */
  void buryDead() {
    if (shared.isSearchDue().getAsBoolean()) {
      table.buryDead();
    }
  }

  /**
   * Gives up all seats of this process, as if it had died, and so the claims that are open. Throws
   * {@link UncheckedIOException} if the file is damaged, after it has given up all.
   */
  synchronized void abandonAll() {
    UncheckedIOException damage = null;
    for (Seat seat : taken) {
      try {
        seat.participant.abandon();
      } catch (UncheckedIOException e) {
        damage = e;
      }
    }
    taken.clear();
    if (damage != null) {
      throw damage;
    }
  }

  /** Makes a seat that is not taken yet. */
  Seat newSeat() {
    return new Seat();
  }

  /** The place of one producer. */
  final class Seat implements HistorySeat {
    private Participant participant; // guarded by the seats to change; null before it is taken
    private boolean isTaken; // likewise

    /** Makes the writer of this seat. */
    HistoryWriter newWriter() {
      return shared.isSingle()
          ? new SoleHistoryWriter(slots, this, shared.name())
          : new SeatedHistoryWriter(slots, this, shared.name());
    }

    /**
     * Takes the seat, unless it is taken. Throws {@link IllegalStateException} if there is no room,
     * or another process has the only one.
     */
    void take() {
      if (!isTaken) {
        enter();
      }
    }

    private void enter() {
      synchronized (HistorySeats.this) {
        String name = Thread.currentThread().getName();
        table.buryDead();
        participant =
            shared.isSingle()
                ? table.enterSole(0, Role.PRODUCER, name)
                : table.enter(Role.PRODUCER, name);
        isTaken = true;
        taken.add(this);
      }
    }

    /** Gives the seat up, if it is taken. */
    void giveUp() {
      synchronized (HistorySeats.this) {
        isTaken = false;
        if (taken.remove(this)) {
          participant.leave();
        }
      }
    }

    @Override
    public void check() {
      participant.check();
    }

    @Override
    public void declare(long sequence) {
      if (!participant.declare(sequence, sequence + 1)) {
        participant.check();
      }
    }

    @Override
    public void withdraw() {
      participant.withdraw();
    }
  }
}

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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;

/**
 * What this process occupies in a history that several processes map: seats of producers, and
 * places of named readers. It also recovers what dead producers have left. Readers without a name
 * occupy nothing.
 *
 * <p>Entry 0 of the table of participants is for a sole producer. The entries that follow are those
 * of the {@linkplain ReaderPlaces readers' places}, one each, and one that a process takes while it
 * gives a place a name. All others are for producers among many.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 */
@NullUnmarked // which fields are null follows from the state
final class HistorySeats {
  private static final int FIRST_PLACE = 1; // the entry of the first place
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final SharedHistory shared;
  private final HistorySlots slots;
  private final ReaderPlaces places;
  private final Participants table;
  private final List<Participant> entered = new ArrayList<>(); // guarded by this

  HistorySeats(SharedHistory shared, HistorySlots slots, ReaderPlaces places) {
    this.shared = shared;
    this.slots = slots;
    this.places = places;
    this.table = shared.table().apply(this::tryRecover);
  }

  /** Returns how many entries of the table are reserved if there are so many places. */
  static int reserved(int places) {
    return FIRST_PLACE + places + 1;
  }

  // ---- entering and leaving ----

  private synchronized Participant enter(Supplier<Participant> entry) {
    Participant participant = entry.get();
    if (participant != null) {
      entered.add(participant);
    }
    return participant;
  }

  private synchronized void leave(Participant participant) {
    if (entered.remove(participant)) {
      participant.leave();
    }
  }

  /**
   * Gives up everything that this process occupies, as if it had died, and so the claims that are
   * open. Throws {@link UncheckedIOException} if the file is damaged, after it has given up all.
   */
  synchronized void abandonAll() {
    UncheckedIOException damage = null;
    for (Participant participant : entered) {
      try {
        participant.abandon();
      } catch (UncheckedIOException e) {
        damage = e;
      }
    }
    entered.clear();
    if (damage != null) {
      throw damage;
    }
  }

  // ---- the dead ----

  /** Recovers what the occupant of an entry has left that is gone. */
  private boolean tryRecover(int entry, Role role) {
    if (role != Role.PRODUCER) {
      return true; // a reader's position stays as it is
    }
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

  // ---- producers ----

  /** Makes a seat that is not taken yet. */
  Seat newSeat() {
    return new Seat();
  }

  /** The seat of one producer. One thread at a time may use it. */
  final class Seat implements HistorySeat {
    private Participant participant; // null while it is not taken

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
      if (participant == null) {
        participant = enter(this::enterTable);
      }
    }

    private Participant enterTable() {
      String name = Thread.currentThread().getName();
      table.buryDead();
      return shared.isSingle()
          ? table.enterSole(0, Role.PRODUCER, name)
          : table.enter(Role.PRODUCER, name);
    }

    /** Gives the seat up, if it is taken. */
    void giveUp() {
      if (participant != null) {
        Participant former = participant;
        participant = null;
        leave(former);
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

  // ---- named readers ----

  /**
   * Takes the place of a reader, which it finds by its name. A new name gets a place that has none,
   * and begins with the oldest record. Throws {@link IllegalArgumentException} if no reader may
   * have the name, and {@link IllegalStateException} if a living reader has it or there is no room
   * for another name.
   */
  Place takePlace(String name) {
    Place place = new Place(new ReaderPlaces.Name(name));
    place.participant = enter(place::enterTable);
    return place;
  }

  /**
   * Removes a name. Returns false if no place has it. Throws {@link IllegalStateException} if a
   * living reader has it.
   */
  boolean removeName(String name) {
    Place place = new Place(new ReaderPlaces.Name(name));
    place.participant = enter(place::enterNamed);
    if (place.participant == null) {
      return false;
    }
    try {
      places.removeName(place.number);
      return true;
    } finally {
      place.giveUp();
    }
  }

  /** The place of one named reader. One thread at a time may use it. */
  final class Place {
    private final ReaderPlaces.Name name;
    private final long end = System.nanoTime() + PATIENCE_NANOS; // of what others may delay
    private int number;
    private Participant participant;

    private Place(ReaderPlaces.Name name) {
      this.name = name;
    }

    private Participant enterTable() {
      while (true) {
        Participant occupant = enterNamed();
        if (occupant == null) {
          occupant = tryName();
        }
        if (occupant != null) {
          return occupant;
        }
        rest();
      }
    }

    /** Takes the place that has the name; returns null if there is none. */
    private Participant enterNamed() {
      while (true) {
        number = places.find(name);
        if (number < 0) {
          return null;
        }
        Participant occupant = table.enterSole(entry(number), Role.READER, name.toString());
        boolean hasName = false;
        try {
          hasName = places.hasName(number, name);
        } finally {
          if (!hasName) {
            occupant.leave();
          }
        }
        if (hasName) {
          return occupant;
        }
        rest(); // it has been removed since
      }
    }

    /**
     * Gives a place the name, and takes it. Returns null if another process is naming one, has
     * given one this name, or is just leaving the place.
     */
    private Participant tryName() {
      Participant namer = tryEnter(entry(places.count()));
      if (namer == null) {
        return null;
      }
      try {
        return places.find(name) < 0 ? tryNameAlone() : null;
      } finally {
        namer.leave();
      }
    }

    private Participant tryNameAlone() {
      boolean isFull = true;
      for (number = 0; number < places.count(); number++) {
        if (!places.isNamed(number)) {
          isFull = false;
          Participant occupant = tryEnter(entry(number));
          if (occupant != null) {
            places.setName(number, name);
            return occupant;
          }
        }
      }
      if (isFull) {
        throw new IllegalStateException(
            "no room for another name of a reader: %d are there, %s"
                .formatted(places.count(), shared.name()));
      }
      return null;
    }

    private Participant tryEnter(int entry) {
      return table.tryEnterSole(entry, Role.READER, name.toString());
    }

    private static int entry(int place) {
      return FIRST_PLACE + place;
    }

    private void rest() {
      if (System.nanoTime() - end >= 0) {
        throw new IllegalStateException(
            "other processes are just naming or removing readers: %s".formatted(shared.name()));
      }
      LockSupport.parkNanos(REST_NANOS);
    }

    /** Returns where the reader goes on. Throws {@link UncheckedIOException} if that is damaged. */
    long position() {
      return places.position(number);
    }

    /**
     * Notes where the reader goes on. Throws {@link IllegalStateException} if others took it for
     * dead, or it has left.
     */
    void release(long position) {
      participant.check();
      places.setPosition(number, position);
    }

    /** Gives the place up. May be called repeatedly, even after the ring is closed. */
    void giveUp() {
      leave(participant);
    }
  }
}

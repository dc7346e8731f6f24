package dev.millrace.queues.internal.shared;

import java.time.Instant;

/** A participant as another process sees it, for people. The file may hold garbage. */
public final class Presence {
  private final int entry;
  private final Role role;
  private final boolean isAlive;
  private final Occupant occupant;

  Presence(int entry, Role role, boolean isAlive, Occupant occupant) {
    this.entry = entry;
    this.role = role;
    this.isAlive = isAlive;
    this.occupant = occupant;
  }

  /** The number of its entry. */
  public int entry() {
    return entry;
  }

  /** What it does. */
  public Role role() {
    return role;
  }

  /** Whether its lock is held, and no process has taken it for dead. */
  public boolean isAlive() {
    return isAlive;
  }

  /** The id of its process, in that process's namespace. */
  public long pid() {
    return occupant.process().pid();
  }

  /** When its process started. */
  public Instant started() {
    return Instant.ofEpochMilli(occupant.process().started());
  }

  /** What it calls itself. */
  public String name() {
    return occupant.name();
  }

  /** In messages: {@code producer, dead: pid=17, name="orders", started=...}. */
  @Override
  public String toString() {
    return "%s%s: %s".formatted(role, isAlive ? "" : ", dead", occupant);
  }
}

package dev.millrace.simulator;

import java.util.concurrent.locks.LockSupport;

/** A thread of a scenario: what it knows, and whether it can go on. */
final class SimulatedThread {
  static final long NOT_PARKED = -1;
  static final long UNTIL_WOKEN = Long.MAX_VALUE;

  /** Its number; 0 is of the thread that sets up, and checks in the end. */
  final int id;

  String name;

  /** What {@link Thread#currentThread} returns: never started, and kept from run to run. */
  final Thread identity;

  final Simulation.Body body;
  Object continuation;
  boolean done;

  /** Whether it may stop until no other thread can go on, and whether it has. */
  boolean isSlow;

  boolean isStopped;

  /** Whether it may die, and whether it has. */
  boolean isMortal;

  boolean isDead;

  // What it knows: the oldest messages that it may read, and what happens before it.
  long[] view;
  int[] clock;

  /** What its last release fence covers; goes along with each later write. */
  long[] fenceView;

  int[] fenceClock;

  /** What its next acquire fence will cover: releases behind values that it read weakly. */
  long[] pendingView = Views.NO_VIEW;

  int[] pendingClock;

  /** What its last volatile access makes globally ordered before its next one; null if none. */
  long[] pushed;

  /** What was globally ordered when that was; null if it is still to be. */
  long[] fenced;

  /** What its next access is done with at most; for planted bugs. */
  int weakening = MemoryModel.ALL_OF_VOLATILE;

  /** Whether its next update is a read and a write, between which others may have their turn. */
  boolean splitsUpdate;

  /** For {@link LockSupport}. */
  boolean permit;

  boolean interrupted;

  /** How many class initializers it is in, one called by the other. */
  int initializers;

  /** The virtual time at which it stops being parked. */
  long parkedUntil = NOT_PARKED;

  /** The lock that it waits for; null if it waits for none. */
  SimulatedLock wanted;

  /** Whether an interrupt ends that. */
  boolean isInterruptible;

  SimulatedThread(int id, String name, Thread identity, Simulation.Body body) {
    this.id = id;
    this.name = name;
    this.identity = identity;
    this.body = body;
  }

  boolean canRun() {
    return !done
        && parkedUntil != UNTIL_WOKEN
        && (wanted == null || wanted.isFree() || (isInterruptible && interrupted));
  }
}

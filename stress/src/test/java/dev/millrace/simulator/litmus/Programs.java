package dev.millrace.simulator.litmus;

import static dev.millrace.simulator.litmus.Vars.X;
import static dev.millrace.simulator.litmus.Vars.Y;

import dev.millrace.simulator.Simulation;

/** Trial. */
public final class Programs {
  private Programs() {}

  public static void messagePassingRelease(Simulation run) {
    Vars v = new Vars();
    int[] r = new int[2];
    run.thread(
        "writer",
        () -> {
          X.setOpaque(v, 1);
          Y.setRelease(v, 1);
        });
    run.thread(
        "reader",
        () -> {
          r[0] = (int) Y.getAcquire(v);
          r[1] = (int) X.getOpaque(v);
        });
    run.atEnd(() -> run.outcome(r[0] + " " + r[1]));
  }

  public static void messagePassingOpaque(Simulation run) {
    Vars v = new Vars();
    int[] r = new int[2];
    run.thread(
        "writer",
        () -> {
          X.setOpaque(v, 1);
          Y.setOpaque(v, 1);
        });
    run.thread(
        "reader",
        () -> {
          r[0] = (int) Y.getAcquire(v);
          r[1] = (int) X.getOpaque(v);
        });
    run.atEnd(() -> run.outcome(r[0] + " " + r[1]));
  }

  public static void storeBufferingVolatile(Simulation run) {
    Vars v = new Vars();
    int[] r = new int[2];
    run.thread(
        "a",
        () -> {
          X.setVolatile(v, 1);
          r[0] = (int) Y.getVolatile(v);
        });
    run.thread(
        "b",
        () -> {
          Y.setVolatile(v, 1);
          r[1] = (int) X.getVolatile(v);
        });
    run.atEnd(() -> run.outcome(r[0] + " " + r[1]));
  }

  public static void storeBufferingReleaseAcquire(Simulation run) {
    Vars v = new Vars();
    int[] r = new int[2];
    run.thread(
        "a",
        () -> {
          X.setRelease(v, 1);
          r[0] = (int) Y.getAcquire(v);
        });
    run.thread(
        "b",
        () -> {
          Y.setRelease(v, 1);
          r[1] = (int) X.getAcquire(v);
        });
    run.atEnd(() -> run.outcome(r[0] + " " + r[1]));
  }

  public static void twoPlusTwoWrites(Simulation run) {
    Vars v = new Vars();
    run.thread(
        "a",
        () -> {
          X.setOpaque(v, 1);
          Y.setOpaque(v, 2);
        });
    run.thread(
        "b",
        () -> {
          Y.setOpaque(v, 1);
          X.setOpaque(v, 2);
        });
    run.atEnd(() -> run.outcome((int) X.getOpaque(v) + " " + (int) Y.getOpaque(v)));
  }

  public static void racePlain(Simulation run) {
    Vars v = new Vars();
    run.thread(
        "writer",
        () -> {
          v.x = 1;
          Y.setOpaque(v, 1);
        });
    run.thread(
        "reader",
        () -> {
          if ((int) Y.getAcquire(v) == 1) {
            run.check(v.x == 1, "old");
          }
        });
  }
}

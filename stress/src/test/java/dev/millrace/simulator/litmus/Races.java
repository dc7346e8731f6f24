package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Simulation;
import java.lang.invoke.VarHandle;

/** Programs with a plain variable {@code data}, written by one thread and read by another. */
public final class Races {
  private final Variable data = new Variable();
  private final Variable flag = new Variable();
  private final Variable other = new Variable();
  private final Variable unrelated = new Variable();

  private Races() {}

  private static void pair(Simulation run, Body writer, Body reader) {
    Races variables = new Races();
    run.thread("writer", () -> writer.run(variables));
    run.thread("reader", () -> reader.run(variables));
  }

  /** What a thread does. */
  @FunctionalInterface
  private interface Body {
    void run(Races v);
  }

  private boolean sees(String method) {
    return flag.call(method, 0, 0) != 0;
  }

  private void put(String method) {
    flag.call(method, 1, 0);
  }

  private void read() {
    int _ = data.call("get", 0, 0);
  }

  private void write() {
    data.call("set", 1, 0);
  }

  // ---- with a race ----

  /** Nothing orders them. */
  public static void plainWriteAndPlainRead(Simulation run) {
    Plain plain = new Plain();
    run.thread(
        "writer",
        () -> {
          plain.value = 1; // the write that races
        });
    run.thread("reader", () -> run.check(plain.value <= 1, "one value only")); // the read
  }

  /** Nothing orders them either. */
  public static void plainWriteAndPlainWrite(Simulation run) {
    pair(run, Races::write, Races::write);
  }

  /** A plain access beside one that is opaque. */
  public static void plainWriteAndOpaqueRead(Simulation run) {
    pair(run, Races::write, v -> v.data.call("getOpaque", 0, 0));
  }

  /** The other way round. */
  public static void opaqueWriteAndPlainRead(Simulation run) {
    pair(run, v -> v.data.call("setOpaque", 1, 0), Races::read);
  }

  /** An opaque flag orders nothing. */
  public static void opaqueFlag(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          v.put("setOpaque");
        },
        v -> {
          if (v.sees("getOpaque")) {
            v.read();
          }
        });
  }

  /** A volatile write of another variable orders nothing. */
  public static void volatileWriteOfAnother(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          v.other.call("setVolatile", 1, 0);
          v.put("setOpaque");
        },
        v -> {
          if (v.sees("getOpaque")) {
            v.read();
          }
        });
  }

  /** Neither does a volatile read of a third one, though volatile accesses are totally ordered. */
  public static void volatileWriteAndReadOfOthers(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          v.other.call("setVolatile", 1, 0);
          v.put("setOpaque");
        },
        v -> {
          if (v.sees("getOpaque")) {
            v.unrelated.call("getVolatile", 0, 0);
            v.read();
          }
        });
  }

  /** The same with two volatile accesses in each thread, between which all are ordered. */
  public static void volatileAccessesOfOthers(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          v.other.call("setVolatile", 1, 0);
          v.other.call("setVolatile", 2, 0);
          v.put("setOpaque");
        },
        v -> {
          v.unrelated.call("getVolatile", 0, 0);
          if (v.sees("getOpaque")) {
            v.unrelated.call("getVolatile", 0, 0);
            v.read();
          }
        });
  }

  /** Full fences are totally ordered, which is not enough either. */
  public static void fullFencesBehindTheFlag(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          v.put("setOpaque");
          VarHandle.fullFence();
        },
        v -> {
          if (v.sees("getOpaque")) {
            VarHandle.fullFence();
            v.read();
          }
        });
  }

  /** An opaque write by a third thread breaks the release sequence. */
  public static void overwrittenRelease(Simulation run) {
    Races v = new Races();
    run.thread(
        "writer",
        () -> {
          v.write();
          v.put("setRelease");
        });
    run.thread("third", () -> v.flag.call("setOpaque", 2, 0));
    run.thread(
        "reader",
        () -> {
          if (v.flag.call("getAcquire", 0, 0) == 2 && v.flag.call("getOpaque", 0, 0) == 2) {
            v.read();
          }
        });
  }

  // ---- without ----

  /** The flag releases and acquires. */
  public static void releaseAndAcquire(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          v.put("setRelease");
        },
        v -> {
          if (v.sees("getAcquire")) {
            v.read();
          }
        });
  }

  /** Volatile accesses do so too. */
  public static void volatileFlag(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          v.put("setVolatile");
        },
        v -> {
          if (v.sees("getVolatile")) {
            v.read();
          }
        });
  }

  /** And so do fences around an opaque flag. */
  public static void fences(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          VarHandle.releaseFence();
          v.put("setOpaque");
        },
        v -> {
          if (v.sees("getOpaque")) {
            VarHandle.acquireFence();
            v.read();
          }
        });
  }

  /** Full ones are both. */
  public static void fullFences(Simulation run) {
    pair(
        run,
        v -> {
          v.write();
          VarHandle.fullFence();
          v.put("setOpaque");
        },
        v -> {
          if (v.sees("getOpaque")) {
            VarHandle.fullFence();
            v.read();
          }
        });
  }

  /** Another thread's read-modify-write carries the release on. */
  public static void releaseSequence(Simulation run) {
    Races v = new Races();
    run.thread(
        "writer",
        () -> {
          v.write();
          v.put("setRelease");
        });
    run.thread("third", () -> v.flag.call("weakCompareAndSetPlain", 1, 2));
    run.thread(
        "reader",
        () -> {
          if (v.flag.call("getAcquire", 0, 0) == 2) {
            v.read();
          }
        });
  }

  /** Fences and values keep two threads from the data at once, as in Dekker's algorithm. */
  public static void mutualExclusion(Simulation run) {
    pair(
        run,
        v -> {
          v.put("setOpaque");
          VarHandle.fullFence();
          if (v.other.call("getOpaque", 0, 0) == 0) {
            v.write();
          }
        },
        v -> {
          v.other.call("setOpaque", 1, 0);
          VarHandle.fullFence();
          if (v.flag.call("getOpaque", 0, 0) == 0) {
            v.write();
          }
        });
  }

  /** What sets up and what checks in the end are ordered with all threads. */
  public static void startAndEnd(Simulation run) {
    Races v = new Races();
    v.write();
    run.thread(
        "thread",
        () -> {
          v.read();
          v.write();
        });
    run.atEnd(
        () -> {
          v.read();
          v.write();
        });
  }

  /** Plain reads do not race with each other, nor with opaque reads. */
  public static void readsOnly(Simulation run) {
    pair(run, Races::read, v -> v.data.call("getOpaque", 0, 0));
  }

  /** A variable of a Java field. */
  private static final class Plain {
    int value;
  }
}

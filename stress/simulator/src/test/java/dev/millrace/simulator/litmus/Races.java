package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Simulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** Programs with a plain variable that a litmus program's text cannot express. */
public final class Races {
  private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(Object[].class);

  private Races() {}

  /** Two lines of this file that nothing orders. */
  public static void twoLines(Simulation run) {
    Plain plain = new Plain();
    run.thread(
        "writer",
        () -> {
          plain.value = 1; // the write that races
        });
    run.thread("reader", () -> run.check(plain.value <= 1, "one value only")); // the read
  }

  /** What sets up and what checks in the end are ordered with all threads. */
  public static void startAndEnd(Simulation run) {
    Plain plain = new Plain();
    plain.value++;
    run.thread("thread", () -> plain.value++);
    run.atEnd(() -> plain.value++);
  }

  /** A plain write in the end is the newest, although a thread wrote before. */
  public static void plainWriteInTheEnd(Simulation run) {
    MemorySegment memory = Arena.ofShared().allocate(8, 8);
    run.thread("thread", () -> memory.set(ValueLayout.JAVA_LONG, 0, 1));
    run.atEnd(
        () -> {
          memory.set(ValueLayout.JAVA_LONG, 0, 2);
          run.check((long) LONGS.getOpaque(memory, 0L) == 2, "the end reads an old value");
        });
  }

  /** Bytes of one long are different variables for plain accesses. */
  public static void twoHalves(Simulation run) {
    MemorySegment memory = Arena.ofShared().allocate(8, 8);
    memory.set(ValueLayout.JAVA_LONG, 0, 5L << 32 | 3);
    run.thread("one", () -> memory.set(ValueLayout.JAVA_INT, 0, 1));
    run.thread("other", () -> memory.set(ValueLayout.JAVA_INT, 4, 2));
    run.atEnd(
        () ->
            run.check(
                memory.get(ValueLayout.JAVA_LONG, 0) % 4 != 3
                    && memory.get(ValueLayout.JAVA_BYTE, 7) == 0,
                "lost a write"));
  }

  /** A half and the whole. */
  public static void halfAndWhole(Simulation run) {
    MemorySegment memory = Arena.ofShared().allocate(8, 8);
    run.thread("one", () -> memory.set(ValueLayout.JAVA_INT, 4, 1));
    run.thread("other", () -> run.check(memory.get(ValueLayout.JAVA_LONG, 0) >= 0, "negative"));
  }

  /** A write of the whole comes before it is split, in time alone. */
  public static void wholeAndHalf(Simulation run) {
    MemorySegment memory = Arena.ofShared().allocate(8, 8);
    Variable written = new Variable();
    run.thread(
        "one",
        () -> memory.set(ValueLayout.JAVA_LONG, 0, 1),
        () -> written.call("setOpaque", 1, 0));
    run.thread(
        "other",
        () -> {
          if (written.call("getOpaque", 0, 0) == 1) {
            run.check(memory.get(ValueLayout.JAVA_BYTE, 3) == 0, "not zero");
          }
        });
  }

  /** Two reads of the whole, the first of which is ordered with the write of a byte. */
  public static void wholesAndByte(Simulation run) {
    MemorySegment memory = Arena.ofShared().allocate(8, 8);
    Variable first = new Variable();
    Variable second = new Variable();
    run.thread(
        "first",
        () -> run.check(memory.get(ValueLayout.JAVA_LONG, 0) >= 0, "negative"),
        () -> first.call("setRelease", 1, 0));
    run.thread(
        "second",
        () -> {
          if (first.call("getOpaque", 0, 0) == 1) {
            run.check(memory.get(ValueLayout.JAVA_LONG, 0) >= 0, "negative");
            second.call("setOpaque", 1, 0);
          }
        });
    run.thread(
        "writer",
        () -> {
          if (first.call("getAcquire", 0, 0) + second.call("getOpaque", 0, 0) == 2) {
            memory.set(ValueLayout.JAVA_BYTE, 5, (byte) 1);
          }
        });
  }

  /** A copy to an array reads what it copies, also what was never written. */
  public static void copiedBytes(Simulation run) {
    MemorySegment memory = Arena.ofShared().allocate(32, 8);
    byte[] bytes = new byte[12];
    run.thread("one", () -> MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 4, bytes, 0, 12));
    run.thread("other", () -> memory.set(ValueLayout.JAVA_LONG, 8, 1));
  }

  /** A comparison reads what it compares. */
  public static void comparedBytes(Simulation run) {
    MemorySegment memory = Arena.ofShared().allocate(32, 8);
    memory.set(ValueLayout.JAVA_LONG, 8, 0);
    run.thread(
        "one",
        () ->
            run.check(
                MemorySegment.mismatch(memory, 0, 16, memory, 16, 32) != 8,
                "a byte that no thread writes"));
    run.thread("other", () -> memory.set(ValueLayout.JAVA_INT, 12, 1));
  }

  /** The same of an element. */
  public static void elementInTheEnd(Simulation run) {
    Object[] array = new Object[1];
    run.thread("thread", () -> array[0] = "thread");
    run.atEnd(
        () -> {
          array[0] = "end";
          run.check(
              "end".equals((Object) ELEMENTS.getOpaque(array, 0)), "the end reads an old value");
        });
  }

  /** Values that a field had before its first access by a handle, which is a speculative one. */
  public static void historyOfAField(Simulation run) {
    Plain plain = new Plain();
    run.thread(
        "writer",
        () -> {
          plain.handled = 1;
          plain.handled = 2;
        });
    run.thread("reader", () -> run.outcome("read " + plain.readHandled()));
  }

  /** Elements of one array are different variables. */
  public static void twoElements(Simulation run) {
    String[] array = new String[2];
    run.thread("one", () -> array[0] = "one");
    run.thread("other", () -> array[1] = "other");
    run.atEnd(() -> run.check(array[0].equals("one") && array[1].equals("other"), "lost a write"));
  }

  /** One element. */
  public static void oneElement(Simulation run) {
    String[] array = new String[2];
    run.thread("one", () -> array[1] = "one");
    run.thread("other", () -> run.check(!"".equals(array[1]), "never written"));
  }

  /** An element is read by a method of the JDK. */
  public static void elementOfList(Simulation run) {
    String[] array = new String[1];
    run.thread("one", () -> array[0] = "one");
    run.thread("other", () -> run.check(!Arrays.asList(array).contains(""), "never written"));
  }

  /** The same by copying. */
  public static void elementOfClone(Simulation run) {
    String[] array = new String[1];
    run.thread("one", () -> array[0] = "one");
    run.thread("other", () -> run.check(array.clone().length == 1, "another length"));
  }

  /** The same, to another array. */
  public static void elementOfCopy(Simulation run) {
    String[] array = new String[1];
    run.thread("one", () -> array[0] = "one");
    run.thread("other", () -> System.arraycopy(array, 0, new String[1], 0, 1));
  }

  /** An object whose element is published by an opaque write is not published. */
  public static void elementPublishedOpaque(Simulation run) {
    publish(run, false);
  }

  /** It is by a release and an acquire. */
  public static void elementPublished(Simulation run) {
    publish(run, true);
  }

  private static void publish(Simulation run, boolean releases) {
    Object[] array = new Object[4];
    run.thread(
        "writer",
        () -> {
          Plain plain = new Plain();
          plain.value = 1;
          if (releases) {
            ELEMENTS.setRelease(array, 3, (Object) plain);
          } else {
            ELEMENTS.setOpaque(array, 3, (Object) plain);
          }
        });
    run.thread(
        "reader",
        () -> {
          Plain plain = (Plain) (Object) ELEMENTS.getAcquire(array, 3);
          if (plain != null) {
            run.check(plain.value == 1, "not published");
          }
        });
  }

  /** What a class initializer writes to arrays, all threads see. */
  public static void constants(Simulation run) {
    run.thread("one", () -> run.check(Letter.values().length == 2, "two letters"));
    run.thread("other", () -> run.check(Letter.of(1) == Letter.B, "the second letter"));
  }

  private enum Letter {
    A,
    B;

    private static final Letter[] ALL = values();

    static Letter of(int index) {
      return ALL[index];
    }
  }

  /** A variable of a Java field. */
  private static final class Plain {
    private static final VarHandle HANDLED;

    static {
      try {
        HANDLED = MethodHandles.lookup().findVarHandle(Plain.class, "handled", int.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    int value;
    int handled;

    @Speculative
    int readHandled() {
      return (int) HANDLED.get(this);
    }
  }
}

package dev.millrace.stress.mutation;

import dev.millrace.core.Sequence;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Accesses of all kinds, each in a method that tells what it did. */
@SuppressWarnings({"unused", "NonAtomicVolatileUpdate"}) // called by name, and through handles
final class Sample {
  private static final VarHandle NUMBER = handle("number", long.class);
  private static final VarHandle COUNT = NUMBER.withInvokeBehavior(); // its result may be ignored
  private static final VarHandle SMALL = handle("small", int.class);
  private static final VarHandle TINY = handle("tiny", byte.class);
  private static final VarHandle REAL = handle("real", double.class);
  private static final VarHandle FLAG = handle("flag", boolean.class);
  private static final VarHandle NAME = handle("name", String.class);
  private static final VarHandle ELEMENT =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  private final Sequence sequence = new Sequence();
  private final AtomicLong counter = new AtomicLong();
  private final AtomicBoolean done = new AtomicBoolean();
  private long number;
  private int small;
  private byte tiny;
  private double real;
  private boolean flag;
  private String name;
  private volatile long loud;

  private static VarHandle handle(String field, Class<?> type) {
    try {
      return MethodHandles.lookup()
          .findVarHandle(Sample.class, field, type)
          .withInvokeExactBehavior();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  static String modes() {
    Sample s = new Sample();
    NUMBER.setVolatile(s, 1L);
    NUMBER.setRelease(s, (long) NUMBER.getVolatile(s) + 1);
    NUMBER.setOpaque(s, (long) NUMBER.getAcquire(s) + 1);
    NUMBER.set(s, (long) NUMBER.getOpaque(s) + 1);
    VarHandle.fullFence();
    VarHandle.acquireFence();
    VarHandle.releaseFence();
    return "" + (long) NUMBER.get(s);
  }

  static String drops() {
    Sample s = new Sample();
    s.number = 1;
    NUMBER.setOpaque(s, s.number + 2);
    NAME.setRelease(s, "n" + s.number);
    s.sequence.setRelease(4);
    s.counter.set(5);
    COUNT.getAndAdd(s, 10L);
    boolean ignored = FLAG.compareAndSet(s, false, true);
    s.loud = 6;
    return s.number + s.name + s.sequence + s.counter + s.flag + s.loud;
  }

  static String blindUpdate() {
    Sample s = new Sample();
    COUNT.getAndAdd(s, 1L);
    s.sequence.getAndSet(2);
    FLAG.compareAndSet(s, false, true);
    return s.number + "" + s.sequence + s.flag;
  }

  static String copies() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(8);
      MemorySegment to = arena.allocate(8);
      from.set(ValueLayout.JAVA_LONG, 0, 7);
      MemorySegment.copy(from, 0, to, 0, 8);
      return "" + to.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  static String swapsSameField() {
    Sample s = new Sample();
    NUMBER.setRelease(s, 1L);
    NUMBER.setOpaque(s, 2L);
    return "" + s.number;
  }

  static String swapsFieldAndHandle() {
    Sample s = new Sample();
    int slot = 20;
    s.number = 1;
    NUMBER.setRelease(s, times(slot, 2));
    return "" + s.number;
  }

  private static long times(int number, int factor) {
    return (long) number * factor;
  }

  static String swapsAroundNull() {
    Sample s = new Sample();
    Sample none = null;
    try {
      s.sequence.setRelease(3);
      none.tiny = 1;
    } catch (NullPointerException e) {
      return "thrown behind " + s.sequence;
    }
    return "none";
  }

  static String keepsOrder() {
    Sample s = new Sample();
    s.number = 1;
    s.loud = s.number + 1; // reads what was stored: no pair
    if (s.loud > 0) { // reads it too
      s.number = 5;
    }
    s.small = 2;
    return s.number + "" + s.loud;
  }

  static String sign(long number) {
    Sample s = new Sample();
    NUMBER.set(s, number);
    return (long) NUMBER.getOpaque(s) > 0 ? "positive" : "not positive";
  }

  static String plainSign(long number) {
    return number > 0 ? "positive" : "not positive";
  }

  static String asserts() {
    Sample s = new Sample();
    assert (long) NUMBER.getAcquire(s) == 0 || s.name == null : s;
    return "" + s.number;
  }

  static String updates() {
    Sample s = new Sample();
    StringBuilder seen = new StringBuilder();
    seen.append(NUMBER.compareAndSet(s, 0L, 1L)).append(NUMBER.compareAndSet(s, 0L, 2L));
    seen.append((long) NUMBER.compareAndExchange(s, 1L, 3L));
    seen.append((long) NUMBER.compareAndExchange(s, 1L, 4L));
    seen.append((long) NUMBER.getAndSet(s, 5L)).append((long) NUMBER.getAndAdd(s, 6L));
    seen.append((long) NUMBER.getAndBitwiseAnd(s, 9L)).append((long) NUMBER.getAndBitwiseOr(s, 4L));
    seen.append((long) NUMBER.getAndBitwiseXor(s, 1L)).append(s.number).append(' ');
    seen.append((int) SMALL.getAndAdd(s, 7)).append((int) SMALL.getAndBitwiseXor(s, 2));
    seen.append(SMALL.compareAndSet(s, 5, -1)).append(s.small).append(' ');
    seen.append((byte) TINY.getAndAdd(s, (byte) 100)).append((byte) TINY.getAndAdd(s, (byte) 100));
    seen.append(TINY.compareAndSet(s, (byte) -56, (byte) 1)).append(s.tiny).append(' ');
    seen.append(REAL.compareAndSet(s, -0.0, 1.0)).append(REAL.compareAndSet(s, 0.0, Double.NaN));
    seen.append(REAL.compareAndSet(s, Double.NaN, 2.0)).append((double) REAL.getAndAdd(s, 0.5));
    seen.append(s.real).append(' ');
    seen.append(FLAG.compareAndSet(s, true, false)).append((boolean) FLAG.getAndSet(s, true));
    seen.append(FLAG.compareAndSet(s, true, false)).append(s.flag).append(' ');
    seen.append(NAME.compareAndSet(s, (String) null, "a")).append(NAME.compareAndSet(s, "b", "c"));
    seen.append((String) NAME.compareAndExchange(s, "a", "d"));
    seen.append((String) NAME.getAndSet(s, "e")).append(s.name).append(' ');
    long[] array = {1, 2, 3};
    seen.append(ELEMENT.compareAndSet(array, 1, 2L, 9L))
        .append((long) ELEMENT.getAndAdd(array, 2, 4L));
    seen.append(array[1]).append(array[2]).append(' ');
    seen.append(s.sequence.compareAndSet(0, 1)).append(s.sequence.compareAndSet(0, 2));
    seen.append(s.sequence.getAndSet(3)).append(s.sequence.getAndAdd(4)).append(s.sequence);
    seen.append(' ').append(s.counter.compareAndSet(0, 1)).append(s.counter.getAndAdd(4));
    seen.append(s.counter.compareAndExchange(5, 6)).append(s.counter.get());
    seen.append(s.done.compareAndSet(true, false)).append(s.done.compareAndSet(false, true));
    return seen.append(s.done.getAndSet(false)).append(s.done.get()).toString();
  }

  static String updateOfFormerLap() {
    Sample s = null;
    try {
      NUMBER.compareAndSet(s, 0L, 1L);
    } catch (NullPointerException e) {
      return "thrown";
    }
    return "none";
  }
}

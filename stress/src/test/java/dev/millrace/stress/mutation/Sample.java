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
  private static final VarHandle FLAG = handle("flag", boolean.class);
  private static final VarHandle NAME = handle("name", String.class);

  private final Sequence sequence = new Sequence();
  private final AtomicLong counter = new AtomicLong();
  private final AtomicBoolean done = new AtomicBoolean();
  private long number;
  private int small;
  private byte tiny;
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
    seen.append(NUMBER.compareAndSet(s, 0L, 1L)).append(NUMBER.weakCompareAndSetPlain(s, 0L, 2L));
    seen.append((long) NUMBER.compareAndExchangeAcquire(s, 1L, 3L));
    seen.append((long) NUMBER.getAndSet(s, 5L)).append((long) NUMBER.getAndAddRelease(s, 6L));
    seen.append((long) NUMBER.getAndBitwiseAnd(s, 9L)).append((long) NUMBER.getAndBitwiseOr(s, 4L));
    seen.append((long) NUMBER.getAndBitwiseXor(s, 1L)).append(s.sequence.compareAndSet(0, 1));
    return seen.append(s.done.compareAndSet(true, false)).toString();
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

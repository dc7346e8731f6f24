package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Unwoven;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Programs that check themselves, of what the weaver supports. */
public final class Features {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout DOUBLE = ValueLayout.JAVA_DOUBLE;
  private static final VarHandle BYTES = BYTE.varHandle();
  private static final VarHandle SHORTS = SHORT.varHandle();
  private static final VarHandle INTS = INT.varHandle();
  private static final VarHandle LONGS = LONG.varHandle();
  private static final MemorySegment CONSTANT = Arena.global().allocate(64);
  private static final VarHandle ELEMENTS =
      MethodHandles.arrayElementVarHandle(String[].class).withInvokeExactBehavior();

  private Features() {}

  /** One field of each type. */
  private static class Fields {
    boolean truth;
    byte small;
    short shorter;
    char letter;
    int number;
    long longer;
    float single;
    double twice;
    String text;
    int[] array;
    volatile boolean volatileTruth;
    volatile byte volatileSmall;
    volatile short volatileShorter;
    volatile char volatileLetter;
    volatile int volatileNumber;
    volatile long volatileLonger;
    volatile float volatileSingle;
    volatile double volatileTwice;
    volatile String volatileText;
  }

  /** Its field is its superclass's. */
  private static final class MoreFields extends Fields {}

  private static void check(Simulation run, boolean... conditions) {
    for (int i = 0; i < conditions.length; i++) {
      run.check(conditions[i], "condition " + i);
    }
  }

  /** Fields keep what is written, at their types' widths, and begin with zero. */
  public static void plainFields(Simulation run) {
    Fields f = new MoreFields();
    check(run, !f.truth, f.small == 0, f.single == 0, f.twice == 0, f.text == null);
    f.truth = true;
    f.small = (byte) 0x180;
    f.shorter = (short) 0x18000;
    f.letter = Character.MAX_VALUE;
    f.number = Integer.MIN_VALUE;
    f.longer = Long.MIN_VALUE;
    f.single = -1.5f;
    f.twice = -Double.MIN_VALUE;
    f.text = "text";
    f.array = new int[] {1};
    f.array[0]++;
    f.number--;
    check(
        run,
        f.truth,
        f.small == -128,
        f.shorter == Short.MIN_VALUE,
        f.letter == Character.MAX_VALUE,
        f.number == Integer.MAX_VALUE,
        f.longer == Long.MIN_VALUE,
        f.single == -1.5f,
        f.twice == -Double.MIN_VALUE,
        f.text.equals("text"),
        f.array[0] == 2);
  }

  /** So do volatile ones. */
  public static void volatileFields(Simulation run) {
    Fields f = new Fields();
    f.volatileTruth = true;
    f.volatileSmall = (byte) 0x180;
    f.volatileShorter = (short) 0x18000;
    f.volatileLetter = Character.MAX_VALUE;
    f.volatileNumber = Integer.MIN_VALUE;
    f.volatileLonger = Long.MIN_VALUE;
    f.volatileSingle = Float.NEGATIVE_INFINITY;
    f.volatileTwice = 1e300;
    f.volatileText = "text";
    check(
        run,
        f.volatileTruth,
        f.volatileSmall == -128,
        f.volatileShorter == Short.MIN_VALUE,
        f.volatileLetter == Character.MAX_VALUE,
        f.volatileNumber == Integer.MIN_VALUE,
        f.volatileLonger == Long.MIN_VALUE,
        f.volatileSingle == Float.NEGATIVE_INFINITY,
        f.volatileTwice == 1e300,
        f.volatileText.equals("text"));
  }

  private static VarHandle handle(String name, Class<?> type) {
    try {
      return MethodHandles.lookup().findVarHandle(Fields.class, name, type);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A handle, made exact, and the field itself mean one variable; all operations compute. */
  public static void intHandles(Simulation run) {
    Fields f = new Fields();
    VarHandle number = handle("number", int.class).withInvokeExactBehavior();
    f.number = 5;
    check(
        run,
        (int) number.getAndAdd(f, 2) == 5,
        (int) number.getAndAddRelease(f, Integer.MAX_VALUE) == 7,
        (int) number.getAndSet(f, 12) == Integer.MIN_VALUE + 6,
        (int) number.getAndBitwiseOr(f, 3) == 12,
        (int) number.getAndBitwiseAndAcquire(f, 6) == 15,
        (int) number.getAndBitwiseXorRelease(f, 5) == 6,
        (int) number.compareAndExchange(f, 3, 9) == 3,
        (int) number.compareAndExchangeAcquire(f, 3, 8) == 9,
        !number.compareAndSet(f, 3, 8),
        number.weakCompareAndSetPlain(f, 9, 8),
        f.number == 8);
  }

  /** The same, of longs. */
  public static void longHandles(Simulation run) {
    Fields f = new Fields();
    VarHandle longer = handle("longer", long.class);
    check(
        run,
        (long) longer.getAndAdd(f, 1L << 40) == 0,
        (long) longer.getAndBitwiseOrAcquire(f, 1L) == 1L << 40,
        longer.weakCompareAndSetRelease(f, (1L << 40) + 1, -1L),
        (long) longer.getVolatile(f) == -1,
        f.longer == -1);
  }

  /** Narrow values wrap around at their width. */
  public static void narrowHandles(Simulation run) {
    Fields f = new Fields();
    VarHandle small = handle("small", byte.class);
    VarHandle shorter = handle("shorter", short.class);
    VarHandle letter = handle("letter", char.class);
    VarHandle truth = handle("truth", boolean.class);
    small.setOpaque(f, (byte) 127);
    shorter.setRelease(f, Short.MAX_VALUE);
    letter.setVolatile(f, Character.MAX_VALUE);
    check(
        run,
        (byte) small.getAndAdd(f, (byte) 1) == 127,
        (byte) small.getOpaque(f) == -128,
        (short) shorter.getAndAdd(f, (short) 1) == Short.MAX_VALUE,
        (short) shorter.getAcquire(f) == Short.MIN_VALUE,
        (char) letter.getAndAdd(f, (char) 1) == Character.MAX_VALUE,
        (char) letter.getVolatile(f) == 0,
        truth.compareAndSet(f, false, true),
        (boolean) truth.getAndBitwiseXor(f, true),
        !f.truth);
  }

  /** References are compared by identity. */
  @SuppressWarnings("ReferenceEquality") // which is what it is about
  public static void references(Simulation run) {
    Fields f = new Fields();
    VarHandle text = handle("text", String.class);
    String one = "one";
    String same = new String(one);
    check(
        run,
        text.compareAndSet(f, (String) null, one),
        !text.compareAndSet(f, same, "other"),
        (String) text.getAndSet(f, same) == one,
        (String) text.compareAndExchangeRelease(f, same, (String) null) == same,
        f.text == null);
  }

  /** A record, captured by a lambda within an inner class. */
  private record Pair(int one, String other) {
    int sum() {
      return one + other.length();
    }
  }

  private static final class Outer {
    private int count;

    private final class Inner {
      private int more = 1;

      LongSupplier counter(int step) {
        return () -> {
          count += step;
          return (long) count - step + more++;
        };
      }
    }
  }

  /** Inner classes, records, lambdas and enums work as ever. */
  public static void classes(Simulation run) {
    Outer outer = new Outer();
    Outer.Inner inner = outer.new Inner();
    Pair pair = new Pair(1, "22");
    LongSupplier counter = inner.counter(1);
    check(
        run,
        counter.getAsLong() == 1,
        counter.getAsLong() == 3,
        outer.count == 2,
        pair.sum() == 3,
        pair.equals(new Pair(1, pair.other())),
        pair.toString().startsWith("Pair[one=1"));
  }

  /** Each width of memory, plain. */
  public static void segments(Simulation run) {
    MemorySegment memory = memory();
    memory.set(BYTE, 1, (byte) -1);
    memory.set(SHORT, 2, (short) -2);
    memory.set(INT, 4, -4);
    memory.set(LONG, 8, Long.MIN_VALUE);
    memory.set(ValueLayout.JAVA_DOUBLE, 16, -0.5);
    memory.set(ValueLayout.JAVA_FLOAT, 24, 0.25f);
    memory.set(ValueLayout.JAVA_CHAR, 28, 'c');
    MemorySegment slice = memory.asSlice(8, 8);
    check(
        run,
        memory.get(BYTE, 1) == -1,
        memory.get(SHORT, 2) == -2,
        memory.get(INT, 4) == -4,
        slice.get(LONG, 0) == Long.MIN_VALUE,
        memory.get(ValueLayout.JAVA_DOUBLE, 16) == -0.5,
        memory.get(ValueLayout.JAVA_FLOAT, 24) == 0.25f,
        memory.get(ValueLayout.JAVA_CHAR, 28) == 'c',
        memory.get(LONG, 32) == 0);
  }

  /** Each width of memory, through handles. */
  public static void segmentHandles(Simulation run) {
    MemorySegment memory = memory();
    check(
        run,
        BYTES.compareAndSet(memory, 0L, (byte) 0, (byte) -1),
        (byte) BYTES.getAcquire(memory, 0L) == -1,
        SHORTS.compareAndSet(memory, 2L, (short) 0, (short) -2),
        (short) SHORTS.getOpaque(memory, 2L) == -2,
        (int) INTS.getAndAdd(memory, 4L, -4) == 0,
        (int) INTS.getVolatile(memory, 4L) == -4,
        (long) LONGS.getAndSet(memory, 8L, -8L) == 0,
        memory.get(LONG, 8) == -8);
  }

  /** Handles of memory become method handles, of all modes. */
  public static void handlesAsMethods(Simulation run) throws Throwable {
    MemorySegment memory = Arena.ofConfined().allocate(64, 8);
    MethodHandle write = LONGS.toMethodHandle(VarHandle.AccessMode.SET);
    MethodHandle exchange = LONGS.toMethodHandle(VarHandle.AccessMode.COMPARE_AND_SET);
    MethodHandle real = DOUBLE.varHandle().toMethodHandle(VarHandle.AccessMode.GET);
    write.invokeExact(memory, 8L, Double.doubleToRawLongBits(0.5));
    check(
        run,
        memory.get(LONG, 8) == Double.doubleToRawLongBits(0.5),
        (double) real.invokeExact(memory, 8L) == 0.5,
        !(boolean) exchange.invokeExact(memory, 8L, 1L, 2L));
  }

  /** Plain accesses of any width, wherever they are, see the same bytes. */
  public static void widths(Simulation run) {
    MemorySegment memory = memory();
    byte[] bytes = new byte[16];
    for (int i = 0; i < 16; i++) {
      bytes[i] = (byte) (0x81 + 0x11 * i);
    }
    MemorySegment.copy(bytes, 0, memory, BYTE, 4, 16);
    ByteBuffer same = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    check(
        run,
        memory.get(LONG, 8) == same.getLong(4),
        memory.get(INT, 4) == same.getInt(0),
        memory.get(INT, 12) == same.getInt(8),
        memory.get(SHORT, 18) == same.getShort(14),
        memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 5) == same.getLong(1),
        memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) >>> 32
            == Integer.toUnsignedLong(memory.get(INT, 4)),
        memory.get(BYTE, 3) == 0);
    memory.set(LONG, 8, 0x1122_3344_5566_7788L);
    same.putLong(4, 0x1122_3344_5566_7788L);
    memory.set(INT, 12, -2);
    same.putInt(8, -2);
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 5, Long.MIN_VALUE);
    same.putLong(1, Long.MIN_VALUE);
    memory.asSlice(9, 2).fill((byte) 0);
    same.putShort(5, (short) 0);
    byte[] read = new byte[18];
    MemorySegment.copy(memory, BYTE, 4, read, 1, 16);
    check(
        run,
        Arrays.equals(read, 1, 17, bytes, 0, 16),
        read[0] == 0,
        read[17] == 0,
        memory.get(LONG, 8) == same.getLong(4),
        (int) INTS.getOpaque(memory, 32L) == 0);
    MemorySegment copy = memory();
    copy.set(LONG, 0, -1);
    MemorySegment.copy(memory, 3, copy, 3, 17);
    check(
        run,
        copy.get(ValueLayout.JAVA_LONG_UNALIGNED, 5) == same.getLong(1),
        copy.get(BYTE, 2) == -1,
        copy.get(BYTE, 3) == 0,
        MemorySegment.mismatch(memory, 3, 20, copy, 3, 20) == -1,
        MemorySegment.mismatch(memory, 0, 20, copy, 0, 20) == 0);
    copy.set(BYTE, 17, (byte) (copy.get(BYTE, 17) + 1));
    check(
        run,
        MemorySegment.mismatch(memory, 3, 20, copy, 3, 20) == 14,
        MemorySegment.mismatch(memory, 24, 64, CONSTANT, 0, 40) == -1,
        MemorySegment.mismatch(memory, 20, 20, CONSTANT, 1, 1) == -1,
        MemorySegment.mismatch(CONSTANT, 0, 20, memory, 0, 20) == 4,
        memory.asReadOnly().get(LONG, 8) == memory.get(LONG, 8));
  }

  /** An int that was written as bytes is the same for all accesses. */
  public static void bytesOfAtomic(Simulation run) {
    MemorySegment memory = memory();
    byte[] bytes = new byte[8];
    Arrays.fill(bytes, (byte) -1);
    MemorySegment.copy(bytes, 0, memory, BYTE, 4, 4);
    MemorySegment.copy(bytes, 0, memory, BYTE, 8, 8);
    check(
        run,
        INTS.compareAndSet(memory, 4L, -1, 1),
        LONGS.compareAndSet(memory, 8L, -1L, -2L),
        memory.toArray(BYTE)[8] != memory.toArray(BYTE)[9],
        memory.get(INT, 4) == 1);
  }

  /** Copies within memory, from it and to it. */
  public static void copies(Simulation run) {
    MemorySegment from = Arena.ofShared().allocate(32, 8);
    MemorySegment to = Arena.ofShared().allocate(32, 8);
    from.set(LONG, 0, 7);
    from.set(INT, 8, 8);
    MemorySegment.copy(from, 0, to, 8, 16);
    byte[] bytes = {1, 2, 3};
    MemorySegment.copy(bytes, 1, to, BYTE, 0, 2);
    MemorySegment.copy(to, 8, to, 8, 16); // onto itself
    byte[] back = new byte[3];
    MemorySegment.copy(to, BYTE, 0, back, 1, 2);
    check(
        run,
        to.get(LONG, 8) == 7,
        to.get(INT, 16) == 8,
        to.get(INT, 20) == 0,
        back[0] == 0,
        back[1] == 2,
        back[2] == 3);
  }

  private static boolean fails(Class<? extends Exception> with, Supplier<?> body) {
    try {
      Object _ = body.get();
      return false;
    } catch (RuntimeException e) {
      return with.isInstance(e);
    }
  }

  /** Memory of a closed arena cannot be accessed by anyone. */
  public static void closedArena(Simulation run) {
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(8, 8);
    int[] failures = new int[1];
    run.thread(
        "closer",
        () -> {
          memory.set(LONG, 0, 1);
          arena.close();
          check(
              run,
              !memory.scope().isAlive(),
              fails(IllegalStateException.class, () -> memory.get(LONG, 0)),
              fails(IllegalStateException.class, () -> (long) LONGS.getOpaque(memory, 0L)));
        });
    run.thread(
        "other",
        () -> {
          if (!memory.scope().isAlive()) {
            failures[0] += fails(IllegalStateException.class, () -> memory.get(LONG, 0)) ? 0 : 1;
          }
        });
    run.atEnd(() -> run.check(failures[0] == 0, "read of closed memory"));
  }

  /** Bounds are those of the segment. */
  public static void bounds(Simulation run) {
    MemorySegment memory = Arena.ofShared().allocate(8, 8);
    check(
        run,
        fails(IndexOutOfBoundsException.class, () -> memory.get(LONG, 1)),
        fails(IndexOutOfBoundsException.class, () -> memory.get(BYTE, -1)),
        fails(IndexOutOfBoundsException.class, () -> (int) INTS.getOpaque(memory, 8L)));
  }

  /** Atomic accesses are aligned. */
  public static void misaligned(Simulation run) {
    MemorySegment memory = memory();
    check(run, fails(IllegalArgumentException.class, () -> (int) INTS.getOpaque(memory, 2L)));
  }

  /** Elements keep what is written, plain and by handles, and compare by identity. */
  @SuppressWarnings("ReferenceEquality") // which is what it is about
  public static void elements(Simulation run) {
    String one = "one";
    String same = new String(one);
    String[] array = {null, one, null};
    check(
        run,
        ELEMENTS.compareAndSet(array, 0, (String) null, one),
        !ELEMENTS.compareAndSet(array, 1, same, "other"),
        (String) ELEMENTS.getAndSet(array, 1, same) == one,
        array[1] == same,
        (String) ELEMENTS.compareAndExchangeRelease(array, 1, same, (String) null) == same,
        array[1] == null,
        array[0] == one,
        ELEMENTS.weakCompareAndSetPlain(array, 2, (String) null, one),
        (String) ELEMENTS.getVolatile(array, 2) == one);
    array[2] = same;
    check(
        run,
        (String) ELEMENTS.getAcquire(array, 2) == same,
        (String) ELEMENTS.get(array, 2) == same);
    ELEMENTS.set(array, 2, one);
    check(run, array[2] == one);
    Object[] objects = array;
    check(
        run,
        fails(ArrayStoreException.class, () -> objects[0] = run),
        fails(ArrayIndexOutOfBoundsException.class, () -> objects[3]),
        fails(ArrayIndexOutOfBoundsException.class, () -> objects[-1] = one),
        fails(ArrayIndexOutOfBoundsException.class, () -> (String) ELEMENTS.getOpaque(array, 3)),
        objects[0] == one);
  }

  /** Arrays of arrays, and of other types, have elements of their own. */
  public static void elementTypes(Simulation run) {
    int[][] rows = new int[2][3];
    rows[1][2] = 5;
    Fields[] fields = {new Fields(), new MoreFields()};
    fields[1].number = 7;
    List<String>[] lists = lists();
    check(
        run,
        rows[1].length == 3,
        rows[1][2] == 5,
        fields[1].number == 7,
        lists[0].getFirst().length() == 4,
        ((Object[]) rows)[0] instanceof int[]);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static List<String>[] lists() {
    return new List[] {List.of("list")};
  }

  /** Copies of arrays, and arrays that methods of the JDK get or make. */
  public static void elementCopies(Simulation run) {
    String[] array = {"a", "b", "c"};
    String[] clone = array.clone();
    System.arraycopy(array, 0, array, 1, 2);
    String[] filled = new String[3];
    Arrays.fill(filled, 1, 3, "f");
    String[] longer = Arrays.copyOf(array, 4);
    int[] numbers = {1, 2};
    System.arraycopy(numbers, 0, numbers, 1, 1);
    check(
        run,
        String.join("", clone).equals("abc"),
        String.join("", array).equals("aab"),
        filled[0] == null,
        filled[2].equals("f"),
        longer.length == 4,
        longer[2].equals("b"),
        longer[3] == null,
        String.join("", Arrays.copyOfRange(array, 1, 3)).equals("ab"),
        numbers[1] == 1,
        Stream.of(array).toArray(String[]::new)[2].equals("b"),
        List.of(array).size() == 3);
  }

  // ---- refused when run ----

  /** A handle of the elements of an array of numbers. */
  public static void numbersHandle(Simulation run) {
    VarHandle _ = MethodHandles.arrayElementVarHandle(int[].class);
  }

  /** An element that a method of the JDK writes. */
  public static void elementWrittenByOthers(Simulation run) {
    String[] array = {"b", "a"};
    Arrays.sort(array);
    run.check(array[0].equals("a"), "sorted");
  }

  /** A number of another width than the variable. */
  public static void widenedValue(Simulation run) {
    handle("longer", long.class).setOpaque(new Fields(), 1);
  }

  /** The same in memory. */
  public static void widenedMemory(Simulation run) {
    LONGS.setOpaque(memory(), 0L, 1);
  }

  /** A handle of an array for a field. */
  public static void handleOfAnother(Simulation run) {
    ELEMENTS.setOpaque(new Fields(), "text");
  }

  /** A handle of a field becomes no method handle, and the code that tries says nothing of it. */
  public static void fieldHandleAsMethod(Simulation run) throws Throwable {
    try {
      handle("number", int.class).toMethodHandle(VarHandle.AccessMode.GET_ACQUIRE);
      run.check(false, "made");
    } catch (UnsupportedOperationException e) {
      run.outcome("caught");
    }
  }

  /** A field of a class that is not woven. */
  public static void handleOfOthers(Simulation run) throws Throwable {
    VarHandle _ = MethodHandles.lookup().findVarHandle(Unwoven.class, "field", int.class);
  }

  /** The field's own value is in the simulation. */
  public static void getter(Simulation run) throws Throwable {
    MethodHandle _ = MethodHandles.lookup().findGetter(Fields.class, "number", int.class);
  }

  /** A long of which another method of access knows. */
  private static MemorySegment atomic() {
    MemorySegment memory = memory();
    LONGS.setOpaque(memory, 0L, 1L);
    return memory;
  }

  /** A half of a long. */
  public static void copyOfHalf(Simulation run) {
    MemorySegment.copy(atomic(), 0, memory(), 0, 4);
  }

  /** Of one, as the second. */
  public static void copyOfOtherHalf(Simulation run) {
    MemorySegment.copy(atomic(), 4, memory(), 0, 12);
  }

  /** The same to an array. */
  public static void bytesOfHalf(Simulation run) {
    MemorySegment.copy(atomic(), BYTE, 2, new byte[12], 0, 12);
  }

  /** A copy within what is copied. */
  public static void copyToItself(Simulation run) {
    MemorySegment memory = memory();
    memory.set(LONG, 0, 1);
    MemorySegment.copy(memory, 0, memory, 8, 16);
  }

  /** A half of a long is cleared. */
  public static void clearedHalf(Simulation run) {
    atomic().asSlice(4, 8).fill((byte) 0);
  }

  /** A long and one of its halves. */
  public static void overlap(Simulation run) {
    atomic().set(INT, 4, 1);
  }

  /** The same the other way round. */
  public static void atomicOverlap(Simulation run) {
    MemorySegment memory = memory();
    memory.set(LONG, 0, 1);
    INTS.setOpaque(memory, 4L, 1);
  }

  /** What was once a half of a long is no place for other accesses. */
  public static void atomicHalf(Simulation run) {
    MemorySegment memory = memory();
    memory.set(LONG, 0, 1);
    memory.set(INT, 4, 1);
    INTS.setOpaque(memory, 4L, 1);
  }

  /** Ranges of other lengths. */
  public static void mismatchOfLengths(Simulation run) {
    long _ = MemorySegment.mismatch(memory(), 0, 8, memory(), 0, 9);
  }

  /** Memory that no arena of the simulation has. */
  public static void constantMemory(Simulation run) {
    CONSTANT.set(BYTE, 0, (byte) 1);
  }

  /** A handle of a float. */
  public static void floatHandle(Simulation run) {
    handle("single", float.class);
  }

  // ---- message passing, by each width ----

  private static MemorySegment memory() {
    return Arena.ofShared().allocate(64, 8);
  }

  private static void pass(Simulation run, Function<MemorySegment, Message> maker) {
    pass(run, maker.apply(memory()), maker.apply(memory()));
  }

  private static void pass(Simulation run, Message strong, Message weak) {
    run.thread(
        "writer",
        () -> {
          strong.write().run();
          strong.release().run();
          weak.write().run();
          weak.set().run();
        });
    run.thread(
        "reader",
        () -> {
          if (strong.acquire().getAsLong() != 0) {
            run.outcome("acquired " + strong.read().getAsLong());
          } else if (weak.get().getAsLong() != 0) {
            run.outcome("weak " + weak.read().getAsLong());
          }
        });
  }

  /** Bytes of memory. */
  public static void messageOfBytes(Simulation run) {
    pass(
        run,
        memory ->
            new Message(
                () -> BYTES.setOpaque(memory, 0L, (byte) 1),
                () -> BYTES.setRelease(memory, 1L, (byte) 1),
                () -> BYTES.setOpaque(memory, 1L, (byte) 1),
                () -> (byte) BYTES.getAcquire(memory, 1L),
                () -> (byte) BYTES.getOpaque(memory, 1L),
                () -> (byte) BYTES.getOpaque(memory, 0L)));
  }

  /** Shorts of memory. */
  public static void messageOfShorts(Simulation run) {
    pass(
        run,
        memory ->
            new Message(
                () -> SHORTS.setOpaque(memory, 0L, (short) 1),
                () -> SHORTS.setRelease(memory, 2L, (short) 1),
                () -> SHORTS.setOpaque(memory, 2L, (short) 1),
                () -> (short) SHORTS.getAcquire(memory, 2L),
                () -> (short) SHORTS.getOpaque(memory, 2L),
                () -> (short) SHORTS.getOpaque(memory, 0L)));
  }

  /** Ints of memory. */
  public static void messageOfInts(Simulation run) {
    pass(
        run,
        memory ->
            new Message(
                () -> INTS.setOpaque(memory, 0L, 1),
                () -> INTS.setRelease(memory, 4L, 1),
                () -> INTS.setOpaque(memory, 4L, 1),
                () -> (int) INTS.getAcquire(memory, 4L),
                () -> (int) INTS.getOpaque(memory, 4L),
                () -> (int) INTS.getOpaque(memory, 0L)));
  }

  /** Longs of memory. */
  public static void messageOfLongs(Simulation run) {
    pass(
        run,
        memory ->
            new Message(
                () -> LONGS.setOpaque(memory, 0L, 1L),
                () -> LONGS.setRelease(memory, 8L, 1L),
                () -> LONGS.setOpaque(memory, 8L, 1L),
                () -> (long) LONGS.getAcquire(memory, 8L),
                () -> (long) LONGS.getOpaque(memory, 8L),
                () -> (long) LONGS.getOpaque(memory, 0L)));
  }

  /** References and fields. */
  public static void messageOfReferences(Simulation run) {
    VarHandle text = handle("text", String.class);
    VarHandle number = handle("number", int.class);
    pass(
        run,
        _ -> {
          Fields f = new Fields();
          return new Message(
              () -> number.setOpaque(f, 1),
              () -> text.setRelease(f, "set"),
              () -> text.setOpaque(f, "set"),
              () -> (String) text.getAcquire(f) == null ? 0 : 1,
              () -> (String) text.getOpaque(f) == null ? 0 : 1,
              () -> (int) number.getOpaque(f));
        });
  }

  /** Elements of an array. */
  public static void messageOfElements(Simulation run) {
    pass(
        run,
        _ -> {
          String[] array = new String[2];
          return new Message(
              () -> ELEMENTS.setOpaque(array, 0, "value"),
              () -> ELEMENTS.setRelease(array, 1, "set"),
              () -> ELEMENTS.setOpaque(array, 1, "set"),
              () -> (String) ELEMENTS.getAcquire(array, 1) == null ? 0 : 1,
              () -> (String) ELEMENTS.getOpaque(array, 1) == null ? 0 : 1,
              () -> (String) ELEMENTS.getOpaque(array, 0) == null ? 0 : 1);
        });
  }

  /** The same by a class that is defined when run: it is woven too. */
  public static void messageByGeneratedClass(Simulation run) throws Throwable {
    byte[] bytes;
    try (InputStream in =
        Features.class
            .getClassLoader()
            .getResourceAsStream(Generated.class.getName().replace('.', '/') + ".class")) {
      bytes = in.readAllBytes();
    }
    MethodHandles.Lookup hidden = MethodHandles.lookup().defineHiddenClass(bytes, true);
    MethodHandle maker =
        hidden.findStatic(
            hidden.lookupClass(),
            "message",
            MethodType.methodType(Message.class, MemorySegment.class));
    Message strong = (Message) maker.invokeExact(memory());
    Message weak = (Message) maker.invokeExact(memory());
    pass(run, strong, weak);
  }
}

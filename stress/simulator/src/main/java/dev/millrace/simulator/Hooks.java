package dev.millrace.simulator;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.reflect.Modifier;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** What woven code calls instead of methods of the JDK, for elements of arrays and for monitors. */
@SuppressWarnings("NamedLikeContextualKeyword") // Thread.yield has that name
final class Hooks {
  private static final Cleaner CLEANER = Cleaner.create();

  private static final Map<VarHandle, Long> FIELD_OFFSETS =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** Of handles of woven fields: the field's type if that is primitive, else {@code Object}. */
  private static final Map<VarHandle, Class<?>> FIELD_TYPES =
      Collections.synchronizedMap(new WeakHashMap<>());

  private static final MethodHandle SUM;

  static {
    try {
      SUM =
          MethodHandles.lookup()
              .findStatic(
                  Long.class, "sum", MethodType.methodType(long.class, long.class, long.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Hooks() {}

  private static Simulation simulation() {
    return Simulation.running();
  }

  /** Before an instruction that is not supported. */
  @SuppressWarnings("DoNotCallSuggester") // woven code calls it
  public static void refuse(String message) {
    throw Simulation.refusal(message);
  }

  // ---- threads ----

  @Replaces(Thread.class)
  public static void onSpinWait() {
    simulation().point(true);
  }

  @Replaces(Thread.class)
  @SuppressWarnings("NamedLikeContextualKeyword") // a hook is named as what it replaces
  public static void yield() {
    simulation().point(true);
  }

  @Replaces(Thread.class)
  public static Thread currentThread() {
    return simulation().current().identity;
  }

  /**
   * The same in each execution: the thread that sets up is 0, then in the order they were added.
   */
  @Replaces(value = Thread.class, isStatic = false)
  public static long threadId(Thread thread) {
    return simulation().idOf(thread);
  }

  @Replaces(Thread.class)
  public static boolean interrupted() {
    return simulation().takeInterrupt();
  }

  /** Only of the thread that runs: scenarios interrupt others by name. */
  @Replaces(value = Thread.class, isStatic = false)
  public static void interrupt(Thread thread) {
    if (!thread.equals(currentThread())) {
      throw Simulation.refusal("thread must interrupt itself: thread=" + thread);
    }
    simulation().current().interrupted = true;
  }

  /** A fixed number, so that an execution is the same on every machine. */
  @Replaces(value = Runtime.class, isStatic = false)
  public static int availableProcessors(Runtime runtime) {
    return 2;
  }

  @Replaces(System.class)
  public static long nanoTime() {
    return simulation().nanoTime();
  }

  /** In an execution, time begins with 1970. */
  @Replaces(System.class)
  public static long currentTimeMillis() {
    return TimeUnit.NANOSECONDS.toMillis(simulation().nanoTime());
  }

  @Replaces(Instant.class)
  public static Instant now() {
    return Instant.ofEpochSecond(0, simulation().nanoTime());
  }

  @Replaces(LockSupport.class)
  public static void park() {
    simulation().park(SimulatedThread.UNTIL_WOKEN);
  }

  @Replaces(LockSupport.class)
  public static void park(Object unused) {
    simulation().park(SimulatedThread.UNTIL_WOKEN);
  }

  @Replaces(LockSupport.class)
  public static void parkNanos(long nanos) {
    simulation().park(nanos);
  }

  @Replaces(LockSupport.class)
  public static void parkNanos(Object unused, long nanos) {
    simulation().park(nanos);
  }

  @Replaces(LockSupport.class)
  public static void unpark(Thread thread) {
    simulation().unpark(thread);
  }

  @Replaces(ForkJoinPool.class)
  public static void managedBlock(ForkJoinPool.ManagedBlocker blocker) throws InterruptedException {
    simulation().managedBlock(blocker);
  }

  @Replaces(ThreadLocalRandom.class)
  public static ThreadLocalRandom current() {
    return ThreadLocalRandom.current();
  }

  /** The same numbers in each execution. */
  @Replaces(value = ThreadLocalRandom.class, isStatic = false)
  public static int nextInt(ThreadLocalRandom unusedRandom) {
    return simulation().nextRandom();
  }

  // ---- monitors and locks ----

  /** Before a synchronized block or method; outside of an execution there is but one thread. */
  public static void enter(Object object) {
    Objects.requireNonNull(object);
    Simulation simulation = simulation();
    if (simulation != null) {
      simulation.lockOf(object).lock();
    }
  }

  /** After it. No point: what the thread does up to its next one no other thread can observe. */
  public static void exit(Object object) {
    Simulation simulation = simulation();
    if (simulation != null) {
      simulation.lockOf(object).unlock();
    }
  }

  @Replaces(value = ReentrantLock.class, isStatic = false)
  public static void lock(ReentrantLock lock) {
    simulation().lockOf(lock).lock();
  }

  @Replaces(value = ReentrantLock.class, isStatic = false)
  public static void lockInterruptibly(ReentrantLock lock) throws InterruptedException {
    simulation().lockOf(lock).lockInterruptibly();
  }

  @Replaces(value = ReentrantLock.class, isStatic = false)
  public static boolean tryLock(ReentrantLock lock) {
    return simulation().lockOf(lock).tryLock();
  }

  /** A point, because {@code tryLock} of another thread can observe that the lock is held. */
  @Replaces(value = ReentrantLock.class, isStatic = false)
  public static void unlock(ReentrantLock lock) {
    simulation().point(false);
    simulation().lockOf(lock).unlock();
  }

  @Replaces(value = ReentrantLock.class, isStatic = false)
  public static boolean isHeldByCurrentThread(ReentrantLock lock) {
    return simulation().lockOf(lock).isOwn();
  }

  @Replaces(value = ReentrantLock.class, isStatic = false)
  public static Condition newCondition(ReentrantLock lock) {
    return simulation().lockOf(lock).newCondition();
  }

  // ---- handles and fences ----

  @Replaces(VarHandle.class)
  public static void acquireFence() {
    simulation().memory.acquireFence();
  }

  @Replaces(VarHandle.class)
  public static void releaseFence() {
    simulation().memory.releaseFence();
  }

  @Replaces(VarHandle.class)
  public static void fullFence() {
    simulation().point(false);
    simulation().memory.fullFence();
  }

  /** The handle is only looked at for the companion that it leads to, in types of our own. */
  @Replaces(value = VarHandle.class, isStatic = false)
  public static VarHandle withInvokeExactBehavior(VarHandle handle) {
    return handle;
  }

  @Replaces(value = VarHandle.class, isStatic = false)
  public static VarHandle withInvokeBehavior(VarHandle handle) {
    return handle;
  }

  @Replaces(ConstantBootstraps.class)
  public static VarHandle fieldVarHandle(
      MethodHandles.Lookup lookup,
      String name,
      Class<VarHandle> unusedType,
      Class<?> declaring,
      Class<?> fieldType)
      throws ReflectiveOperationException {
    return findVarHandle(lookup, declaring, name, fieldType);
  }

  @Replaces(value = MethodHandles.Lookup.class, isStatic = false)
  public static VarHandle findVarHandle(
      MethodHandles.Lookup lookup, Class<?> declaring, String name, Class<?> fieldType)
      throws ReflectiveOperationException {
    if (!Access.supports(fieldType)) {
      throw Simulation.refusal(
          "field must be a whole number, boolean or reference: field="
              + declaring.getName()
              + "."
              + name);
    }
    checkWoven(declaring, name);
    VarHandle _ = lookup.findVarHandle(declaring, name, fieldType); // or throws as it would
    VarHandle companion = lookup.findVarHandle(declaring, Access.COMPANION + name, Object.class);
    FIELD_TYPES.put(companion, fieldType.isPrimitive() ? fieldType : Object.class);
    return companion;
  }

  /** The type of a field by its handle; null if no hook has made that. */
  static Class<?> fieldType(VarHandle companion) {
    return FIELD_TYPES.get(companion);
  }

  private static void checkWoven(Class<?> declaring, String field) {
    if (!(declaring.getClassLoader() instanceof WovenLoader)) {
      throw Simulation.refusal(
          "field must be of a woven class: field=" + declaring.getName() + "." + field);
    }
  }

  /** Of a field that is final: others have their values in locations. */
  @Replaces(value = MethodHandles.Lookup.class, isStatic = false)
  public static MethodHandle findGetter(
      MethodHandles.Lookup lookup, Class<?> declaring, String name, Class<?> fieldType)
      throws ReflectiveOperationException {
    if (declaring.getClassLoader() instanceof WovenLoader
        && !Modifier.isFinal(declaring.getDeclaredField(name).getModifiers())) {
      throw Simulation.refusal(
          "getter must be of a final field: field=" + declaring.getName() + "." + name);
    }
    return lookup.findGetter(declaring, name, fieldType);
  }

  @Replaces(MethodHandles.class)
  public static VarHandle arrayElementVarHandle(Class<?> arrayClass) {
    if (!Object[].class.isAssignableFrom(arrayClass)) {
      throw Simulation.refusal(
          "array must be one of references to have a handle of its elements: array="
              + arrayClass.getTypeName());
    }
    return MethodHandles.arrayElementVarHandle(arrayClass);
  }

  @Replaces(ConstantBootstraps.class)
  public static VarHandle arrayVarHandle(
      MethodHandles.Lookup unusedLookup,
      String unusedName,
      Class<VarHandle> unusedType,
      Class<?> arrayClass) {
    return arrayElementVarHandle(arrayClass);
  }

  @Replaces(value = ValueLayout.OfLong.class, isStatic = false)
  public static VarHandle varHandle(ValueLayout.OfLong layout) {
    return checkOrder(layout).varHandle();
  }

  @Replaces(value = ValueLayout.OfInt.class, isStatic = false)
  public static VarHandle varHandle(ValueLayout.OfInt layout) {
    return checkOrder(layout).varHandle();
  }

  @Replaces(value = ValueLayout.OfShort.class, isStatic = false)
  public static VarHandle varHandle(ValueLayout.OfShort layout) {
    return checkOrder(layout).varHandle();
  }

  @Replaces(value = ValueLayout.OfByte.class, isStatic = false)
  public static VarHandle varHandle(ValueLayout.OfByte layout) {
    return checkOrder(layout).varHandle();
  }

  @Replaces(value = ValueLayout.class, isStatic = false)
  public static VarHandle varHandle(ValueLayout layout) {
    return checkOrder(layout).varHandle();
  }

  /**
   * Of a field of a struct. Such a handle takes where the struct begins, so what leads from there
   * to the field is kept for {@link #toMethodHandle}, the only use that is supported.
   */
  @Replaces(value = MemoryLayout.class, isStatic = false)
  public static VarHandle varHandle(MemoryLayout layout, MemoryLayout.PathElement[] path) {
    checkOrder((ValueLayout) layout.select(path));
    VarHandle handle = layout.varHandle(path);
    FIELD_OFFSETS.put(handle, layout.byteOffset(path));
    return handle;
  }

  /** Of a handle of memory, whose coordinates are a segment and an offset. */
  @Replaces(value = VarHandle.class, isStatic = false)
  public static MethodHandle toMethodHandle(VarHandle handle, VarHandle.AccessMode mode)
      throws ReflectiveOperationException {
    MethodType type = handle.accessModeType(mode);
    if (!handle.coordinateTypes().equals(List.of(MemorySegment.class, long.class))) {
      throw Simulation.refusal(
          "handle must be of memory to become a method handle: handle=" + handle);
    }
    MethodHandle access =
        MethodHandles.insertArguments(
            Linker.handle(
                    MethodHandles.lookup(),
                    mode.methodName(),
                    type.insertParameterTypes(0, VarHandle.class),
                    0)
                .dynamicInvoker(),
            0,
            handle);
    Long offset = FIELD_OFFSETS.get(handle);
    return offset == null
        ? access
        : MethodHandles.filterArguments(access, 1, MethodHandles.insertArguments(SUM, 1, offset));
  }

  static <L extends ValueLayout> L checkOrder(L layout) {
    if (layout.byteSize() > 1 && layout.order() != ByteOrder.nativeOrder()) {
      throw Simulation.refusal("layout must have the machine's byte order: layout=" + layout);
    }
    return layout;
  }

  // ---- arrays of references ----

  /** Before an element is read: the array itself holds the value, if there is no race. */
  public static void loadElement(Object[] array, int index) {
    Simulation simulation = modelling(array);
    if (simulation != null && index >= 0 && index < array.length) { // else the read itself throws
      simulation.count();
      Object _ = simulation.memory.plainReference(simulation.arrays.at(array, index));
    }
  }

  /** Instead of writing an element. */
  public static void storeElement(Object[] array, int index, Object value) {
    Simulation simulation = modelling(array);
    if (simulation == null || index < 0 || index >= array.length) {
      array[index] = value;
      return;
    }
    simulation.count();
    Location location = simulation.arrays.at(array, index);
    array[index] = value;
    simulation.memory.plainWrite(location, 0, value);
  }

  /** Before code that is not woven reads the elements. */
  public static void loadElements(Object[] array) {
    if (modelling(array) != null) {
      loadElements(array, 0, array.length);
    }
  }

  private static void loadElements(Object[] array, int from, int to) {
    Simulation simulation = simulation();
    for (int i = from; i < to; i++) {
      Location location = simulation.arrays.existing(array, i);
      if (location != null) {
        simulation.count();
        Object _ = simulation.memory.plainReference(location);
      }
    }
  }

  /** The execution under way, if it is to know of the array's elements; else null. */
  private static Simulation modelling(Object[] array) {
    Simulation simulation = array == null ? null : simulation();
    return simulation == null || simulation.current().initializers > 0 ? null : simulation;
  }

  /** What a class initializer writes to an array happens before all uses of its class. */
  public static void beginInitializer() {
    Simulation simulation = simulation();
    if (simulation != null) {
      simulation.current().initializers++;
    }
  }

  public static void endInitializer() {
    Simulation simulation = simulation();
    if (simulation != null) {
      simulation.current().initializers--;
    }
  }

  /** Element by element if they are references; as ever if they are not. */
  @Replaces(System.class)
  @SuppressWarnings({"SuspiciousSystemArraycopy", "ReferenceEquality"}) // as the caller wants
  public static void arraycopy(Object source, int from, Object target, int to, int count) {
    if (!(source instanceof Object[] sources) || !(target instanceof Object[] targets)) {
      System.arraycopy(source, from, target, to, count);
      return;
    }
    Objects.checkFromIndexSize(from, count, sources.length);
    Objects.checkFromIndexSize(to, count, targets.length);
    boolean backwards = source == target && from < to;
    for (int i = 0; i < count; i++) {
      int at = backwards ? count - 1 - i : i;
      loadElement(sources, from + at);
      storeElement(targets, to + at, sources[from + at]);
    }
  }

  @Replaces(Arrays.class)
  public static void fill(Object[] array, Object value) {
    fill(array, 0, array.length, value);
  }

  @Replaces(Arrays.class)
  public static void fill(Object[] array, int from, int to, Object value) {
    Objects.checkFromToIndex(from, to, array.length);
    for (int i = from; i < to; i++) {
      storeElement(array, i, value);
    }
  }

  @Replaces(Arrays.class)
  public static Object[] copyOf(Object[] array, int length) {
    return copyOfRange(array, 0, length);
  }

  @Replaces(Arrays.class)
  public static Object[] copyOfRange(Object[] array, int from, int to) {
    if (modelling(array) != null) {
      loadElements(array, Math.max(0, from), Math.min(to, array.length));
    }
    return Arrays.copyOfRange(array, from, to);
  }

  // ---- memory ----

  @Replaces(Arena.class)
  public static Arena ofShared() {
    return simulation().store.newArena();
  }

  /** As if it were shared: that others must not use it is not checked. */
  @Replaces(Arena.class)
  public static Arena ofConfined() {
    return simulation().store.newArena();
  }

  @Replaces(Cleaner.class)
  public static Cleaner create() {
    return CLEANER;
  }

  /** In an execution nothing becomes unreachable. */
  @Replaces(value = Cleaner.class, isStatic = false)
  public static Cleaner.Cleanable register(
      Cleaner unusedCleaner, Object unusedObject, Runnable unusedAction) {
    return () -> {};
  }

  @Replaces(value = MemorySegment.Scope.class, isStatic = false)
  public static boolean isAlive(MemorySegment.Scope scope) {
    return simulation().store.isAlive(scope);
  }

  @Replaces(value = MemorySegment.class, isStatic = false)
  public static MemorySegment.Scope scope(MemorySegment segment) {
    return simulation().store.scopeOf(segment);
  }

  /** With zeros only, which is what memory holds that was never written. */
  @Replaces(value = MemorySegment.class, isStatic = false)
  public static MemorySegment fill(MemorySegment segment, byte value) {
    if (value != 0) {
      throw Simulation.refusal("memory must be filled with 0: value=" + value);
    }
    simulation().store.clear(segment);
    return segment;
  }

  @Replaces(MemorySegment.class)
  public static void copy(
      MemorySegment source, long from, MemorySegment target, long to, long bytes) {
    simulation().store.copy(source, from, target, to, bytes, false);
  }

  /** Stands for {@code copy} in methods whose reads are speculative. */
  public static void speculativeCopy(
      MemorySegment source, long from, MemorySegment target, long to, long bytes) {
    simulation().store.copy(source, from, target, to, bytes, true);
  }

  @Replaces(MemorySegment.class)
  public static void copy(
      MemorySegment source, ValueLayout layout, long from, Object target, int index, int count) {
    simulation().store.read(source, from, bytes(layout, target), index, count);
  }

  @Replaces(MemorySegment.class)
  public static void copy(
      Object source, int index, MemorySegment target, ValueLayout layout, long to, int count) {
    simulation().store.write(target, to, bytes(layout, source), index, count);
  }

  /** Of ranges of one length; one of them may be of constant memory, which no arena here has. */
  @Replaces(MemorySegment.class)
  public static long mismatch(
      MemorySegment one, long from, long to, MemorySegment other, long otherFrom, long otherTo) {
    return mismatch(one, from, to, other, otherFrom, otherTo, false);
  }

  /** Stands for {@code mismatch} in methods whose reads are speculative. */
  public static long speculativeMismatch(
      MemorySegment one, long from, long to, MemorySegment other, long otherFrom, long otherTo) {
    return mismatch(one, from, to, other, otherFrom, otherTo, true);
  }

  private static long mismatch(
      MemorySegment one,
      long from,
      long to,
      MemorySegment other,
      long otherFrom,
      long otherTo,
      boolean speculative) {
    if (to - from != otherTo - otherFrom) {
      throw Simulation.refusal(
          "memory must be compared with as much of other memory: bytes=%d, other bytes=%d"
              .formatted(to - from, otherTo - otherFrom));
    }
    return simulation().store.mismatch(one, from, other, otherFrom, to - from, speculative);
  }

  @Replaces(value = MemorySegment.class, isStatic = false)
  public static byte[] toArray(MemorySegment segment, ValueLayout.OfByte layout) {
    byte[] bytes = new byte[(int) segment.byteSize()];
    copy(segment, layout, 0, bytes, 0, bytes.length);
    return bytes;
  }

  private static byte[] bytes(ValueLayout layout, Object array) {
    if (layout.byteSize() == 1 && array instanceof byte[] bytes) {
      return bytes;
    }
    throw Simulation.refusal("array must be one of bytes: layout=" + layout);
  }

  // ---- generated classes ----

  @Replaces(value = MethodHandles.Lookup.class, isStatic = false)
  public static MethodHandles.Lookup defineHiddenClass(
      MethodHandles.Lookup lookup,
      byte[] bytes,
      boolean initialize,
      MethodHandles.Lookup.ClassOption... options)
      throws IllegalAccessException {
    return lookup.defineHiddenClass(WovenLoader.weave(lookup, bytes), initialize, options);
  }

  @Replaces(value = MethodHandles.Lookup.class, isStatic = false)
  public static MethodHandles.Lookup defineHiddenClassWithClassData(
      MethodHandles.Lookup lookup,
      byte[] bytes,
      Object classData,
      boolean initialize,
      MethodHandles.Lookup.ClassOption... options)
      throws IllegalAccessException {
    return lookup.defineHiddenClassWithClassData(
        WovenLoader.weave(lookup, bytes), classData, initialize, options);
  }
}

package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.simulator.litmus.Features;
import dev.millrace.simulator.litmus.Replaced;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds an instruction that is neither rewritten nor refused, whose access the simulator would
 * never see, and one that is rewritten to do something else.
 */
class WeaverTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int EXECUTIONS = 200;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ReentrantLock method() { return new ReentrantLock(true); }"
            + " | java.util.concurrent.locks.ReentrantLock.<init>",
        "Object method(ReentrantLock lock) { return lock.getHoldCount(); }"
            + " | java.util.concurrent.locks.ReentrantLock.getHoldCount",
        "int method(AtomicInteger count) { return count.incrementAndGet(); }"
            + " | java.util.concurrent.atomic.AtomicInteger.incrementAndGet",
        "IntSupplier method(AtomicInteger count) { return count::incrementAndGet; }"
            + " | java.util.concurrent.atomic.AtomicInteger.incrementAndGet by reference",
        "static int field; void method() { field = 1; } | static field that is not final: field",
        "int method(VarHandle handle, int[] array) { return (int) handle.getAcquire(array, 0); }"
            + " | VarHandle.getAcquire(int[],int)int",
        "VarHandle method() { return MethodHandles.byteArrayViewVarHandle(long[].class, null); }"
            + " | java.lang.invoke.MethodHandles.byteArrayViewVarHandle",
        "Supplier<VarHandle> method() { Function<Class<?>, VarHandle> f ="
            + " MethodHandles::arrayElementVarHandle; return null; }"
            + " | java.lang.invoke.MethodHandles.arrayElementVarHandle by reference",
        "int method(VarHandle handle, long[] array) { return (int) handle.getAndAdd(array, 0, 1); }"
            + " | VarHandle.getAndAdd(long[],int,int)int",
        "void method(VarHandle handle, Object[] array) { handle.getAndAdd(array, 0, array); }"
            + " | VarHandle.getAndAdd(Object[],int,Object[])void",
        "void method(VarHandle handle, Object[] array) { handle.setOpaque(array, 0L, array); }"
            + " | VarHandle.setOpaque(Object[],long,Object[])void",
        "void method(VarHandle handle, Object owner) { handle.getAndAdd(owner, true); }"
            + " | VarHandle.getAndAdd(Object,boolean)void",
        "void method(VarHandle handle, Object owner) { handle.getAcquire(owner); }"
            + " | VarHandle.getAcquire(Object)void",
        "void method(VarHandle handle) { handle.getAndAdd(1); } | VarHandle.getAndAdd(int)void",
        "float method(VarHandle handle, Object owner) { return (float) handle.getAcquire(owner); }"
            + " | VarHandle.getAcquire(Object)float",
        "void method(Thread thread) { thread.start(); } | java.lang.Thread.start",
        "Runnable method(Thread thread) { return thread::start; }"
            + " | java.lang.Thread.start by reference",
        "Runnable method() { return Thread::onSpinWait; }"
            + " | java.lang.Thread.onSpinWait by reference",
        "Runnable method() { return LockSupport::park; }"
            + " | java.util.concurrent.locks.LockSupport.park by reference",
        "interface Reader { int read(MemorySegment segment, ValueLayout.OfInt of, long offset); }"
            + " Reader method() { return MemorySegment::get; }"
            + " | java.lang.foreign.MemorySegment.get by reference",
        "void method(Object o) throws InterruptedException { o.wait(); } | java.lang.Object.wait",
        "void method() throws InterruptedException { Thread.sleep(1); } | java.lang.Thread.sleep",
        "void method() { VarHandle.storeStoreFence(); } |"
            + " java.lang.invoke.VarHandle.storeStoreFence",
        "void method() { VarHandle.loadLoadFence(); } | java.lang.invoke.VarHandle.loadLoadFence",
        "void method(MemorySegment memory) { memory.mismatch(memory); }"
            + " | java.lang.foreign.MemorySegment.mismatch",
        "native void method(); | native method",
        "Object method(ThreadLocal<?> local) { return local.get(); } | java.lang.ThreadLocal.get",
        "LocalTime method() { return LocalTime.now(); } | java.time.LocalTime.now",
        "long method(Clock clock) { return clock.millis(); } | java.time.Clock.millis",
        "Object method(List<?> list) { return list.parallelStream(); }"
            + " | java.util.List.parallelStream",
        "Object method(Stream<?> stream) { return stream.parallel(); }"
            + " | java.util.stream.Stream.parallel",
        "ByteBuffer method() { return ByteBuffer.allocateDirect(8); }"
            + " | java.nio.ByteBuffer.allocateDirect",
        "Object method(java.lang.reflect.Field field) throws Exception { return field.get(this); }"
            + " | java.lang.reflect.Field.get",
        "Object method(Object[] array) { return java.lang.reflect.Array.get(array, 0); }"
            + " | java.lang.reflect.Array.get",
        "void method(Integer[] array) { Arrays.sort(array, Comparator.naturalOrder()); }"
            + " | java.util.Arrays.sort",
        "void method(String[] array) { Arrays.setAll(array, i -> null); }"
            + " | java.util.Arrays.setAll"
      })
  void explore_ofUnsupportedInstruction_failsEvenIfItIsCaught(String code, String instruction)
      throws Exception {
    Class<?> type = load(code);
    Method method =
        Stream.of(type.getDeclaredMethods())
            .filter(one -> one.getName().equals("method"))
            .findFirst()
            .orElseThrow();
    method.setAccessible(true);
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object[] arguments = Stream.of(method.getParameterTypes()).map(WeaverTest::any).toArray();
    Scenario scenario =
        run ->
            run.thread(
                "thread",
                () -> {
                  try {
                    Object _ = method.invoke(constructor.newInstance(), arguments);
                  } catch (InvocationTargetException e) {
                    // it is a finding nevertheless
                  }
                });
    Throwable cause = new Explorer(scenario).random(1, LIMIT, 1).failure().cause();

    assertThat(cause)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("the simulator does not support " + instruction)
        .hasMessageEndingWith("Unsupported.method");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "static final Object LOCAL = ThreadLocal.withInitial(() -> 1);"
            + " | java.lang.ThreadLocal.withInitial",
        "static int field = 1; | static field that is not final: field"
      })
  void load_ofClassWhoseInitializerIsUnsupported_isRefused(String code, String instruction) {
    assertThatThrownBy(() -> load(code))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("the simulator does not support " + instruction)
        .hasMessageEndingWith("Unsupported.<clinit>");
  }

  private Class<?> load(String code) throws Exception {
    String text = "import module java.base; class Unsupported { %s }".formatted(code);
    Path source = Files.writeString(folder.resolve("Unsupported.java"), text);
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()))
        .isZero();
    try (URLClassLoader compiled = new URLClassLoader(new URL[] {folder.toUri().toURL()});
        Stream<Path> files = Files.list(folder)) {
      WovenLoader loader = new WovenLoader(compiled, Weaving.of("Unsupported"));
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".class")) {
          Class<?> _ = loader.loadClass(name.substring(0, name.length() - ".class".length()));
        }
      }
      return loader.loadClass("Unsupported");
    }
  }

  /** An argument that gets as far as to the instruction. */
  private static Object any(Class<?> type) {
    if (type == Object.class || type == Thread.class || type == AtomicInteger.class) {
      return type == Object.class
          ? new Object()
          : type == Thread.class ? new Thread() : new AtomicInteger();
    }
    return type.isArray() ? Array.newInstance(type.getComponentType(), 1) : null;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plainFields",
        "volatileFields",
        "intHandles",
        "longHandles",
        "narrowHandles",
        "references",
        "elements",
        "elementTypes",
        "elementCopies",
        "classes",
        "segments",
        "segmentHandles",
        "handlesAsMethods",
        "copies",
        "widths",
        "bytesOfAtomic",
        "bounds",
        "misaligned"
      })
  void explore_ofSupportedFeature_findsNothingWrong(String program) throws Exception {
    Scenario feature = Woven.scenario(Features.class, program);
    findsNothingWrong(run -> run.thread("thread", () -> feature.setUp(run)));
  }

  @Test
  void call_ofReplacedMethod_callsTheOther() throws Exception {
    findsNothingWrong(Woven.scenario(Replaced.class, "clocks"));
    findsNothingWrong(Woven.scenario(Replaced.class, "fencesForBoth"));
    Explorer without = new Explorer(Woven.scenario(Replaced.class, "fencesForNone"));
    assertThat(without.exhaustive(2, 2, LIMIT).failure().message()).isEqualTo("both are alone");
  }

  @Test
  void access_ofClosedArena_isRefusedInEachThread() throws Exception {
    findsNothingWrong(Woven.scenario(Features.class, "closedArena"));
  }

  private static void findsNothingWrong(Scenario scenario) {
    Explorer explorer = new Explorer(scenario).withoutSpuriousFailures();
    assertThat(explorer.random(EXECUTIONS, LIMIT, 1).failure()).isNull();
    Exploration all = explorer.exhaustive(2, 2, LIMIT);
    assertThat(all.failure()).isNull();
    assertThat(all.complete()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "messageOfBytes",
        "messageOfShorts",
        "messageOfInts",
        "messageOfLongs",
        "messageOfReferences",
        "messageOfElements",
        "messageByGeneratedClass"
      })
  void explore_ofWeakMessagePassing_showsTheStaleValue(String program) throws Exception {
    Explorer explorer = new Explorer(Woven.scenario(Features.class, program));
    Exploration all = explorer.exhaustive(2, 2, LIMIT);

    assertThat(all.failure()).isNull();
    assertThat(all.outcomes()).containsOnlyKeys("acquired 1", "weak 0", "weak 1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "overlap | accesses must not overlap unless they are of one place: 4 bytes at memory+4",
        "floatHandle | field must be a whole number, boolean or reference",
        "numbersHandle | array must be one of references to have a handle of its elements:"
            + " array=int[]",
        "elementWrittenByOthers | element was written by code that is not woven: String[]@",
        "widenedValue | values must have the type of the variable: VarHandle.setOpaque of int,"
            + " variable=long",
        "widenedMemory | values must have the type of the variable: VarHandle.setOpaque of int,"
            + " variable=long",
        "handleOfAnother | handle was not made by woven code for a field of a woven class",
        "fieldHandleAsMethod | handle must be of memory to become a method handle",
        "handleOfOthers | field must be of a woven class:"
            + " field=dev.millrace.simulator.Unwoven.field",
        "getter | getter must be of a final field",
        "copyOfHalf | accesses must not overlap unless they are of one place: 4 bytes at memory+",
        "copyOfOtherHalf | accesses must not overlap unless they are of one place: 12 bytes at",
        "bytesOfHalf | accesses must not overlap unless they are of one place: 12 bytes at"
            + " memory+2,",
        "atomicOverlap | accesses must not overlap unless they are of one place: 4 bytes at"
            + " memory+4",
        "atomicHalf | accesses must not overlap unless they are of one place: 4 bytes at memory+4",
        "mismatchOfLengths | memory must be compared with as much of other memory",
        "constantMemory | memory must be of an arena that the simulation knows",
        "copyToItself | memory must not be copied to where it overlaps: 16 bytes from memory+",
        "clearedHalf | accesses must not overlap unless they are of one place: 8 bytes at memory+"
      })
  void explore_ofWhatIsRefusedWhenRun_saysSo(String program, String message) throws Exception {
    Explorer explorer = new Explorer(Woven.scenario(Features.class, program));

    assertThat(explorer.random(1, LIMIT, 1).failure().message()).contains(message);
  }
}

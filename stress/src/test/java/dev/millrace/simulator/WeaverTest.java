package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.simulator.litmus.Features;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeaverTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int EXECUTIONS = 200;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "synchronized void method() {} | synchronized method",
        "int method(Object lock) { synchronized (lock) { return 1; } } | synchronized block",
        "int method(AtomicInteger count) { return count.incrementAndGet(); }"
            + " | java.util.concurrent.atomic.AtomicInteger.incrementAndGet",
        "IntSupplier method(AtomicInteger count) { return count::incrementAndGet; }"
            + " | java.util.concurrent.atomic.AtomicInteger.incrementAndGet by reference",
        "static int field; void method() { field = 1; } | static field that is not final: field",
        "int method(VarHandle handle, int[] array) { return (int) handle.getAcquire(array, 0); }"
            + " | VarHandle.getAcquire(int[],int)int",
        "VarHandle method() { return MethodHandles.arrayElementVarHandle(int[].class); }"
            + " | java.lang.invoke.MethodHandles.arrayElementVarHandle",
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
            + " | java.lang.foreign.MemorySegment.mismatch"
      })
  void load_ofUnsupportedClass_refusesNamingTheInstruction(String code, String instruction)
      throws Exception {
    String text = "import module java.base; class Unsupported { %s }".formatted(code);
    Path source = Files.writeString(folder.resolve("Unsupported.java"), text);
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()))
        .isZero();
    try (URLClassLoader compiled = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      WovenLoader loader = new WovenLoader(compiled, List.of("Unsupported"));
      assertThatThrownBy(() -> loader.loadClass("Unsupported"))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("the simulator does not support " + instruction)
          .hasMessageEndingWith("Unsupported.method");
    }
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
        "classes",
        "segments",
        "segmentHandles",
        "handlesAsMethods",
        "copies",
        "bounds",
        "misaligned"
      })
  void explore_ofSupportedFeature_findsNothingWrong(String program) throws Exception {
    Scenario feature = Woven.scenario(Features.class, program);
    findsNothingWrong(run -> run.thread("thread", () -> feature.setUp(run)));
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
        "floatHandle | field must be a whole number, boolean or reference"
      })
  void explore_ofWhatIsRefusedWhenRun_saysSo(String program, String message) throws Exception {
    Explorer explorer = new Explorer(Woven.scenario(Features.class, program));

    assertThat(explorer.random(1, LIMIT, 1).failure().message()).contains(message);
  }
}

package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.simulator.litmus.Features;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeaverTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int EXECUTIONS = 200;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SynchronizedMethod | synchronized method",
        "SynchronizedBlock | synchronized block",
        "Atomics | java.util.concurrent.atomic.AtomicInteger.incrementAndGet",
        "AtomicsByReference | java.util.concurrent.atomic.AtomicInteger.incrementAndGet by"
            + " reference",
        "StaticField | static field that is not final: field",
        "ArrayHandle | VarHandle.getAcquire(int[],int)int",
        "ArrayElementHandle | java.lang.invoke.MethodHandles.arrayElementVarHandle",
        "FloatHandle | VarHandle.getAcquire(Object)float",
        "StartedThread | java.lang.Thread.start",
        "StartedByReference | java.lang.Thread.start by reference",
        "SpinByReference | java.lang.Thread.onSpinWait by reference",
        "ParkByReference | java.util.concurrent.locks.LockSupport.park by reference",
        "SegmentByReference | java.lang.foreign.MemorySegment.get by reference",
        "Wait | java.lang.Object.wait",
        "Sleep | java.lang.Thread.sleep",
        "StoreFence | java.lang.invoke.VarHandle.storeStoreFence",
        "LoadFence | java.lang.invoke.VarHandle.loadLoadFence",
        "Fill | java.lang.foreign.MemorySegment.fill"
      })
  void load_ofUnsupportedClass_refusesNamingTheInstruction(String type, String instruction) {
    String name = "dev.millrace.simulator.litmus.Unsupported$" + type;

    assertThatThrownBy(() -> Woven.load(name))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("the simulator does not support " + instruction)
        .hasMessageEndingWith(name + ".method");
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
        "closedArena",
        "bounds",
        "misaligned"
      })
  void explore_ofSupportedFeature_findsNothingWrong(String program)
      throws ReflectiveOperationException {
    Explorer explorer =
        new Explorer(Woven.scenario(Features.class, program)).withoutSpuriousFailures();

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
  void explore_ofWeakMessagePassing_showsTheStaleValue(String program)
      throws ReflectiveOperationException {
    Explorer explorer = new Explorer(Woven.scenario(Features.class, program));
    Exploration all = explorer.exhaustive(2, 2, LIMIT);

    assertThat(all.failure()).isNull();
    assertThat(all.outcomes()).containsOnlyKeys("acquired 1", "weak 0", "weak 1");
  }

  @Test
  void access_ofOverlappingPlaces_isRefused() throws ReflectiveOperationException {
    Explorer explorer = new Explorer(Woven.scenario(Features.class, "overlap"));

    assertThat(explorer.random(1, LIMIT, 1).failure().message())
        .contains("accesses must not overlap unless they are of one place: 4 bytes at memory+4");
  }

  @Test
  void varHandle_ofFloatField_isRefused() throws ReflectiveOperationException {
    Explorer explorer = new Explorer(Woven.scenario(Features.class, "floatHandle"));

    assertThat(explorer.random(1, LIMIT, 1).failure().message())
        .contains("field must be a whole number, boolean or reference");
  }
}

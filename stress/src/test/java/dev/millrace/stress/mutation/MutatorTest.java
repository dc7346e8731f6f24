package dev.millrace.stress.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.simulator.Exploration;
import dev.millrace.simulator.Explorer;
import dev.millrace.simulator.Scenario;
import dev.millrace.simulator.Simulation;
import dev.millrace.simulator.Weaving;
import dev.millrace.simulator.WovenLoader;
import dev.millrace.stress.PublishedModules;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a mutator that plants another bug than it says, or none, or leaves out accesses that it
 * should weaken. It plants bugs in {@link Sample}, which is run.
 */
class MutatorTest {
  private static final String SAMPLE = Sample.class.getName();
  private static final byte[] BYTES = sampleBytes();
  private static final Mutator MUTATOR = PublishedModules.mutator();

  /** Programs of the simulator's tests, which are on the class path of these tests too. */
  private static final String LITMUS = "dev.millrace.simulator.litmus.";

  private static final WovenLoader WOVEN =
      new WovenLoader(MutatorTest.class.getClassLoader(), Weaving.of(LITMUS));

  private static byte[] sampleBytes() {
    try {
      return MutantLoader.bytesOf(SAMPLE);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static String run(byte[] bytes, String method, Object... arguments) throws Exception {
    Class<?> type = new MutantLoader(Map.of(SAMPLE, bytes)).loadClass(SAMPLE);
    Class<?>[] types = arguments.length == 0 ? new Class<?>[0] : new Class<?>[] {long.class};
    Method target = type.getDeclaredMethod(method, types);
    target.setAccessible(true);
    return (String) target.invoke(null, arguments);
  }

  private static List<Mutation> mutations(String method) {
    return MUTATOR.mutations(BYTES).stream().filter(one -> one.method().equals(method)).toList();
  }

  private static List<String> readings(String method) {
    return mutations(method).stream().map(one -> one.access() + " " + one.operator()).toList();
  }

  private static Mutation any(List<Mutation> mutations, Predicate<Mutation> wanted) {
    return mutations.stream().filter(wanted).findFirst().orElseThrow();
  }

  private static String runMutant(String method, String reading) throws Exception {
    assertThat(readings(method)).contains(reading);
    Mutation mutation = mutations(method).get(readings(method).indexOf(reading));
    return run(MUTATOR.apply(BYTES, mutation), method);
  }

  @Test
  void sites_ofAllModes_haveNamesModesAndLines() {
    List<AccessSite> sites =
        MUTATOR.sites(BYTES).stream().filter(site -> site.method().equals("modes")).toList();
    assertThat(sites)
        .extracting(site -> site.text() + " " + site.mode())
        .containsExactly(
            "NUMBER.setVolatile VOLATILE",
            "NUMBER.getVolatile VOLATILE",
            "NUMBER.setRelease RELEASE",
            "NUMBER.getAcquire ACQUIRE",
            "NUMBER.setOpaque OPAQUE",
            "NUMBER.getOpaque OPAQUE",
            "NUMBER.set PLAIN",
            "VarHandle.fullFence VOLATILE",
            "VarHandle.acquireFence ACQUIRE",
            "VarHandle.releaseFence RELEASE",
            "NUMBER.get PLAIN");
    assertThat(sites).extracting(AccessSite::line).isSorted().doesNotContain(0);
    assertThat(sites).extracting(AccessSite::typeName).containsOnly("Sample");
  }

  @Test
  void sites_ofOtherFamilies_areFound() {
    assertThat(MUTATOR.sites(BYTES))
        .filteredOn(site -> site.method().equals("drops"))
        .extracting(site -> site.family() + " " + site.text())
        .contains(
            "ACCESSOR sequence.setRelease",
            "ATOMIC counter.set",
            "FIELD loud write",
            "FIELD loud read",
            "VAR_HANDLE FLAG.compareAndSet");
  }

  @Test
  void mutations_ofModes_weakenByOneStep() {
    assertThat(mutations("modes"))
        .filteredOn(Mutation::ordering)
        .extracting(one -> one.access() + " " + one.operator())
        .containsExactly(
            "NUMBER.setVolatile weaken to release",
            "NUMBER.getVolatile weaken to acquire",
            "NUMBER.setRelease weaken to opaque",
            "NUMBER.getAcquire weaken to opaque",
            "NUMBER.setOpaque weaken to plain",
            "NUMBER.getOpaque weaken to plain",
            "VarHandle.fullFence weaken to acquire and release",
            "VarHandle.acquireFence remove",
            "VarHandle.releaseFence remove");
  }

  @Test
  void apply_weakened_callsTheWeakerAndGivesTheSame() throws Exception {
    for (Mutation mutation : mutations("modes").stream().filter(Mutation::ordering).toList()) {
      assertThat(run(MUTATOR.apply(BYTES, mutation), "modes")).as(mutation.id()).isEqualTo("4");
    }
    Mutation first = mutations("modes").getFirst();
    assertThat(calls(MUTATOR.apply(BYTES, first), "modes")).doesNotContain("setVolatile");
    assertThat(calls(BYTES, "modes")).contains("setVolatile");
  }

  @Test
  void apply_withoutAWeakerMethod_tellsTheSimulator() {
    Mutation mutation =
        any(mutations("drops"), one -> one.access().equals("loud write") && one.ordering());

    assertThat(mutation.operator()).isEqualTo("weaken to release");
    assertThat(calls(MUTATOR.apply(BYTES, mutation), "drops")).contains("next");
  }

  private static List<String> calls(byte[] bytes, String method) {
    ClassModel model = ClassFile.of().parse(bytes);
    return model.methods().stream()
        .filter(one -> one.methodName().equalsString(method))
        .flatMap(one -> one.code().orElseThrow().elementStream())
        .filter(InvokeInstruction.class::isInstance)
        .map(one -> ((InvokeInstruction) one).name().stringValue())
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "number write, 12n245true6",
    "NUMBER.setOpaque, 11n145true6",
    "NAME.setRelease, 13null45true6",
    "sequence.setRelease, 13n305true6",
    "counter.set, 13n340true6",
    "COUNT.getAndAdd, 3n345true6",
    "loud write, 13n345true0"
  })
  void apply_drop_leavesTheValueOut(String access, String result) throws Exception {
    assertThat(run(BYTES, "drops")).isEqualTo("13n345true6");
    assertThat(runMutant("drops", access + " drop")).isEqualTo(result);
  }

  @ParameterizedTest
  @CsvSource({
    "COUNT.getAndAdd, 02true",
    "sequence.getAndSet, 10true",
    "FLAG.compareAndSet, 12false"
  })
  void apply_dropOfBlindUpdate_leavesItOut(String access, String result) throws Exception {
    assertThat(run(BYTES, "blindUpdate")).isEqualTo("12true");
    assertThat(runMutant("blindUpdate", access + " drop")).isEqualTo(result);
  }

  @Test
  void mutations_ofAnUpdateWhoseResultIsUsed_doNotDropIt() {
    assertThat(readings("drops")).doesNotContain("FLAG.compareAndSet drop");
  }

  @ParameterizedTest
  @ValueSource(strings = {"MemorySegment.set drop", "MemorySegment.copy drop"})
  void apply_dropOfACopy_copiesNothing(String reading) throws Exception {
    assertThat(run(BYTES, "copies")).isEqualTo("7");
    assertThat(runMutant("copies", reading)).isEqualTo("0");
  }

  @Test
  void apply_swap_changesTheOrder() throws Exception {
    assertThat(run(BYTES, "swapsSameField")).isEqualTo("2");
    assertThat(runMutant("swapsSameField", "NUMBER.setRelease swap with NUMBER.setOpaque"))
        .isEqualTo("1");
    assertThat(run(BYTES, "swapsAroundNull")).isEqualTo("thrown behind 3");
    assertThat(runMutant("swapsAroundNull", "sequence.setRelease swap with tiny write"))
        .isEqualTo("thrown behind 0");
    assertThat(run(BYTES, "swapsFieldAndHandle")).isEqualTo("40");
    assertThat(runMutant("swapsFieldAndHandle", "number write swap with NUMBER.setRelease"))
        .isEqualTo("1");
  }

  @Test
  void mutations_ofStoresThatDependOnEachOther_doNotSwapThem() {
    assertThat(readings("keepsOrder")).noneMatch(reading -> reading.contains("swap"));
  }

  @Test
  void apply_negate_turnsTheConditionRound() throws Exception {
    Mutation mutation = any(mutations("sign"), one -> one.operator().equals("negate"));
    byte[] mutant = MUTATOR.apply(BYTES, mutation);

    assertThat(run(BYTES, "sign", 1L)).isEqualTo("positive");
    assertThat(run(mutant, "sign", 1L)).isEqualTo("not positive");
    assertThat(run(mutant, "sign", 0L)).isEqualTo("positive");
    assertThat(run(mutant, "sign", -1L)).isEqualTo("positive");
  }

  @Test
  void mutations_ofMethodsWithoutAccess_negateJumpsWhenAsked() {
    assertThat(readings("plainSign")).isEmpty();
    assertThat(MUTATOR.withAllJumps().mutations(BYTES))
        .filteredOn(one -> one.method().equals("plainSign"))
        .extracting(Mutation::operator)
        .containsExactly("negate");
  }

  @Test
  void mutations_ofAssertedCode_areMadeWhenAsked() throws Exception {
    assertThat(readings("asserts")).isEmpty();
    assertThat(MUTATOR.withAssertedCode().mutations(BYTES))
        .filteredOn(one -> one.method().equals("asserts"))
        .extracting(one -> one.access() + " " + one.operator())
        .contains("NUMBER.getAcquire weaken to opaque");
  }

  @Test
  void mutations_ofUpdates_splitThem() {
    assertThat(mutations("updates"))
        .filteredOn(one -> one.operator().startsWith("split"))
        .extracting(Mutation::access)
        .containsExactly(
            "NUMBER.compareAndSet",
            "NUMBER.weakCompareAndSetPlain",
            "NUMBER.compareAndExchangeAcquire",
            "NUMBER.getAndSet",
            "NUMBER.getAndAddRelease",
            "NUMBER.getAndBitwiseAnd",
            "NUMBER.getAndBitwiseOr",
            "NUMBER.getAndBitwiseXor",
            "sequence.compareAndSet",
            "done.compareAndSet");
  }

  @Test
  void apply_split_givesTheSameInOneThread() throws Exception {
    String name = LITMUS + "Features";
    byte[] bytes = MutantLoader.bytesOf(name);
    List<Mutation> splits = splits(bytes);

    assertThat(splits).hasSizeGreaterThan(25);
    for (Mutation split : splits) {
      Class<?> mutant = WOVEN.with(name, MUTATOR.apply(bytes, split)).loadClass(name);
      Scenario feature = Scenario.of(mutant.getMethod(split.method(), Simulation.class));
      Exploration found =
          new Explorer(run -> run.thread("thread", () -> feature.setUp(run)))
              .withoutSpuriousFailures()
              .random(10, Duration.ofMinutes(1), 1);
      assertThat(found.failure()).as(split.id()).isNull();
    }
  }

  @Test
  void apply_split_losesAnUpdateOfTwoThreads() throws Exception {
    String name = LITMUS + "Variable";
    byte[] bytes = MutantLoader.bytesOf(name);
    Mutation split = any(splits(bytes), one -> one.access().equals("VALUE.getAndAdd"));
    List<String> program = List.of("r0 = x.getAndAdd(1)", "r1 = x.getAndAdd(1)");

    assertThat(outcomes(WOVEN, program)).containsOnlyKeys("r0=0 r1=1 x=2", "r0=1 r1=0 x=2");
    assertThat(outcomes(WOVEN.with(name, MUTATOR.apply(bytes, split)), program))
        .containsOnlyKeys("r0=0 r1=1 x=2", "r0=1 r1=0 x=2", "r0=0 r1=0 x=1");
  }

  private static List<Mutation> splits(byte[] bytes) {
    return MUTATOR.mutations(bytes).stream()
        .filter(one -> one.operator().startsWith("split"))
        .toList();
  }

  private static Map<String, Long> outcomes(WovenLoader loader, List<String> program)
      throws Exception {
    Class<?> interpreter = loader.loadClass(LITMUS + "Interpreter");
    Scenario scenario = (Scenario) interpreter.getMethod("of", List.class).invoke(null, program);
    return new Explorer(scenario).exhaustive(2, 2, Duration.ofMinutes(1)).outcomes();
  }

  @Test
  void apply_dropOfNull_doesNotThrow() throws Exception {
    assertThat(run(BYTES, "updateOfFormerLap")).isEqualTo("thrown");
    assertThat(runMutant("updateOfFormerLap", "NUMBER.compareAndSet drop")).isEqualTo("none");
  }

  @Test
  void mutations_ofUpdates_haveBothHalves() {
    assertThat(readings("updates"))
        .contains(
            "NUMBER.compareAndSet weaken to acquire",
            "NUMBER.compareAndSet weaken to release",
            "NUMBER.compareAndExchangeAcquire weaken to opaque",
            "NUMBER.getAndAddRelease weaken to opaque",
            "NUMBER.getAndSet weaken to release",
            "sequence.compareAndSet weaken to acquire",
            "done.compareAndSet weaken to release");
  }

  @Test
  void mutations_ofTheSameBytes_areTheSame() {
    List<Mutation> mutations = MUTATOR.mutations(BYTES);

    assertThat(MUTATOR.mutations(BYTES)).isEqualTo(mutations);
    assertThat(mutations).extracting(Mutation::id).doesNotHaveDuplicates();
    assertThat(MUTATOR.apply(BYTES, mutations.getFirst()))
        .isEqualTo(MUTATOR.apply(BYTES, mutations.getFirst()));
  }

  @Test
  void apply_mutationOfAnother_throws() throws Exception {
    byte[] other = MutantLoader.bytesOf("dev.millrace.core.Sequence");
    Mutation mutation = MUTATOR.mutations(BYTES).getFirst();

    assertThatThrownBy(() -> MUTATOR.apply(other, mutation))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(mutation.id());
  }
}

package dev.millrace.stress.lincheck;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.ProofScale;
import dev.millrace.stress.report.Results;
import java.util.function.Predicate;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.verifier.Verifier;
import org.jetbrains.lincheck.util.LoggingLevel;
import org.junit.jupiter.api.TestInfo;

/**
 * A class of operations that Lincheck runs, in scenarios it makes up, and what must come of it.
 *
 * <pre>{@code
 * Trial.of(SpscQueue.class, Operations.class, "single records arrive whole, in order, once")
 *     .mixing(Mix.ofOne("offer").and(Mix.ofOne("poll")))
 *     .against(Fifo.class)
 *     .threads(2, 3)
 *     .modelChecking(30, 2_000)
 *     .passes(test);
 * }</pre>
 *
 * <p>Its model checker switches between the threads at each access to shared memory, as if there
 * were one processor: it finds wrong protocols, and no wrong memory ordering. Lincheck's stress
 * mode is not used: what it would find on real processors jcstress and the soaks find sooner.
 */
final class Trial {
  private static final int BEFORE = 1;
  private static final int AFTER = 2;
  private static final int LONGEST_WAIT = 20; // times the longest loop

  private final Class<?> type;
  private final Class<?> operations;
  private final String about;
  private Mix mix;
  private Class<?> specification;
  private Class<? extends Verifier> verifier;
  private int threads = 2;
  private int operationsEach = 4;
  private boolean hasLocks;
  private ModelCheckingOptions options;
  private int iterations;
  private int invocations;

  private Trial(Class<?> type, Class<?> operations, String about) {
    this.type = type;
    this.operations = operations;
    this.about = about;
  }

  /**
   * Makes a trial, of two threads and four operations each.
   *
   * @param type the type under test
   * @param operations a public class with Lincheck's annotations; an instance is made for each
   *     invocation
   * @param about what is checked, in a sentence
   */
  static Trial of(Class<?> type, Class<?> operations, String about) {
    return new Trial(type, operations, about);
  }

  /** Chooses some of the operations, and who may call them, instead of what is annotated. */
  Trial mixing(Mix mix) {
    this.mix = mix;
    return this;
  }

  /** Sets what the results must agree with: a public class with the same methods, sequential. */
  Trial against(Class<?> specification) {
    this.verifier = null;
    this.specification = specification;
    return this;
  }

  /** Sets what the results must agree with, where no sequential class says it. */
  Trial allowedBy(Class<? extends RelaxedVerifier<?>> verifier) {
    this.verifier = verifier;
    return this;
  }

  /**
   * Sets how many threads run, and how many operations each; one before and two after are added.
   */
  Trial threads(int threads, int operationsEach) {
    this.threads = threads;
    this.operationsEach = operationsEach;
    return this;
  }

  /** Says that the operations take locks, so that a thread may wait for another's next step. */
  Trial withLocks() {
    hasLocks = true;
    return this;
  }

  /** Chooses the model checker, with the scenarios and the interleavings of each, at scale 1. */
  Trial modelChecking(int iterations, int invocations) {
    this.iterations = iterations;
    this.invocations = invocations;
    options =
        new ModelCheckingOptions()
            // A loop that would not end but for another thread's next step is a finding.
            .checkObstructionFreedom(!hasLocks)
            // Lincheck sees the fields of objects, but native memory only through calls; and
            // unless told that these are steps of a thread, it never switches at them.
            .addGuarantee(
                ManagedStrategyGuaranteeKt.forClasses(Trial::accessesNativeMemory)
                    .allMethods()
                    .treatAsAtomic())
            // It cannot look into the regular expressions of the JDK.
            .addGuarantee(
                ManagedStrategyGuaranteeKt.forClasses(Trial::readsText).allMethods().ignore());
    return this;
  }

  /**
   * Tells the model checker, which must be chosen, that methods are one step each.
   *
   * @param classes which classes, by name
   * @param methods the methods' names, or none for all
   */
  Trial inOneStep(Predicate<String> classes, String... methods) {
    var chosen = ManagedStrategyGuaranteeKt.forClasses(classes::test);
    options.addGuarantee(
        (methods.length == 0 ? chosen.allMethods() : chosen.methods(methods)).treatAsAtomic());
    return this;
  }

  /**
   * Tells the model checker, which must be chosen, how long loops are that wait for no other
   * thread. One that is longer is taken for a wait, so that others get their turn.
   *
   * @param iterations at most; its default is 10
   */
  Trial withLoopsUpTo(int iterations) {
    options.loopIterationsBeforeThreadSwitch(2 * iterations).loopBound(LONGEST_WAIT * iterations);
    return this;
  }

  /** Runs; fails with the scenario, its results and the interleaving if something is wrong. */
  void passes(TestInfo test) {
    iterations = ProofScale.ofTwo(iterations);
    invocations = ProofScale.ofTwo(invocations);
    run(test, "passed", () -> check(ProofScale.scale() >= 1));
  }

  /**
   * Runs operations that hold a planted bug, at scale 1 always, for it stops at the first failure;
   * fails if Lincheck sees neither wrong results nor a loop that does not end.
   */
  void isCaught(TestInfo test) {
    run(
        test,
        "caught",
        () ->
            assertThatThrownBy(() -> check(false))
                .as("what Lincheck says of a planted bug")
                .isInstanceOf(LincheckAssertionError.class)
                .message()
                .containsAnyOf(
                    "Invalid execution results",
                    "an active lock is detected",
                    "non-terminating loops"));
  }

  private static boolean accessesNativeMemory(String className) {
    return className.equals("java.lang.invoke.SegmentVarHandle")
        || className.equals("java.lang.foreign.MemorySegment")
        || className.startsWith("jdk.internal.foreign.");
  }

  private static boolean readsText(String className) {
    return className.equals("dev.millrace.telemetry.LayoutText")
        || className.startsWith("java.util.regex.");
  }

  /** The shortest scenario that fails is good to read, but takes longer to find than any. */
  private void check(boolean findsShortest) {
    options
        .iterations(iterations)
        .invocationsPerIteration(invocations)
        .threads(threads)
        .actorsPerThread(operationsEach)
        .actorsBefore(BEFORE)
        .actorsAfter(AFTER)
        .logLevel(LoggingLevel.ERROR)
        .minimizeFailedScenario(findsShortest);
    if (mix != null) {
      mix.choose();
      options.executionGenerator(Mix.Scenarios.class);
    }
    if (verifier == null) {
      options.sequentialSpecification(specification);
    } else {
      options.verifier(verifier).sequentialSpecification(Object.class); // not used
    }
    options.check(operations);
  }

  private void run(TestInfo test, String outcome, Runnable check) {
    long begin = System.nanoTime();
    check.run();
    double seconds = (System.nanoTime() - begin) / 1e9;
    LincheckResults.add(
        new Results.Lincheck(
            type.getSimpleName(),
            test.getTestClass().orElseThrow().getSimpleName()
                + "."
                + test.getTestMethod().orElseThrow().getName(),
            about,
            "model checking",
            iterations,
            invocations,
            Math.round(seconds * 100) / 100.0,
            outcome,
            null));
  }
}

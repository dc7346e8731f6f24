package dev.millrace.simulator;

import static dev.millrace.simulator.Litmus.litmus;

import java.util.ArrayList;
import java.util.List;

/**
 * The litmus tests: what Java's memory model allows of small programs, and who says so.
 *
 * <p>{@code Lea} is Doug Lea, <a href="https://gee.cs.oswego.edu/dl/html/j9mm.html">Using JDK 9
 * Memory Order Modes</a>; {@code JAM21} and {@code RC11} are the models of {@link Axioms}, with the
 * name of the test in their papers' own collections. Each outcome is besides judged by the axioms
 * of both. Where JAM21 forbids what RC11 allows, hardware often shows it, and the simulator may.
 */
final class LitmusTable {
  private static final String OPAQUE = "Lea, opaque mode: variables are not ordered";
  private static final String COHERENCE = "Lea, opaque mode: each variable is coherent";
  private static final String CAUSALITY = "Lea, release/acquire mode: causality";
  private static final String NO_TOTAL_ORDER = "Lea, release/acquire mode: no total order";
  private static final String VOLATILE = "Lea, volatile mode: accesses are totally ordered";
  private static final String FENCES = "Lea, fences: as strong as the modes";
  private static final String ATOMIC = "Lea, read-modify-writes: nothing comes between";
  private static final String AXIOMS = "by the axioms of JAM21 and RC11";

  private static final String LATER =
      "no read sees a write that comes later in the order of execution";

  private LitmusTable() {}

  static List<Litmus> all() {
    List<Litmus> all = new ArrayList<>();
    all.addAll(messagePassing());
    all.addAll(storeBuffering());
    all.addAll(loadBuffering());
    all.addAll(coherence());
    all.addAll(writes());
    all.addAll(independentReads());
    all.addAll(cumulativity());
    all.addAll(modifications());
    all.addAll(failures());
    all.addAll(mixedVolatile());
    return all;
  }

  // ---- two threads, two variables ----

  private static List<Litmus> messagePassing() {
    return List.of(
        litmus(
                "MP+opaque",
                "x.setOpaque(1); y.setOpaque(1)",
                "r0 = y.getOpaque(); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", OPAQUE)
            .allowed("r0=1 r1=1", OPAQUE),
        litmus(
                "MP+release+acquire",
                "x.setOpaque(1); y.setRelease(1)",
                "r0 = y.getAcquire(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", CAUSALITY)
            .allowed("r0=0 r1=1", OPAQUE)
            .allowed("r0=1 r1=1", CAUSALITY),
        litmus(
                "MP+release+opaque",
                "x.setOpaque(1); y.setRelease(1)",
                "r0 = y.getOpaque(); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", OPAQUE),
        litmus(
                "MP+opaque+acquire",
                "x.setOpaque(1); y.setOpaque(1)",
                "r0 = y.getAcquire(); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", OPAQUE),
        litmus(
                "MP+volatile",
                "x.setVolatile(1); y.setVolatile(1)",
                "r0 = y.getVolatile(); r1 = x.getVolatile()")
            .forbidden("r0=1 r1=0", VOLATILE),
        litmus(
                "MP+volatile flag",
                "x.setOpaque(1); y.setVolatile(1)",
                "r0 = y.getVolatile(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", "JAM21, mp_sc"),
        litmus(
                "MP+volatile+acquire",
                "x.setOpaque(1); y.setVolatile(1)",
                "r0 = y.getAcquire(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", CAUSALITY),
        litmus(
                "MP+fences",
                "x.setOpaque(1); releaseFence(); y.setOpaque(1)",
                "r0 = y.getOpaque(); acquireFence(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", "JAM21, mp_fences"),
        litmus(
                "MP+releaseFence+opaque",
                "x.setOpaque(1); releaseFence(); y.setOpaque(1)",
                "r0 = y.getOpaque(); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", OPAQUE),
        litmus(
                "MP+opaque+acquireFence",
                "x.setOpaque(1); y.setOpaque(1)",
                "r0 = y.getOpaque(); acquireFence(); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", OPAQUE),
        litmus(
                "MP+releaseFence+acquire",
                "x.setOpaque(1); releaseFence(); y.setOpaque(1)",
                "r0 = y.getAcquire(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", FENCES),
        litmus(
                "MP+release+acquireFence",
                "x.setOpaque(1); y.setRelease(1)",
                "r0 = y.getOpaque(); acquireFence(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", FENCES),
        litmus(
                "MP+fullFences",
                "x.setOpaque(1); fullFence(); y.setOpaque(1)",
                "r0 = y.getOpaque(); fullFence(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", FENCES),
        litmus(
                "MP+fences the wrong way round",
                "x.setOpaque(1); acquireFence(); y.setOpaque(1)",
                "r0 = y.getOpaque(); releaseFence(); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", AXIOMS));
  }

  private static List<Litmus> storeBuffering() {
    return List.of(
        litmus(
                "SB+opaque",
                "x.setOpaque(1); r0 = y.getOpaque()",
                "y.setOpaque(1); r1 = x.getOpaque()")
            .allowed("r0=0 r1=0", "JAM21, SB")
            .allowed("r0=1 r1=1", OPAQUE),
        litmus(
                "SB+release+acquire",
                "x.setRelease(1); r0 = y.getAcquire()",
                "y.setRelease(1); r1 = x.getAcquire()")
            .allowed("r0=0 r1=0", NO_TOTAL_ORDER),
        litmus(
                "SB+volatile",
                "x.setVolatile(1); r0 = y.getVolatile()",
                "y.setVolatile(1); r1 = x.getVolatile()")
            .forbidden("r0=0 r1=0", VOLATILE)
            .allowed("r0=1 r1=0", VOLATILE)
            .allowed("r0=0 r1=1", VOLATILE)
            .allowed("r0=1 r1=1", VOLATILE),
        litmus(
                "SB+volatile+acquire",
                "x.setVolatile(1); r0 = y.getAcquire()",
                "y.setVolatile(1); r1 = x.getAcquire()")
            .allowed("r0=0 r1=0", AXIOMS),
        litmus(
                "SB+release+volatile",
                "x.setRelease(1); r0 = y.getVolatile()",
                "y.setRelease(1); r1 = x.getVolatile()")
            .allowed("r0=0 r1=0", AXIOMS),
        litmus(
                "SB+volatile+release acquire",
                "x.setVolatile(1); r0 = y.getVolatile()",
                "y.setRelease(1); r1 = x.getAcquire()")
            .allowed("r0=0 r1=0", AXIOMS),
        litmus(
                "SB+fullFences",
                "x.setOpaque(1); fullFence(); r0 = y.getOpaque()",
                "y.setOpaque(1); fullFence(); r1 = x.getOpaque()")
            .forbidden("r0=0 r1=0", "JAM21, SB+mfences"),
        litmus(
                "SB+fullFence+opaque",
                "x.setOpaque(1); fullFence(); r0 = y.getOpaque()",
                "y.setOpaque(1); r1 = x.getOpaque()")
            .allowed("r0=0 r1=0", "JAM21, X005"),
        litmus(
                "SB+fullFence+volatile",
                "x.setOpaque(1); fullFence(); r0 = y.getOpaque()",
                "y.setVolatile(1); r1 = x.getVolatile()")
            .forbidden("r0=0 r1=0", AXIOMS),
        litmus(
                "SB+releaseFence acquireFence",
                "x.setOpaque(1); releaseFence(); acquireFence(); r0 = y.getOpaque()",
                "y.setOpaque(1); releaseFence(); acquireFence(); r1 = x.getOpaque()")
            .allowed("r0=0 r1=0", NO_TOTAL_ORDER),
        litmus(
                "SB+getAndSet",
                "r2 = x.getAndSet(1); r0 = y.getVolatile()",
                "r3 = y.getAndSet(1); r1 = x.getVolatile()")
            .forbidden("r0=0 r1=0", VOLATILE),
        litmus(
                "SB+getAndSet+opaque",
                "r2 = x.getAndSet(1); r0 = y.getOpaque()",
                "r3 = y.getAndSet(1); r1 = x.getOpaque()")
            .allowed("r0=0 r1=0", AXIOMS),
        litmus(
                "SB+own value first",
                "x.setOpaque(1); r0 = x.getOpaque(); r1 = y.getOpaque()",
                "y.setOpaque(1); r2 = y.getOpaque(); r3 = x.getOpaque()")
            .allowed("r0=1 r1=0 r2=1 r3=0", "JAM21, SB+rfi-pos"));
  }

  private static List<Litmus> loadBuffering() {
    return List.of(
        litmus(
                "LB+opaque",
                "r0 = x.getOpaque(); y.setOpaque(1)",
                "r1 = y.getOpaque(); x.setOpaque(1)")
            .unexplored("r0=1 r1=1", "Lea, opaque mode: acyclic variable by variable only", LATER),
        litmus(
                "LB+release+acquire",
                "r0 = x.getAcquire(); y.setRelease(1)",
                "r1 = y.getAcquire(); x.setRelease(1)")
            .forbidden("r0=1 r1=1", CAUSALITY)
            .allowed("r0=1 r1=0", CAUSALITY)
            .allowed("r0=0 r1=1", CAUSALITY),
        litmus(
                "LB+volatile",
                "r0 = x.getVolatile(); y.setVolatile(1)",
                "r1 = y.getVolatile(); x.setVolatile(1)")
            .forbidden("r0=1 r1=1", VOLATILE));
  }

  // ---- one variable ----

  private static List<Litmus> coherence() {
    return List.of(
        litmus("CoRR+opaque", "x.setOpaque(1)", "r0 = x.getOpaque(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", "JAM21, W+RR")
            .allowed("r0=0 r1=1", COHERENCE),
        litmus("CoWW+opaque", "x.setOpaque(1); x.setOpaque(2)").forbidden("x=1", COHERENCE),
        litmus("CoWR+opaque", "x.setOpaque(1); r0 = x.getOpaque()", "x.setOpaque(2)")
            .forbidden("r0=0", COHERENCE)
            .forbidden("r0=2 x=1", COHERENCE)
            .allowed("r0=2 x=2", COHERENCE),
        litmus("CoRW1+opaque", "r0 = x.getOpaque(); x.setOpaque(1)").forbidden("r0=1", COHERENCE),
        litmus("CoRW2+opaque", "r0 = x.getOpaque(); x.setOpaque(1)", "x.setOpaque(2)")
            .forbidden("r0=2 x=2", COHERENCE)
            .allowed("r0=0 x=2", COHERENCE),
        litmus(
                "CoRR2+opaque",
                "x.setOpaque(1)",
                "x.setOpaque(2)",
                "r0 = x.getOpaque(); r1 = x.getOpaque()",
                "r2 = x.getOpaque(); r3 = x.getOpaque()")
            .forbidden("r0=1 r1=2 r2=2 r3=1", COHERENCE)
            .allowed("r0=1 r1=2 r2=1 r3=2", COHERENCE));
  }

  // ---- writes' order ----

  private static List<Litmus> writes() {
    return List.of(
        litmus("2+2W+opaque", "x.setOpaque(1); y.setOpaque(2)", "y.setOpaque(1); x.setOpaque(2)")
            .allowed("x=1 y=1", "JAM21, x86-2+2W"),
        litmus(
                "2+2W+release",
                "x.setRelease(1); y.setRelease(2)",
                "y.setRelease(1); x.setRelease(2)")
            .allowed("x=1 y=1", AXIOMS),
        litmus(
                "2+2W+volatile",
                "x.setVolatile(1); y.setVolatile(2)",
                "y.setVolatile(1); x.setVolatile(2)")
            .forbidden("x=1 y=1", "JAM21 and RC11, 2+2W"),
        litmus(
                "2+2W+fullFences",
                "x.setOpaque(1); fullFence(); y.setOpaque(2)",
                "y.setOpaque(1); fullFence(); x.setOpaque(2)")
            .forbidden("x=1 y=1", AXIOMS),
        litmus("S+opaque", "x.setOpaque(2); y.setOpaque(1)", "r0 = y.getOpaque(); x.setOpaque(1)")
            .allowed("r0=1 x=2", OPAQUE),
        litmus(
                "S+release+acquire",
                "x.setOpaque(2); y.setRelease(1)",
                "r0 = y.getAcquire(); x.setOpaque(1)")
            .forbidden("r0=1 x=2", CAUSALITY),
        litmus(
                "S+release+opaque",
                "x.setOpaque(2); y.setRelease(1)",
                "r0 = y.getOpaque(); x.setOpaque(1)")
            .allowed("r0=1 x=2", "by the axioms of RC11; Java's are stronger"),
        litmus(
                "R+release+acquire",
                "x.setRelease(1); y.setRelease(1)",
                "y.setRelease(2); r0 = x.getAcquire()")
            .allowed("r0=0 y=2", NO_TOTAL_ORDER),
        litmus(
                "R+volatile",
                "x.setVolatile(1); y.setVolatile(1)",
                "y.setVolatile(2); r0 = x.getVolatile()")
            .forbidden("r0=0 y=2", VOLATILE),
        litmus(
                "R+fullFences",
                "x.setOpaque(1); fullFence(); y.setOpaque(1)",
                "y.setOpaque(2); fullFence(); r0 = x.getOpaque()")
            .forbidden("r0=0 y=2", FENCES));
  }

  // ---- four threads ----

  private static List<Litmus> independentReads() {
    return List.of(
        litmus(
                "IRIW+opaque",
                "x.setOpaque(1)",
                "y.setOpaque(1)",
                "r0 = x.getOpaque(); r1 = y.getOpaque()",
                "r2 = y.getOpaque(); r3 = x.getOpaque()")
            .allowed("r0=1 r1=0 r2=1 r3=0", "JAM21, IRIW"),
        litmus(
                "IRIW+release+acquire",
                "x.setRelease(1)",
                "y.setRelease(1)",
                "r0 = x.getAcquire(); r1 = y.getAcquire()",
                "r2 = y.getAcquire(); r3 = x.getAcquire()")
            .allowed("r0=1 r1=0 r2=1 r3=0", "Lea, IRIW; JAM21, IRIW+poaas+LL"),
        litmus(
                "IRIW+volatile",
                "x.setVolatile(1)",
                "y.setVolatile(1)",
                "r0 = x.getVolatile(); r1 = y.getVolatile()",
                "r2 = y.getVolatile(); r3 = x.getVolatile()")
            .forbidden("r0=1 r1=0 r2=1 r3=0", "Lea, IRIW; JAM21, iriw_sc"),
        litmus(
                "IRIW+volatile writes",
                "x.setVolatile(1)",
                "y.setVolatile(1)",
                "r0 = x.getAcquire(); r1 = y.getAcquire()",
                "r2 = y.getAcquire(); r3 = x.getAcquire()")
            .allowed("r0=1 r1=0 r2=1 r3=0", "JAM21, cppmem_iriw_relacq"),
        litmus(
                "IRIW+volatile second reads",
                "x.setVolatile(1)",
                "y.setVolatile(1)",
                "r0 = x.getAcquire(); r1 = y.getVolatile()",
                "r2 = y.getAcquire(); r3 = x.getVolatile()")
            .allowed("r0=1 r1=0 r2=1 r3=0", "RC11 and JAM21, IRIW-acq-sc"),
        litmus(
                "IRIW+volatile reads",
                "x.setOpaque(1)",
                "y.setOpaque(1)",
                "r0 = x.getVolatile(); r1 = y.getVolatile()",
                "r2 = y.getVolatile(); r3 = x.getVolatile()")
            .forbidden("r0=1 r1=0 r2=1 r3=0", "by the axioms of JAM21"),
        litmus(
                "IRIW+fullFences",
                "x.setOpaque(1)",
                "y.setOpaque(1)",
                "r0 = x.getOpaque(); fullFence(); r1 = y.getOpaque()",
                "r2 = y.getOpaque(); fullFence(); r3 = x.getOpaque()")
            .forbidden("r0=1 r1=0 r2=1 r3=0", AXIOMS),
        litmus(
                "IRIW+acquireFences",
                "x.setRelease(1)",
                "y.setRelease(1)",
                "r0 = x.getOpaque(); acquireFence(); r1 = y.getOpaque()",
                "r2 = y.getOpaque(); acquireFence(); r3 = x.getOpaque()")
            .allowed("r0=1 r1=0 r2=1 r3=0", NO_TOTAL_ORDER));
  }

  // ---- three threads ----

  private static List<Litmus> cumulativity() {
    return List.of(
        litmus(
                "WRC+opaque",
                "x.setOpaque(1)",
                "r0 = x.getOpaque(); y.setOpaque(1)",
                "r1 = y.getOpaque(); r2 = x.getOpaque()")
            .allowed("r0=1 r1=1 r2=0", OPAQUE),
        litmus(
                "WRC+release+acquire",
                "x.setRelease(1)",
                "r0 = x.getAcquire(); y.setRelease(1)",
                "r1 = y.getAcquire(); r2 = x.getAcquire()")
            .forbidden("r0=1 r1=1 r2=0", CAUSALITY),
        litmus(
                "WRC+opaque write, release+acquire",
                "x.setOpaque(1)",
                "r0 = x.getOpaque(); y.setRelease(1)",
                "r1 = y.getAcquire(); r2 = x.getOpaque()")
            .forbidden("r0=1 r1=1 r2=0", CAUSALITY),
        litmus(
                "WRC+acquire, opaque write",
                "x.setRelease(1)",
                "r0 = x.getAcquire(); y.setOpaque(1)",
                "r1 = y.getAcquire(); r2 = x.getOpaque()")
            .allowed("r0=1 r1=1 r2=0", "by the axioms of RC11; Java's are stronger"),
        litmus(
                "ISA2+release+acquire",
                "x.setOpaque(1); y.setRelease(1)",
                "r0 = y.getAcquire(); z.setRelease(1)",
                "r1 = z.getAcquire(); r2 = x.getOpaque()")
            .forbidden("r0=1 r1=1 r2=0", CAUSALITY),
        litmus(
                "ISA2+fences",
                "x.setOpaque(1); releaseFence(); y.setOpaque(1)",
                "r0 = y.getOpaque(); acquireFence(); releaseFence(); z.setOpaque(1)",
                "r1 = z.getOpaque(); acquireFence(); r2 = x.getOpaque()")
            .forbidden("r0=1 r1=1 r2=0", FENCES),
        litmus(
                "ISA2+opaque",
                "x.setOpaque(1); y.setOpaque(1)",
                "r0 = y.getOpaque(); z.setOpaque(1)",
                "r1 = z.getOpaque(); r2 = x.getOpaque()")
            .allowed("r0=1 r1=1 r2=0", OPAQUE),
        litmus(
                "RWC+release+acquire",
                "x.setRelease(1)",
                "r0 = x.getAcquire(); r1 = y.getAcquire()",
                "y.setRelease(1); r2 = x.getAcquire()")
            .allowed("r0=1 r1=0 r2=0", NO_TOTAL_ORDER),
        litmus(
                "RWC+volatile",
                "x.setVolatile(1)",
                "r0 = x.getVolatile(); r1 = y.getVolatile()",
                "y.setVolatile(1); r2 = x.getVolatile()")
            .forbidden("r0=1 r1=0 r2=0", VOLATILE),
        litmus(
                "RWC+fullFences",
                "x.setOpaque(1)",
                "r0 = x.getOpaque(); fullFence(); r1 = y.getOpaque()",
                "y.setOpaque(1); fullFence(); r2 = x.getOpaque()")
            .forbidden("r0=1 r1=0 r2=0", "RC11 and JAM21, RWC+syncs"),
        litmus(
                "W+RWC+fullFences",
                "x.setOpaque(1); z.setRelease(1)",
                "r0 = z.getAcquire(); fullFence(); r1 = y.getOpaque()",
                "y.setOpaque(1); fullFence(); r2 = x.getOpaque()")
            .forbidden("r0=1 r1=0 r2=0", "RC11 and JAM21, W+RWC"),
        litmus(
                "W+RWC+volatile",
                "x.setVolatile(1); z.setRelease(1)",
                "r0 = z.getAcquire(); r1 = y.getVolatile()",
                "y.setVolatile(1); r2 = x.getVolatile()")
            .allowed("r0=1 r1=0 r2=0", "by the axioms of JAM21"),
        litmus(
                "Z6.U",
                "x.setVolatile(1); y.setRelease(1)",
                "r0 = y.getAndAdd(1); r1 = y.getOpaque()",
                "y.setVolatile(3); r2 = x.getVolatile()")
            .allowed("r0=1 r1=3 r2=0", "RC11 and JAM21, Z6.U"),
        litmus(
                "Z6+volatile",
                "x.setVolatile(1); y.setVolatile(1)",
                "y.setVolatile(2); z.setVolatile(1)",
                "z.setVolatile(2); r0 = x.getVolatile()")
            .forbidden("r0=0 y=2 z=2", VOLATILE),
        litmus(
                "Z6+fullFences",
                "x.setOpaque(1); fullFence(); y.setOpaque(1)",
                "y.setOpaque(2); fullFence(); z.setOpaque(1)",
                "z.setOpaque(2); fullFence(); r0 = x.getOpaque()")
            .forbidden("r0=0 y=2 z=2", AXIOMS),
        litmus(
                "Z6+release",
                "x.setRelease(1); y.setRelease(1)",
                "y.setRelease(2); z.setRelease(1)",
                "z.setRelease(2); r0 = x.getAcquire()")
            .allowed("r0=0 y=2 z=2", NO_TOTAL_ORDER));
  }

  // ---- read-modify-writes ----

  private static List<Litmus> modifications() {
    return List.of(
        litmus("getAndAdd", "r0 = x.getAndAdd(1)", "r1 = x.getAndAdd(1)")
            .forbidden("r0=0 r1=0", ATOMIC)
            .forbidden("x=1", ATOMIC)
            .allowed("r0=0 r1=1 x=2", ATOMIC)
            .allowed("r0=1 r1=0 x=2", ATOMIC),
        litmus(
                "getAndAdd+acquire+release",
                "r0 = x.getAndAddAcquire(1); r1 = x.getAndAddRelease(1)",
                "r2 = x.getAndAddRelease(1); r3 = x.getAndAddAcquire(1)")
            .forbidden("x=3", ATOMIC)
            .allowed("r0=0 r1=1 r2=2 r3=3 x=4", ATOMIC)
            .allowed("r0=0 r1=3 r2=1 r3=2 x=4", ATOMIC),
        litmus("compareAndSet", "r0 = x.compareAndSet(0, 1)", "r1 = x.compareAndSet(0, 2)")
            .forbidden("r0=1 r1=1", ATOMIC)
            .forbidden("r0=0 r1=0", ATOMIC)
            .allowed("r0=1 r1=0 x=1", ATOMIC)
            .allowed("r0=0 r1=1 x=2", ATOMIC),
        litmus(
                "weakCompareAndSetPlain",
                "r0 = x.weakCompareAndSetPlain(0, 1)",
                "r1 = x.weakCompareAndSetPlain(0, 2)")
            .forbidden("r0=1 r1=1", ATOMIC)
            .allowed("r0=1 r1=0 x=1", ATOMIC),
        litmus("compareAndSet+set", "r0 = x.compareAndSet(0, 1)", "x.setOpaque(2)")
            .forbidden("r0=1 x=1", ATOMIC)
            .allowed("r0=1 x=2", ATOMIC)
            .allowed("r0=0 x=2", ATOMIC)
            .forbidden("r0=0 x=1", ATOMIC),
        litmus(
                "MP+getAndSetRelease+getAndSetAcquire",
                "x.setOpaque(1); r2 = y.getAndSetRelease(1)",
                "r0 = y.getAndSetAcquire(2); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", CAUSALITY),
        litmus(
                "MP+getAndSetAcquire+getAndSetRelease",
                "x.setOpaque(1); r2 = y.getAndSetAcquire(1)",
                "r0 = y.getAndSetRelease(2); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", OPAQUE),
        litmus(
                "MP+weakCompareAndSetRelease+Acquire",
                "x.setOpaque(1); r2 = y.weakCompareAndSetRelease(0, 1)",
                "r0 = y.weakCompareAndSetAcquire(1, 2); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", CAUSALITY)
            .allowed("r0=1 r1=1", CAUSALITY),
        litmus(
                "MP+weakCompareAndSetPlain",
                "x.setOpaque(1); r2 = y.weakCompareAndSetPlain(0, 1)",
                "r0 = y.weakCompareAndSetPlain(1, 2); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", AXIOMS),
        litmus(
                "MP+weakCompareAndSet",
                "x.setOpaque(1); r2 = y.weakCompareAndSet(0, 1)",
                "r0 = y.weakCompareAndSet(1, 2); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", VOLATILE),
        litmus(
                "Release sequence+other's modification",
                "x.setOpaque(1); y.setRelease(1)",
                "r2 = y.getAndAddAcquire(1)",
                "r0 = y.getAcquire(); r1 = x.getOpaque()")
            .forbidden("r0=2 r1=0 r2=1", "RC11: release sequences; by the axioms of JAM21")
            .allowed("r0=1 r1=0 r2=0", AXIOMS),
        litmus(
                "Release sequence+weakCompareAndSetPlain",
                "x.setOpaque(1); y.setRelease(1)",
                "r2 = y.weakCompareAndSetPlain(1, 2)",
                "r0 = y.getAcquire(); r1 = x.getOpaque()")
            .forbidden("r0=2 r1=0", "RC11: release sequences; by the axioms of JAM21"),
        litmus(
                "Release sequence+other's write",
                "x.setOpaque(1); y.setRelease(1)",
                "r2 = y.getOpaque(); y.setOpaque(2)",
                "r0 = y.getAcquire(); r1 = x.getOpaque()")
            .allowed("r0=2 r1=0 r2=1", "RC11: release sequences; by the axioms of JAM21"),
        litmus(
                "Release sequence+own write",
                "x.setOpaque(1); y.setRelease(1); y.setOpaque(2)",
                "r0 = y.getAcquire(); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", CAUSALITY)
            .allowed("r0=2 r1=0", "JAM21, mp_relacq_rs; C++20"));
  }

  private static List<Litmus> failures() {
    return List.of(
        litmus(
                "MP+failed compareAndSet",
                "x.setOpaque(1); y.setRelease(1)",
                "r0 = y.compareAndSet(2, 3); r1 = x.getOpaque(); r2 = y.getOpaque()")
            .allowed("r0=0 r1=0 r2=1", AXIOMS),
        litmus(
                "MP+failed compareAndExchange",
                "x.setOpaque(1); y.setRelease(1)",
                "r0 = y.compareAndExchange(2, 3); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", "VarHandle: compareAndExchange reads as getVolatile"),
        litmus(
                "MP+failed compareAndExchangeAcquire",
                "x.setOpaque(1); y.setRelease(1)",
                "r0 = y.compareAndExchangeAcquire(2, 3); r1 = x.getOpaque()")
            .forbidden("r0=1 r1=0", "VarHandle: compareAndExchangeAcquire reads as getAcquire"),
        litmus(
                "MP+failed compareAndExchangeRelease",
                "x.setOpaque(1); y.setRelease(1)",
                "r0 = y.compareAndExchangeRelease(2, 3); r1 = x.getOpaque()")
            .allowed("r0=1 r1=0", "VarHandle: compareAndExchangeRelease reads as get"),
        litmus(
                "SB+failed compareAndExchange",
                "r0 = x.compareAndExchange(2, 3); r1 = y.getVolatile()",
                "y.setVolatile(1); x.setVolatile(1)")
            .forbidden("r0=1 r1=0", VOLATILE)
            .allowed("r0=0 r1=1", VOLATILE));
  }

  // ---- volatile accesses beside weaker ones ----

  private static List<Litmus> mixedVolatile() {
    return List.of(
        litmus(
                "MP+volatile writes+opaque volatile",
                "x.setVolatile(1); y.setVolatile(1)",
                "r0 = y.getOpaque(); r1 = x.getVolatile()")
            .allowed("r0=1 r1=0", AXIOMS),
        litmus(
                "MP+volatile writes+volatile opaque volatile",
                "x.setVolatile(1); y.setVolatile(1)",
                "r2 = z.getVolatile(); r0 = y.getOpaque(); r1 = x.getVolatile()")
            .allowed("r0=1 r1=0", AXIOMS),
        litmus(
                "MP+volatile opaque",
                "x.setVolatile(1); y.setOpaque(1)",
                "r0 = y.getVolatile(); r1 = x.getVolatile()")
            .allowed("r0=1 r1=0", AXIOMS),
        litmus(
                "RWC+volatile writer",
                "x.setVolatile(1); r0 = y.getVolatile()",
                "y.setVolatile(1); z.setVolatile(1)",
                "r1 = z.getAcquire(); r2 = x.getOpaque()")
            .allowed("r0=0 r1=1 r2=0", "by the axioms of RC11; Java's are stronger"),
        litmus(
                "ra-non-global",
                "y.setVolatile(2); r0 = x.getVolatile()",
                "x.setVolatile(1)",
                "r1 = x.getVolatile(); y.setVolatile(1)",
                "r2 = y.getVolatile(); r3 = y.getVolatile()")
            .forbidden("r0=0 r1=1 r2=1 r3=2", "JAM21, ra-non-global.4"));
  }
}

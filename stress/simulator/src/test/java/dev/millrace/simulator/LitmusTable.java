package dev.millrace.simulator;

import dev.millrace.simulator.litmus.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The litmus tests: what Java's memory model allows of small programs, and who says so.
 *
 * <p>Each has a name, a program ({@link dev.millrace.simulator.litmus.Program}) and outcomes with
 * their source. {@code Lea} is Doug Lea, <a
 * href="https://gee.cs.oswego.edu/dl/html/j9mm.html">Using JDK 9 Memory Order Modes</a>; {@code
 * JAM21} and {@code RC11} are the models of {@link Axioms}, with the name of the test in their
 * papers' own collections. Each outcome is also judged by the axioms of both. Where JAM21 forbids
 * what RC11 allows, hardware often shows it, and the simulator may.
 */
final class LitmusTable {
  /** Sources that are often cited, by the names that the table has for them. */
  private static final Map<String, String> SOURCES =
      Map.of(
          "OPAQUE", "Lea, opaque mode: variables are not ordered",
          "COHERENCE", "Lea, opaque mode: each variable is coherent",
          "CAUSALITY", "Lea, release/acquire mode: causality",
          "NO_TOTAL_ORDER", "Lea, release/acquire mode: no total order",
          "VOLATILE", "Lea, volatile mode: accesses are totally ordered",
          "FENCES", "Lea, fences: as strong as the modes",
          "ATOMIC", "Lea, read-modify-writes: nothing comes between",
          "AXIOMS", "by the axioms of JAM21 and RC11");

  /** Why an outcome is unexplored. */
  private static final String LATER =
      "no read sees a write that comes later in the order of execution";

  private static final Pattern OUTCOME =
      Pattern.compile("(allowed|forbidden|unexplored) ([^:]+): (.*)");

  private static final String TESTS =
      """
      MP+opaque
        x.setOpaque(1); y.setOpaque(1) || r0 = y.getOpaque(); r1 = x.getOpaque()
        allowed r0=1 r1=0 or r0=1 r1=1: OPAQUE

      MP+release+acquire
        x.setOpaque(1); y.setRelease(1) || r0 = y.getAcquire(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: CAUSALITY
        allowed r0=0 r1=1: OPAQUE
        allowed r0=1 r1=1: CAUSALITY

      MP+release+opaque
        x.setOpaque(1); y.setRelease(1) || r0 = y.getOpaque(); r1 = x.getOpaque()
        allowed r0=1 r1=0: OPAQUE

      MP+opaque+acquire
        x.setOpaque(1); y.setOpaque(1) || r0 = y.getAcquire(); r1 = x.getOpaque()
        allowed r0=1 r1=0: OPAQUE

      MP+volatile
        x.setVolatile(1); y.setVolatile(1) || r0 = y.getVolatile(); r1 = x.getVolatile()
        forbidden r0=1 r1=0: VOLATILE

      MP+volatile flag
        x.setOpaque(1); y.setVolatile(1) || r0 = y.getVolatile(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: JAM21, mp_sc

      MP+volatile+acquire
        x.setOpaque(1); y.setVolatile(1) || r0 = y.getAcquire(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: CAUSALITY

      MP+fences
        x.setOpaque(1); releaseFence(); y.setOpaque(1)
        || r0 = y.getOpaque(); acquireFence(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: JAM21, mp_fences

      MP+releaseFence+opaque
        x.setOpaque(1); releaseFence(); y.setOpaque(1) || r0 = y.getOpaque(); r1 = x.getOpaque()
        allowed r0=1 r1=0: OPAQUE

      MP+opaque+acquireFence
        x.setOpaque(1); y.setOpaque(1) || r0 = y.getOpaque(); acquireFence(); r1 = x.getOpaque()
        allowed r0=1 r1=0: OPAQUE

      MP+releaseFence+acquire
        x.setOpaque(1); releaseFence(); y.setOpaque(1) || r0 = y.getAcquire(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: FENCES

      MP+release+acquireFence
        x.setOpaque(1); y.setRelease(1) || r0 = y.getOpaque(); acquireFence(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: FENCES

      MP+fullFences
        x.setOpaque(1); fullFence(); y.setOpaque(1)
        || r0 = y.getOpaque(); fullFence(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: FENCES

      MP+fences the wrong way round
        x.setOpaque(1); acquireFence(); y.setOpaque(1)
        || r0 = y.getOpaque(); releaseFence(); r1 = x.getOpaque()
        allowed r0=1 r1=0: AXIOMS

      SB+opaque
        x.setOpaque(1); r0 = y.getOpaque() || y.setOpaque(1); r1 = x.getOpaque()
        allowed r0=0 r1=0: JAM21, SB
        allowed r0=1 r1=1: OPAQUE

      SB+release+acquire
        x.setRelease(1); r0 = y.getAcquire() || y.setRelease(1); r1 = x.getAcquire()
        allowed r0=0 r1=0: NO_TOTAL_ORDER

      SB+volatile
        x.setVolatile(1); r0 = y.getVolatile() || y.setVolatile(1); r1 = x.getVolatile()
        forbidden r0=0 r1=0: VOLATILE
        allowed r0=1 r1=0 or r0=0 r1=1 or r0=1 r1=1: VOLATILE

      SB+volatile+acquire
        x.setVolatile(1); r0 = y.getAcquire() || y.setVolatile(1); r1 = x.getAcquire()
        allowed r0=0 r1=0: AXIOMS

      SB+release+volatile
        x.setRelease(1); r0 = y.getVolatile() || y.setRelease(1); r1 = x.getVolatile()
        allowed r0=0 r1=0: AXIOMS

      SB+volatile+release acquire
        x.setVolatile(1); r0 = y.getVolatile() || y.setRelease(1); r1 = x.getAcquire()
        allowed r0=0 r1=0: AXIOMS

      SB+fullFences
        x.setOpaque(1); fullFence(); r0 = y.getOpaque()
        || y.setOpaque(1); fullFence(); r1 = x.getOpaque()
        forbidden r0=0 r1=0: JAM21, SB+mfences

      SB+fullFence+opaque
        x.setOpaque(1); fullFence(); r0 = y.getOpaque() || y.setOpaque(1); r1 = x.getOpaque()
        allowed r0=0 r1=0: JAM21, X005

      SB+fullFence+volatile
        x.setOpaque(1); fullFence(); r0 = y.getOpaque() || y.setVolatile(1); r1 = x.getVolatile()
        forbidden r0=0 r1=0: AXIOMS

      SB+releaseFence acquireFence
        x.setOpaque(1); releaseFence(); acquireFence(); r0 = y.getOpaque()
        || y.setOpaque(1); releaseFence(); acquireFence(); r1 = x.getOpaque()
        allowed r0=0 r1=0: NO_TOTAL_ORDER

      SB+getAndSet
        r2 = x.getAndSet(1); r0 = y.getVolatile() || r3 = y.getAndSet(1); r1 = x.getVolatile()
        forbidden r0=0 r1=0: VOLATILE

      SB+getAndSet+opaque
        r2 = x.getAndSet(1); r0 = y.getOpaque() || r3 = y.getAndSet(1); r1 = x.getOpaque()
        allowed r0=0 r1=0: AXIOMS

      SB+own value first
        x.setOpaque(1); r0 = x.getOpaque(); r1 = y.getOpaque()
        || y.setOpaque(1); r2 = y.getOpaque(); r3 = x.getOpaque()
        allowed r0=1 r1=0 r2=1 r3=0: JAM21, SB+rfi-pos

      LB+opaque
        r0 = x.getOpaque(); y.setOpaque(1) || r1 = y.getOpaque(); x.setOpaque(1)
        unexplored r0=1 r1=1: Lea, opaque mode: acyclic variable by variable only

      LB+release+acquire
        r0 = x.getAcquire(); y.setRelease(1) || r1 = y.getAcquire(); x.setRelease(1)
        forbidden r0=1 r1=1: CAUSALITY
        allowed r0=1 r1=0 or r0=0 r1=1: CAUSALITY

      LB+volatile
        r0 = x.getVolatile(); y.setVolatile(1) || r1 = y.getVolatile(); x.setVolatile(1)
        forbidden r0=1 r1=1: VOLATILE

      CoRR+opaque
        x.setOpaque(1) || r0 = x.getOpaque(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: JAM21, W+RR
        allowed r0=0 r1=1: COHERENCE

      CoWW+opaque
        x.setOpaque(1); x.setOpaque(2)
        forbidden x=1: COHERENCE

      CoWR+opaque
        x.setOpaque(1); r0 = x.getOpaque() || x.setOpaque(2)
        forbidden r0=0 or r0=2 x=1: COHERENCE
        allowed r0=2 x=2: COHERENCE

      CoRW1+opaque
        r0 = x.getOpaque(); x.setOpaque(1)
        forbidden r0=1: COHERENCE

      CoRW2+opaque
        r0 = x.getOpaque(); x.setOpaque(1) || x.setOpaque(2)
        forbidden r0=2 x=2: COHERENCE
        allowed r0=0 x=2: COHERENCE

      CoRR2+opaque
        x.setOpaque(1) || x.setOpaque(2) || r0 = x.getOpaque(); r1 = x.getOpaque()
        || r2 = x.getOpaque(); r3 = x.getOpaque()
        forbidden r0=1 r1=2 r2=2 r3=1: COHERENCE
        allowed r0=1 r1=2 r2=1 r3=2: COHERENCE

      2+2W+opaque
        x.setOpaque(1); y.setOpaque(2) || y.setOpaque(1); x.setOpaque(2)
        allowed x=1 y=1: JAM21, x86-2+2W

      2+2W+release
        x.setRelease(1); y.setRelease(2) || y.setRelease(1); x.setRelease(2)
        allowed x=1 y=1: AXIOMS

      2+2W+volatile
        x.setVolatile(1); y.setVolatile(2) || y.setVolatile(1); x.setVolatile(2)
        forbidden x=1 y=1: JAM21 and RC11, 2+2W

      2+2W+fullFences
        x.setOpaque(1); fullFence(); y.setOpaque(2) || y.setOpaque(1); fullFence(); x.setOpaque(2)
        forbidden x=1 y=1: AXIOMS

      S+opaque
        x.setOpaque(2); y.setOpaque(1) || r0 = y.getOpaque(); x.setOpaque(1)
        allowed r0=1 x=2: OPAQUE

      S+release+acquire
        x.setOpaque(2); y.setRelease(1) || r0 = y.getAcquire(); x.setOpaque(1)
        forbidden r0=1 x=2: CAUSALITY

      S+release+opaque
        x.setOpaque(2); y.setRelease(1) || r0 = y.getOpaque(); x.setOpaque(1)
        allowed r0=1 x=2: by the axioms of RC11; Java's are stronger

      R+release+acquire
        x.setRelease(1); y.setRelease(1) || y.setRelease(2); r0 = x.getAcquire()
        allowed r0=0 y=2: NO_TOTAL_ORDER

      R+volatile
        x.setVolatile(1); y.setVolatile(1) || y.setVolatile(2); r0 = x.getVolatile()
        forbidden r0=0 y=2: VOLATILE

      R+fullFences
        x.setOpaque(1); fullFence(); y.setOpaque(1)
        || y.setOpaque(2); fullFence(); r0 = x.getOpaque()
        forbidden r0=0 y=2: FENCES

      IRIW+opaque
        x.setOpaque(1) || y.setOpaque(1) || r0 = x.getOpaque(); r1 = y.getOpaque()
        || r2 = y.getOpaque(); r3 = x.getOpaque()
        allowed r0=1 r1=0 r2=1 r3=0: JAM21, IRIW

      IRIW+release+acquire
        x.setRelease(1) || y.setRelease(1) || r0 = x.getAcquire(); r1 = y.getAcquire()
        || r2 = y.getAcquire(); r3 = x.getAcquire()
        allowed r0=1 r1=0 r2=1 r3=0: Lea, IRIW; JAM21, IRIW+poaas+LL

      IRIW+volatile
        x.setVolatile(1) || y.setVolatile(1) || r0 = x.getVolatile(); r1 = y.getVolatile()
        || r2 = y.getVolatile(); r3 = x.getVolatile()
        forbidden r0=1 r1=0 r2=1 r3=0: Lea, IRIW; JAM21, iriw_sc

      IRIW+volatile writes
        x.setVolatile(1) || y.setVolatile(1) || r0 = x.getAcquire(); r1 = y.getAcquire()
        || r2 = y.getAcquire(); r3 = x.getAcquire()
        allowed r0=1 r1=0 r2=1 r3=0: JAM21, cppmem_iriw_relacq

      IRIW+volatile second reads
        x.setVolatile(1) || y.setVolatile(1) || r0 = x.getAcquire(); r1 = y.getVolatile()
        || r2 = y.getAcquire(); r3 = x.getVolatile()
        allowed r0=1 r1=0 r2=1 r3=0: RC11 and JAM21, IRIW-acq-sc

      IRIW+volatile reads
        x.setOpaque(1) || y.setOpaque(1) || r0 = x.getVolatile(); r1 = y.getVolatile()
        || r2 = y.getVolatile(); r3 = x.getVolatile()
        forbidden r0=1 r1=0 r2=1 r3=0: by the axioms of JAM21

      IRIW+fullFences
        x.setOpaque(1) || y.setOpaque(1) || r0 = x.getOpaque(); fullFence(); r1 = y.getOpaque()
        || r2 = y.getOpaque(); fullFence(); r3 = x.getOpaque()
        forbidden r0=1 r1=0 r2=1 r3=0: AXIOMS

      IRIW+acquireFences
        x.setRelease(1) || y.setRelease(1) || r0 = x.getOpaque(); acquireFence(); r1 = y.getOpaque()
        || r2 = y.getOpaque(); acquireFence(); r3 = x.getOpaque()
        allowed r0=1 r1=0 r2=1 r3=0: NO_TOTAL_ORDER

      WRC+opaque
        x.setOpaque(1) || r0 = x.getOpaque(); y.setOpaque(1)
        || r1 = y.getOpaque(); r2 = x.getOpaque()
        allowed r0=1 r1=1 r2=0: OPAQUE

      WRC+release+acquire
        x.setRelease(1) || r0 = x.getAcquire(); y.setRelease(1)
        || r1 = y.getAcquire(); r2 = x.getAcquire()
        forbidden r0=1 r1=1 r2=0: CAUSALITY

      WRC+opaque write, release+acquire
        x.setOpaque(1) || r0 = x.getOpaque(); y.setRelease(1)
        || r1 = y.getAcquire(); r2 = x.getOpaque()
        forbidden r0=1 r1=1 r2=0: CAUSALITY

      WRC+acquire, opaque write
        x.setRelease(1) || r0 = x.getAcquire(); y.setOpaque(1)
        || r1 = y.getAcquire(); r2 = x.getOpaque()
        allowed r0=1 r1=1 r2=0: by the axioms of RC11; Java's are stronger

      ISA2+release+acquire
        x.setOpaque(1); y.setRelease(1) || r0 = y.getAcquire(); z.setRelease(1)
        || r1 = z.getAcquire(); r2 = x.getOpaque()
        forbidden r0=1 r1=1 r2=0: CAUSALITY

      ISA2+fences
        x.setOpaque(1); releaseFence(); y.setOpaque(1)
        || r0 = y.getOpaque(); acquireFence(); releaseFence(); z.setOpaque(1)
        || r1 = z.getOpaque(); acquireFence(); r2 = x.getOpaque()
        forbidden r0=1 r1=1 r2=0: FENCES

      ISA2+opaque
        x.setOpaque(1); y.setOpaque(1) || r0 = y.getOpaque(); z.setOpaque(1)
        || r1 = z.getOpaque(); r2 = x.getOpaque()
        allowed r0=1 r1=1 r2=0: OPAQUE

      RWC+release+acquire
        x.setRelease(1) || r0 = x.getAcquire(); r1 = y.getAcquire()
        || y.setRelease(1); r2 = x.getAcquire()
        allowed r0=1 r1=0 r2=0: NO_TOTAL_ORDER

      RWC+volatile
        x.setVolatile(1) || r0 = x.getVolatile(); r1 = y.getVolatile()
        || y.setVolatile(1); r2 = x.getVolatile()
        forbidden r0=1 r1=0 r2=0: VOLATILE

      RWC+fullFences
        x.setOpaque(1) || r0 = x.getOpaque(); fullFence(); r1 = y.getOpaque()
        || y.setOpaque(1); fullFence(); r2 = x.getOpaque()
        forbidden r0=1 r1=0 r2=0: RC11 and JAM21, RWC+syncs

      W+RWC+fullFences
        x.setOpaque(1); z.setRelease(1) || r0 = z.getAcquire(); fullFence(); r1 = y.getOpaque()
        || y.setOpaque(1); fullFence(); r2 = x.getOpaque()
        forbidden r0=1 r1=0 r2=0: RC11 and JAM21, W+RWC

      W+RWC+volatile
        x.setVolatile(1); z.setRelease(1) || r0 = z.getAcquire(); r1 = y.getVolatile()
        || y.setVolatile(1); r2 = x.getVolatile()
        allowed r0=1 r1=0 r2=0: by the axioms of JAM21

      Z6.U
        x.setVolatile(1); y.setRelease(1) || r0 = y.getAndAdd(1); r1 = y.getOpaque()
        || y.setVolatile(3); r2 = x.getVolatile()
        allowed r0=1 r1=3 r2=0: RC11 and JAM21, Z6.U

      Z6+volatile
        x.setVolatile(1); y.setVolatile(1) || y.setVolatile(2); z.setVolatile(1)
        || z.setVolatile(2); r0 = x.getVolatile()
        forbidden r0=0 y=2 z=2: VOLATILE

      Z6+fullFences
        x.setOpaque(1); fullFence(); y.setOpaque(1) || y.setOpaque(2); fullFence(); z.setOpaque(1)
        || z.setOpaque(2); fullFence(); r0 = x.getOpaque()
        forbidden r0=0 y=2 z=2: AXIOMS

      Z6+release
        x.setRelease(1); y.setRelease(1) || y.setRelease(2); z.setRelease(1)
        || z.setRelease(2); r0 = x.getAcquire()
        allowed r0=0 y=2 z=2: NO_TOTAL_ORDER

      getAndAdd
        r0 = x.getAndAdd(1) || r1 = x.getAndAdd(1)
        forbidden r0=0 r1=0 or x=1: ATOMIC
        allowed r0=0 r1=1 x=2 or r0=1 r1=0 x=2: ATOMIC

      getAndAdd+acquire+release
        r0 = x.getAndAddAcquire(1); r1 = x.getAndAddRelease(1)
        || r2 = x.getAndAddRelease(1); r3 = x.getAndAddAcquire(1)
        forbidden x=3: ATOMIC
        allowed r0=0 r1=1 r2=2 r3=3 x=4 or r0=0 r1=3 r2=1 r3=2 x=4: ATOMIC

      compareAndSet
        r0 = x.compareAndSet(0, 1) || r1 = x.compareAndSet(0, 2)
        forbidden r0=1 r1=1 or r0=0 r1=0: ATOMIC
        allowed r0=1 r1=0 x=1 or r0=0 r1=1 x=2: ATOMIC

      weakCompareAndSetPlain
        r0 = x.weakCompareAndSetPlain(0, 1) || r1 = x.weakCompareAndSetPlain(0, 2)
        forbidden r0=1 r1=1: ATOMIC
        allowed r0=1 r1=0 x=1: ATOMIC

      compareAndSet+set
        r0 = x.compareAndSet(0, 1) || x.setOpaque(2)
        forbidden r0=1 x=1: ATOMIC
        allowed r0=1 x=2 or r0=0 x=2: ATOMIC
        forbidden r0=0 x=1: ATOMIC

      MP+getAndSetRelease+getAndSetAcquire
        x.setOpaque(1); r2 = y.getAndSetRelease(1) || r0 = y.getAndSetAcquire(2); r1 = x.getOpaque()
        forbidden r0=1 r1=0: CAUSALITY

      MP+getAndSetAcquire+getAndSetRelease
        x.setOpaque(1); r2 = y.getAndSetAcquire(1) || r0 = y.getAndSetRelease(2); r1 = x.getOpaque()
        allowed r0=1 r1=0: OPAQUE

      MP+weakCompareAndSetRelease+Acquire
        x.setOpaque(1); r2 = y.weakCompareAndSetRelease(0, 1)
        || r0 = y.weakCompareAndSetAcquire(1, 2); r1 = x.getOpaque()
        forbidden r0=1 r1=0: CAUSALITY
        allowed r0=1 r1=1: CAUSALITY

      MP+weakCompareAndSetPlain
        x.setOpaque(1); r2 = y.weakCompareAndSetPlain(0, 1)
        || r0 = y.weakCompareAndSetPlain(1, 2); r1 = x.getOpaque()
        allowed r0=1 r1=0: AXIOMS

      MP+weakCompareAndSet
        x.setOpaque(1); r2 = y.weakCompareAndSet(0, 1)
        || r0 = y.weakCompareAndSet(1, 2); r1 = x.getOpaque()
        forbidden r0=1 r1=0: VOLATILE

      Release sequence+other's modification
        x.setOpaque(1); y.setRelease(1) || r2 = y.getAndAddAcquire(1)
        || r0 = y.getAcquire(); r1 = x.getOpaque()
        forbidden r0=2 r1=0 r2=1: RC11: release sequences; by the axioms of JAM21
        allowed r0=1 r1=0 r2=0: AXIOMS

      Release sequence+weakCompareAndSetPlain
        x.setOpaque(1); y.setRelease(1) || r2 = y.weakCompareAndSetPlain(1, 2)
        || r0 = y.getAcquire(); r1 = x.getOpaque()
        forbidden r0=2 r1=0: RC11: release sequences; by the axioms of JAM21

      Release sequence+other's write
        x.setOpaque(1); y.setRelease(1) || r2 = y.getOpaque(); y.setOpaque(2)
        || r0 = y.getAcquire(); r1 = x.getOpaque()
        allowed r0=2 r1=0 r2=1: RC11: release sequences; by the axioms of JAM21

      Release sequence+own write
        x.setOpaque(1); y.setRelease(1); y.setOpaque(2) || r0 = y.getAcquire(); r1 = x.getOpaque()
        forbidden r0=1 r1=0: CAUSALITY
        allowed r0=2 r1=0: JAM21, mp_relacq_rs; C++20

      MP+failed compareAndSet
        x.setOpaque(1); y.setRelease(1)
        || r0 = y.compareAndSet(2, 3); r1 = x.getOpaque(); r2 = y.getOpaque()
        allowed r0=0 r1=0 r2=1: AXIOMS

      MP+failed compareAndExchange
        x.setOpaque(1); y.setRelease(1) || r0 = y.compareAndExchange(2, 3); r1 = x.getOpaque()
        forbidden r0=1 r1=0: VarHandle: compareAndExchange reads as getVolatile

      MP+failed compareAndExchangeAcquire
        x.setOpaque(1); y.setRelease(1)
        || r0 = y.compareAndExchangeAcquire(2, 3); r1 = x.getOpaque()
        forbidden r0=1 r1=0: VarHandle: compareAndExchangeAcquire reads as getAcquire

      MP+failed compareAndExchangeRelease
        x.setOpaque(1); y.setRelease(1)
        || r0 = y.compareAndExchangeRelease(2, 3); r1 = x.getOpaque()
        allowed r0=1 r1=0: VarHandle: compareAndExchangeRelease reads as get

      SB+failed compareAndExchange
        r0 = x.compareAndExchange(2, 3); r1 = y.getVolatile() || y.setVolatile(1); x.setVolatile(1)
        forbidden r0=1 r1=0: VOLATILE
        allowed r0=0 r1=1: VOLATILE

      MP+volatile writes+opaque volatile
        x.setVolatile(1); y.setVolatile(1) || r0 = y.getOpaque(); r1 = x.getVolatile()
        allowed r0=1 r1=0: AXIOMS

      MP+volatile writes+volatile opaque volatile
        x.setVolatile(1); y.setVolatile(1)
        || r2 = z.getVolatile(); r0 = y.getOpaque(); r1 = x.getVolatile()
        allowed r0=1 r1=0: AXIOMS

      MP+volatile opaque
        x.setVolatile(1); y.setOpaque(1) || r0 = y.getVolatile(); r1 = x.getVolatile()
        allowed r0=1 r1=0: AXIOMS

      RWC+volatile writer
        x.setVolatile(1); r0 = y.getVolatile() || y.setVolatile(1); z.setVolatile(1)
        || r1 = z.getAcquire(); r2 = x.getOpaque()
        allowed r0=0 r1=1 r2=0: by the axioms of RC11; Java's are stronger

      ra-non-global
        y.setVolatile(2); r0 = x.getVolatile() || x.setVolatile(1)
        || r1 = x.getVolatile(); y.setVolatile(1) || r2 = y.getVolatile(); r3 = y.getVolatile()
        forbidden r0=0 r1=1 r2=1 r3=2: JAM21, ra-non-global.4
      """;

  private LitmusTable() {}

  static List<Litmus> all() {
    return Pattern.compile("\n\n").splitAsStream(TESTS).map(LitmusTable::parse).toList();
  }

  private static Litmus parse(String test) {
    List<String> lines = test.lines().toList();
    StringBuilder program = new StringBuilder();
    List<Litmus.Outcome> outcomes = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      Matcher outcome = OUTCOME.matcher(line.strip());
      if (!outcome.matches()) {
        program.append(line.strip()).append(' ');
        continue;
      }
      Litmus.Verdict verdict = Litmus.Verdict.valueOf(outcome.group(1).toUpperCase(Locale.ROOT));
      String source = SOURCES.getOrDefault(outcome.group(3), outcome.group(3));
      String reason = verdict == Litmus.Verdict.UNEXPLORED ? LATER : null;
      for (String condition : List.of(outcome.group(2).split(" or "))) {
        outcomes.add(new Litmus.Outcome(condition, verdict, source, reason));
      }
    }
    return new Litmus(lines.getFirst(), Program.split(program.toString()), outcomes);
  }
}

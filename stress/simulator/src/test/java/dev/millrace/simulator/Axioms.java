package dev.millrace.simulator;

import dev.millrace.simulator.litmus.Program;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Which outcomes of a litmus program two published models allow: a second opinion on the simulator,
 * which shares nothing with it. It tries all ways in which reads may see writes, and keeps those
 * that a model's axioms admit.
 *
 * <ul>
 *   <li>JAM21, Java's access modes: Liu, Bender and Palsberg, <a
 *       href="https://doi.org/10.4230/LIPIcs.ECOOP.2022.6">Compiling Volatile Correctly in Java</a>
 *       (2022), with the model file of its artifact, which succeeds that of Bender and Palsberg, <a
 *       href="https://doi.org/10.1145/3360568">A Formalization of Java's Concurrent Access
 *       Modes</a> (2019)
 *   <li>RC11, that of C and C++, as herd7 has it: Lahav et al., <a
 *       href="https://doi.org/10.1145/3062341.3062352">Repairing Sequential Consistency in
 *       C/C++11</a> (2017); opaque is its relaxed mode, volatile its sequentially consistent one;
 *       release sequences are those of C++20, which a thread's own later write does not continue
 * </ul>
 *
 * Both say of no two accesses that are at least opaque that a write is read before what precedes it
 * in its thread was executed: load buffering is not theirs.
 */
final class Axioms {
  /** A published model. */
  enum Model {
    JAM21,
    RC11
  }

  /** An access, a fence, or the write of a variable's first value. */
  private record Event(int thread, Program.Statement statement) {
    boolean isFence() {
      return statement.variable() < 0;
    }

    String method() {
      return statement.method();
    }

    boolean isModify() {
      return method().startsWith("getAnd") || method().contains("ompareAnd");
    }

    boolean reads() {
      return (!isFence() && method().startsWith("get")) || isModify();
    }

    boolean mayWrite() {
      return (!isFence() && !reads()) || isModify();
    }

    boolean isStrongModify() {
      return isModify()
          && !method().endsWith("Acquire")
          && !method().endsWith("Release")
          && !method().endsWith("Plain");
    }

    boolean isVolatile() {
      return method().endsWith("Volatile") || isStrongModify();
    }

    boolean acquires() {
      return !isFence() && reads() && (isVolatile() || method().endsWith("Acquire"));
    }

    boolean releases() {
      return !isFence() && mayWrite() && (isVolatile() || method().endsWith("Release"));
    }
  }

  private final Program program;
  private final Model model;
  private final List<Event> events = new ArrayList<>();
  private final int size;
  private final Relation programOrder;
  private final Set<String> outcomes = new TreeSet<>();

  // The candidate under test.
  private final int[] source;
  private final int[] read;
  private final int[] written;
  private final boolean[] writes;
  private Relation readsFrom;

  private Axioms(Program program, Model model) {
    this.program = program;
    this.model = model;
    for (int i = 0; i < program.variables().size(); i++) {
      events.add(new Event(-1, new Program.Statement(-1, i, "set", 0, 0)));
    }
    for (int i = 0; i < program.threads().size(); i++) {
      for (Program.Statement statement : program.threads().get(i)) {
        events.add(new Event(i, statement));
      }
    }
    size = events.size();
    programOrder = Relation.of(size, (i, j) -> i < j && thread(i) == thread(j) && !isInitial(i));
    source = new int[size];
    read = new int[size];
    written = new int[size];
    writes = new boolean[size];
  }

  /** Finds all outcomes that a model allows. */
  static Set<String> outcomes(Program program, Model model) {
    Axioms axioms = new Axioms(program, model);
    axioms.chooseSources(0);
    return axioms.outcomes;
  }

  private int thread(int event) {
    return events.get(event).thread();
  }

  private boolean isInitial(int event) {
    return event < program.variables().size();
  }

  private int variable(int event) {
    return events.get(event).statement().variable();
  }

  private boolean sameVariable(int one, int other) {
    return variable(one) >= 0 && variable(one) == variable(other);
  }

  private Relation among(Relation relation, IntPredicate from, IntPredicate to) {
    return relation.where((i, j) -> from.test(i) && to.test(j));
  }

  private Relation only(IntPredicate which) {
    return Relation.of(size, (i, j) -> i == j && which.test(i));
  }

  // ---- candidates ----

  private void chooseSources(int event) {
    if (event == size) {
      readsFrom = Relation.of(size, (i, j) -> events.get(j).reads() && source[j] == i);
      if (programOrder.or(readsFrom).isAcyclic() && evaluate()) {
        judge();
      }
      return;
    }
    if (!events.get(event).reads()) {
      chooseSources(event + 1);
      return;
    }
    for (int i = 0; i < size; i++) {
      if (i != event && events.get(i).mayWrite() && sameVariable(i, event)) {
        source[event] = i;
        chooseSources(event + 1);
      }
    }
  }

  /** Computes the values; false if a read sees a compare-and-set that failed. */
  private boolean evaluate() {
    // No cycles: as many rounds as there are events settle all values.
    for (int round = 0; round < size; round++) {
      for (int i = 0; i < size; i++) {
        Program.Statement statement = events.get(i).statement();
        read[i] = events.get(i).reads() ? written[source[i]] : 0;
        boolean compares = statement.method().contains("ompareAnd");
        writes[i] = events.get(i).mayWrite() && (!compares || read[i] == statement.first());
        written[i] =
            compares
                ? statement.second()
                : statement.method().startsWith("getAndAdd")
                    ? read[i] + statement.first()
                    : statement.first();
      }
    }
    for (int i = 0; i < size; i++) {
      if (events.get(i).reads() && !writes[source[i]]) {
        return false;
      }
    }
    return true;
  }

  private boolean releases(int event) {
    return writes[event] && events.get(event).releases();
  }

  private boolean acquires(int event) {
    return events.get(event).acquires();
  }

  private boolean isVolatile(int event) {
    return events.get(event).isVolatile();
  }

  private boolean isModify(int event) {
    return writes[event] && events.get(event).reads();
  }

  private boolean isFence(int event, String method) {
    return events.get(event).isFence()
        && (events.get(event).method().equals(method)
            || events.get(event).method().equals("fullFence"));
  }

  private boolean isFullFence(int event) {
    return isFence(event, "fullFence");
  }

  private void judge() {
    if (model == Model.RC11) {
      chooseOrders(0, new int[size]);
    } else {
      chooseLast(0, new int[program.variables().size()]);
    }
  }

  private List<Integer> writesOf(int variable, IntPredicate which) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      if (writes[i] && variable(i) == variable && which.test(i)) {
        found.add(i);
      }
    }
    return found;
  }

  /** Says whether some order of events passes a test. */
  private static boolean anyOrder(List<Integer> events, Predicate<List<Integer>> test) {
    return anyOrder(events, 0, test);
  }

  private static boolean anyOrder(List<Integer> events, int from, Predicate<List<Integer>> test) {
    if (from >= events.size() - 1) {
      return test.test(events);
    }
    for (int i = from; i < events.size(); i++) {
      List<Integer> swapped = new ArrayList<>(events);
      Collections.swap(swapped, from, i);
      if (anyOrder(swapped, from + 1, test)) {
        return true;
      }
    }
    return false;
  }

  private void found(int[] last) {
    int[] values = new int[program.registers() + program.variables().size()];
    for (int i = 0; i < size; i++) {
      Program.Statement statement = events.get(i).statement();
      if (statement.register() >= 0) {
        boolean succeeds = statement.method().contains("ompareAndSet");
        values[statement.register()] = succeeds ? (writes[i] ? 1 : 0) : read[i];
      }
    }
    for (int i = 0; i < last.length; i++) {
      values[program.registers() + i] = written[last[i]];
    }
    outcomes.add(program.outcome(values));
  }

  // ---- RC11 ----

  /** Tries all orders of each variable's writes; the place in it is given by event. */
  private void chooseOrders(int variable, int[] place) {
    if (variable == program.variables().size()) {
      Relation order =
          Relation.of(
              size, (i, j) -> writes[i] && writes[j] && sameVariable(i, j) && place[i] < place[j]);
      if (isConsistent(order)) {
        int[] last = new int[program.variables().size()];
        for (int i = 0; i < size; i++) {
          if (writes[i] && place[i] == writesOf(variable(i), e -> true).size() - 1) {
            last[variable(i)] = i;
          }
        }
        found(last);
      }
      return;
    }
    anyOrder(
        writesOf(variable, e -> !isInitial(e)),
        permuted -> {
          for (int i = 0; i < permuted.size(); i++) {
            place[permuted.get(i)] = i + 1;
          }
          chooseOrders(variable + 1, place);
          return false;
        });
  }

  private boolean isConsistent(Relation order) {
    Relation sequenced =
        programOrder.or(Relation.of(size, (i, j) -> isInitial(i) && !isInitial(j)));
    Relation readsBefore = readsFrom.inverse().then(order).where((i, j) -> i != j);
    Relation communicates = readsFrom.or(order).or(readsBefore).closure();

    Relation sequence = only(e -> writes[e]).then(continued());
    Relation released =
        only(this::releases).or(among(sequenced, e -> isFence(e, "releaseFence"), e -> writes[e]));
    Relation acquired =
        only(this::acquires)
            .or(among(sequenced, e -> events.get(e).reads(), e -> isFence(e, "acquireFence")));
    Relation synchronizes = released.then(sequence).then(readsFrom).then(acquired);
    Relation happens = sequenced.or(synchronizes).closure();
    if (!happens.then(communicates.orSame()).isIrreflexive()
        || !only(this::isModify).then(communicates).isIrreflexive()
        || !only(this::isModify).then(readsBefore.then(order)).isIrreflexive()) {
      return false;
    }
    return isSequential(order, sequenced, readsBefore, communicates, happens);
  }

  /** Any number of read-modify-writes, each reading from the former. */
  private Relation continued() {
    return readsFrom.then(only(this::isModify)).closure().orSame();
  }

  private boolean isSequential(
      Relation order,
      Relation sequenced,
      Relation readsBefore,
      Relation communicates,
      Relation happens) {
    Relation elsewhere = sequenced.where((i, j) -> !sameVariable(i, j));
    Relation base =
        sequenced
            .or(elsewhere.then(happens).then(elsewhere))
            .or(happens.where(this::sameVariable))
            .or(order)
            .or(readsBefore);
    Relation volatiles = only(this::isVolatile);
    Relation fences = only(this::isFullFence);
    Relation ofAccesses =
        volatiles
            .or(fences.then(happens.orSame()))
            .then(base)
            .then(volatiles.or(happens.orSame().then(fences)));
    Relation ofFences =
        fences.then(happens.or(happens.then(communicates).then(happens))).then(fences);
    return ofAccesses.or(ofFences).isAcyclic();
  }

  // ---- JAM21 ----

  private void chooseLast(int variable, int[] last) {
    if (variable == last.length) {
      if (isVisible(last)) {
        found(last);
      }
      return;
    }
    for (int write : writesOf(variable, e -> true)) {
      last[variable] = write;
      chooseLast(variable + 1, last);
    }
  }

  private boolean isVisible(int[] last) {
    Relation order = programOrder;
    Relation specified =
        order
            .then(only(e -> isFence(e, "releaseFence")))
            .then(among(order, e -> true, e -> writes[e]))
            .or(
                among(order, e -> events.get(e).reads(), e -> isFence(e, "acquireFence"))
                    .then(order));
    Relation pushes =
        order
            .then(only(this::isFullFence))
            .then(order)
            .or(among(order, this::isVolatile, this::isVolatile));
    Relation releaseAcquire =
        among(order, e -> true, this::releases).or(among(order, this::acquires, e -> true));
    Relation step = specified.or(pushes).or(releaseAcquire).or(readsFrom);
    Relation ends =
        Relation.of(
            size, (i, j) -> i != j && writes[i] && sameVariable(i, j) && last[variable(i)] == j);

    Relation before = order.or(readsFrom).or(ends).closure();
    List<Integer> pushing = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int from = i;
      if (!only(e -> e == from).then(pushes).isEmpty()) {
        pushing.add(i);
      }
    }
    return anyOrder(
        pushing,
        permuted -> {
          Relation pushed = inOrder(permuted);
          return pushed.where((i, j) -> before.has(j, i)).isEmpty()
              && isCoherent(step.or(pushed.then(pushes)), ends);
        });
  }

  private boolean isCoherent(Relation step, Relation ends) {
    Relation visible = step.closure().or(programOrder.where(this::sameVariable));
    Relation seenBy = readsFrom.inverse();
    Relation fixed =
        visible
            .or(visible.then(seenBy))
            .or(visible.then(programOrder))
            .or(readsFrom.then(programOrder).then(seenBy))
            .or(Relation.of(size, (i, j) -> isInitial(i) && !isInitial(j)))
            .where((i, j) -> i != j && writes[i] && writes[j] && sameVariable(i, j))
            .or(ends);
    return isCoherent(0, fixed);
  }

  /** Tries all orders of each variable's read-modify-writes. */
  private boolean isCoherent(int variable, Relation fixed) {
    if (variable < program.variables().size()) {
      return anyOrder(
          writesOf(variable, this::isModify),
          permuted -> isCoherent(variable + 1, fixed.or(inOrder(permuted))));
    }
    Relation intoModify = readsFrom.then(only(this::isModify)).inverse();
    Relation former;
    Relation coherence = fixed;
    do { // what is behind a read-modify-write's source is behind it too
      former = coherence;
      coherence = former.or(intoModify.then(former).where((i, j) -> i != j));
    } while (!coherence.isSame(former));
    return coherence.isAcyclic();
  }

  private Relation inOrder(List<Integer> ordered) {
    int[] place = new int[size];
    for (int i = 0; i < ordered.size(); i++) {
      place[ordered.get(i)] = i + 1;
    }
    return Relation.of(size, (i, j) -> place[i] > 0 && place[i] < place[j]);
  }
}

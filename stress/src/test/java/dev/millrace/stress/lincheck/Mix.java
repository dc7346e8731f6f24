package dev.millrace.stress.lincheck;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.CTestStructure;
import org.jetbrains.kotlinx.lincheck.CTestStructure.OperationGroup;
import org.jetbrains.kotlinx.lincheck.execution.ActorGenerator;
import org.jetbrains.kotlinx.lincheck.execution.RandomExecutionGenerator;
import org.jetbrains.lincheck.datastructures.CTestConfiguration;
import org.jetbrains.lincheck.datastructures.RandomProvider;

/**
 * Which operations of a class a trial is made of, by name, and which of them are called by one
 * thread at a time. So one class of operations serves for all roles.
 *
 * @param groups the operations, in groups
 */
record Mix(List<Group> groups) {
  /** The mix of the trial that runs: Lincheck makes the generator itself. */
  private static Mix current;

  /** Operations that any thread calls, or one at a time. */
  private record Group(boolean isOfOne, List<String> operations) {}

  /** Of operations that any thread calls. */
  static Mix ofAny(String... operations) {
    return new Mix(List.of(new Group(false, List.of(operations))));
  }

  /** Of operations that one thread calls at a time. */
  static Mix ofOne(String... operations) {
    return new Mix(List.of(new Group(true, List.of(operations))));
  }

  /** And these. */
  Mix and(Mix more) {
    return new Mix(Stream.concat(groups.stream(), more.groups.stream()).toList());
  }

  /** Sets it for the generators that Lincheck makes from now on. */
  void choose() {
    current = this;
  }

  /** Makes scenarios of the chosen mix. */
  public static final class Scenarios extends RandomExecutionGenerator {
    /**
     * Made by Lincheck.
     *
     * @param configuration the trial's
     * @param structure all operations of the class
     * @param random the source of chance
     */
    public Scenarios(
        CTestConfiguration configuration, CTestStructure structure, RandomProvider random) {
      super(configuration, reduced(structure), random);
    }

    private static CTestStructure reduced(CTestStructure structure) {
      Map<String, ActorGenerator> all = new HashMap<>();
      for (ActorGenerator operation : structure.actorGenerators) {
        all.put(operation.generate(0, new Random(0)).getMethod().getName(), operation);
      }
      structure.actorGenerators.clear();
      structure.operationGroups.clear();
      for (Group group : current.groups) {
        OperationGroup chosen = new OperationGroup(group.toString(), group.isOfOne);
        for (String name : group.operations) {
          if (!all.containsKey(name)) {
            throw new IllegalArgumentException(
                "no such operation: " + name + " of " + all.keySet());
          }
          chosen.actors.add(all.get(name));
        }
        structure.actorGenerators.addAll(chosen.actors);
        structure.operationGroups.add(chosen);
      }
      return structure;
    }
  }
}

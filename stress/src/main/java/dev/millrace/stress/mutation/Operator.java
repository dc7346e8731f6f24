package dev.millrace.stress.mutation;

import java.lang.classfile.CodeBuilder;
import java.util.Map;
import java.util.function.Consumer;

/** One way of planting bugs. */
@FunctionalInterface
interface Operator {
  /** Takes the bugs that are found. */
  @FunctionalInterface
  interface Sink {
    /**
     * Takes one.
     *
     * @param access what stands there
     * @param operator what is done to it
     * @param ordering whether it weakens an ordering
     * @param edits what emits the code in place of elements, by their index
     */
    void plant(
        String access,
        String operator,
        boolean ordering,
        Map<Integer, Consumer<CodeBuilder>> edits);

    /** Takes one that replaces a single element. */
    default void plant(
        String access, String operator, boolean ordering, int index, Consumer<CodeBuilder> edit) {
      plant(access, operator, ordering, Map.of(index, edit));
    }
  }

  /** Tells the bugs that can be planted at an instruction, in a fixed order. */
  void plant(MethodCode method, int index, Sink sink);
}

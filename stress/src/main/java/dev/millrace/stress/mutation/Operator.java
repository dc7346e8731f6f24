package dev.millrace.stress.mutation;

import java.util.Map;

/** One way of planting bugs. */
sealed interface Operator permits Weakener, Dropper, Splitter, Negator, Swapper {
  /** Takes the bugs that are found. */
  @FunctionalInterface
  interface Sink {
    /**
     * Takes one.
     *
     * @param access what stands there
     * @param operator what is done to it
     * @param ordering whether it weakens an ordering
     * @param edits by the index of the element that each replaces
     */
    void plant(String access, String operator, boolean ordering, Map<Integer, Edit> edits);
  }

  /** Tells the bugs that can be planted at an instruction, in a fixed order. */
  void plant(MethodSites method, int index, Sink sink);
}

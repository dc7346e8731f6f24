package dev.millrace.disruptor;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Checks;
import dev.millrace.disruptor.Pipeline.FailureListener;
import dev.millrace.disruptor.Pipeline.ThreadHook;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;

/** The graph of a pipeline as it is described: its stages, and what is wrong with them. */
final class PipelineGraph<E> {
  final EventRing<E> ring;
  String name = "pipeline";
  ThreadFactory threads = Thread.ofPlatform().factory();
  ThreadHook hook = (stage, worker) -> null;

  FailureListener listener; // if null, failures go to the threads' uncaught-exception handlers
  private final Map<String, Stage<E>> stages = new LinkedHashMap<>();

  PipelineGraph(EventRing<E> ring) {
    this.ring = ring;
  }

  static String name(String what, String name) {
    if (Checks.notNull(what + " name", name).isBlank()) {
      throw new IllegalArgumentException(what + " name must not be blank: name='" + name + "'");
    }
    return name;
  }

  void add(Stage<E> stage) {
    if (stages.containsKey(stage.name)) {
      throw new IllegalArgumentException(
          "stages must have different names: name=" + stage.name + " is there twice");
    }
    stages.put(stage.name, stage);
  }

  /** The stages, each behind all that it comes after. */
  List<Stage<E>> stages() {
    return List.copyOf(stages.values());
  }

  /** Brings the stages into order, or says what is wrong with them. */
  PipelineGraph<E> checked() {
    if (ring.sequencer.hasConsumers()) { // nobody would make them go on, and the ring would lock
      throw new IllegalStateException(
          "ring must have no other consumers than the pipeline's: pipeline=" + name + ", " + ring);
    }
    if (stages.isEmpty()) {
      throw new IllegalArgumentException("pipeline must have a stage: pipeline=" + name);
    }
    for (Stage<E> stage : stages.values()) {
      check(stage);
    }
    Map<String, Stage<E>> ordered = new LinkedHashMap<>();
    for (Stage<E> stage : stages.values()) {
      order(stage, new LinkedHashSet<>(), ordered);
    }
    stages.clear();
    stages.putAll(ordered);
    checkSkips();
    return this;
  }

  private void check(Stage<E> stage) {
    if (stage.handlers.isEmpty()) {
      throw new IllegalArgumentException("stage must have a handler: stage=" + stage.name);
    }
    for (String before : stage.after) {
      if (!stages.containsKey(before)) {
        throw new IllegalArgumentException(
            "stage must come after stages that exist: stage="
                + stage.name
                + ", after="
                + before
                + ", stages="
                + stages.keySet());
      }
    }
  }

  private void order(Stage<E> stage, Set<String> path, Map<String, Stage<E>> ordered) {
    if (ordered.containsKey(stage.name)) {
      return;
    }
    if (!path.add(stage.name)) {
      List<String> names = new ArrayList<>(path);
      List<String> cycle = new ArrayList<>(names.subList(names.indexOf(stage.name), names.size()));
      cycle.add(stage.name);
      throw new IllegalArgumentException(
          "stages must not come after themselves: " + String.join(" after ", cycle));
    }
    for (String before : stage.after) {
      order(stages.get(before), path, ordered);
    }
    path.remove(stage.name);
    ordered.put(stage.name, stage);
  }

  private void checkSkips() {
    if (!skips()) {
      return;
    }
    List<Stage<E>> first = stages.values().stream().filter(one -> one.after.isEmpty()).toList();
    if (first.size() != 1 || first.getFirst().handlers.size() != 1) {
      throw new IllegalArgumentException(
          "first stage must be one handler where onFull=DROP_OLDEST, or what one passes over"
              + " another may have in hand: first="
              + first.stream().map(one -> one.name + " x" + one.handlers.size()).toList());
    }
  }

  /** Whether the first stage passes over events when it lags. */
  boolean skips() {
    return ring.sequencer.options.onFull() == OnFull.DROP_OLDEST;
  }
}

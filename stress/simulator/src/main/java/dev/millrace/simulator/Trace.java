package dev.millrace.simulator;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What happened in an execution, written down when it is replayed. */
final class Trace {
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final int LINES_OF_AN_ORIGIN = 3;

  private final Simulation simulation;
  private final boolean on;
  private final List<String> lines = new ArrayList<>();

  Trace(Simulation simulation, boolean on) {
    this.simulation = simulation;
    this.on = on;
  }

  boolean isOn() {
    return on;
  }

  List<String> lines() {
    return lines;
  }

  /** Where the current access stands: its line, and those that it was called from. */
  String origin() {
    return STACK.walk(
        frames ->
            frames
                .filter(frame -> frame.getDeclaringClass().getClassLoader() instanceof WovenLoader)
                .limit(LINES_OF_AN_ORIGIN)
                .map(Trace::line)
                .collect(Collectors.joining(" < ")));
  }

  private static String line(StackFrame frame) {
    String type = frame.getClassName();
    return type.substring(type.lastIndexOf('.') + 1)
        + "."
        + frame.getMethodName()
        + "("
        + frame.getFileName()
        + ":"
        + frame.getLineNumber()
        + ")";
  }

  /** A race: the failure of an execution, which names the two accesses when it is replayed. */
  AssertionError race(String access, Location location, String formerAccess, String formerOrigin) {
    StringBuilder message = new StringBuilder("data race: ");
    message.append(access).append(" of ").append(location.name()).append(" by ").append(current());
    if (on) {
      message.append("\n    at ").append(origin());
    }
    message.append("\n  is not ordered with the ").append(formerAccess);
    if (on) {
      message.append("\n    ").append(formerOrigin);
    }
    return simulation.found(message.toString());
  }

  /** A race that is no access to a location. */
  AssertionError race(String use, String of, String former) {
    return simulation.found(
        "data race: "
            + use
            + ", "
            + of
            + ", by "
            + current()
            + " is not ordered with "
            + former
            + (on ? "\n    at " + origin() : ""));
  }

  /** Leaves out what only one thread has used so far: most of it is its own business. */
  void plain(String operation, Location location, long bits, Object reference) {
    if (location.width == 0
        && location.plainReads == null
        && isOwn(location.plainReader)
        && isOwn(location.plainWriter)) {
      return;
    }
    add(operation + " " + location.name() + " = " + show(bits, reference));
  }

  private boolean isOwn(int thread) {
    return thread == 0 || thread == simulation.current().id;
  }

  void read(String operation, Location location, Message message) {
    add(operation + " " + location.name() + " = " + show(message) + staleness(location, message));
  }

  void write(String operation, Location location, Message message) {
    String place = message.newer == null ? "" : ", placed before " + show(message.newer);
    add(operation + " " + location.name() + " := " + show(message) + place);
  }

  void modify(String operation, Location location, Message read, Message written) {
    String place = written.newer == null ? "" : ", placed before " + show(written.newer);
    add(operation + " " + location.name() + ": " + show(read) + " -> " + show(written) + place);
  }

  private String staleness(Location location, Message message) {
    return message == location.newest
        ? ""
        : ", stale: there is "
            + show(location.newest)
            + (location.newest.origin == null ? "" : " from " + location.newest.origin);
  }

  void event(String what) {
    add(what);
  }

  private void add(String what) {
    if (!simulation.hasBegun()) {
      return; // nothing happens beside the set-up
    }
    String origin = origin();
    lines.add(current() + ": " + what + (origin.isEmpty() ? "" : "  [" + origin + "]"));
  }

  private String current() {
    return simulation.current().name;
  }

  private String show(Message message) {
    return show(message.bits, message.reference);
  }

  private String show(long bits, Object reference) {
    if (reference instanceof Thread thread) {
      return "thread " + simulation.nameOf(thread);
    }
    return reference == null ? Long.toString(bits) : reference.getClass().getSimpleName();
  }
}

package dev.millrace.stress.mutation;

import dev.millrace.stress.mutation.AccessSite.Family;
import dev.millrace.stress.mutation.AccessSite.Mode;
import dev.millrace.stress.mutation.AccessSite.Operation;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the names of access methods mean, and which name is the next weaker one. */
final class AccessNames {
  /** What a method does, by its name. */
  record Meaning(Operation operation, Mode mode) {}

  /**
   * A weaker access.
   *
   * @param mode what is left of the ordering
   * @param name the method of that mode, if its class has one
   */
  record Weaker(Mode mode, String name) {}

  private static final Map<String, Mode> FENCES =
      Map.of(
          "fullFence", Mode.VOLATILE,
          "acquireFence", Mode.ACQUIRE,
          "loadLoadFence", Mode.ACQUIRE,
          "releaseFence", Mode.RELEASE,
          "storeStoreFence", Mode.RELEASE);

  private static final Pattern ACCESS =
      Pattern.compile("(get|set)(Plain|Opaque|Acquire|Release|Volatile)");

  /** An update that can be torn apart, its mode left out if it is volatile. */
  private static final Pattern UPDATE =
      Pattern.compile(
          "((?:weakC|c)ompareAndSet|compareAndExchange|getAnd(?:Set|Add|Bitwise(?:Or|And|Xor)))"
              + "(Plain|Acquire|Release|Volatile)?");

  private static final Set<String> ATOMIC_UPDATES =
      Set.of(
          "getAndIncrement",
          "getAndDecrement",
          "incrementAndGet",
          "decrementAndGet",
          "addAndGet",
          "getAndUpdate",
          "updateAndGet",
          "getAndAccumulate",
          "accumulateAndGet");

  private AccessNames() {}

  static Optional<Meaning> meaning(Family family, String name) {
    return Optional.ofNullable(meaningOrNull(family, name));
  }

  private static Meaning meaningOrNull(Family family, String name) {
    boolean atomic = family == Family.ATOMIC;
    if (family == Family.FENCE) {
      return FENCES.containsKey(name) ? new Meaning(Operation.FENCE, FENCES.get(name)) : null;
    }
    if (name.equals("get") || name.equals("set")) {
      Mode mode = family == Family.VAR_HANDLE ? Mode.PLAIN : Mode.VOLATILE;
      return family == Family.ACCESSOR ? null : new Meaning(readOrWrite(name), mode);
    }
    Matcher access = ACCESS.matcher(name);
    if (access.matches()) {
      return new Meaning(readOrWrite(access.group(1)), mode(access.group(2)));
    }
    if (atomic && name.equals("lazySet")) {
      return new Meaning(Operation.WRITE, Mode.RELEASE);
    }
    if (atomic && name.equals("weakCompareAndSet")) {
      return new Meaning(Operation.UPDATE, Mode.PLAIN);
    }
    Matcher update = UPDATE.matcher(name);
    return update.matches()
        ? new Meaning(Operation.UPDATE, mode(update.group(2)))
        : atomic && ATOMIC_UPDATES.contains(name)
            ? new Meaning(Operation.UPDATE, Mode.VOLATILE)
            : null;
  }

  private static Operation readOrWrite(String verb) {
    return verb.equals("get") ? Operation.READ : Operation.WRITE;
  }

  private static Mode mode(String suffix) {
    return suffix == null ? Mode.VOLATILE : Mode.valueOf(suffix.toUpperCase(Locale.ROOT));
  }

  /** Whether an update consists of a read and a write. */
  static boolean isSplittable(String name) {
    return UPDATE.matcher(name).matches();
  }

  /** The accesses that are one step weaker; an update that both acquires and releases has two. */
  static List<Weaker> weaker(AccessSite site) {
    Operation operation = site.operation();
    Matcher update = UPDATE.matcher(site.name());
    String base =
        operation == Operation.READ
            ? "get"
            : operation == Operation.WRITE
                ? "set"
                : update.matches() ? update.group(1) : site.name();
    // Only the weak form is there in all modes; it differs in that it may fail for no reason.
    String name = base.equals("compareAndSet") ? "weakCompareAndSet" : base;
    boolean mayFail = name.equals("weakCompareAndSet");
    List<Mode> modes =
        switch (site.mode()) {
          case VOLATILE ->
              switch (operation) {
                case READ -> List.of(Mode.ACQUIRE);
                case WRITE -> List.of(Mode.RELEASE);
                case UPDATE, FENCE -> List.of(Mode.ACQUIRE, Mode.RELEASE);
              };
          case ACQUIRE, RELEASE -> List.of(mayFail ? Mode.PLAIN : Mode.OPAQUE);
          case OPAQUE -> operation == Operation.UPDATE ? List.of() : List.of(Mode.PLAIN);
          case PLAIN -> List.of();
        };
    return modes.stream().map(mode -> new Weaker(mode, name + suffix(site, mode))).toList();
  }

  private static String suffix(AccessSite site, Mode mode) {
    boolean isBare = site.family() == Family.VAR_HANDLE && site.operation() != Operation.UPDATE;
    String word = mode.name().charAt(0) + mode.name().substring(1).toLowerCase(Locale.ROOT);
    return mode == Mode.PLAIN && isBare ? "" : word;
  }
}

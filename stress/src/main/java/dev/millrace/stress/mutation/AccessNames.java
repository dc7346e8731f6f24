package dev.millrace.stress.mutation;

import dev.millrace.stress.mutation.AccessSite.Family;
import dev.millrace.stress.mutation.AccessSite.Mode;
import dev.millrace.stress.mutation.AccessSite.Operation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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

  private static final Map<String, Mode> SUFFIXES =
      Map.of(
          "Plain", Mode.PLAIN,
          "Acquire", Mode.ACQUIRE,
          "Release", Mode.RELEASE,
          "Volatile", Mode.VOLATILE);

  private static final Set<String> UPDATES =
      Set.of(
          "compareAndSet",
          "weakCompareAndSet",
          "compareAndExchange",
          "getAndSet",
          "getAndAdd",
          "getAndBitwiseOr",
          "getAndBitwiseAnd",
          "getAndBitwiseXor");

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
    if (family == Family.FENCE) {
      return Optional.ofNullable(FENCES.get(name)).map(mode -> meaning(Operation.FENCE, mode));
    }
    boolean atomic = family == Family.ATOMIC;
    return switch (name) {
      case "get" -> bare(Operation.READ, family);
      case "set" -> bare(Operation.WRITE, family);
      case "getPlain" -> Optional.of(meaning(Operation.READ, Mode.PLAIN));
      case "setPlain" -> Optional.of(meaning(Operation.WRITE, Mode.PLAIN));
      case "getOpaque" -> Optional.of(meaning(Operation.READ, Mode.OPAQUE));
      case "setOpaque" -> Optional.of(meaning(Operation.WRITE, Mode.OPAQUE));
      case "getAcquire" -> Optional.of(meaning(Operation.READ, Mode.ACQUIRE));
      case "setRelease" -> Optional.of(meaning(Operation.WRITE, Mode.RELEASE));
      case "getVolatile" -> Optional.of(meaning(Operation.READ, Mode.VOLATILE));
      case "setVolatile" -> Optional.of(meaning(Operation.WRITE, Mode.VOLATILE));
      case "lazySet" ->
          atomic ? Optional.of(meaning(Operation.WRITE, Mode.RELEASE)) : Optional.empty();
      case "weakCompareAndSet" ->
          Optional.of(meaning(Operation.UPDATE, atomic ? Mode.PLAIN : Mode.VOLATILE));
      default ->
          UPDATES.contains(base(name)) || (atomic && ATOMIC_UPDATES.contains(name))
              ? Optional.of(meaning(Operation.UPDATE, mode(name)))
              : Optional.empty();
    };
  }

  /** The access whose name tells no mode. */
  private static Optional<Meaning> bare(Operation operation, Family family) {
    return switch (family) {
      case VAR_HANDLE -> Optional.of(meaning(operation, Mode.PLAIN));
      case ATOMIC, FIELD -> Optional.of(meaning(operation, Mode.VOLATILE));
      case ACCESSOR, FENCE -> Optional.empty();
    };
  }

  /** The name of an update without its mode. */
  static String base(String name) {
    for (String suffix : SUFFIXES.keySet()) {
      if (name.endsWith(suffix)) {
        return name.substring(0, name.length() - suffix.length());
      }
    }
    return name;
  }

  /** The accesses that are one step weaker; an update that both acquires and releases has two. */
  static List<Weaker> weaker(AccessSite site) {
    return switch (site.operation()) {
      case READ -> weakerRead(site);
      case WRITE -> weakerWrite(site);
      case UPDATE -> weakerUpdate(site);
      case FENCE -> List.of();
    };
  }

  private static List<Weaker> weakerRead(AccessSite site) {
    return switch (site.mode()) {
      case VOLATILE -> List.of(new Weaker(Mode.ACQUIRE, "getAcquire"));
      case ACQUIRE -> List.of(new Weaker(Mode.OPAQUE, "getOpaque"));
      case OPAQUE -> List.of(new Weaker(Mode.PLAIN, plain(site, "get")));
      case RELEASE, PLAIN -> List.of();
    };
  }

  private static List<Weaker> weakerWrite(AccessSite site) {
    return switch (site.mode()) {
      case VOLATILE -> List.of(new Weaker(Mode.RELEASE, "setRelease"));
      case RELEASE -> List.of(new Weaker(Mode.OPAQUE, "setOpaque"));
      case OPAQUE -> List.of(new Weaker(Mode.PLAIN, plain(site, "set")));
      case ACQUIRE, PLAIN -> List.of();
    };
  }

  private static String plain(AccessSite site, String name) {
    return site.family() == Family.VAR_HANDLE ? name : name + "Plain";
  }

  private static List<Weaker> weakerUpdate(AccessSite site) {
    String base = base(site.name());
    // Only the weak form is there in all modes; it differs in that it may fail for no reason.
    String named = base.equals("compareAndSet") ? "weakCompareAndSet" : base;
    return switch (site.mode()) {
      case VOLATILE ->
          List.of(
              new Weaker(Mode.ACQUIRE, named + "Acquire"),
              new Weaker(Mode.RELEASE, named + "Release"));
      case ACQUIRE, RELEASE ->
          named.equals("weakCompareAndSet")
              ? List.of(new Weaker(Mode.PLAIN, named + "Plain"))
              : List.of(new Weaker(Mode.OPAQUE, named + "Opaque"));
      case OPAQUE, PLAIN -> List.of();
    };
  }

  private static Mode mode(String name) {
    return SUFFIXES.getOrDefault(name.substring(base(name).length()), Mode.VOLATILE);
  }

  private static Meaning meaning(Operation operation, Mode mode) {
    return new Meaning(operation, mode);
  }
}

package dev.millrace.stress.lincheck;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a cache may answer: what a map would, except that an entry may disappear at any time if the
 * cache is too small for all.
 *
 * <p>An operation on one key is one step. A clearing takes one for each key. A load takes two if
 * the key is absent: it begins, and it ends; then its value is stored unless the key was stored or
 * removed in between. Another call that asks for a key that is being loaded gets the value of that
 * load.
 */
abstract class CacheAllows extends RelaxedVerifier<CacheAllows.Content> {
  private static final long LAST_KEY = 3;

  private final boolean mayLose;

  private CacheAllows(boolean mayLose) {
    this.mayLose = mayLose;
  }

  /** The values that are stored, and those of the loads that are to be stored. */
  record Content(Map<Long, Long> values, Map<Long, Long> loads) {
    /** After a key has disappeared, which does not concern its load. */
    Content without(long key) {
      return new Content(changed(values, key, null), loads);
    }

    /** After a key was stored, or removed if the value is null. */
    Content with(long key, Long value) {
      return new Content(changed(values, key, value), changed(loads, key, null));
    }

    Content withLoad(long key, long value) {
      return new Content(changed(values, key, null), changed(loads, key, value));
    }

    private static Map<Long, Long> changed(Map<Long, Long> map, long key, Long value) {
      Map<Long, Long> after = new HashMap<>(map);
      if (value == null) {
        after.remove(key);
      } else {
        after.put(key, value);
      }
      return Map.copyOf(after);
    }
  }

  /** A load that has begun. */
  private record Loading() {}

  /** A clearing that has come to a key. */
  private record Clearing(long key) {}

  /** Of a cache that holds all. */
  public static final class Roomy extends CacheAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification asked for by Lincheck, and not used
     */
    public Roomy(Class<?> specification) {
      super(false);
    }
  }

  /** Of a cache that evicts. */
  public static final class Tiny extends CacheAllows {
    /**
     * Made by Lincheck.
     *
     * @param specification asked for by Lincheck, and not used
     */
    public Tiny(Class<?> specification) {
      super(true);
    }
  }

  @Override
  Content initial() {
    return new Content(Map.of(), Map.of());
  }

  @Override
  List<Step<Content>> steps(Content content, Call call, Object known) {
    if (call.name().equals("clear")) {
      return List.of(clear(content, known == null ? 1 : ((Clearing) known).key()));
    }
    long key = call.longArgument(0);
    Long present = content.values().get(key);
    boolean mayMiss = present == null || mayLose;
    return switch (call.name()) {
      case "get", "getUnchecked" ->
          call.result() == null
              ? lastIf(mayMiss, content.without(key))
              : lastIf(call.result().equals(present), content);
      case "put", "putUnlocked" -> List.of(Step.last(content.with(key, call.longArgument(1))));
      case "putIfAbsent", "putInTwoSteps" ->
          hasStored(call)
              ? lastIf(mayMiss, content.with(key, call.longArgument(1)))
              : lastIf(isToldOf(present, call), content);
      case "remove" ->
          lastIf((boolean) call.result() ? present != null : mayMiss, content.with(key, null));
      case "load" -> load(content, call, known, present);
      default -> throw new IllegalArgumentException("call must be known: call=" + call);
    };
  }

  /** A {@code putIfAbsent} returns what was there, or whether it has stored its own. */
  private static boolean hasStored(Call call) {
    return call.result() == null || call.result().equals(true);
  }

  private static boolean isToldOf(Long present, Call call) {
    return present != null && (call.result().equals(present) || call.result().equals(false));
  }

  private static Step<Content> clear(Content content, long key) {
    Content after = content.with(key, null);
    return key == LAST_KEY ? Step.last(after) : Step.then(after, new Clearing(key + 1));
  }

  private List<Step<Content>> load(Content content, Call call, Object known, Long present) {
    long key = call.longArgument(0);
    long value = call.longArgument(1);
    Long underWay = content.loads().get(key);
    if (known != null) {
      boolean isStored = underWay != null && underWay == value;
      Content after = isStored ? content.with(key, value) : content;
      return lastIf(call.result().equals(value), after);
    }
    if (present != null && (!mayLose || call.result().equals(present))) {
      return lastIf(call.result().equals(present), content);
    }
    return underWay == null
        ? List.of(Step.then(content.withLoad(key, value), new Loading()))
        : lastIf(call.result().equals(underWay), content.without(key));
  }
}

package dev.millrace.ohlcv.candle;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The symbols' numbers, from 0 in order of appearance, so that a record holds a number and no text.
 *
 * <p><b>Roles.</b> One thread numbers; any thread may ask for the name of a number that reached it.
 */
public final class Symbols {
  /** Stands for a symbol that has no number. */
  public static final int UNKNOWN = -1;

  private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
  private final List<String> names = new CopyOnWriteArrayList<>();

  /** Finds a name's number, or gives it the next one. */
  public int number(String name) {
    return numbers.computeIfAbsent(
        name,
        _ -> {
          names.add(name);
          return names.size() - 1;
        });
  }

  /** Finds a name's number; {@link #UNKNOWN} if it has none. */
  public int numberIfKnown(String name) {
    return numbers.getOrDefault(name, UNKNOWN);
  }

  /** How many have a number. */
  public int count() {
    return names.size();
  }

  /** Finds a number's name. */
  public String name(int number) {
    return names.get(number);
  }
}

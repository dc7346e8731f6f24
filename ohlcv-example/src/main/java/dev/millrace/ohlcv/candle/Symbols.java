package dev.millrace.ohlcv.candle;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The symbols' numbers, from 0 in order of appearance, so that a record holds a number and no text.
 *
 * <p><b>Roles.</b> One thread numbers; any may ask for the name of a number that reached it.
 */
public final class Symbols {
  private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
  private final Map<Integer, String> names = new ConcurrentHashMap<>();
  private String lastName; // only the numbering thread's; most rows name the same as the one before
  private int lastNumber;

  /**
   * Finds a name's number, or gives it one.
   *
   * @return 0 for the first name
   */
  public int number(String name) {
    if (name.equals(lastName)) {
      return lastNumber;
    }
    Integer known = numbers.get(name);
    int number = known == null ? numbers.size() : known;
    if (known == null) {
      names.put(number, name);
      numbers.put(name, number);
    }
    lastName = name;
    lastNumber = number;
    return number;
  }

  /**
   * Finds a name's number.
   *
   * @param name a name, or null
   * @return {@link Rejections#NO_SYMBOL} if it has none
   */
  public int numberIfKnown(String name) {
    return name == null ? Rejections.NO_SYMBOL : numbers.getOrDefault(name, Rejections.NO_SYMBOL);
  }

  /**
   * Finds a number's name.
   *
   * @return the name
   */
  public String name(int number) {
    return names.get(number);
  }

  /**
   * How many symbols there are.
   *
   * @return the next number
   */
  public int count() {
    return numbers.size();
  }
}

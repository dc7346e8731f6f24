package dev.millrace.ohlcv.input;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How the user wants a file to be read; what is null is told by the file.
 *
 * @param columns the columns' names or numbers, by role; those told by the file are missing
 * @param timeUnit in what numbers of time count, or null
 * @param keep which values a column must have for a row to be kept
 * @param skipBadRows whether bad rows are counted; otherwise the first one ends the reading
 */
public record ReadOptions(
    Map<Role, String> columns,
    EpochUnit timeUnit,
    Map<String, List<String>> keep,
    boolean skipBadRows) {
  /** What a column is for. */
  public enum Role {
    /** When. */
    TIME,
    /** At which price. */
    PRICE,
    /** How much. */
    VOLUME,
    /** Who took it. */
    SIDE,
    /** Of what. */
    SYMBOL,
    /** Only trades whose value here is {@code MARKET} belong in candles. Not an option. */
    TYPE,
    /** With the last one: the row stands for the trades of these numbers. Not an option. */
    FIRST_ID,
    /** See there. */
    LAST_ID;

    /** The option without its dashes. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Options that leave everything to the file.
   *
   * @return bad rows end the reading
   */
  public static ReadOptions none() {
    return new ReadOptions(Map.of(), null, Map.of(), false);
  }
}

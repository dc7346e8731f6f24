package dev.millrace.ohlcv.input;

import java.util.List;
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
    TIME("time"),
    /** At which price. */
    PRICE("price"),
    /** How much. */
    VOLUME("volume"),
    /** Who took it. */
    SIDE("side"),
    /** Of what. */
    SYMBOL("symbol");

    private final String text;

    Role(String text) {
      this.text = text;
    }

    /** The option without its dashes. */
    public String text() {
      return text;
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

package dev.millrace.ohlcv.input;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a column is for, and the names that exchanges give it, most telling first. */
public enum Role {
  /** When it happened. */
  TIME(
      "Column of the time.",
      "tradetimems tradetime transacttime timestampms timestamp time ts tsevent createdtime"
          + " createtime datetime date T"),
  /** The price. */
  PRICE("Column of the price.", "price px tradeprice p"),
  /** The volume. */
  VOLUME("Column of the volume.", "qty quantity size sz amount volume v q"),
  /** Which side took the trade. */
  SIDE(
      "Column of the taker's side: buy or sell, or true or false; of the maker's, if its name says"
          + " so.",
      "side takerside direction makerside isbuyermaker buyerismaker isbuy sell m"),
  /** The symbol. */
  SYMBOL(
      "Column of the symbol.",
      "symbol ticker instrumentname instid instrumentid instrument pair s"),
  /** The row stands for the trades from this number on. No option. */
  FIRST_ID("", "firsttradeid"),
  /** The row stands for the trades up to this number. No option. */
  LAST_ID("", "lasttradeid"),
  /** Only trades whose value here is {@code MARKET} belong in candles. No option. */
  TYPE("", "");

  /** Those that are options. */
  public static final Set<Role> OPTIONS = EnumSet.range(TIME, SYMBOL);

  private final String names;

  private final String description;

  Role(String description, String names) {
    this.description = description;
    this.names = names;
  }

  /** What the option is for. */
  public String description() {
    return description;
  }

  /** In lower case and without anything but letters and digits, unless case makes a difference. */
  List<String> names() {
    return List.of(names.split(" ", -1));
  }

  /** The option without its dashes. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

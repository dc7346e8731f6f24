package dev.millrace.ohlcv.input;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a column is for, and the names that exchanges give it, most telling first. */
public enum Role {
  /** When it happened. */
  TIME(
      "Column of the time; DATE+TIME if it is in two.",
      "tradetimems tradetime transacttime timestampms timestamp createtimems createdtime createtime"
          + " createdat time ts tsevent mts siptimestamp participanttimestamp timeexchange datetime"
          + " unixtime unix date tradedate T"),
  /** The price. */
  PRICE("Column of the price.", "price px tradeprice lastprice last rate p"),
  /** The volume. What is called amount is money where there is a volume too. */
  VOLUME(
      "Column of the volume.",
      "qty quantity size sizebase baseamount tradevolume sz volume vol amount v q"),
  /** Which side took the trade. */
  SIDE(
      "Column of the taker's side: buy or sell, true or false, 1 or -1; of the maker's, if its name"
          + " says so. The volume's column again if its sign is the side.",
      "takerside takersidesell side direction makerside isbuyermaker buyerismaker isbuy sell askbid"
          + " m"),
  /** The symbol. */
  SYMBOL(
      "Column of the symbol.",
      "symbol ticker instrumentname instid instrumentid instrument pair currencypair productid"
          + " symroot sym coin market s"),
  /** The time of day where {@link #TIME} is only the day. No option. */
  CLOCK("", "time timem timeofday tradetime timestamp transacttime timeexchange"),
  /** Rises from trade to trade. No option. */
  ID("", "tradeid aggtradeid tid sequencenumber sequentialid sequence seq id t a"),
  /** What makes a symbol of two columns whole. No option. */
  SUFFIX("", "symsuffix"),
  /** The row stands for the trades from this number on. No option. */
  FIRST_ID("", "firsttradeid f"),
  /** The row stands for the trades up to this number. No option. */
  LAST_ID("", "lasttradeid l"),
  /** Only trades with one value here belong in candles. No option, and no name tells it alone. */
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
    return names.isEmpty() ? List.of() : List.of(names.split(" ", -1));
  }

  /** The option without its dashes. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package dev.millrace.ohlcv.input;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What is known of venues whose files do not say by their columns' names what they hold. */
final class Venues {
  /**
   * The columns of files without a header, by what their first row holds: n number, t time, b
   * boolean, s side, o order type, e nothing.
   */
  private static final Map<String, String> UNNAMED =
      Map.of(
          "[nt]nn", // Bitstamp
          "time price volume",
          "nnnnnbb?", // Binance Vision
          "id price qty quote_qty time is_buyer_maker is_best_match",
          "nnnnnnbb?", // the same, aggregated
          "id price qty first_trade_id last_trade_id time is_buyer_maker is_best_match",
          "nnnsoen?", // Kraken
          "price volume time side order_type misc id");

  /** Those of Bitfinex's arrays in JSON, the second of which counts milliseconds. */
  private static final List<String> BITFINEX = List.of("id", "mts", "amount", "price");

  /** Columns of a venue whose side is the maker's without its name saying so. */
  private static final Set<String> COINBASE = Set.of("trade_id", "side", "size", "price", "time");

  /** What else it has, in its websockets and in its Advanced Trade API. */
  private static final Pattern COINBASE_MORE =
      Pattern.compile(
          "product_id|exchange|bid|ask|type|sequence|maker_order_id|taker_order_id|index"
              + "|(unnamed: ?)?\\d*");

  private Venues() {}

  /** The columns of a file without a header, recognised by its first row; empty if unknown. */
  static List<String> namesOf(List<String> values, boolean isJson) {
    String shape = values.stream().map(Venues::kind).collect(Collectors.joining());
    if (isJson && shape.equals("nnnn") && TimeField.isMillis(values.get(1))) {
      return BITFINEX;
    }
    return UNNAMED.entrySet().stream()
        .filter(entry -> Pattern.matches(entry.getKey(), shape))
        .map(entry -> List.of(entry.getValue().split(" ", -1)).subList(0, values.size()))
        .findAny()
        .orElse(List.of());
  }

  private static String kind(String value) {
    if (DecimalField.isNumber(value)) {
      return "n";
    }
    return switch (lower(value)) {
      case "true", "false" -> "b";
      case "b", "s" -> "s";
      case "l", "m" -> "o";
      case "" -> "e";
      default -> TimeField.isWritten(value) ? "t" : "-";
    };
  }

  /**
   * Whether the side is the maker's, as in all that Coinbase offers: with and without its extras.
   */
  static boolean isCoinbase(List<String> names) {
    Set<String> lower = names.stream().map(Venues::lower).collect(Collectors.toSet());
    return lower.containsAll(COINBASE)
        && lower.stream()
            .allMatch(name -> COINBASE.contains(name) || COINBASE_MORE.matcher(name).matches());
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}

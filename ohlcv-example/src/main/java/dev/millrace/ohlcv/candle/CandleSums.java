package dev.millrace.ohlcv.candle;

/** The four sums of a candle, outside of its slot: added to here first, lest one does not fit. */
final class CandleSums {
  final DecimalSum volume = new DecimalSum();
  final DecimalSum quote = new DecimalSum();
  final DecimalSum takerBuy = new DecimalSum();
  final DecimalSum takerBuyQuote = new DecimalSum();

  void clear() {
    volume.clear();
    quote.clear();
    takerBuy.clear();
    takerBuyQuote.clear();
  }

  /** Adds a trade; returns which sum it does not fit into, or null. */
  String add(TradeFlyweight trade, boolean withQuotes) {
    long price = trade.price();
    int priceScale = trade.priceScale();
    long amount = trade.volume();
    int scale = trade.volumeScale();
    if (!volume.add(amount, scale)) {
      return "volume";
    }
    if (withQuotes && !quote.addProduct(price, priceScale, amount, scale)) {
      return "quote_volume";
    }
    if (trade.side() == Side.TAKER_BOUGHT) {
      // Parts of the sums above, at no finer a scale: they fit if those did.
      boolean fits = takerBuy.add(amount, scale);
      if (withQuotes) {
        fits &= takerBuyQuote.addProduct(price, priceScale, amount, scale);
      }
      assert fits : "taker's part must fit where the whole does";
    }
    return null;
  }
}

import dev.millrace.queues.history.HistoryProducer;
import dev.millrace.queues.history.HistoryReader;
import dev.millrace.queues.history.HistoryRing;

/** The examples in this package's documentation. The build runs every line of them. */
final class Examples {
  interface Trade {
    long timestamp();

    Trade timestamp(long value);

    double price();

    Trade price(double value);

    double volume();

    Trade volume(double value);
  }

  private double sum;

  void history() {
    // @start region="history"
    HistoryRing<Trade> history = HistoryRing.multi(Trade.class, 1_440);

    HistoryProducer<Trade> out = history.newProducer(); // one for each writing thread
    Trade trade = out.tryClaim();
    if (trade != null) {
      trade.timestamp(1).price(100.25).volume(2);
      out.commit();
    }

    try (HistoryReader<Trade> reader = history.newReader(1_440)) {
      int count = reader.latest(1_440); // or record by record: tryPoll()
      for (int i = 0; i < count; i++) {
        sum += reader.at(i).volume();
      }
    }
    // @end
    assert sum == 2;
    history.close();
  }

  void read() {
    HistoryRing<Trade> history = HistoryRing.multi(Trade.class, 1_440);
    HistoryProducer<Trade> out = history.newProducer();
    for (int i = 0; i < 10; i++) {
      out.tryClaim().timestamp(i).price(100.25).volume(1);
      out.commit();
    }
    HistoryReader<Trade> reader = history.newReader(100);
    reader.seek(0);
    long from = 3;
    long to = 5;
    // @start region="read"
    for (Trade trade; (trade = reader.tryPoll()) != null; ) { // in order, each record once
      sum += trade.volume();
    }

    int count = reader.latest(100); // or tryPoll(100): a run in order
    for (int i = 0; i < count; i++) {
      sum += reader.at(i).volume();
    }

    reader.seek(from, Trade::timestamp); // between two times
    for (Trade trade; (trade = reader.tryPoll()) != null && trade.timestamp() < to; ) {
      sum += trade.volume();
    }
    // @end
    assert sum == 10 + 10 + 2;
    // @start region="read-backwards"
    reader.seek(history.claimedCount());
    for (Trade trade; (trade = reader.tryPollPrevious()) != null && trade.timestamp() >= from; ) {
      sum += trade.volume(); // the newest first
    }
    // @end
    assert sum == 10 + 10 + 2 + 7;
    reader.close();
    history.close();
  }
}

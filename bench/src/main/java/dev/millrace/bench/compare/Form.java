package dev.millrace.bench.compare;

import java.util.ArrayList;
import java.util.List;

/**
 * What a command runs unless it is told otherwise.
 *
 * @param name the command's
 * @param help what the command line's help says of it
 * @param suites which tables
 * @param rounds how often each contender does each work
 * @param quick whether only with the quick form's peers
 * @param idles the idle counts of the works that have targets; others have one of their own
 */
record Form(
    String name, String help, List<Suite> suites, int rounds, boolean quick, List<Integer> idles) {
  private static final List<Integer> USUAL_IDLES = List.of(Work.USUAL_IDLE);

  /** That of no works: what memory queues take. */
  static final Form FOOTPRINT =
      new Form(
          "footprint",
          "What memory queues take, on the heap and off it.",
          List.of(),
          1, // all are the same
          false,
          USUAL_IDLES);

  /** All of them: two over the tables, one for each table, and the one of no works. */
  static List<Form> all() {
    List<Suite> suites = List.of(Suite.values());
    List<Form> forms = new ArrayList<>();
    forms.add(
        new Form(
            "quick",
            "The works that have targets, beside the best peers.",
            List.of(Suite.TARGETS),
            7,
            true,
            USUAL_IDLES));
    forms.add(
        new Form("full", "Everything, which takes hours.", suites, 15, false, List.of(1, 4, 16)));
    for (Suite suite : suites) {
      forms.add(
          new Form(
              suite.command(),
              suite.title + ".",
              List.of(suite),
              suite.rounds,
              false,
              USUAL_IDLES));
    }
    forms.add(FOOTPRINT);
    return forms;
  }

  /** The quick form leaves out rows that have no peers there. */
  List<Row> rows() {
    return suites.stream()
        .flatMap(suite -> suite.rows().stream())
        .filter(row -> !peers(row).isEmpty())
        .toList();
  }

  List<Contenders> peers(Row row) {
    return quick ? row.quickPeers() : row.peers();
  }

  List<Integer> idles(Row row) {
    return row.suite() == Suite.TARGETS ? idles : List.of(row.work().idle());
  }
}

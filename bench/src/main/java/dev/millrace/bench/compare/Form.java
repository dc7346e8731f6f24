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
 */
record Form(String name, String help, List<Suite> suites, int rounds) {
  /** The one with the best peers alone. */
  private static final Form QUICK =
      new Form("quick", "The targets beside the best peers.", List.of(Suite.TARGETS), 7);

  /** The one that also idles longer. */
  private static final Form FULL =
      new Form("full", "Everything, which takes hours.", List.of(Suite.values()), 15);

  /** That of no works: all rounds are the same. */
  static final Form FOOTPRINT =
      new Form("footprint", "What memory queues take, on the heap and off it.", List.of(), 1);

  /** All of them: these, and one for each table. */
  static List<Form> all() {
    List<Form> forms = new ArrayList<>(List.of(QUICK, FULL));
    for (Suite suite : Suite.values()) {
      forms.add(new Form(suite.command(), suite.title + ".", List.of(suite), suite.rounds));
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
    return equals(QUICK) ? row.quickPeers() : row.peers();
  }

  /** The idle counts of a work. */
  List<Integer> idles(Row row) {
    boolean isLonger = equals(FULL) && row.suite() == Suite.TARGETS;
    return isLonger ? List.of(1, 4, 16) : List.of(row.work().idle());
  }
}

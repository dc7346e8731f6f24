package dev.millrace.stress.proof;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What every kind of proof works with.
 *
 * @param code the class files that it is about
 * @param tooling their digests
 * @param scenarios all that there are
 * @param ledger the rows of former runs, and of this one
 * @param exemptions the planted bugs that need not be caught
 * @param request what is asked for
 * @param findings what is wrong or stale
 * @param progress how far it has come
 */
record Context(
    Code code,
    Tooling tooling,
    List<Scenarios.Entry> scenarios,
    Ledger ledger,
    Exemptions exemptions,
    Request request,
    Findings findings,
    Progress progress) {

  static Context of(Code code, Ledger ledger, Request request, Progress progress)
      throws IOException {
    return new Context(
        code,
        new Tooling(code),
        Scenarios.load(code.woven()),
        ledger,
        Exemptions.read(),
        request,
        new Findings(),
        progress);
  }

  /**
   * Removes the rows of what is gone, if rows are written.
   *
   * @param rows of one kind
   * @param known the keys of what there is
   * @param isAsked whether the request is about a key
   * @param report takes the keys of rows that are not removed
   */
  void removeGone(
      Ledger.Rows<?> rows, Set<String> known, Predicate<String> isAsked, Consumer<String> report) {
    for (String key : rows.keys()) {
      if (known.contains(key) || !isAsked.test(key)) {
        continue;
      }
      if (request.writes()) {
        rows.remove(key);
      } else {
        report.accept(key);
      }
    }
  }
}

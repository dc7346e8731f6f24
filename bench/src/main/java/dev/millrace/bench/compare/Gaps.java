package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.report.Gap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the targets that nothing was measured of, though the form is to, and why not. */
final class Gaps {
  private final Results results;
  private final List<Comparison> comparisons;

  private record Reason(List<Placement> placements, String why) {}

  private record Lack(Reason reason, List<String> peers) {}

  Gaps(Results results, List<Comparison> comparisons) {
    this.results = results;
    this.comparisons = comparisons;
  }

  /** Those of a work; peers that lack the same are told together, and idle counts too. */
  List<Gap> of(Row row) {
    Map<Lack, List<Integer>> lacks = new LinkedHashMap<>();
    for (int idle : results.idles(row)) {
      Map<Reason, List<String>> peers = new LinkedHashMap<>();
      for (Contenders peer : results.peers(row)) {
        if (row.targetAgainst(peer) != 0) {
          for (Reason reason : reasons(row, peer, idle)) {
            peers.computeIfAbsent(reason, key -> new ArrayList<>()).add(peer.title());
          }
        }
      }
      peers.forEach(
          (reason, titles) ->
              lacks.computeIfAbsent(new Lack(reason, titles), key -> new ArrayList<>()).add(idle));
    }
    return lacks.entrySet().stream()
        .map(entry -> gap(row, entry.getKey(), entry.getValue()))
        .toList();
  }

  private static Gap gap(Row row, Lack lack, List<Integer> idles) {
    int measures = row.work().shape().measures().size();
    return new Gap(
        lack.reason().placements().stream().map(Placement::text).toList(),
        idles,
        lack.reason().why(),
        lack.peers(),
        measures);
  }

  private List<Reason> reasons(Row row, Contenders peer, int idle) {
    for (Contenders one : List.of(row.ours(), peer)) {
      if (!wasRun(row, one, idle)) {
        return List.of(new Reason(Placement.COMPARED, one.isOurs() ? "not run" : "peer not run"));
      }
    }
    return Placement.COMPARED.stream()
        .filter(placement -> !wasCompared(row, peer, placement, idle))
        .map(placement -> new Reason(List.of(placement), lack(row, peer, placement, idle)))
        .toList();
  }

  private String lack(Row row, Contenders peer, Placement placement, int idle) {
    boolean ours = Comparison.samples(results, row, row.ours(), placement, idle).isEmpty();
    boolean theirs = Comparison.samples(results, row, peer, placement, idle).isEmpty();
    String whose = ours && theirs ? "" : ours ? " of ours" : " of the peer";
    return "no " + placement.text() + " sample" + whose + " was had";
  }

  private boolean wasRun(Row row, Contenders contender, int idle) {
    return results.samples().stream()
        .anyMatch(sample -> sample.isOf(row, contender) && sample.idle() == idle);
  }

  private boolean wasCompared(Row row, Contenders peer, Placement placement, int idle) {
    return comparisons.stream()
        .anyMatch(
            one ->
                one.row().equals(row)
                    && one.peer() == peer
                    && one.placement() == placement
                    && one.idle() == idle);
  }
}

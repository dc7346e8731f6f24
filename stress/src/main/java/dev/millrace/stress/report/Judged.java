package dev.millrace.stress.report;

import dev.millrace.report.Tone;
import java.util.List;
import java.util.function.Function;

/**
 * A result and its verdict: a row of the report.
 *
 * @param <T> the result's type
 * @param of the result
 * @param verdict what it amounts to
 */
public record Judged<T>(T of, Verdict verdict) {

  static <T> List<Judged<T>> all(List<T> results, Function<T, Verdict> judge) {
    return results.stream().map(result -> new Judged<>(result, judge.apply(result))).toList();
  }

  static <T> long count(List<Judged<T>> rows, Tone tone) {
    return rows.stream().filter(row -> row.verdict.tone() == tone).count();
  }
}

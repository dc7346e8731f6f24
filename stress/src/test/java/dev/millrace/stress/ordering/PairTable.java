package dev.millrace.stress.ordering;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The table of pairs in a class's implementation comment:
 *
 * <pre>
 * A  tail.setRelease in commit  -&gt;  tail.getAcquire in refresh, or  slot bytes
 *                                    tail.getVolatile in close
 * </pre>
 *
 * <p>A row begins with its label; columns are told apart by two spaces, the first two by the arrow;
 * a line without a label goes on in the columns that its texts stand in.
 */
final class PairTable {
  /**
   * A pair.
   *
   * @param label the letter that the comments name it by
   * @param release who writes, and where
   * @param acquire who reads, and where
   */
  record Pair(String label, String release, String acquire) {}

  private static final Pattern ROW =
      Pattern.compile("^\\s*\\*? +([A-Z])  +(\\S.*?) +-> +(\\S+(?: \\S+)*)(?:  +(\\S.*))?$");
  private static final Pattern TEXT = Pattern.compile("\\S+(?: \\S+)*");

  private final List<Pair> pairs;

  PairTable(SourceText source) {
    List<Row> rows = new ArrayList<>();
    for (List<String> block : source.blocks()) {
      Row row = null;
      for (String line : block) {
        Matcher first = ROW.matcher(line);
        if (first.matches()) {
          row = new Row(first);
          rows.add(row);
        } else if (row != null && !row.goesOn(line)) {
          row = null;
        }
      }
    }
    this.pairs = rows.stream().map(Row::pair).toList();
  }

  List<Pair> pairs() {
    return pairs;
  }

  Optional<Pair> pair(String label) {
    return pairs.stream().filter(pair -> pair.label().equals(label)).findFirst();
  }

  private static final class Row {
    private final String label;
    private final int[] starts = new int[3]; // of the columns; the last says what is ordered
    private final String[] texts = new String[3];

    Row(Matcher first) {
      label = first.group(1);
      for (int i = 0; i < starts.length; i++) {
        starts[i] = first.start(i + 2) < 0 ? Integer.MAX_VALUE : first.start(i + 2);
        texts[i] = Objects.requireNonNullElse(first.group(i + 2), "");
      }
    }

    /** Takes a line that continues the row; tells whether it was one. */
    boolean goesOn(String line) {
      Matcher found = TEXT.matcher(line.replaceFirst("^(\\s*)\\*", "$1 "));
      boolean any = false;
      while (found.find()) {
        if (found.start() < starts[0]) {
          return false;
        }
        any = true;
        int column = found.start() >= starts[2] ? 2 : found.start() >= starts[1] ? 1 : 0;
        texts[column] += (texts[column].isEmpty() ? "" : " ") + found.group();
      }
      return any;
    }

    Pair pair() {
      return new Pair(label, texts[0], texts[1]);
    }
  }
}

package dev.millrace.stress.ordering;

import java.util.ArrayList;
import java.util.List;
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
   * @param effect what is ordered by it; may be empty
   */
  record Pair(String label, String release, String acquire, String effect) {}

  private static final Pattern ROW = Pattern.compile("^\\s*\\*? +([A-Z])  +(\\S.*?) +-> +(\\S.*)$");
  private static final Pattern TEXT = Pattern.compile("\\S+(?: \\S+)*");

  private final List<Pair> pairs = new ArrayList<>();

  PairTable(SourceText source) {
    source.blocks().forEach(this::read);
  }

  List<Pair> pairs() {
    return pairs;
  }

  Optional<Pair> pair(String label) {
    return pairs.stream().filter(pair -> pair.label().equals(label)).findFirst();
  }

  private void read(List<String> block) {
    Row row = null;
    for (String line : block) {
      Matcher first = ROW.matcher(line);
      if (first.matches()) {
        add(row);
        row = new Row(first);
      } else if (row != null && !row.goesOn(line)) {
        add(row);
        row = null;
      }
    }
    add(row);
  }

  private void add(Row row) {
    if (row != null) {
      pairs.add(
          new Pair(
              row.label, row.release.toString(), row.acquire.toString(), row.effect.toString()));
    }
  }

  private static final class Row {
    private final String label;
    private final int releaseColumn;
    private final int acquireColumn;
    private int effectColumn = Integer.MAX_VALUE;
    private final StringBuilder release = new StringBuilder();
    private final StringBuilder acquire = new StringBuilder();
    private final StringBuilder effect = new StringBuilder();

    Row(Matcher first) {
      label = first.group(1);
      releaseColumn = first.start(2);
      acquireColumn = first.start(3);
      append(release, first.group(2));
      Matcher texts = TEXT.matcher(first.group(3));
      texts.find();
      append(acquire, texts.group());
      if (texts.find()) {
        effectColumn = acquireColumn + texts.start();
        append(effect, texts.group());
      }
    }

    /** Takes a line that continues the row; tells whether it was one. */
    boolean goesOn(String line) {
      Matcher texts = TEXT.matcher(line.replaceFirst("^(\\s*)\\*", "$1 "));
      boolean any = false;
      while (texts.find()) {
        if (texts.start() < releaseColumn) {
          return false;
        }
        any = true;
        if (texts.start() >= effectColumn) {
          append(effect, texts.group());
        } else if (texts.start() >= acquireColumn) {
          append(acquire, texts.group());
        } else {
          append(release, texts.group());
        }
      }
      return any;
    }

    private static void append(StringBuilder to, String text) {
      to.append(to.isEmpty() ? "" : " ").append(text);
    }
  }
}

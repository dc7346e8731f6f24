package dev.millrace.telemetry.tool;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

/**
 * Shows one picture after the other. On a terminal, each picture replaces the previous one.
 * Elsewhere, pictures follow each other, separated by an empty line.
 */
public final class Screen {
  private static final String HOME = "\u001b[H";
  private static final String CLEAR = "\u001b[2J";
  private static final String CLEAR_LINE_END = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";

  private final Writer out;
  private final Terminal terminal;
  private boolean isFirst = true;

  /**
   * Makes a screen that has shown nothing yet.
   *
   * @param out receives the pictures
   * @param terminal the terminal to which they go, or {@link Terminal#NONE}
   */
  public Screen(Writer out, Terminal terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /**
   * Returns how many lines a picture may have.
   *
   * @return the number, or 0 for any number
   */
  public int rows() {
    return terminal.isThere() ? Math.max(1, terminal.rows() - 1) : 0; // the cursor has the last
  }

  /**
   * Shows a picture.
   *
   * @param lines lines without escapes, which are cut at the edge of the terminal
   * @throws IOException if it cannot be written
   */
  public void show(List<String> lines) throws IOException {
    if (terminal.isThere()) {
      out.write(isFirst ? HOME + CLEAR : HOME);
      for (String line : lines.subList(0, Math.min(lines.size(), rows()))) {
        out.write(cut(line));
        out.write(CLEAR_LINE_END + "\n");
      }
      out.write(CLEAR_BELOW);
    } else {
      out.write(isFirst ? "" : "\n");
      for (String line : lines) {
        out.write(line);
        out.write('\n');
      }
    }
    isFirst = false;
    out.flush();
  }

  private String cut(String line) {
    int points = line.codePointCount(0, line.length());
    return points <= terminal.columns()
        ? line
        : line.substring(0, line.offsetByCodePoints(0, terminal.columns()));
  }
}
